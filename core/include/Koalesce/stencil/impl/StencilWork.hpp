// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_WORK_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_WORK_HPP

#include <Koalesce/common/Fields.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/StencilPolicy.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>

#include <cstdint>
#include <string>

/// Backends see every stencil in the canonical form of IndexOrder.
namespace Koalesce::Impl {

/// Calls the caller's functor at one point. Known weights are summed in the canonical order, as native kernels do, not
/// in the order of the caller's indices.
template <class Order, class F, class... Us>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_at(F const& f, Pack<Us...> const& u, std::int64_t z, std::int64_t y,
                                                   std::int64_t x) {
  if constexpr (is_linear<F>) return linear_sum<Order>(f, get<0>(u));
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
      return Order::in_user_order(
          [&](auto... i) KOALESCE_INLINE_LAMBDA -> decltype(auto) { return f(get<I>(u)..., i...); }, z, y, x);
    }(std::index_sequence_for<Us...>{});
}

/// The same with two packs: a second stage's neighborhoods, then the inputs at the point.
template <class Order, class F, class... Us, class... Vs>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_at(F const& f, Pack<Us...> const& u, Pack<Vs...> const& v,
                                                   std::int64_t z, std::int64_t y, std::int64_t x) {
  if constexpr (is_linear<F>) return linear_sum<Order>(f, get<0>(u));
  else
    return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>,
                                                   std::index_sequence<J...>) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
      return Order::in_user_order(
          [&](auto... i) KOALESCE_INLINE_LAMBDA -> decltype(auto) { return f(get<I>(u)..., get<J>(v)..., i...); }, z, y,
          x);
    }(std::index_sequence_for<Us...>{}, std::index_sequence_for<Vs...>{});
}

/// The inputs' values at one point.
template <class... Ts>
KOKKOS_FORCEINLINE_FUNCTION auto load(Pack<Field<Ts>...> const& in, std::int64_t z, std::int64_t y, std::int64_t x) {
  return transform(in, [&](auto const& field, auto) KOALESCE_INLINE_LAMBDA {
    return typename std::decay_t<decltype(field)>::value_type(*field.at(z, y, x));
  });
}

/// The inputs at one point, as PointValues for a second stage.
template <class Order, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION auto inputs_at(Pack<Field<Ts>...> const& in, std::int64_t z, std::int64_t y,
                                           std::int64_t x) {
  return transform(in, [&](auto const& field, auto) KOALESCE_INLINE_LAMBDA {
    return PointValue<typename std::decay_t<decltype(field)>::value_type, Order::rank>(field.at(z, y, x), {});
  });
}

/// A functor's result as a pack of one value per field.
template <class Result>
KOKKOS_FORCEINLINE_FUNCTION auto to_pack(Result const& result) {
  if constexpr (is_pack<Result>) return result;
  else return Pack<Result>(result);
}

/// Stores a functor's result: each value to place_in(field) of its output field.
template <class Result, class PlaceIn, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION void store_to(Pack<Field<Ts>...> const& out, Result const& result,
                                          PlaceIn const& place_in) {
  if constexpr (is_pack<Result>) {
    static_assert(Result::size == sizeof...(Ts),
                  "Koalesce::parallel_stencil: the functor must return one value per output field");
    for_each(out, [&](auto const& field, auto i)
                      KOALESCE_INLINE_LAMBDA { *place_in(field) = get<decltype(i)::value>(result); });
  } else {
    static_assert(
        sizeof...(Ts) == 1,
        "Koalesce::parallel_stencil: with several output fields the functor must return Koalesce::values(...)");
    *place_in(get<0>(out)) = result;
  }
}

/// The same at one point.
template <class Result, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION void store(Pack<Field<Ts>...> const& out, Result const& result, std::int64_t z,
                                       std::int64_t y, std::int64_t x) {
  store_to(out, result, [&](auto const& field) KOALESCE_INLINE_LAMBDA { return field.at(z, y, x); });
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
  /// The types between the stages, one per field.
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
