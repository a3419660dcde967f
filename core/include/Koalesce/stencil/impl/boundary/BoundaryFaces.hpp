// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_FACES_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_FACES_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySignature.hpp>

#include <cstddef>
#include <utility>

/// Conditions as kernels see them. Only functors have types of their own, so other conditions share one kernel, and
/// copies another.
namespace Koalesce::Impl {

template <int Rank>
using PointIndex = Kokkos::Array<std::int64_t, Rank>;

/// What lies beyond a face. `nearest` is the nearest interior value.
enum class FaceKind { periodic, mirror_face, mirror_point, nearest, extrapolation, dirichlet, neumann };

/// The value or gradient at a point: the same everywhere, or the nearest entry of a View of the face. Strides are per
/// dimension of the field, 0 in the face's own.
template <class T, int Rank>
struct GivenValue {
  T value{};
  T const* data = nullptr;
  Kokkos::Array<std::ptrdiff_t, Rank> stride{};

  KOKKOS_FUNCTION T operator()(PointIndex<Rank> const& point, PointIndex<Rank> const& extent) const {
    if (data == nullptr) return value;
    std::ptrdiff_t place = 0;
    for (int d = 0; d < Rank; ++d)
      place += (point[d] < 0 ? 0 : point[d] < extent[d] ? point[d] : extent[d] - 1) * stride[d];
    return data[place];
  }
};

/// As above, of a functor of the point.
template <class T, int Rank, class F>
struct GivenByFunctor {
  F functor;

  KOKKOS_FUNCTION T operator()(PointIndex<Rank> const& p, PointIndex<Rank> const&) const {
    if constexpr (Rank == 1) return functor(p[0]);
    else if constexpr (Rank == 2) return functor(p[0], p[1]);
    else return functor(p[0], p[1], p[2]);
  }
};

/// A condition at one face.
/// \tparam Given  what a Dirichlet or Neumann condition gives.
/// \tparam kinds  what it may be, a bit each.
template <class Given, unsigned kinds = ~0u>
struct Face {
  FaceKind kind;
  int order;  // of an extrapolation
  Given given;

  KOKKOS_FUNCTION bool is(FaceKind which) const {
    constexpr bool one = (kinds & (kinds - 1)) == 0;
    return (kinds >> int(which) & 1) != 0 && (one || kind == which);
  }
};

template <class Low, class High>
struct FaceSides {
  Low low;
  High high;
};

/// What Dirichlet and Neumann of dimension `dim` hold.
template <class T, int Rank, class V>
auto make_given(int dim, V const& v) {
  if constexpr (Kokkos::is_view_v<V>) {
    GivenValue<T, Rank> given;
    given.data = v.data();
    for (int d = 0, of_face = 0; d < Rank; ++d)
      if (d != dim) given.stride[d] = std::ptrdiff_t(v.stride(of_face++));
    return given;
  } else if constexpr (is_functor_of_point<T, Rank, V>()) {
    return GivenByFunctor<T, Rank, V>{v};
  } else {
    GivenValue<T, Rank> given;
    given.value = v;
    return given;
  }
}

/// Of faces beyond which lie copies of points inside.
inline constexpr unsigned copy_kinds = 1U << int(FaceKind::periodic) | 1U << int(FaceKind::mirror_face) |
                                       1U << int(FaceKind::mirror_point) | 1U << int(FaceKind::nearest);

/// Whether a condition, or both of a dimension, say so.
template <class C>
inline constexpr bool is_copy_condition = std::is_same_v<C, Periodic> || is_mirror<C> || std::is_same_v<C, Neumann<>>;
template <class Low, class High>
inline constexpr bool is_copy_condition<Sides<Low, High>> = is_copy_condition<Low> && is_copy_condition<High>;

template <class T, int Rank, unsigned kinds>
Face<GivenValue<T, Rank>, kinds> make_face(int, Periodic) {
  return {FaceKind::periodic, 0, {}};
}
template <class T, int Rank, unsigned kinds, class About>
Face<GivenValue<T, Rank>, kinds> make_face(int, Mirror<About>) {
  return {std::is_same_v<About, AboutFace> ? FaceKind::mirror_face : FaceKind::mirror_point, 0, {}};
}
template <class T, int Rank, unsigned kinds>
Face<GivenValue<T, Rank>, kinds> make_face(int, Extrapolation extrapolation) {
  return {extrapolation.order == 0 ? FaceKind::nearest : FaceKind::extrapolation, extrapolation.order, {}};
}
template <class T, int Rank, unsigned kinds, class V>
auto make_face(int dim, Neumann<V> const& neumann) {
  if constexpr (std::is_same_v<V, ZeroGradient>) {
    return Face<GivenValue<T, Rank>, kinds>{FaceKind::nearest, 0, {}};
  } else {
    auto const given = make_given<T, Rank>(dim, neumann.gradient);
    return Face<std::decay_t<decltype(given)>, kinds>{FaceKind::neumann, 0, given};
  }
}
template <class T, int Rank, unsigned kinds, class V>
auto make_face(int dim, Dirichlet<V> const& dirichlet) {
  auto const given = make_given<T, Rank>(dim, dirichlet.value);
  return Face<std::decay_t<decltype(given)>, kinds>{FaceKind::dirichlet, 0, given};
}

template <class T, int Rank, unsigned kinds, class Low, class High>
auto make_sides(int dim, Sides<Low, High> const& both) {
  auto const low  = make_face<T, Rank, kinds>(dim, both.low);
  auto const high = make_face<T, Rank, kinds>(dim, both.high);
  return FaceSides<std::decay_t<decltype(low)>, std::decay_t<decltype(high)>>{low, high};
}

/// A pack of Sides, one per dimension, of the conditions that a user gave.
template <int Rank, class... C>
auto sides_per_dimension(C const&... conditions) {
  if constexpr (sizeof...(C) == Rank) {
    return fields(as_sides(conditions)...);
  } else {
    return []<std::size_t... D>(auto const& all, std::index_sequence<D...>) { return fields((void(D), all)...); }(
               as_sides(conditions)..., std::make_index_sequence<Rank>());
  }
}

/// Instead of such a pack: the field has a halo.
struct NoBoundary {};

/// The same with an error of its own.
template <int Rank, class... C>
auto boundary_sides(C const&... conditions) {
  constexpr bool enough = sizeof...(C) == 1 || sizeof...(C) == Rank;
  static_assert(enough, "Koalesce::with_boundary: give one condition for all dimensions, or one per dimension");
  if constexpr (enough) return sides_per_dimension<Rank>(conditions...);
  else return NoBoundary{};
}

/// A pack of FaceSides, one per dimension. Their types say whether all are copies: kernels then hold no code for
/// others.
template <class T, int Rank, class... S>
auto make_faces(Pack<S...> const& conditions) {
  constexpr unsigned kinds = (is_copy_condition<S> && ...) ? copy_kinds : ~0U;
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return fields(make_sides<T, Rank, kinds>(int(D), get<D>(conditions))...);
  }(std::index_sequence_for<S...>());
}

}  // namespace Koalesce::Impl

#endif
