// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilWeighted.hpp"

void perf::add_27_points(Grid const& grid, std::string const& group) {
  if (group.empty()) add_weighted_types<Koalesce::Box<1, 1, 1>>("27pt", grid);
  else add_weighted<double, Koalesce::Box<1, 1, 1>>("27pt", grid, group);
}

void perf::add_aligned_27_points() {
  add_aligned<double, Koalesce::Box<1, 1, 1>>("27pt_aligned");
  add_aligned<float, Koalesce::Box<1, 1, 1>>("27pt_aligned");
}
