// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilWeighted.hpp"

void perf::add_7_points(Grid const& grid, std::string const& group) {
  if (group.empty()) add_weighted_types<Koalesce::Star<1, 1, 1>>("7pt", grid);
  else add_weighted<double, Koalesce::Star<1, 1, 1>>("7pt", grid, group);
}

void perf::add_aligned_7_points() {
  add_aligned<double, Koalesce::Star<1, 1, 1>>("7pt_aligned");
  add_aligned<float, Koalesce::Star<1, 1, 1>>("7pt_aligned");
}
