// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_STENCIL_SHAPE_HPP
#define KOALESCE_STENCIL_STENCIL_SHAPE_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Koalesce {

/// Maximum radius of a dimension.
inline constexpr int max_radius = 4;

namespace Impl {

/// Whether a type counts points: 0.5 must not become 0.
template <class T>
inline constexpr bool is_offset = std::is_convertible_v<T, int> && !std::is_floating_point_v<T>;

template <int... Radius>
struct ShapeBase {
  static_assert(sizeof...(Radius) >= 1 && sizeof...(Radius) <= 3,
                "Koalesce: a stencil shape must have one, two or three dimensions");
  static_assert(((Radius >= 0 && Radius <= max_radius) && ...),
                "Koalesce: the radius of a stencil shape must be 0 to 4 in every dimension");

  static constexpr int rank = sizeof...(Radius);

  /// Radius in dimension d, counted as the indices of the View are.
  KOKKOS_FUNCTION static constexpr int radius(int d) {
    int const r[] = {Radius...};
    return r[d];
  }
};

}  // namespace Impl

/// \brief All points at most `Radius` away in each dimension: the (2r+1)^rank box.
///
/// `rank` is the number of dimensions, `radius(d)` the radius in dimension d.
///
/// \tparam Radius one radius (0 to 4) per dimension, in the order of the View's indices.
template <int... Radius>
struct Box : Impl::ShapeBase<Radius...> {
  /// Number of points.
  static constexpr int size = ((2 * Radius + 1) * ...);

  /// Whether the point at these offsets belongs to the shape.
  template <class... Offset>
  KOKKOS_FUNCTION static constexpr bool contains(Offset... offset) {
    return ((offset >= -Radius && offset <= Radius) && ...);
  }
};

/// \brief The points on the axes only: 1 + 2 * (sum of the radii) of them.
///
/// `rank` is the number of dimensions, `radius(d)` the radius in dimension d.
///
/// \tparam Radius one radius (0 to 4) per dimension, in the order of the View's indices.
template <int... Radius>
struct Star : Impl::ShapeBase<Radius...> {
  /// Number of points.
  static constexpr int size = 1 + 2 * (Radius + ...);

  /// Whether the point at these offsets belongs to the shape.
  template <class... Offset>
  KOKKOS_FUNCTION static constexpr bool contains(Offset... offset) {
    return ((offset >= -Radius && offset <= Radius) && ...) && (int(offset != 0) + ...) <= 1;
  }
};

/// \brief Two stencils in one sweep: the second reads the first one's results around each point.
template <class First, class Second>
struct Staged {
  static_assert(First::rank == Second::rank, "Koalesce::Staged: both shapes need the same number of dimensions");

  using first  = First;   ///< the first stage's shape
  using second = Second;  ///< the second stage's shape

  static constexpr int rank = First::rank;  ///< number of dimensions

  /// Radius of the input that one output point depends on.
  KOKKOS_FUNCTION static constexpr int radius(int d) { return First::radius(d) + Second::radius(d); }
};

namespace Impl {

template <class Shape>
inline constexpr bool is_staged = false;
template <class First, class Second>
inline constexpr bool is_staged<Staged<First, Second>> = true;

}  // namespace Impl
}  // namespace Koalesce

#endif
