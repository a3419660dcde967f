// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_PARAMETERS_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_PARAMETERS_HPP

#include <Koalesce/common/Fields.hpp>
#include <Koalesce/common/impl/ResultParameters.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/Steps.hpp>
#include <Koalesce/stencil/impl/StencilInputs.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// The parameters that functors of a call of parallel_stencil have, and what they return.
namespace Koalesce::Impl {

template <class... Lists>
struct Join {
  using type = TypeList<>;
};
template <class... As>
struct Join<TypeList<As...>> {
  using type = TypeList<As...>;
};
template <class... As, class... Bs, class... Lists>
struct Join<TypeList<As...>, TypeList<Bs...>, Lists...> {
  using type = typename Join<TypeList<As..., Bs...>, Lists...>::type;
};
template <class... Lists>
using JoinOf = typename Join<Lists...>::type;

/// An index type for any number, to expand a pack of numbers into as many index types. (A struct, because nvcc does not
/// expand an alias that ignores its argument.)
template <std::size_t>
struct IndexOf {
  using type = std::int64_t&;
};

/// The type that a functor's call returns, or NotCallable.
struct NotCallable {};

template <class F, class Arguments, class Dimensions, class Update>
struct CallResult;
template <class F, class... Us, std::size_t... D, class... Updates>
struct CallResult<F, TypeList<Us...>, std::index_sequence<D...>, Pack<Updates...>> {
  static auto find() {
    if constexpr (std::is_invocable_v<F const&, Us const&..., typename IndexOf<D>::type..., Updates&...>)
      return std::type_identity<
          std::decay_t<std::invoke_result_t<F const&, Us const&..., typename IndexOf<D>::type..., Updates&...>>>();
    else return std::type_identity<NotCallable>();
  }
  using type = typename decltype(find())::type;
};
template <class F, class Arguments, int Rank, class Update = Pack<>>
using CallResultOf = typename CallResult<F, Arguments, std::make_index_sequence<Rank>, Update>::type;

/// Fails a static_assert and returns false if a functor, which can be called so, takes a result by value.
template <class F, class Arguments, class Dimensions, class Update>
struct UpdatesCheck;
template <class F, class... Us, std::size_t... D, class... Updates>
struct UpdatesCheck<F, TypeList<Us...>, std::index_sequence<D...>, Pack<Updates...>> {
  static constexpr bool passes() {
    return check_results<F>(TypeList<Us const&..., typename IndexOf<D>::type...>(), TypeList<Updates...>());
  }
};
template <class F, class... Us, std::size_t... D, class... Updates>
struct UpdatesCheck<WithStep<F>, TypeList<Us...>, std::index_sequence<D...>, Pack<Updates...>>
    : UpdatesCheck<F, TypeList<std::int64_t, Us...>, std::index_sequence<D...>, Pack<Updates...>> {};
template <class F, class Arguments, int Rank, class Update>
constexpr bool check_updates() {
  return UpdatesCheck<F, Arguments, std::make_index_sequence<Rank>, Update>::passes();
}

/// Whether the shape that an input has of its own, if any, serves a policy of this shape.
template <class In, class Shape>
inline constexpr bool has_shape = true;
template <class Own, class View, class Boundary, class Shape>
inline constexpr bool has_shape<Around<Own, View, Boundary>, Shape> = [] {
  if constexpr (requires { std::bool_constant<!is_staged<Own> && Own::rank == Shape::rank>(); })
    return !is_staged<Own> && Own::rank == Shape::rank;
  else return false;
}();

/// The inputs as plain Views.
template <class Ins, class Shape>
struct ViewsOf;
template <class... Ins, class Shape>
struct ViewsOf<Pack<Ins...>, Shape> {
  using type = Pack<typename InputTraits<Ins, Shape>::view...>;

  static constexpr int around  = (int(!is_at_point<Ins>) + ... + 0);
  static constexpr int points  = int(sizeof...(Ins)) - around;
  static constexpr bool shapes = (has_shape<Ins, Shape> && ...);
};

/// The parameters that a functor has for one input.
template <class In, class Shape>
struct InputParameters {
  using Traits = InputTraits<In, Shape>;
  using Value  = typename Traits::view::non_const_value_type;

  using around   = TypeList<Neighborhood<Value, typename Traits::shape>>;
  using center   = TypeList<Value>;
  using at_point = TypeList<>;
};
template <class View, class Shape>
struct InputParameters<AtPoint<View>, Shape> {
  using around   = TypeList<>;
  using center   = TypeList<>;
  using at_point = TypeList<typename View::non_const_value_type>;
};

/// Those of all inputs: neighborhoods, then values at the point. A second stage has the values of all inputs, those of
/// inputs that are read around the point first.
template <class Ins, class Shape>
struct FunctorParameters;
template <class... Ins, class Shape>
struct FunctorParameters<Pack<Ins...>, Shape> {
  using around = JoinOf<typename InputParameters<Ins, Shape>::around...>;
  using points = JoinOf<typename InputParameters<Ins, Shape>::at_point...>;
  using type   = JoinOf<around, points>;
  using values = JoinOf<typename InputParameters<Ins, Shape>::center..., points>;
};

/// The field that a LinearStencil reads.
template <class Around>
struct LinearInput;
template <class T, class Shape>
struct LinearInput<TypeList<Neighborhood<T, Shape>>> {
  using value = T;
  using shape = Shape;
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

}  // namespace Koalesce::Impl

#endif
