// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_STATE_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_STATE_HPP

#include <Koalesce/stencil/Steps.hpp>
#include <Koalesce/stencil/impl/StencilInputs.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

template <class In>
inline constexpr bool has_levels = false;
template <class In, class View>
inline constexpr bool has_levels<TimeLevels<In, View>> = true;

/// The newest level of what changes from step to step.
template <class In>
auto const& newest(In const& in) {
  if constexpr (has_levels<In>) return view_of(in.now);
  else return view_of(in);
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

/// The number of `true` among the first values.
constexpr std::size_t count_before(std::initializer_list<bool> values, std::size_t end) {
  return std::size_t(std::count(values.begin(), values.begin() + std::ptrdiff_t(end), true));
}

/// Where the state's entries that change from step to step have their Views.
template <class... Ins>
constexpr std::size_t changing_before(std::size_t i) {
  return count_before({!is_constant<Ins>...}, i);
}
/// The same among the scratch's Views, which entries of two time levels do without.
template <class... Ins>
constexpr std::size_t scratch_before(std::size_t i) {
  return count_before({(!is_constant<Ins> && !has_levels<Ins>)...}, i);
}

/// The packs that visit(entry, i) returns for the state's entries, one after the other.
template <class... Ins, class Visit>
auto gather_packs(Pack<Ins...> const& state, Visit const& visit) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return concat_all(visit(get<I>(state), std::integral_constant<std::size_t, I>())...);
  }(std::index_sequence_for<Ins...>{});
}

/// The Views of the state's newest values that change from step to step.
template <class... Ins>
auto changing_views(Pack<Ins...> const& state) {
  return gather_packs(state, [](auto const& in, auto) {
    if constexpr (is_constant<std::decay_t<decltype(in)>>) return Pack<>();
    else return values(newest(in));
  });
}

/// The Views that change roles with them: the scratch's, and the state's previous time levels.
template <class Scratch, class... Ins>
auto other_views(Pack<Ins...> const& state, Scratch const& scratch) {
  return gather_packs(state, [&](auto const& in, auto i) {
    using In = std::decay_t<decltype(in)>;
    if constexpr (is_constant<In>) return Pack<>();
    else if constexpr (has_levels<In>) return values(in.previous);
    else return values(get<scratch_before<Ins...>(decltype(i)::value)>(scratch));
  });
}

/// A step's inputs, if the newest values of the state lie in these Views, and their previous levels in the others.
template <class Views, class... Ins>
auto inputs_in(Views const& views, Views const& others, Pack<Ins...> const& state) {
  return gather_packs(state, [&](auto const& in, auto i) {
    using In            = std::decay_t<decltype(in)>;
    constexpr auto here = changing_before<Ins...>(decltype(i)::value);
    if constexpr (is_constant<In>) return values(in.input);
    else if constexpr (has_levels<In>) return values(with_view(in.now, get<here>(views)), at_point(get<here>(others)));
    else return values(with_view(in, get<here>(views)));
  });
}

/// Stands for NoBoundary where outputs are the Views of inputs at the point: previous time levels.
struct StepsInPlace {};

/// Whether several steps of this state may share a sweep: all that changes is read around the point, all else at it.
template <class Policy, class In>
constexpr bool can_fuse_input() {
  using Input = std::decay_t<decltype(without_mark(std::declval<In const&>()))>;
  if constexpr (has_levels<In>) return std::is_same_v<typename Policy::boundary_type, NoBoundary>;
  else if constexpr (is_at_point<Input>) return is_constant<In>;
  else return !is_constant<In> && can_fuse_boundary<Policy, Input>();
}
template <class Policy, class... Ins>
inline constexpr bool can_be_fused = Policy::rank > 1 && std::is_same_v<typename Policy::domain_type, WholeDomain> &&
                                     !is_staged<typename Policy::shape_type> && (can_fuse_input<Policy, Ins>() && ...);

}  // namespace Koalesce::Impl

#endif
