// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_STATE_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_STATE_HPP

#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Steps.hpp>
#include <Koalesce/stencil/impl/StencilInputs.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// What a step reads and writes, from what the caller says of the state.
namespace Koalesce::Impl {

template <class In>
inline constexpr bool is_constant = false;
template <class In>
inline constexpr bool is_constant<Constant<In>> = true;

template <class In>
auto const& without_mark(In const& in) {
  if constexpr (is_constant<In>) return in.input;
  else return in;
}

/// The same input of another View.
template <class View>
View with_view(View const&, View const& other) {
  return other;
}
template <class View>
AtPoint<View> with_view(AtPoint<View> const&, View const& other) {
  return {other};
}
template <class Shape, class View, class Boundary>
Around<Shape, View, Boundary> with_view(Around<Shape, View, Boundary> const& in, View const& other) {
  return {other, in.boundary};
}

/// The number of the first i entries that change from step to step.
template <class... Ins>
constexpr std::size_t changing_before(std::size_t i) {
  bool const constant[] = {is_constant<Ins>..., true};
  std::size_t count     = 0;
  for (std::size_t k = 0; k < i; ++k) count += !constant[k];
  return count;
}

/// The Views of the state that change from step to step.
template <class... Ins>
auto changing_views(Pack<Ins...> const& state) {
  constexpr auto places = [] {
    Kokkos::Array<std::size_t, sizeof...(Ins) + 1> at{};
    for (std::size_t i = 0; i < sizeof...(Ins); ++i)
      if (changing_before<Ins...>(i + 1) > changing_before<Ins...>(i)) at[changing_before<Ins...>(i)] = i;
    return at;
  }();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Pack<std::decay_t<decltype(view_of(get<places[I]>(state)))>...>(view_of(get<places[I]>(state))...);
  }(std::make_index_sequence<changing_before<Ins...>(sizeof...(Ins))>{});
}

/// A step's inputs, if its state lies in these Views.
template <class Views, class... Ins>
auto inputs_in(Views const& views, Pack<Ins...> const& state) {
  return transform(state, [&](auto const& in, auto i) {
    using In = std::decay_t<decltype(in)>;
    if constexpr (is_constant<In>) return in.input;
    else return with_view(in, get<changing_before<Ins...>(std::size_t(decltype(i)::value))>(views));
  });
}

/// A functor as a later step calls it.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION F const& later_by(F const& functor, std::int64_t) {
  return functor;
}
template <class F>
KOKKOS_FORCEINLINE_FUNCTION WithStep<F> later_by(WithStep<F> const& functor, std::int64_t steps) {
  return {functor.functor, functor.step + steps};
}
template <class W, class Shape, class F>
KOKKOS_FORCEINLINE_FUNCTION LinearThen<W, Shape, WithStep<F>> later_by(LinearThen<W, Shape, WithStep<F>> const& functor,
                                                                       std::int64_t steps) {
  return {functor.weights, later_by(functor.then, steps)};
}

/// Whether several steps of this state may share a sweep: all that changes is read around the point, all else at it.
template <class Policy, class... Ins>
inline constexpr bool can_be_fused =
    Policy::rank > 1 &&
    std::is_same_v<typename Policy::boundary_type, NoBoundary>&&
        std::is_same_v<typename Policy::domain_type, WholeDomain> &&
    !is_staged<typename Policy::shape_type> &&
    ((is_constant<Ins> == is_at_point<std::decay_t<decltype(without_mark(std::declval<Ins const&>()))>>)&&...);

}  // namespace Koalesce::Impl

#endif
