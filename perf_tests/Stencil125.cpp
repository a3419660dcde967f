// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilWeighted.hpp"

void perf::add_125_points(Grid const& grid, std::string const& group) {
  if (group.empty()) add_weighted_types<Koalesce::Box<2, 2, 2>>("125pt", grid);
  else add_weighted<double, Koalesce::Box<2, 2, 2>>("125pt", grid, group);
}
