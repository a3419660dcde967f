// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils in two dimensions: stencil/2d_<points>/<type>/<ny>x<nx>/<impl>.

#include "StencilWeighted.hpp"

void perf::add_planar_stencils() {
  using Plane = std::array<std::int64_t, 2>;
  for (Plane const n : on_host ? std::array<Plane, 2>{{{4096, 4096}, {2503, 2497}}}
                               : std::array<Plane, 2>{{{16384, 16384}, {10007, 9973}}}) {
    add_weighted_types<Koalesce::Star<1, 1>>("2d_5pt", grid_of(n, 1));
    add_weighted_types<Koalesce::Box<1, 1>>("2d_9pt", grid_of(n, 1));
    add_weighted_types<Koalesce::Star<4, 4>>("2d_17pt", grid_of(n, 4));
    add_weighted_types<Koalesce::Box<2, 2>>("2d_25pt", grid_of(n, 2));
  }
}
