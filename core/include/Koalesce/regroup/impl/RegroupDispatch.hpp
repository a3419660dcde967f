// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_DISPATCH_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/RangePolicyChecks.hpp>
#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/RegroupCall.hpp>
#include <Koalesce/regroup/impl/RegroupChecks.hpp>
#include <Koalesce/regroup/impl/RegroupEntry.hpp>
#include <Koalesce/regroup/impl/RegroupLoop.hpp>
#include <Koalesce/regroup/impl/RegroupSignature.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <typeindex>
#include <typeinfo>
#include <vector>

namespace Koalesce::Impl {

template <class Functor>
auto make_body(Paths const& paths, Functor const& functor) {
  return PathFunctor<Functor>{functor, paths.count};
}
template <class... Functors>
auto make_path_functors(Functors const&... functors) {
  return PathFunctors<Functors...>{Pack<Functors...>(functors...)};
}

template <class Policy, class Predict, class Body>
auto make_regroup_work(Policy const& policy, int paths, Predict const& predict, Body const& body) {
  using Payload = std::decay_t<decltype(policy.payload())>;
  using Key     = std::decay_t<decltype(policy.key())>;
  return RegroupWork<Predict, Body, Payload, Key>{policy.begin(), policy.end(),     paths,       {}, predict,
                                                  body,           policy.payload(), policy.key()};
}

/// The arguments after the policy, whose first may be the number of paths.
template <class Policy, class Predict, class... Functors>
auto regroup_work(Policy const& policy, std::tuple<Predict const&, Functors const&...> const& args) {
  return std::apply(
      [&](Predict const& predict, Functors const&... functors) {
        return make_regroup_work(policy, int(sizeof...(Functors)), predict, make_path_functors(functors...));
      },
      args);
}
template <class Policy, class Predict, class Functor>
auto regroup_work(Policy const& policy, std::tuple<Paths const&, Predict const&, Functor const&> const& args) {
  auto const& [paths, predict, functor] = args;
  return make_regroup_work(policy, paths.count, predict, make_body(paths, functor));
}

/// The variants that the policy allows and the backend has, with the bytes that each moves; the plain loop first.
template <class Tag, class Policy, class Work>
std::vector<RegroupTrial> regroup_trials(Tag, Policy const& policy, Work const& work) {
  auto const bits = policy.key_bits();
  // An order that is asked for is kept: teams have none, and data moves in order of many bits.
  bool const asked = Work::has_key && bits != KeyBits::automatic;
  bool const team  = asked ? policy.scope() == RegroupScope::team : policy.scope() != RegroupScope::grid,
             grid = policy.scope() != RegroupScope::team, index = policy.remap() != RegroupRemap::data,
             data = Work::has_payload && (asked && bits != KeyBits::many ? policy.remap() == RegroupRemap::data
                                                                         : policy.remap() != RegroupRemap::index);
  std::vector<RegroupTrial> trials;
  trials.reserve(std::size(regroup_variants));
  auto const add = [&](RegroupVariant variant, bool allowed) {
    if (!allowed || !can_regroup(Tag{}, work, variant)) return;
    RegroupTrial trial;
    trial.variant = variant;
    trial.bytes   = regroup_bytes(Tag{}, work, variant);
    trials.push_back(trial);
  };
  // Items of one path may have an order, too.
  bool const some = policy.regroup() != Regroup::never && work.items() > 0, paths = some && work.paths > 1,
             ordered = some && (paths || Work::has_key);
  if (policy.regroup() != Regroup::always) add(RegroupVariant::plain, true);
  add(RegroupVariant::team, paths && team && index);
  add(RegroupVariant::team_moved, paths && team && data);
  bool const over_grid = ordered && grid && index;
  if constexpr (has_plan<Policy>) {
    add(RegroupVariant::planned, over_grid);
  } else if constexpr (Work::has_key) {
    add(RegroupVariant::grid, over_grid && paths && bits == KeyBits::automatic);
    add(RegroupVariant::grid_few_bits, over_grid && (bits == KeyBits::automatic || bits == KeyBits::few));
    add(RegroupVariant::grid_many_bits, over_grid && (bits == KeyBits::automatic || bits == KeyBits::many));
    add(RegroupVariant::grid_exact, over_grid && bits == KeyBits::exact);
  } else {
    add(RegroupVariant::grid, over_grid);
  }
  add(RegroupVariant::grid_moved, ordered && grid && data);
  if (trials.empty()) add(RegroupVariant::plain, true);
  return trials;
}

/// What a call asks of its plan, on which the time of the variant `planned` depends; empty without one.
template <class Policy>
std::string plan_text(Policy const& policy) {
  if constexpr (!has_plan<Policy>) return "";
  std::string text = policy.plan_check() == PlanCheck::none ? "plan unchecked" : "plan checked";
  return text += ", key bits " + std::to_string(int(policy.key_bits()));
}

/// The entry of the loops that share decisions with a call. They allow the same variants, and use plans alike.
template <class Tag, class Call>
std::shared_ptr<RegroupEntry> regroup_entry(Call const& call, std::vector<RegroupTrial> const& trials) {
  int const size = size_class(call.work.items());
  int variants   = 0;
  for (auto const& trial : trials) variants |= 1 << int(trial.variant);
  if constexpr (has_plan<std::decay_t<decltype(call.policy)>>)
    variants |= (1 + int(call.policy.plan_check()) + 2 * int(call.policy.key_bits())) << std::size(regroup_variants);
  auto const& registry = TuningRegistry::instance();
  using Key            = std::tuple<std::string, int, int, int, std::int64_t>;
  using Lookup         = std::tuple<std::string const&, int, int, int, std::int64_t>;
  thread_local RecentValues<Key, std::shared_ptr<RegroupEntry>, 8> recent;
  return recent.get(Lookup(call.label, device_of(call.exec()), size, variants, registry.changes()), [&] {
    return RegroupEntry::find(call.label, typeid(Call).name(), call.exec().name(), machine_of(Tag{}, call.exec()),
                              call.work.items(), trials, plan_text(call.policy));
  });
}

/// Runs the variant that the entry's tuner chooses.
template <class Tag, class Call>
void run_tuned(Call const& call, std::vector<RegroupTrial> const& trials) {
  call.loop.poll();
  auto const entry = regroup_entry<Tag>(call, trials);
  if (call.is_captured()) return (void)call.run_or_plain(entry->leader());
  bool const samples = entry->wants_sample();
  // Sampling comes first, because a launch may throw: this call is then not counted, and the next one samples.
  if (samples) call.loop.sample(call.exec(), call.named("sample"), entry, call.work);
  auto choice = entry->next(samples);
  choice.size = double(call.work.items()) / entry->items();
  // A call that begins with an order says nothing of those that update it. Where each makes one, that is its time.
  bool const begins = choice.timed && choice.turn.first && call.makes_plan(choice.variant);
  if (begins) entry->lost(choice);
  if (choice.timed && !begins)
    call.loop.time(call.exec(), entry, choice, [&] { return call.run_or_plain(choice.variant); });
  else call.run_or_plain(choice.variant);
}

/// Implements Regroup::automatic. If a tuning tool is loaded, it may choose, and measures the time until this returns.
template <class Tag, class Call>
void run_automatic(Call const& call, std::vector<RegroupTrial> const& trials) {
  if (tuning_mode() == TuningMode::by_extents) return (void)call.run_or_plain(trials.front().variant);
  if (call.is_captured() || !TuningContext::is_wanted()) return run_tuned<Tag>(call, trials);
  TuningQuestion question{"regroup",
                          call.label,
                          {{"size class", size_class(call.work.items()), false}, {"paths", call.work.paths}},
                          "variant",
                          {}};
  for (auto const& trial : trials) question.candidates.push_back(to_string(trial.variant));
  TuningContext const tool(question);
  if (auto const number = tool.choice()) call.run_or_plain(trials[*number].variant);
  else run_tuned<Tag>(call, trials);
  call.exec().fence("Koalesce::parallel_regroup: a tuning tool takes the time");
}

/// Whether the call waits for its kernels.
template <class Exec, class Result>
bool regroup_waits(Result const& result) {
  if constexpr (Backend::on_host<Exec>) return true;
  else if constexpr (std::is_same_v<Result, NoResult> || Kokkos::is_view_v<Result>) return false;
  else if constexpr (requires { result.references_scalar(); }) return result.references_scalar();
  else return true;  // for a variable, as Kokkos does for reducers that do not tell
}

template <class Policy, class Result, class Args>
void regroup_by(std::string const& function, std::string const& label, Policy const& policy, Result& result,
                Args const& args) {
  using Exec       = typename Policy::execution_space;
  using Tag        = typename Policy::backend_type;
  auto work        = regroup_work(policy, args);
  using Work       = decltype(work);
  using Call       = RegroupCall<Policy, Work, Result>;
  auto const where = call_text(function, label);
  check_regroup(where, policy, work.paths);
  auto const trials = regroup_trials(Tag{}, policy, work);

  Kokkos::Profiling::ScopedRegion const region(function);
  auto const loop   = RegroupLoops<Exec>::find(label, typeid(Call));
  std::int64_t mine = PathFault::none;
  if constexpr (runs_in_launch<Exec>) {
    work.fault = PathFault{&mine};
  } else {
    loop->throw_fault(where, work.paths);
    work.fault = loop->fault();
  }
  Call const call{policy, label, work, result, *loop};
  if (trials.size() == 1) call.run_or_plain(trials.front().variant);
  else run_automatic<Tag>(call, trials);
  if (mine != PathFault::none) fail(where, PathFault::text(mine, work.paths));
  if (!runs_in_launch<Exec> && regroup_waits<Exec>(result)) loop->throw_fault(where, work.paths);
}

/// \tparam Given  a policy as regroup_policy() takes it.
template <class Given, class Result, class Args>
void regroup(std::string const& function, std::string const& label, Given const& given, Result& result,
             Args const& args) {
  using Policy = std::decay_t<decltype(regroup_policy(given))>;
  if constexpr (check_regroup_functors<Policy, std::remove_const_t<Result>, Args>())
    regroup_by(function, label, regroup_policy(given), result, args);
}

}  // namespace Koalesce::Impl

#endif
