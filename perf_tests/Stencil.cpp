// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils, ours and others' side by side: stencil/<points>/<type>/<extents>/<impl>; stencil_aligned/... with fields
// from make_field, scaling/stencil/... over sizes.
// Every name is measured in the same process on the same fields, so that ratios mean something.

#include "Measure.hpp"
#include "StencilCases.hpp"

namespace {

using namespace perf;

template <int Points, class T>
void add_if_compiled(Extents const& n, std::string const& prefix = "") {
  if constexpr (Points == 7 || has_all_sizes) add_points<Points, T>(n, prefix);
}

template <int Points>
void add_both_types(Extents const& n) {
  add_if_compiled<Points, double>(n);
  add_if_compiled<Points, float>(n);
}

void add_stencils() {
  for (auto const& n : sizes()) {
    add_both_types<7>(n);
    add_both_types<13>(n);
    add_both_types<19>(n);
    add_both_types<25>(n);
    add_both_types<27>(n);
    add_both_types<125>(n);
  }
}

/// From where everything fits in a cache to where nothing does.
void add_scaling() {
  for (std::int64_t n = 32; n <= (on_host ? 256 : 1024); n *= 2) {
    Extents const cube{n, n, n};
    add_if_compiled<7, double>(cube, "scaling/");
    if (on_host || n > 256) continue;
    add_if_compiled<27, double>(cube, "scaling/");
    add_if_compiled<125, double>(cube, "scaling/");
  }
}

}  // namespace

int main(int argc, char** argv) {
  run(argc, argv,
      {add_stencils, add_biharmonic, add_nonlinear_stencils, add_planar_stencils<double>, add_planar_stencils<float>,
       add_line_stencils, add_wave, add_boundary, add_residual, add_blocks, add_active, add_scaling});
}
