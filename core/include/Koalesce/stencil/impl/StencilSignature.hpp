// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_SIGNATURE_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_SIGNATURE_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// Compile-time checks of a call of parallel_stencil, with one clear message each. Without them a functor with a wrong
/// parameter fails deep in a backend's templates.
namespace Koalesce::Impl {

template <class... Ts>
struct TypeList {};

/// An index type for any number, to expand a pack of numbers into as many index types. (A struct, because nvcc does not
/// expand an alias that ignores its argument.)
template <std::size_t>
struct IndexOf {
  using type = std::int64_t&;
};

/// The type that a functor's call returns, or NotCallable.
struct NotCallable {};

template <class F, class Arguments, class Dimensions>
struct CallResult;
template <class F, class... Us, std::size_t... D>
struct CallResult<F, TypeList<Us...>, std::index_sequence<D...>> {
  static auto find() {
    if constexpr (std::is_invocable_v<F const&, Us const&..., typename IndexOf<D>::type...>)
      return std::type_identity<
          std::decay_t<std::invoke_result_t<F const&, Us const&..., typename IndexOf<D>::type...>>>();
    else return std::type_identity<NotCallable>();
  }
  using type = typename decltype(find())::type;
};
template <class F, class Arguments, int Rank>
using CallResultOf = typename CallResult<F, Arguments, std::make_index_sequence<Rank>>::type;

template <class View>
constexpr bool is_const_view() {
  if constexpr (Kokkos::is_view_v<View>) return std::is_const_v<typename View::value_type>;
  else return false;
}

template <int Rank, class View>
constexpr bool is_field() {
  if constexpr (Kokkos::is_view_v<View>) return int(View::rank()) == Rank;
  else return false;
}

template <class Views, int Rank>
struct FieldFacts;
template <class... Views, int Rank>
struct FieldFacts<Pack<Views...>, Rank> {
  static constexpr bool views    = (Kokkos::is_view_v<Views> && ...);
  static constexpr bool ranks    = (is_field<Rank, Views>() && ...);
  static constexpr bool writable = !(is_const_view<Views>() || ...);
};

/// The parameters that a functor has for the inputs: neighborhoods, or in a second stage PointValues.
template <class Views, class Shape>
struct ViewNeighborhoods;
template <class... Views, class Shape>
struct ViewNeighborhoods<Pack<Views...>, Shape> {
  using type   = TypeList<Neighborhood<typename Views::non_const_value_type, Shape>...>;
  using points = TypeList<PointValue<typename Views::non_const_value_type, Shape::rank>...>;
};

/// Whether a functor's result can be assigned to the outputs.
template <class Views, class Result>
inline constexpr bool takes = false;
template <class View, class Result>
  requires(!is_pack<Result>)
inline constexpr bool takes<Pack<View>, Result> = std::is_assignable_v<typename View::value_type&, Result const&>;
template <class... Views, class... Results>
  requires(sizeof...(Views) == sizeof...(Results))
inline constexpr bool takes<Pack<Views...>, Pack<Results...>> =
    (std::is_assignable_v<typename Views::value_type&, Results const&> && ...);

template <class A, class B>
struct Join;
template <class... As, class... Bs>
struct Join<TypeList<As...>, TypeList<Bs...>> {
  using type = TypeList<As..., Bs...>;
};

/// The second stage's neighborhoods of the values that the first stage returned.
template <class Shape, class Result>
struct MidNeighborhoods {
  using type = TypeList<Neighborhood<Result, Shape>>;
};
template <class Shape, class... Results>
struct MidNeighborhoods<Shape, Pack<Results...>> {
  using type = TypeList<Neighborhood<Results, Shape>...>;
};

/// Each of these checks fails a static_assert and returns false if the call is wrong; the caller then compiles no code
/// that would add errors of its own.
template <int Rank, class Ins, class Outs>
constexpr bool check_views() {
  constexpr bool views    = FieldFacts<Ins, Rank>::views && FieldFacts<Outs, Rank>::views;
  constexpr bool ranks    = FieldFacts<Ins, Rank>::ranks && FieldFacts<Outs, Rank>::ranks;
  constexpr bool writable = FieldFacts<Outs, Rank>::writable;
  static_assert(views, "Koalesce::parallel_stencil: inputs and outputs must be Kokkos Views, several as fields(a, b)");
  static_assert(!views || ranks,
                "Koalesce::parallel_stencil: every field must have as many dimensions as the policy's shape");
  static_assert(writable, "Koalesce::parallel_stencil: an output field is const, so it cannot be written");
  return views && ranks && writable;
}

/// Whether a functor can take this number of fields; a LinearStencil takes one.
template <class F, std::size_t Fields>
constexpr bool check_fields() {
  constexpr bool enough = !is_linear<F> || Fields == 1;
  static_assert(enough,
                "Koalesce::parallel_stencil: a LinearStencil reads one field; for several, call one for each in a "
                "functor of your own, as in first(u) + second(v)");
  return enough;
}

template <class T>
inline constexpr std::size_t fields_in = 1;
template <class... Ts>
inline constexpr std::size_t fields_in<Pack<Ts...>> = sizeof...(Ts);

template <class Shape, class Ins, class Outs, class F>
constexpr bool check_functor() {
  if constexpr (is_device_lambda<F>) {
    return true;
  } else if constexpr (!check_fields<F, Ins::size>()) {
    return false;
  } else {
    using Result            = CallResultOf<F, typename ViewNeighborhoods<Ins, Shape>::type, Shape::rank>;
    constexpr bool callable = !std::is_same_v<Result, NotCallable>;
    constexpr bool returns  = !std::is_void_v<Result>;
    static_assert(callable,
                  "Koalesce::parallel_stencil: the functor must be const and take one Neighborhood<element type, the "
                  "policy's Shape> const& for every input, then one std::int64_t per dimension");
    static_assert(returns, "Koalesce::parallel_stencil: the functor must return the value at the point, not void");
    if constexpr (callable && returns) {
      constexpr bool taken = takes<Outs, Result>;
      static_assert(taken,
                    "Koalesce::parallel_stencil: the functor must return one value per output field, assignable to its "
                    "elements; return several as Koalesce::values(...)");
      return taken;
    }
    return false;
  }
}

template <class Shape, class Ins, class Outs, class F, class G>
constexpr bool check_stages() {
  using First  = typename Shape::first;
  using Second = typename Shape::second;
  if constexpr (is_device_lambda<F> || is_device_lambda<G>) {
    return true;
  } else if constexpr (!check_fields<F, Ins::size>()) {
    return false;
  } else {
    using Mid               = CallResultOf<F, typename ViewNeighborhoods<Ins, First>::type, Shape::rank>;
    constexpr bool callable = !std::is_same_v<Mid, NotCallable>;
    constexpr bool returns  = !std::is_void_v<Mid>;
    static_assert(callable,
                  "Koalesce::parallel_stencil: the first functor must be const and take one Neighborhood<element type, "
                  "First> const& for every input, then one std::int64_t per dimension");
    static_assert(returns,
                  "Koalesce::parallel_stencil: the first functor must return the values between the stages, not void");
    if constexpr (callable && returns && check_fields<G, fields_in<Mid>>()) {
      using Arguments              = typename Join<typename MidNeighborhoods<Second, Mid>::type,
                                      typename ViewNeighborhoods<Ins, Second>::points>::type;
      using Result                 = CallResultOf<G, Arguments, Shape::rank>;
      constexpr bool also_callable = !std::is_same_v<Result, NotCallable>;
      constexpr bool also_returns  = !std::is_void_v<Result>;
      static_assert(also_callable,
                    "Koalesce::parallel_stencil: the second functor must be const and take one Neighborhood<type of "
                    "the value, Second> const& for every value that the first one returns, one PointValue<element "
                    "type, rank> const& for every input, then one std::int64_t per dimension");
      static_assert(also_returns,
                    "Koalesce::parallel_stencil: the second functor must return the value at the point, not void");
      if constexpr (also_callable && also_returns) {
        constexpr bool taken = takes<Outs, Result>;
        static_assert(taken,
                      "Koalesce::parallel_stencil: the second functor must return one value per output field, "
                      "assignable to its elements; return several as Koalesce::values(...)");
        return taken;
      }
    }
    return false;
  }
}

}  // namespace Koalesce::Impl

#endif
