// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_STENCIL_WORK_HPP
#define KOALESCE_IMPL_STENCIL_WORK_HPP

#include <Koalesce/Fields.hpp>
#include <Koalesce/Neighborhood.hpp>
#include <Koalesce/StencilPolicy.hpp>

#include <cstdint>
#include <string>

/// Backends see every stencil in one canonical form: three dimensions z, y, x, of which z is marched along and x is
/// the one whose points lie next to each other in memory. A LayoutRight index (z, y, x) is canonical as it is,
/// a LayoutLeft index is reversed; dimensions that are missing have extent 1 and radius 0.
namespace Koalesce::Impl {

using Extents3 = Kokkos::Array<std::int64_t, 3>;

/// One field: elements are `origin[z * stride[0] + y * stride[1] + x * stride[2]]`, the interior from (0, 0, 0).
template <class T>
struct Field {
  using value_type = std::remove_const_t<T>;

  T* origin;
  Extents3 stride;

  KOKKOS_FORCEINLINE_FUNCTION T* at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return origin + z * stride[0] + y * stride[1] + x * stride[2];
  }
};

/// Translates between the caller's indices and the canonical ones.
template <int Rank, bool Reversed>
struct IndexOrder {
  static constexpr int rank = Rank;

  /// The caller's dimension that is canonical dimension c (0: z, 1: y, 2: x), or -1.
  KOKKOS_FUNCTION static constexpr int user_dim(int c) {
    if (Rank == 3) return Reversed ? 2 - c : c;
    if (Rank == 2) return c == 1 ? -1 : ((c == 0) != Reversed ? 0 : 1);
    return c == 2 ? 0 : -1;
  }

  /// The canonical dimension that is the caller's dimension d.
  KOKKOS_FUNCTION static constexpr int canonical_dim(int d) { return user_dim(0) == d ? 0 : user_dim(1) == d ? 1 : 2; }

  template <class Shape>
  KOKKOS_FUNCTION static constexpr int radius(int c) {
    return user_dim(c) < 0 ? 0 : Shape::radius(user_dim(c));
  }

  /// Whether the shape has a point at these canonical offsets.
  template <class Shape>
  KOKKOS_FUNCTION static constexpr bool contains(int dz, int dy, int dx) {
    if constexpr (Rank == 3) return Reversed ? Shape::contains(dx, dy, dz) : Shape::contains(dz, dy, dx);
    else if constexpr (Rank == 2) return dy == 0 && (Reversed ? Shape::contains(dx, dz) : Shape::contains(dz, dx));
    else return dz == 0 && dy == 0 && Shape::contains(dx);
  }

  /// f(dz, dy, dx) in the caller's order of indices.
  template <class F, class I>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr decltype(auto) in_user_order(F&& f, I z, I y, I x) {
    if constexpr (Rank == 3 && Reversed) return f(x, y, z);
    else if constexpr (Rank == 3) return f(z, y, x);
    else if constexpr (Rank == 2 && Reversed) return f(x, z);
    else if constexpr (Rank == 2) return f(z, x);
    else return f(x);
  }

  /// A neighborhood around a point whose planes lie `stride_z` elements apart; with `ring_size` > 0 they rotate in
  /// a ring and the point's own plane is in `slot`. The point is `base[point]`.
  template <class Shape, class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto neighborhood(T const* base, std::ptrdiff_t stride_z, std::ptrdiff_t stride_y,
                                                       std::ptrdiff_t stride_x, int ring_size = 0, int slot = 0,
                                                       std::ptrdiff_t point = 0) {
    Kokkos::Array<std::ptrdiff_t, Rank> stride{};
    if constexpr (user_dim(0) >= 0) stride[user_dim(0)] = stride_z;
    if constexpr (user_dim(1) >= 0) stride[user_dim(1)] = stride_y;
    stride[user_dim(2)] = stride_x;
    // One dimension alone has no planes that could rotate.
    if constexpr (user_dim(0) < 0) return Neighborhood<T, Shape>(base, stride, 0, 0, 0, point);
    else return Neighborhood<T, Shape>(base, stride, user_dim(0), ring_size, slot, point);
  }
};

/// Calls the caller's functor at one point.
template <class Order, class F, class... Us>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_at(F const& f, Pack<Us...> const& u, std::int64_t z, std::int64_t y,
                                                   std::int64_t x) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA->decltype(auto) {
    return Order::in_user_order(
        [&](auto... i) KOALESCE_INLINE_LAMBDA -> decltype(auto) { return f(get<I>(u)..., i...); }, z, y, x);
  }
  (std::index_sequence_for<Us...>{});
}

/// The same with two packs: a second stage's neighborhoods, then the inputs at the point.
template <class Order, class F, class... Us, class... Vs>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_at(F const& f, Pack<Us...> const& u, Pack<Vs...> const& v,
                                                   std::int64_t z, std::int64_t y, std::int64_t x) {
  return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>)
      KOALESCE_INLINE_LAMBDA->decltype(auto) {
    return Order::in_user_order(
        [&](auto... i) KOALESCE_INLINE_LAMBDA -> decltype(auto) { return f(get<I>(u)..., get<J>(v)..., i...); }, z, y,
        x);
  }
  (std::index_sequence_for<Us...>{}, std::index_sequence_for<Vs...>{});
}

/// The inputs' values at one point.
template <class... Ts>
KOKKOS_FORCEINLINE_FUNCTION auto load(Pack<Field<Ts>...> const& in, std::int64_t z, std::int64_t y, std::int64_t x) {
  return transform(in, [&](auto const& field, auto) KOALESCE_INLINE_LAMBDA {
    return typename std::decay_t<decltype(field)>::value_type(*field.at(z, y, x));
  });
}

/// The inputs at one point as a second stage receives them.
template <class Order, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION auto inputs_at(Pack<Field<Ts>...> const& in, std::int64_t z, std::int64_t y,
                                           std::int64_t x) {
  return transform(in, [&](auto const& field, auto) KOALESCE_INLINE_LAMBDA {
    return PointValue<typename std::decay_t<decltype(field)>::value_type, Order::rank>(field.at(z, y, x), {});
  });
}

/// What a functor returned, as a pack of one value a field.
template <class Result>
KOKKOS_FORCEINLINE_FUNCTION auto to_pack(Result const& result) {
  if constexpr (is_pack<Result>) return result;
  else return Pack<Result>(result);
}

/// Writes what a functor returned to the output fields at one point.
template <class Result, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION void store(Pack<Field<Ts>...> const& out, Result const& result, std::int64_t z,
                                       std::int64_t y, std::int64_t x) {
  if constexpr (is_pack<Result>) {
    static_assert(Result::size == sizeof...(Ts),
                  "Koalesce::parallel_stencil: the functor must return one value an output field");
    for_each(out, [&](auto const& field, auto i)
                      KOALESCE_INLINE_LAMBDA { *field.at(z, y, x) = get<decltype(i)::value>(result); });
  } else {
    static_assert(
        sizeof...(Ts) == 1,
        "Koalesce::parallel_stencil: with several output fields the functor must return Koalesce::values(...)");
    *get<0>(out).at(z, y, x) = result;
  }
}

/// One sweep: out(p) = functor(neighborhood of p in every input, p) for every interior point p.
template <class OrderT, class ShapeT, class InsT, class OutsT, class FunctorT>
struct StencilWork {
  using Order   = OrderT;
  using Shape   = ShapeT;
  using Ins     = InsT;
  using Outs    = OutsT;
  using Functor = FunctorT;

  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  Ins in;
  Outs out;
  Extents3 extents;
  Functor functor;
  StencilTaps taps;
};

template <class Shape, class Ins>
struct NeighborhoodsOfPack;
template <class Shape, class... Ts>
struct NeighborhoodsOfPack<Shape, Pack<Field<Ts>...>> {
  using type = Pack<Neighborhood<std::remove_const_t<Ts>, Shape>...>;
};
template <class Shape, class Ins>
using NeighborhoodsOf = typename NeighborhoodsOfPack<Shape, Ins>::type;

/// Two stages in one sweep: mid(p) = first(neighborhood of p in every input, p), kept on chip only, and
/// out(p) = second(neighborhood of p in mid, inputs at p, p).
template <class OrderT, class ShapeT, class InsT, class OutsT, class FirstT, class SecondT>
struct StagedWork {
  using Order       = OrderT;
  using FirstShape  = typename ShapeT::first;
  using SecondShape = typename ShapeT::second;
  using Ins         = InsT;
  using Outs        = OutsT;
  using First       = FirstT;
  using Second      = SecondT;
  /// The types between the stages, one a field.
  using Mids = decltype(to_pack(
      call_at<Order>(std::declval<First const&>(), std::declval<NeighborhoodsOf<FirstShape, Ins> const&>(), 0, 0, 0)));

  Ins in;
  Outs out;
  Extents3 extents;
  First first;
  Second second;
};

template <class Order, class Shape, class Ins, class Outs, class Functor>
auto make_work(Ins const& in, Outs const& out, Extents3 const& extents, StencilTaps taps, Functor const& functor) {
  return StencilWork<Order, Shape, Ins, Outs, Functor>{in, out, extents, functor, taps};
}

template <class Order, class Shape, class Ins, class Outs, class First, class Second>
auto make_work(Ins const& in, Outs const& out, Extents3 const& extents, StencilTaps, First const& first,
               Second const& second) {
  return StagedWork<Order, Shape, Ins, Outs, First, Second>{in, out, extents, first, second};
}

}  // namespace Koalesce::Impl

#endif
