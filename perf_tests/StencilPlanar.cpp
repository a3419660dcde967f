// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils in two dimensions: stencil/2d_<points>/<type>/<ny>x<nx>/<impl>, and stencil_aligned/... For GPUs it is
// compiled once per type, KOALESCE_PERF_TYPE.

#include <Koalesce/Stencil.hpp>

#include <array>
#include <string>

#include "StencilWeighted.hpp"

namespace {

using namespace perf;

template <class T, class Shape>
void add_planes(std::string const& points, std::array<std::int64_t, 2> const& n) {
  auto const grid = grid_of(n, Shape::radius(0));
  add_weighted<T, Shape>(points, grid);
  if constexpr (!on_host) add_weighted<T, Shape, true>(points, grid);
}

}  // namespace

template <class T>
void perf::add_planar_stencils() {
  using Plane = std::array<std::int64_t, 2>;
  for (Plane const n : on_host ? std::array<Plane, 2>{{{4096, 4096}, {2503, 2497}}}
                               : std::array<Plane, 2>{{{16384, 16384}, {10007, 9973}}}) {
    add_planes<T, Koalesce::Star<1, 1>>("2d_5pt", n);
    add_planes<T, Koalesce::Box<1, 1>>("2d_9pt", n);
    add_planes<T, Koalesce::Star<4, 4>>("2d_17pt", n);
    add_planes<T, Koalesce::Box<2, 2>>("2d_25pt", n);
  }
}

#if defined(KOALESCE_PERF_TYPE)
template void perf::add_planar_stencils<KOALESCE_PERF_TYPE>();
#else
template void perf::add_planar_stencils<double>();
template void perf::add_planar_stencils<float>();
#endif
