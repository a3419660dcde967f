// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_FACES_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_FACES_HPP

#include <Koalesce/stencil/impl/StencilInputs.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

/// What lies beyond the faces of fields between the steps of one sweep.
namespace Koalesce::Impl {

/// How a sweep of several steps treats a dimension's faces.
enum class StepsFaces {
  wrap,   ///< the interior repeats
  stay,   ///< what lies beyond does not change
  near,   ///< it follows, after every step, from one point inside and a value
  others  ///< not at all
};

/// Whether a condition holds the same everywhere on a face.
template <class C>
inline constexpr bool is_same_everywhere = true;
template <class V>
inline constexpr bool is_same_everywhere<Dirichlet<V>> = std::is_arithmetic_v<V>;
template <class V>
inline constexpr bool is_same_everywhere<Neumann<V>> = std::is_arithmetic_v<V> || std::is_same_v<V, ZeroGradient>;
template <class Low, class High>
inline constexpr bool is_same_everywhere<Sides<Low, High>> = is_same_everywhere<Low> && is_same_everywhere<High>;

template <class C>
inline constexpr bool follows_from_one_point = !std::is_same_v<C, Extrapolation> && is_same_everywhere<C>;

template <class S>
inline constexpr StepsFaces steps_faces = StepsFaces::others;
template <class Low, class High>
inline constexpr StepsFaces steps_faces<Sides<Low, High>> =
    follows_from_one_point<Low> && follows_from_one_point<High> ? StepsFaces::near : StepsFaces::others;
template <>
inline constexpr StepsFaces steps_faces<Sides<Periodic, Periodic>> = StepsFaces::wrap;
template <class Low, class High>
inline constexpr StepsFaces steps_faces<Sides<Dirichlet<Low>, Dirichlet<High>>> = StepsFaces::stay;

/// Whether all dimensions of a field's boundary are treated as those of the policy's.
template <class Conditions, class OfPolicy>
inline constexpr bool same_steps_faces = false;
template <class... S, class... P>
inline constexpr bool same_steps_faces<Pack<S...>, Pack<P...>> =
    ((steps_faces<S> != StepsFaces::others && steps_faces<S> == steps_faces<P>)&&...);

/// The canonical dimensions of a boundary that are treated so, a bit each.
template <class Order, class... S>
constexpr unsigned dimensions_with(StepsFaces faces, Pack<S...> const*) {
  bool const has[] = {steps_faces<S> == faces...};
  unsigned found   = 0;
  for (int d = 0; d < int(sizeof...(S)); ++d) found |= unsigned(has[d]) << Order::canonical_dim(d);
  return found;
}

/// What lies beyond the interior of a sweep of several steps.
/// \tparam Values         a pack of the BoundaryValue of every input that is read around the point; empty if all wrap.
/// \tparam wrapped, near  of StepsFaces, a bit for each canonical dimension; in the others what lies beyond stays.
/// \tparam rank           number of dimensions.
template <class Values, unsigned wrapped, unsigned near, int rank>
struct StepsBoundary {
  /// Whether there are dimensions of this kind.
  static constexpr bool has_near = near != 0, has_values = std::popcount(wrapped | near) < rank;

  Values values;

  KOKKOS_FUNCTION static constexpr bool wraps(int c) { return wrapped >> c & 1; }
  KOKKOS_FUNCTION static constexpr bool is_near(int c) { return near >> c & 1; }
};

/// The static part of what a sweep of several steps is given as its boundary; without one all that lies beyond stays.
template <class Boundary>
struct StepsFacesOf {
  static constexpr bool has_near = false, has_values = false;

  KOKKOS_FUNCTION static constexpr bool wraps(int) { return false; }
  KOKKOS_FUNCTION static constexpr bool is_near(int) { return false; }
};
template <class Values, unsigned wrapped, unsigned near, int rank>
struct StepsFacesOf<StepsBoundary<Values, wrapped, near, rank>> : StepsBoundary<Values, wrapped, near, rank> {};

/// The value or difference that a face gives, the same everywhere.
template <class T>
struct SameValue {
  T value;

  template <class Point>
  KOKKOS_FUNCTION T operator()(Point const&, Point const&) const {
    return value;
  }
};

template <class C>
inline constexpr FaceKind kind_near = ConditionFacts<C>::sums ? FaceKind::neumann : FaceKind::dirichlet;
template <>
inline constexpr FaceKind kind_near<Mirror<AboutFace>> = FaceKind::mirror_face;
template <>
inline constexpr FaceKind kind_near<Mirror<AboutPoint>> = FaceKind::mirror_point;
template <>
inline constexpr FaceKind kind_near<Neumann<>> = FaceKind::nearest;

/// Faces of StepsFaces::near whose types say what they are: kernels of many steps then hold no code for what they
/// cannot be.
template <class Low, class High, class LowFace, class HighFace>
auto known_sides(Sides<Low, High> const&, FaceSides<LowFace, HighFace> const& both) {
  if constexpr (steps_faces<Sides<Low, High>> != StepsFaces::near) return both;
  else {
    auto const known = []<class C, class T, int Rank, unsigned kinds>(C const*,
                                                                      Face<GivenValue<T, Rank>, kinds> const& face) {
      return Face<SameValue<T>, 1U << int(kind_near<C>)>{face.kind, face.order, {face.given.value}};
    };
    auto const low  = known(static_cast<Low const*>(nullptr), both.low);
    auto const high = known(static_cast<High const*>(nullptr), both.high);
    return FaceSides<std::decay_t<decltype(low)>, std::decay_t<decltype(high)>>{low, high};
  }
}
template <class T, int Rank, class Faces, class Conditions>
auto with_known_faces(BoundaryValue<T, Rank, Faces> const& value, Conditions const& conditions) {
  auto const faces = transform(
      conditions, [&](auto const& both, auto d) { return known_sides(both, get<decltype(d)::value>(value.faces)); });
  return BoundaryValue<T, Rank, std::remove_const_t<decltype(faces)>>{value.origin, value.stride, value.extent, faces};
}

/// Whether what lies beyond a face, or both of a dimension, is a copy of points inside.
template <class C>
inline constexpr bool copies_points = is_mirror<C> || std::is_same_v<C, Neumann<>>;
template <class Low, class High>
inline constexpr bool copies_points<Sides<Low, High>> = copies_points<Low> && copies_points<High>;

/// Whether a shape reads, beyond a corner, what depends on the order of dimensions: there the last one decides, but
/// sweeps of several steps fill one dimension after the other, and know places only within a period.
template <class Shape, class... S>
constexpr bool reads_other_corners(Pack<S...> const*) {
  StepsFaces const faces[] = {steps_faces<S>...};
  bool const varies[]      = {!is_same_everywhere<S>...};
  bool const copies[]      = {copies_points<S>...};
  auto const differ        = [&](int first, int last) {
    bool const near = faces[first] == StepsFaces::near && !copies[first];
    return (faces[first] != StepsFaces::stay && varies[last]) ||
           (near && !copies[last] && faces[last] != StepsFaces::wrap);
  };
  bool found = false;
  for_each_in_box<Shape>([&](auto... offset) {
    if (!Shape::contains(offset...)) return;
    int const at[] = {int(offset)...};
    for (int d = 0; d < Shape::rank; ++d)
      for (int earlier = 0; earlier < d; ++earlier)
        found = found || (at[earlier] != 0 && at[d] != 0 && differ(earlier, d));
  });
  return found;
}

/// Whether a shape that reads a point also reads its mirror image across the center, and all between them, in the
/// dimensions whose faces ask for it: then all that a point beyond a face follows from is at hand.
template <class Shape, class... S>
constexpr bool reads_all_near(Pack<S...> const*) {
  bool const near[] = {steps_faces<S> == StepsFaces::near...};
  bool all          = true;
  for_each_in_box<Shape>([&](auto... offset) {
    if (!Shape::contains(offset...)) return;
    for (int d = 0; d < Shape::rank; ++d) {
      int at[]        = {int(offset)...};
      int const reach = near[d] ? std::max(at[d], -at[d]) : 0;
      for (at[d] = -reach; at[d] <= reach; ++at[d])
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          all = all && (reach == 0 || Shape::contains(at[I]...));
        }(std::make_index_sequence<sizeof...(offset)>());
    }
  });
  return all;
}

/// Whether sweeps of several steps know the boundary of an input.
template <class Policy, class In>
constexpr bool can_fuse_boundary() {
  using Boundary = typename Policy::boundary_type;
  if constexpr (std::is_same_v<Boundary, NoBoundary>) {
    return true;
  } else {
    using Own = std::decay_t<decltype(boundary_of(std::declval<In const&>(), std::declval<Boundary const&>()))>;
    if constexpr (!same_steps_faces<Own, Boundary>) return false;
    else {
      using Shape = typename InputTraits<In, InputShapeOf<typename Policy::shape_type>>::shape;
      return !reads_other_corners<Shape>(static_cast<Own const*>(nullptr)) &&
             reads_all_near<Shape>(static_cast<Own const*>(nullptr));
    }
  }
}

}  // namespace Koalesce::Impl

#endif
