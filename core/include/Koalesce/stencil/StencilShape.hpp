// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_STENCIL_SHAPE_HPP
#define KOALESCE_STENCIL_STENCIL_SHAPE_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace Koalesce {

/// Maximum radius of a dimension.
inline constexpr int max_radius = 4;

/// Maximum radius of a dimension of a Star.
inline constexpr int max_star_radius = 8;

template <int... Offset>
struct At;

namespace Impl {

/// Whether a type counts points: 0.5 must not become 0.
template <class T>
inline constexpr bool is_offset = std::is_convertible_v<T, int> && !std::is_floating_point_v<T>;

template <int Max, int... Radius>
struct ShapeBase {
  static_assert(sizeof...(Radius) >= 1 && sizeof...(Radius) <= 3,
                "Koalesce: a stencil shape must have one, two or three dimensions");
  static_assert(((Radius >= 0 && Radius <= Max) && ...),
                "Koalesce: the radius of a stencil shape must be 0 to 4 in every dimension, of a Star 0 to 8");

  static constexpr int rank = sizeof...(Radius);

  /// Radius in dimension d, counted as the indices of the View are.
  KOKKOS_FUNCTION static constexpr int radius(int d) {
    int const r[] = {Radius...};
    return r[d];
  }
};

/// How far a point is away in dimension d.
template <int... Offset>
KOKKOS_FUNCTION constexpr int distance(At<Offset...>, int d) {
  int const o[] = {Offset...};
  return o[d] < 0 ? -o[d] : o[d];
}

template <int... Offset, class... Is>
KOKKOS_FUNCTION constexpr bool is_at(At<Offset...>, Is... offset) {
  return ((Offset == offset) && ...);
}

template <class... Rest>
constexpr int first_of(int first, Rest...) {
  return first;
}

template <class Shape>
constexpr int max_radius_of() {
  int r = 0;
  for (int d = 0; d < Shape::rank; ++d) r = Shape::radius(d) > r ? Shape::radius(d) : r;
  return r;
}

/// Calls f(offsets...) for every point of the box around a shape.
template <class Shape, class F>
constexpr void for_each_in_box(F const& f) {
  constexpr int rank = Shape::rank;
  int const r0 = Shape::radius(0), r1 = rank > 1 ? Shape::radius(rank > 1 ? 1 : 0) : 0,
            r2 = rank > 2 ? Shape::radius(rank > 2 ? 2 : 0) : 0;
  for (int a = -r0; a <= r0; ++a)
    for (int b = -r1; b <= r1; ++b)
      for (int c = -r2; c <= r2; ++c) {
        if constexpr (rank == 3) f(a, b, c);
        else if constexpr (rank == 2) f(a, b);
        else f(a);
      }
}

template <class Shape>
constexpr int count_points() {
  int n = 0;
  for_each_in_box<Shape>([&](auto... offset) { n += Shape::contains(offset...); });
  return n;
}

}  // namespace Impl

/// \brief All points at most `Radius` away in each dimension: the (2r+1)^rank box.
///
/// `rank` is the number of dimensions, `radius(d)` the radius in dimension d.
///
/// \tparam Radius one radius (0 to 4) per dimension, in the order of the View's indices.
template <int... Radius>
struct Box : Impl::ShapeBase<max_radius, Radius...> {
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
/// \tparam Radius one radius (0 to 8) per dimension, in the order of the View's indices.
template <int... Radius>
struct Star : Impl::ShapeBase<max_star_radius, Radius...> {
  /// Number of points.
  static constexpr int size = 1 + 2 * (Radius + ...);

  /// Whether the point at these offsets belongs to the shape.
  template <class... Offset>
  KOKKOS_FUNCTION static constexpr bool contains(Offset... offset) {
    return ((offset >= -Radius && offset <= Radius) && ...) && (int(offset != 0) + ...) <= 1;
  }
};

/// \brief One point of Offsets: how far it is from the stencil's own point, per dimension.
template <int... Offset>
struct At {
  static constexpr int rank = sizeof...(Offset);  ///< number of dimensions
};

/// \brief Any points: `Offsets<At<0, 0>, At<0, 1>, At<0, 2>>` for a one-sided difference.
///
/// `rank` is the number of dimensions. `radius(d)` is the largest distance in dimension d, to either side: inputs need
/// a halo as wide, and few points far apart cost as much memory on chip as the box around them.
///
/// \tparam Points At, one per point, each -4 to 4 in every dimension; repeated points count once.
template <class... Points>
struct Offsets {
  static_assert(sizeof...(Points) > 0, "Koalesce::Offsets: give at least one point, as At<...>");

  static constexpr int rank = Impl::first_of(Points::rank...);  ///< number of dimensions

  static_assert(rank >= 1 && rank <= 3, "Koalesce: a stencil shape must have one, two or three dimensions");
  static_assert(((Points::rank == rank) && ...), "Koalesce::Offsets: every At needs the same number of offsets");

  /// Radius in dimension d, counted as the indices of the View are.
  KOKKOS_FUNCTION static constexpr int radius(int d) {
    int r = 0;
    ((r = Impl::distance(Points{}, d) > r ? Impl::distance(Points{}, d) : r), ...);
    return r;
  }

  /// Whether the point at these offsets belongs to the shape.
  template <class... Offset>
  KOKKOS_FUNCTION static constexpr bool contains(Offset... offset) {
    return (Impl::is_at(Points{}, int(offset)...) || ...);
  }

  static constexpr int size = Impl::count_points<Offsets>();  ///< number of points

  static_assert(Impl::max_radius_of<Offsets>() <= max_radius,
                "Koalesce: the radius of a stencil shape must be 0 to 4 in every dimension");
};

template <class First, class Second, class... More>
struct Staged;

namespace Impl {
template <class Shape>
inline constexpr bool is_staged = false;
template <class... Shapes>
inline constexpr bool is_staged<Staged<Shapes...>> = true;
}  // namespace Impl

/// \brief Two or more stencils in one sweep: each reads the results of the one before it around each point.
///
/// \tparam First, Second, More  the shapes of the stages, in their order.
template <class First, class Second, class... More>
struct Staged {
  static_assert(First::rank == Second::rank && ((First::rank == More::rank) && ...),
                "Koalesce::Staged: all shapes need the same number of dimensions");
  static_assert(!((Impl::is_staged<First> || Impl::is_staged<Second>) || ... || Impl::is_staged<More>),
                "Koalesce::Staged: a stage cannot be Staged itself; give the shapes of all stages in one list");

  using first  = First;   ///< the first stage's shape
  using second = Second;  ///< the second stage's shape

  static constexpr int rank   = First::rank;          ///< number of dimensions
  static constexpr int stages = 2 + sizeof...(More);  ///< number of stages

  /// Radius of the input that one output point depends on.
  KOKKOS_FUNCTION static constexpr int radius(int d) {
    return ((First::radius(d) + Second::radius(d)) + ... + More::radius(d));
  }
};

namespace Impl {

/// The shape of a stage, counted from 0.
template <class Shape, int stage>
struct StageShapeOf;
template <class... Shapes, int stage>
struct StageShapeOf<Staged<Shapes...>, stage> {
  using type = std::tuple_element_t<std::size_t(stage), std::tuple<Shapes...>>;
};
template <class Shape, int stage>
using StageShape = typename StageShapeOf<Shape, stage>::type;

}  // namespace Impl
}  // namespace Koalesce

#endif
