// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_CALL_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_CALL_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/stencil/impl/StencilCall.hpp>
#include <Koalesce/stencil/impl/steps/StepsSweep.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

/// The call of parallel_stencil_steps: what the compiler can check, the checks, then the sweeps.
namespace Koalesce::Impl {

/// No every().
struct NoPauses {};

template <class T>
inline constexpr bool is_every = false;
template <class F>
inline constexpr bool is_every<Every<F>> = true;
template <class T>
inline constexpr bool is_pauses = is_every<T> || std::is_same_v<T, NoPauses>;

/// Whether scratch Views have the types of the state's.
template <class... Ins, class Views>
constexpr bool check_scratch(Pack<Ins...> const*, Views const*) {
  constexpr bool equal = std::is_same_v<decltype(changing_views(std::declval<Pack<Ins...> const&>())), Views>;
  static_assert(equal,
                "Koalesce::parallel_stencil_steps: the scratch must be one View for every field of the state that is "
                "not constant(), in the same order and of the same types");
  return equal;
}

template <class... Functors>
constexpr bool check_one_functor() {
  constexpr bool one = sizeof...(Functors) == 1;
  static_assert(one,
                "Koalesce::parallel_stencil_steps: give one functor, or a LinearStencil and a functor of its sum; for "
                "several stages the policy needs a Staged shape");
  return one;
}

/// Whether a step can be called at all, as parallel_stencil checks it.
template <class Policy, class Ins, class Outs, class... Functors>
constexpr bool check_step() {
  if constexpr (!check_views<Policy, Ins, Outs>()) return false;
  else if constexpr (is_staged<typename Policy::shape_type>)
    return check_stages<Policy, Ins, Outs, Pack<>, Functors...>();
  else if constexpr (sizeof...(Functors) != 1) return check_one_functor<Functors...>();
  else return check_functor<Policy, Ins, Outs, Pack<>, Functors...>();
}

template <class Pauses>
void check_steps(std::string const& where, std::int64_t steps, int fused, Pauses const& pauses) {
  if (steps < 0) fail(where, "there are ", steps, " steps; their number cannot be negative, so give 0 or more");
  if (fused < 0)
    fail(where, "the policy has with_fused_steps(", fused,
         "), but sweeps cannot have fewer than 1 step; give 1 or more, or 0 for as many as are fastest");
  if constexpr (!std::is_same_v<Pauses, NoPauses>)
    if (pauses.period < 1) fail(where, "every() has a period of ", pauses.period, " steps; give 1 or more");
}

/// Throws unless sweeps to the state and to the scratch go through points in the same order: known weights are summed
/// in it.
template <class Views>
void check_layouts(std::string const& where, Views const& state, Views const& scratch) {
  auto const& a = get<0>(state);
  auto const& b = get<0>(scratch);
  if (is_reversed(a) != is_reversed(b))
    fail(where, "field ", quoted_label(a), " of the state has its smallest stride in the ",
         is_reversed(a) ? "first" : "last", " dimension, but ", quoted_label(b), " of the scratch has it in the ",
         is_reversed(b) ? "first" : "last", "; give both the same layout");
}

/// Throws unless fields of blocks have equal extents: they are copied whole.
template <class Policy, class Views>
void check_block_extents(std::string const& where, Views const& state, Views const& scratch) {
  for_each(state, [&](auto const& view, auto i) {
    auto const& other = get<decltype(i)::value>(scratch);
    for (int d = 0; d < Policy::field_rank; ++d)
      if (view.extent(d) != other.extent(d))
        fail(where, "field ", quoted_label(view), " of the state has extent ", view.extent(d), " in dimension ", d,
             ", but ", quoted_label(other), " of the scratch ", other.extent(d),
             "; with many blocks both are copied whole, so give them equal extents");
  });
}

template <class Policy, class State, class Views, class Pauses, class... Functors>
void run_steps(std::string const& label, Policy const& policy, State const& state, Views const& scratch,
               std::int64_t steps, Pauses const& pauses, Functors const&... functors) {
  auto const where = call_text("Koalesce::parallel_stencil_steps", label);
  auto const views = changing_views(state);
  check_steps(where, steps, policy.fused_steps(), pauses);
  check_stencil(where, policy, inputs_in(views, state), scratch);
  check_stencil(where, policy, inputs_in(scratch, state), views);
  check_layouts(where, views, scratch);
  if constexpr (Policy::field_rank > Policy::rank) check_block_extents<Policy>(where, views, scratch);

  StepsSweeps<Policy, State, Views, Functors...> sweeps(label, policy, state, scratch, functors...);
  if (steps > 1) sweeps.prepare();
  std::int64_t period = std::max<std::int64_t>(1, steps);
  if constexpr (!std::is_same_v<Pauses, NoPauses>) period = pauses.period;
  for (std::int64_t done = 0; done < steps;) {
    auto const next = std::min(period, steps - done);
    sweeps.run(next);
    done += next;
    if constexpr (!std::is_same_v<Pauses, NoPauses>)
      if (next == period) pauses.function(done);
  }
}

template <class Policy, class State, class Views, class Pauses, class... Functors>
void call_steps(std::string const& label, Policy const& policy, State const& state, Views const& scratch,
                std::int64_t steps, Pauses const& pauses, Functors const&... functors) {
  static_assert(is_pauses<Pauses>, "Koalesce::parallel_stencil_steps: the argument after the functors must be every()");
  if constexpr (is_pauses<Pauses> &&
                check_scratch(static_cast<State const*>(nullptr), static_cast<Views const*>(nullptr))) {
    using Ins = decltype(inputs_in(scratch, state));
    if constexpr (check_step<Policy, Ins, Views, Functors...>())
      run_steps(label, policy, state, scratch, steps, pauses, functors...);
  }
}

/// Known weights, and a functor of their sum.
template <class Policy, class State, class Views, class Pauses, class W, class LinearShape, class Then>
  requires(!is_staged<typename Policy::shape_type>)
void call_steps(std::string const& label, Policy const& policy, State const& state, Views const& scratch,
                std::int64_t steps, Pauses const& pauses, LinearStencil<W, LinearShape> const& weights,
                Then const& then) {
  static_assert(is_pauses<Pauses>, "Koalesce::parallel_stencil_steps: the argument after the functors must be every()");
  if constexpr (is_pauses<Pauses> &&
                check_scratch(static_cast<State const*>(nullptr), static_cast<Views const*>(nullptr))) {
    using Ins = decltype(inputs_in(scratch, state));
    if constexpr (check_views<Policy, Ins, Views>()) {
      if constexpr (check_linear_then<Policy, Ins, Views, Pack<>, W, LinearShape, Then>())
        run_steps(label, policy, state, scratch, steps, pauses, LinearThen<W, LinearShape, Then>{weights, then});
    }
  }
}

}  // namespace Koalesce::Impl

#endif
