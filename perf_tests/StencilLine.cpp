// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils in one dimension: stencil/1d_<points>/<type>/<nx>/<impl>.

#include "StencilWeighted.hpp"

void perf::add_line_stencils() {
  std::int64_t const bytes = on_host ? 1 << 27 : 1 << 30;
  add_weighted<double, Koalesce::Star<2>>("1d_5pt", grid_of<1>({bytes / 8}, 2));
  add_weighted<float, Koalesce::Star<2>>("1d_5pt", grid_of<1>({bytes / 4}, 2));
}
