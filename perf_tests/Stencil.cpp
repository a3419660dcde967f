// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils, ours and others' side by side: stencil/<points>/<type>/<extents>/<impl>. The same over sizes is
// scaling/stencil/... .
// Every name is measured in the same process on the same fields, so that ratios mean something.

#include "Measure.hpp"
#include "StencilCases.hpp"

namespace {

using namespace perf;

void add_stencils() {
  for (auto const& n : sizes()) {
    add_7_points(grid_of(n, 1));
    add_13_points(grid_of(n, 2));
    add_25_points(grid_of(n, 4));
    add_27_points(grid_of(n, 1));
    add_125_points(grid_of(n, 2));
  }
}

/// From where everything fits in a cache to where nothing does.
void add_scaling() {
  for (std::int64_t n = 32; n <= (on_host ? 256 : 1024); n *= 2) {
    Extents const cube{n, n, n};
    add_7_points(grid_of(cube, 1), "scaling/");
    if (on_host || n > 256) continue;
    add_27_points(grid_of(cube, 1), "scaling/");
    add_125_points(grid_of(cube, 2), "scaling/");
  }
}

}  // namespace

int main(int argc, char** argv) {
  run(argc, argv,
      {add_stencils, add_aligned_7_points, add_aligned_27_points, add_biharmonic, add_nonlinear_stencils,
       add_planar_stencils, add_line_stencils, add_wave, add_scaling});
}
