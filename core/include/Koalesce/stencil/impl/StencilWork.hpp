// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_WORK_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_WORK_HPP

#include <Koalesce/common/Fields.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/StencilPolicy.hpp>
#include <Koalesce/stencil/SymmetricStencil.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/StencilReduction.hpp>
#include <Koalesce/stencil/impl/domain/ActiveTiles.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// Backends see every stencil in the canonical form of IndexOrder.
namespace Koalesce::Impl {

/// The value of f(arguments...), which may be a reference to one of these, or, of a functor that returns nothing, no
/// values.
template <class F, class... Args>
KOKKOS_FORCEINLINE_FUNCTION auto call_for_value(F const& f, Args&&... args) {
  if constexpr (std::is_void_v<decltype(f(args...))>) {
    f(args...);
    return Pack<>();
  } else {
    return f(args...);
  }
}

/// Calls f(arguments..., block..., indices..., updates...), the indices in the caller's order.
/// \param[in] block       the block's number, if there are many.
/// \param[in,out] update  what the reductions have been given so far: a pack, empty if there are none.
template <class Order, class F, class... As, class... Bs, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_in_block(F const& f, Pack<As...> const& a, Pack<Bs...> const& block,
                                                         std::int64_t z, std::int64_t y, std::int64_t x,
                                                         Update& update) {
  return [&]<std::size_t... I, std::size_t... J, std::size_t... K>(
             std::index_sequence<I...>, std::index_sequence<J...>,
             std::index_sequence<K...>) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
    return Order::in_user_order(
        [&](auto... i) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
          return call_for_value(f, get<I>(a)..., get<J>(block)..., i..., get<K>(update)...);
        },
        z, y, x);
  }(std::index_sequence_for<As...>{}, std::index_sequence_for<Bs...>{}, std::make_index_sequence<Update::size>{});
}

/// The same with the neighborhoods, or a sum, and the values.
template <class Order, class F, class... As, class... Vs, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_with(F const& f, Pack<As...> const& a, Pack<Vs...> const& v,
                                                     std::int64_t z, std::int64_t y, std::int64_t x, Update& update) {
  return call_in_block<Order>(f, concat(a, v), Pack<>(), z, y, x, update);
}
template <class Order, class F, class... As, class... Vs, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_with(BlockFunctor<F> const& f, Pack<As...> const& a,
                                                     Pack<Vs...> const& v, std::int64_t z, std::int64_t y,
                                                     std::int64_t x, Update& update) {
  return call_in_block<Order>(f.functor, concat(a, v), Pack<std::int64_t>(f.block), z, y, x, update);
}

/// What becomes of a weighted sum: the result itself, or what the caller's functor makes of it.
template <class Order, class F, class Sum, class Values, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) finish_sum(F const& f, Sum const& sum, Values const& v, std::int64_t z,
                                                      std::int64_t y, std::int64_t x, Update& update) {
  if constexpr (is_linear_then<F>) return call_with<Order>(f.then, Pack<Sum>(sum), v, z, y, x, update);
  else return Sum(sum);
}

/// Calls the caller's functor at one point with the neighborhoods and the values there. Known weights are summed in the
/// canonical order, as native kernels do, not in the order of the caller's indices.
template <class Order, class F, class... Us, class Values, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_at(F const& f, Pack<Us...> const& u, Values const& v, std::int64_t z,
                                                   std::int64_t y, std::int64_t x, Update& update) {
  if constexpr (adds_pairs<F>)
    return finish_sum<Order>(f, symmetric_sum<Order>(weights_of(f), get<0>(u)), v, z, y, x, update);
  else if constexpr (is_linear<F>)
    return finish_sum<Order>(f, linear_sum<Order>(weights_of(f), get<0>(u)), v, z, y, x, update);
  else return call_with<Order>(f, u, v, z, y, x, update);
}

/// The same of a functor that reduces nothing.
template <class Order, class F, class... Us, class Values>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_at(F const& f, Pack<Us...> const& u, Values const& v, std::int64_t z,
                                                   std::int64_t y, std::int64_t x) {
  Pack<> none;
  return call_at<Order>(f, u, v, z, y, x, none);
}

/// The fields' values at one point.
template <class... Fields>
KOKKOS_FORCEINLINE_FUNCTION auto load(Pack<Fields...> const& in, std::int64_t z, std::int64_t y, std::int64_t x) {
  return transform(in, [&](auto const& field, auto) KOALESCE_INLINE_LAMBDA {
    return typename std::decay_t<decltype(field)>::value_type(*field.at(z, y, x));
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

/// The largest radius of any input, in canonical dimension c.
template <class Order, int c, class Ins>
inline constexpr int max_input_radius = 0;
template <class Order, int c, class... Ts, class... Shapes>
inline constexpr int max_input_radius<Order, c, Pack<Field<Ts, Shapes>...>> =
    std::max({0, Order::template radius<Shapes>(c)...});

/// Points that a functor reads, of all inputs.
template <class Ins>
inline constexpr int taps_of_inputs = 0;
template <class... Ts, class... Shapes>
inline constexpr int taps_of_inputs<Pack<Field<Ts, Shapes>...>> = (Shapes::size + ... + 0);

/// One sweep: out(p) = functor(neighborhoods of p in inputs, values of `points` at p, p) for every interior point p.
template <class OrderT, class InsT, class PointsT, class OutsT, class FunctorT, class ReductionT = NoReduction,
          class DomainT = WholeDomain>
struct StencilWork {
  using Order     = OrderT;
  using Ins       = InsT;
  using Points    = PointsT;
  using Outs      = OutsT;
  using Functor   = FunctorT;
  using Reduction = ReductionT;
  using Domain    = DomainT;

  static constexpr int rz = max_input_radius<Order, 0, Ins>;
  static constexpr int ry = max_input_radius<Order, 1, Ins>;
  static constexpr int rx = max_input_radius<Order, 2, Ins>;

  Ins in;
  Outs out;
  Extents3 extents;
  Functor functor;
  StencilTaps taps;
  Points points;
  Reduction reduction;
  Domain domain;
};

template <class Ins>
struct NeighborhoodsOfPack;
template <class... Ts, class... Shapes>
struct NeighborhoodsOfPack<Pack<Field<Ts, Shapes>...>> {
  using type = Pack<Neighborhood<std::remove_const_t<Ts>, Shapes>...>;
};
template <class Ins>
using NeighborhoodsOf = typename NeighborhoodsOfPack<Ins>::type;

/// Fields of values in a shape.
template <class Values, class Shape>
struct FieldsOfValues;
template <class... Ts, class Shape>
struct FieldsOfValues<Pack<Ts...>, Shape> {
  using type = Pack<Field<Ts, Shape>...>;
};

/// The fields that a stage reads around the point: the inputs, or what the stage before it returns.
template <class Order, class Shape, class Ins, class Points, class Functors, int stage>
struct StageFields {
  using Before  = typename StageFields<Order, Shape, Ins, Points, Functors, stage - 1>::type;
  using Functor = std::decay_t<decltype(get<stage - 1>(std::declval<Functors const&>()))>;
  using Inputs  = std::conditional_t<stage == 1, Points, decltype(concat(std::declval<Ins>(), std::declval<Points>()))>;
  using Results =
      decltype(to_pack(call_at<Order>(std::declval<Functor const&>(), std::declval<NeighborhoodsOf<Before> const&>(),
                                      load(std::declval<Inputs const&>(), 0, 0, 0), 0, 0, 0)));
  using type = typename FieldsOfValues<Results, StageShape<Shape, stage>>::type;
};
template <class Order, class Shape, class Ins, class Points, class Functors>
struct StageFields<Order, Shape, Ins, Points, Functors, 0> {
  using type = Ins;
};

/// Several stages in one sweep: mid(p) = first functor(neighborhoods of p in inputs, values of `points` at p, p), kept
/// on chip only, and then, stage by stage, next(p) = functor(neighborhoods of p in mid, values of all inputs at p, p).
/// The last stage's results are the outputs.
template <class OrderT, class ShapeT, class InsT, class PointsT, class OutsT, class FunctorsT,
          class ReductionT = NoReduction, class DomainT = WholeDomain>
struct StagedWork {
  using Order     = OrderT;
  using Shape     = ShapeT;
  using Ins       = InsT;
  using Points    = PointsT;
  using Outs      = OutsT;
  using Functors  = FunctorsT;  ///< one per stage
  using Reduction = ReductionT;
  using Domain    = DomainT;

  /// What a stage reads around the point, as fields.
  template <int stage>
  using Fields = typename StageFields<Order, Shape, Ins, Points, Functors, stage>::type;

  static constexpr int stages = Shape::stages, last = stages - 1;

  /// How far a stage reads, in canonical dimension c.
  template <int stage>
  KOKKOS_FUNCTION static constexpr int radius(int c) {
    if constexpr (stage == 0) {
      constexpr int r[] = {max_input_radius<Order, 0, Ins>, max_input_radius<Order, 1, Ins>,
                           max_input_radius<Order, 2, Ins>};
      return r[c];
    } else {
      return Order::template radius<StageShape<Shape, stage>>(c);
    }
  }

  /// How far beyond the interior a stage computes: the radii of the stages after it.
  template <int stage>
  KOKKOS_FUNCTION static constexpr int beyond(int c) {
    if constexpr (stage == last) return 0;
    else return radius<stage + 1>(c) + beyond<stage + 1>(c);
  }

  /// How much narrower than the first stage's a later stage's points are, on either side; in z, how many planes it is
  /// behind.
  template <int stage>
  KOKKOS_FUNCTION static constexpr int behind(int c) {
    return beyond<0>(c) - beyond<stage>(c);
  }

  Ins in;
  Outs out;
  Extents3 extents;
  Functors functors;
  Points points;
  Reduction reduction;
  Domain domain;
};

template <class Work>
inline constexpr bool has_blocks = is_blocks<typename Work::Domain>;

/// Whether only some of a work's points are computed.
template <class Work>
inline constexpr bool has_active_points = std::is_same_v<typename Work::Domain, ActiveTiles>;

/// Whether a point of a row of the work is to be computed; of active points, the row may lie outside the work.
template <class Work>
KOKKOS_FORCEINLINE_FUNCTION bool is_active_in(Work const& work, std::int64_t z, std::int64_t y, std::int64_t x) {
  if constexpr (!has_active_points<Work>) return true;
  else return z >= 0 && z < work.extents[0] && y >= 0 && y < work.extents[1] && is_active(work.domain, z, y, x);
}

template <class Fields, class Places>
KOKKOS_FORCEINLINE_FUNCTION void move_to_block(Fields& fields, Places const& places, std::int64_t block) {
  for_each(fields, [&](auto& field, auto i) KOALESCE_INLINE_LAMBDA {
    field.origin = get<decltype(i)::value>(places).origin(field.origin, block);
  });
}

template <class... Args>
KOKKOS_FORCEINLINE_FUNCTION void set_block(StencilWork<Args...>& work, std::int64_t block) {
  set_block(work.functor, block);
}
template <class... Args>
KOKKOS_FORCEINLINE_FUNCTION void set_block(StagedWork<Args...>& work, std::int64_t block) {
  for_each(work.functors, [&](auto& functor, auto) KOALESCE_INLINE_LAMBDA { set_block(functor, block); });
}

/// A work as one of its blocks sees it; the work itself where it is one block.
template <class Work>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) in_block(Work const& work, [[maybe_unused]] std::int64_t block) {
  if constexpr (!has_blocks<Work>) {
    return (work);
  } else {
    Work here = work;
    move_to_block(here.in, work.domain.in, block);
    move_to_block(here.points, work.domain.points, block);
    move_to_block(here.out, work.domain.out, block);
    set_block(here, block);
    return here;
  }
}

template <class Order, class Shape, class Ins, class Points, class Outs, class Reduction, class Domain, class Functor>
auto make_work(Ins const& in, Points const& points, Outs const& out, Extents3 const& extents, StencilTaps taps,
               Reduction const& reduction, Domain const& domain, Functor const& functor) {
  return StencilWork<Order, Ins, Points, Outs, Functor, Reduction, Domain>{in,   out,    extents,   functor,
                                                                           taps, points, reduction, domain};
}

template <class Order, class Shape, class Ins, class Points, class Outs, class Reduction, class Domain,
          class... Functors>
  requires(is_staged<Shape>)
auto make_work(Ins const& in, Points const& points, Outs const& out, Extents3 const& extents, StencilTaps,
               Reduction const& reduction, Domain const& domain, Functors const&... functors) {
  return StagedWork<Order, Shape, Ins, Points, Outs, Pack<Functors...>, Reduction, Domain>{
      in, out, extents, Pack<Functors...>(functors...), points, reduction, domain};
}

}  // namespace Koalesce::Impl

#endif
