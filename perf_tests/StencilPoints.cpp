// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weighted sums in three dimensions: compiled once per number of points, KOALESCE_PERF_POINTS, and for GPUs once per
// type, KOALESCE_PERF_TYPE.

#include <Koalesce/Stencil.hpp>

#include <string>
#include <type_traits>

#include "StencilWeighted.hpp"

namespace {

template <int Points>
struct ShapeOf;
template <>
struct ShapeOf<7> : std::type_identity<Koalesce::Star<1, 1, 1>> {};
template <>
struct ShapeOf<13> : std::type_identity<Koalesce::Star<2, 2, 2>> {};
template <>
struct ShapeOf<19> : std::type_identity<Koalesce::Star<3, 3, 3>> {};
template <>
struct ShapeOf<25> : std::type_identity<Koalesce::Star<4, 4, 4>> {};
template <>
struct ShapeOf<27> : std::type_identity<Koalesce::Box<1, 1, 1>> {};
template <>
struct ShapeOf<125> : std::type_identity<Koalesce::Box<2, 2, 2>> {};

}  // namespace

template <int Points, class T>
void perf::add_points(Extents const& n, std::string const& group) {
  using Shape              = typename ShapeOf<Points>::type;
  std::string const points = std::to_string(Points) + "pt";
  auto const grid          = grid_of(n, Shape::radius(0));
  add_weighted<T, Shape>(points, grid, group);
  if constexpr (!on_host)
    if (group.empty() && n == sizes()[0]) add_weighted<T, Shape, true>(points, grid);
}

#if defined(KOALESCE_PERF_TYPE)
template void perf::add_points<KOALESCE_PERF_POINTS, KOALESCE_PERF_TYPE>(Extents const&, std::string const&);
#else
template void perf::add_points<KOALESCE_PERF_POINTS, double>(Extents const&, std::string const&);
template void perf::add_points<KOALESCE_PERF_POINTS, float>(Extents const&, std::string const&);
#endif
