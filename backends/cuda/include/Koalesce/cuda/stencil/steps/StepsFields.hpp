// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEPS_FIELDS_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEPS_FIELDS_HPP

#include <Koalesce/cuda/stencil/steps/StepColumn.hpp>
#include <Koalesce/cuda/stencil/steps/StepSums.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <algorithm>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// Whether the steps of a work add planes to sums, instead of reading the planes around each. It pays where neighbors
/// in a plane are read in others, too, but not in two dimensions where points keep their values: the look at them costs
/// as much. What lies beyond a face that is near in z would follow from planes that come later.
template <class Work, class Faces>
inline constexpr bool adds_planes = false;
template <class Order, class T, class Shape, class Points, class Outs, class Functor, class... Rest, class Faces>
  requires is_linear<Functor>
inline constexpr bool adds_planes<StencilWork<Order, Pack<Field<T, Shape>>, Points, Outs, Functor, Rest...>, Faces> =
    !Faces::has_near && !StepsReach<Order, Shape>::is_flat &&
    (Order::rank == 3 || (Faces::wraps(0) && Faces::wraps(2))) &&
    std::is_same_v<decltype(typename Functor::weight_type() * std::remove_const_t<T>()), std::remove_const_t<T>>;

/// Where a thread's rows begin in the plane that it reads next.
template <class T, int rows>
struct StepsSource {
  T const* row[rows];
};

/// What the threads of a fused sweep hold of its fields, and where planes and rows lie in shared memory: first the rows
/// that warps leave for each other, field by field, then the places where planes arrive.
template <class Work, class Faces, class Tile, int depth, class Ins = typename Work::Ins>
struct StepsFields;
template <class Work, class Faces, class Tile, int depth, class... Ts, class... Shapes>
struct StepsFields<Work, Faces, Tile, depth, Pack<Field<Ts, Shapes>...>> {
  using Order = typename Work::Order;

  static constexpr bool adds  = adds_planes<Work, Faces>;
  static constexpr int lag    = adds ? sums_lag<Work::rz, Work::ry> : std::max({StepsReach<Order, Shapes>::lag...});
  static constexpr int planes = lag + Work::rz + 1;

  template <class T, class Shape>
  using Column = std::conditional_t<adds, StepSums<std::remove_const_t<T>, Order, Shape, Tile, depth, planes>,
                                    StepColumn<std::remove_const_t<T>, Order, Shape, Tile, depth, lag, planes>>;

  using Columns = Pack<Column<Ts, Shapes>...>;
  using Sources = Pack<StepsSource<std::remove_const_t<Ts>, Tile::rows>...>;
  using Planes  = Pack<Kokkos::Array<std::remove_const_t<Ts>, Tile::rows * Tile::width>...>;

  /// Where arriving planes of field i begin in shared memory; of no field: all bytes.
  template <int i>
  static constexpr int arrivals = [] {
    constexpr int sizes[]  = {int(sizeof(Ts))...};
    constexpr int points[] = {Column<Ts, Shapes>::arrival_points...};
    int place              = (Column<Ts, Shapes>::bytes + ... + 0);
    for (int k = 0; k != i; ++k) place += planes * points[k] * sizes[k];
    return place;
  }();
  static constexpr int bytes = arrivals<int(sizeof...(Ts))>;

  static constexpr int ahead = std::min({Column<Ts, Shapes>::ahead...});  ///< planes on their way

  /// Registers of planes and sums that a thread holds between two of its steps.
  static constexpr int held = ((Column<Ts, Shapes>::held_points * ((int(sizeof(Ts)) + 3) / 4)) + ...);
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
