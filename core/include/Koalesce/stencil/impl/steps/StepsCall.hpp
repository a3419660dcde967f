// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_CALL_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_CALL_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/stencil/impl/StencilCall.hpp>
#include <Koalesce/stencil/impl/steps/StepsSweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
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

/// How many every() there are among arguments.
template <class... Args>
inline constexpr std::size_t pauses_in = (is_every<std::decay_t<Args>> + ... + 0);

/// Whether one of the arguments is every().
template <std::size_t i, class... Args>
inline constexpr bool has_pauses_at = [] {
  if constexpr (i < sizeof...(Args)) return is_every<std::decay_t<std::tuple_element_t<i, std::tuple<Args...>>>>;
  else return false;
}();

/// Whether every() is given once at most, after so many functors.
template <std::size_t functors, class... Args>
constexpr bool check_pauses() {
  constexpr std::size_t pauses = pauses_in<Args...>;
  constexpr bool placed        = pauses != 1 || has_pauses_at<functors, Args...>;
  static_assert(pauses <= 1, "Koalesce::parallel_stencil_steps: give one every() at most");
  static_assert(placed, "Koalesce::parallel_stencil_steps: every() stands after the functors");
  return pauses <= 1 && placed;
}

/// Whether an entry of the state has two levels of one type, or one.
template <class Policy, class In>
constexpr bool check_levels() {
  if constexpr (has_levels<In>) {
    constexpr bool same = std::is_same_v<std::decay_t<decltype(newest(std::declval<In const&>()))>,
                                         decltype(std::declval<In const&>().previous)>;
    static_assert(same, "Koalesce::parallel_stencil_steps: both Views of time_levels() must have the same type");
    constexpr bool in_place = !is_staged<typename Policy::shape_type> && Policy::field_rank == Policy::rank;
    static_assert(in_place,
                  "Koalesce::parallel_stencil_steps: time_levels() are stepped in place, which Staged shapes and many "
                  "blocks exclude; give both levels as fields, fields(u, at_point(previous)), with a scratch for each");
    return same && in_place;
  } else {
    return true;
  }
}

/// Whether previous levels and the scratch have the types of the newest levels.
template <class Policy, class... Ins, class... Views>
constexpr bool check_scratch(Pack<Ins...> const*, Pack<Views...> const*) {
  constexpr bool levels = (check_levels<Policy, Ins>() && ...);
  if constexpr (!levels) return false;
  else {
    constexpr auto wanted = scratch_before<Ins...>(sizeof...(Ins));
    constexpr bool count  = sizeof...(Views) == wanted;
    constexpr bool equal  = [] {
      if constexpr (!count) return false;
      else
        return std::is_same_v<decltype(changing_views(std::declval<Pack<Ins...> const&>())),
                              decltype(other_views(std::declval<Pack<Ins...> const&>(),
                                                    std::declval<Pack<Views...> const&>()))>;
    }();
    static_assert(equal,
                  "Koalesce::parallel_stencil_steps: the scratch must be one View for every field of the state that is "
                  "neither constant() nor time_levels(), in the same order and of the same types");
    return equal;
  }
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
/// \tparam Update  what the last step reduces.
template <class Policy, class Ins, class Outs, class Update, class... Functors>
constexpr bool check_step() {
  if constexpr (!check_views<Policy, Ins, Outs>()) return false;
  else if constexpr (is_staged<typename Policy::shape_type>)
    return check_stages<Policy, Ins, Outs, Update, Functors...>();
  else if constexpr (sizeof...(Functors) != 1) return check_one_functor<Functors...>();
  else return check_functor<Policy, Ins, Outs, Update, Functors...>();
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
template <class Policy, class Views>
void check_layouts(std::string const& where, Views const& state, Views const& scratch) {
  auto const view_of_block = [](auto const& view) {
    if constexpr (is_field_list<std::decay_t<decltype(view)>> || Policy::field_rank > Policy::rank)
      return first_block(view);
    else return view;
  };
  auto const a = view_of_block(get<0>(state)), b = view_of_block(get<0>(scratch));
  if (is_reversed(a, is_reversed(b)) != is_reversed(b, is_reversed(a)))
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

/// Throws if a field that no step shall change lies in memory that steps write.
template <class... Ins, class Views>
void check_constants(std::string const& where, Pack<Ins...> const& state, Views const& views, Views const& others) {
  for_each(state, [&](auto const& in, auto) {
    if constexpr (is_constant<std::decay_t<decltype(in)>>) {
      auto const& constant = view_of(in.input);
      auto const clash     = [&](auto const& view, auto) {
        if (overlap_of(constant, view))
          fail(
              where, "the constant() field ", quoted_label(constant), " and field ", quoted_label(view),
              " of the state or the scratch overlap in memory; steps write there, so give the constant its own memory");
      };
      for_each(views, clash);
      for_each(others, clash);
    }
  });
}

/// Calls what every() names, with the Views of the newest values if it takes them.
template <class F, class Sweeps>
void call_pause(Every<F> const& pause, std::int64_t done, Sweeps& sweeps) {
  if constexpr (Sweeps::template can_show<F>) {
    try {
      sweeps.show(pause.function, done);
    } catch (...) {
      sweeps.settle();
      throw;
    }
  } else {
    sweeps.settle();
    pause.function(done);
  }
}

/// Whether every()'s function takes the Views of the newest values.
template <class Pauses, class Sweeps>
inline constexpr bool shows_views = false;
template <class F, class Sweeps>
inline constexpr bool shows_views<Every<F>, Sweeps> = Sweeps::template can_show<F>;

/// The functors as steps call them that reduce nothing: of stages the last one may.
template <class Update, class... Functors>
auto functors_between(Functors const&... functors) {
  std::tuple<Functors const&...> const all(functors...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return values(std::get<I>(all)..., without_results<Update>(std::get<sizeof...(I)>(all)));
  }(std::make_index_sequence<sizeof...(Functors) - 1>{});
}

template <class Policy, class State, class Scratch, class Pauses, class Reduction, class... Functors>
void run_steps(std::string const& label, Policy const& policy, State const& state, Scratch const& scratch,
               std::int64_t steps, Pauses const& pauses, Reduction const& reduction, Functors const&... functors) {
  constexpr bool reducing = !std::is_same_v<Reduction, NoReduction>;

  auto const where =
      call_text(reducing ? "Koalesce::parallel_stencil_steps_reduce" : "Koalesce::parallel_stencil_steps", label);
  auto const views  = changing_views(state);
  auto const others = other_views(state, scratch);
  check_call(where, policy, inputs_in(views, others, state), concat(others, views), [&](auto const& local) {
    check_steps(where, steps, policy.fused_steps(), pauses);
    constexpr bool levels        = std::decay_t<Scratch>::size == 0;
    constexpr char const* second = levels ? "previous" : "scratch";
    constexpr char const* turns  = "steps read the one while they write the other, so give each its own memory";
    check_stencil(where, local, inputs_in(views, others, state), others, {"state", second, turns});
    check_stencil(where, local, inputs_in(others, views, state), views, {second, "state", turns});
    if (local.domain().blocks() > 0) check_layouts<Policy>(where, views, others);  // else there is no first block
    check_constants(where, state, views, others);
    if constexpr (Policy::field_rank > Policy::rank) check_block_extents<Policy>(where, views, others);
    check_results<typename Policy::execution_space>(where, reduction);
  });
  if constexpr (reducing)
    if (steps == 0) join_earlier(policy.space(), kernel_label(typename Policy::backend_type{}, label), reduction);

  StepsSweeps sweeps(label, policy, state, others, functors_between<typename Reduction::Update>(functors...));
  constexpr bool shown = shows_views<Pauses, decltype(sweeps)>;
  if (steps > 0) sweeps.prepare(steps, shown);
  std::int64_t period = std::max<std::int64_t>(1, steps);
  if constexpr (!std::is_same_v<Pauses, NoPauses>) period = pauses.period;
  for (std::int64_t done = 0; done < steps;) {
    auto const next = std::min(period, steps - done);
    done += next;
    if (reducing && done == steps) {
      sweeps.run(next - 1, true, 1);
      try {
        sweeps.run_reducing(reduction, functors...);
      } catch (...) {  // there is no memory for partial results
        sweeps.settle();
        throw;
      }
    } else {
      sweeps.run(next, !shown || done == steps);
    }
    if constexpr (!std::is_same_v<Pauses, NoPauses>)
      if (next == period) {
        call_pause(pauses, done, sweeps);
        if (done < steps) sweeps.renew_inactive();
      }
  }
  sweeps.settle();
}

/// The inputs of a step.
template <class State, class Scratch>
using StepInputs = decltype(inputs_in(changing_views(std::declval<State const&>()),
                                      other_views(std::declval<State const&>(), std::declval<Scratch const&>()),
                                      std::declval<State const&>()));
/// What it writes.
template <class State>
using StepOutputs = decltype(changing_views(std::declval<State const&>()));

template <class Policy, class State, class Scratch, class Pauses, class Reduction, class... Functors>
void call_steps(std::string const& label, Policy const& policy, State const& state, Scratch const& scratch,
                std::int64_t steps, Pauses const& pauses, Reduction const& reduction, Functors const&... functors) {
  if constexpr (check_scratch<Policy>(static_cast<State const*>(nullptr), static_cast<Scratch const*>(nullptr))) {
    using Update = typename Reduction::Update;
    if constexpr (check_step<Policy, StepInputs<State, Scratch>, StepOutputs<State>, Update, Functors...>())
      run_steps(label, policy, state, scratch, steps, pauses, reduction, functors...);
  }
}

/// Known weights, and a functor of their sum.
template <class Policy, class State, class Scratch, class Pauses, class Reduction, class Weights, class Then>
  requires(!is_staged<typename Policy::shape_type> && is_weights<Weights>)
void call_steps(std::string const& label, Policy const& policy, State const& state, Scratch const& scratch,
                std::int64_t steps, Pauses const& pauses, Reduction const& reduction, Weights const& weights,
                Then const& then) {
  if constexpr (check_scratch<Policy>(static_cast<State const*>(nullptr), static_cast<Scratch const*>(nullptr))) {
    using Ins  = StepInputs<State, Scratch>;
    using Outs = StepOutputs<State>;
    if constexpr (check_views<Policy, Ins, Outs>()) {
      if constexpr (check_linear_then<Policy, Ins, Outs, typename Reduction::Update, Weights, Then>())
        run_steps(label, policy, state, scratch, steps, pauses, reduction, LinearThen<Weights, Then>{weights, then});
    }
  }
}

/// The arguments of a call in their parts: so many functors, every() if it is there, results.
template <std::size_t functors, class Policy, class State, class Scratch, class... Args>
void split_steps(std::string const& label, Policy const& policy, State const& state, Scratch const& scratch,
                 std::int64_t steps, Args&... args) {
  constexpr bool pauses         = has_pauses_at<functors, Args...>;
  constexpr std::size_t results = functors + pauses;
  std::tuple<Args&...> const all(args...);
  [&]<std::size_t... F, std::size_t... R>(std::index_sequence<F...>, std::index_sequence<R...>) {
    auto const call = [&](auto const& pause, auto const& reduction) {
      call_steps(label, policy, state, scratch, steps, pause, reduction, std::as_const(std::get<F>(all))...);
    };
    auto const call_reducing = [&](auto const& pause) {
      if constexpr (sizeof...(R) == 0) call(pause, NoReduction());
      else if constexpr (check_result_types<std::tuple_element_t<results + R, std::tuple<Args&...>>...>())
        call(pause, make_reduction(std::get<results + R>(all)...));
    };
    if constexpr (pauses) call_reducing(std::get<functors>(all));
    else call_reducing(NoPauses());
  }(std::make_index_sequence<functors>{}, std::make_index_sequence<sizeof...(Args) - results>{});
}

}  // namespace Koalesce::Impl

#endif
