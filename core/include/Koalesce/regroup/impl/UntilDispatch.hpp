// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_UNTIL_DISPATCH_HPP
#define KOALESCE_REGROUP_IMPL_UNTIL_DISPATCH_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/RegroupChecks.hpp>
#include <Koalesce/regroup/impl/RegroupLoop.hpp>
#include <Koalesce/regroup/impl/RegroupSignature.hpp>
#include <Koalesce/regroup/impl/UntilBackend.hpp>
#include <Koalesce/regroup/impl/UntilWork.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Throws unless the loop's items can be, and the policy asks for nothing that such loops do not have.
template <class Policy>
void check_regroup_until(std::string const& where, Policy const& policy) {
  static_assert(std::decay_t<decltype(policy.payload())>::size == 0 && !has_plan<Policy> &&
                    std::is_same_v<std::decay_t<decltype(policy.key())>, NoKey>,
                "Koalesce::parallel_regroup_until: the policy must have no payload, order or plan; items run as lanes "
                "are free, so let init(i) and finish(i, state) read and write their data");
  check_items(where, policy.begin(), policy.end());
  if (policy.scope() != RegroupScope::automatic || policy.remap() != RegroupRemap::automatic)
    fail(
        where,
        "the policy asks for a scope or a remap; items run as lanes are free, and data stays where it is, so leave out "
        "with_scope() and with_remap()");
}

/// Runs a variant, or the plain loop if there is no memory for it.
template <class Policy, class Work, class Result>
void run_until_or_plain(Policy const& policy, std::string const& label, Work const& work, UntilVariant const& variant,
                        Result& result) {
  using Tag      = typename Policy::backend_type;
  auto const run = [&](UntilVariant const& chosen, char* memory) {
    auto const name = kernel_label(Tag{}, label) + " [" + chosen.name() + "]";
    run_until(Tag{}, policy.space(), name, work, chosen, memory, result);
  };
  auto const bytes = until_memory(Tag{}, variant);
  if (!with_loop_memory(policy.space(), bytes, [&](char* memory) { run(variant, memory); })) run({"plain"}, nullptr);
}

/// What the policy allows and the backend has.
template <class Policy, class Work>
std::vector<UntilVariant> allowed_variants(Policy const& policy, Work const& work) {
  auto variants = until_variants(typename Policy::backend_type{}, policy.space(), work);
  if (policy.regroup() == Regroup::never) variants.resize(1);
  if (policy.regroup() == Regroup::always && variants.size() > 1) variants.erase(variants.begin());
  return variants;
}

inline TuningChoices until_choices(std::string const& label, std::string const& kernel, TuningMachine const& machine,
                                   std::int64_t items, bool always, std::vector<UntilVariant> const& variants) {
  std::vector<std::string> names;
  names.reserve(variants.size());
  for (auto const& variant : variants) names.push_back(variant.name());
  std::string extents = "2^" + std::to_string(size_class(items)) + " items";
  if (always) extents += ", regrouped";
  auto const count = names.size();
  return {
      {"regroup_until", label, kernel, extents, machine}, {{"items", items}}, "variant", names, count, double(items)};
}

template <class Policy, class Result, class Args>
void regroup_until_by(std::string const& function, std::string const& label, Policy const& policy, Result& result,
                      Args const& args) {
  using Exec = typename Policy::execution_space;
  using Tag  = typename Policy::backend_type;
  check_regroup_until(call_text(function, label), policy);
  auto const work = until_work(policy, args);
  using Work      = std::decay_t<decltype(work)>;
  static_assert(UntilBackend<Tag, Exec, Work, Result>,
                "Koalesce: the execution space's backend was not included, or lacks a function that UntilBackend "
                "requires; include <Koalesce/Regroup.hpp>, or write that function");

  Kokkos::Profiling::ScopedRegion const region(function);
  auto const variants = allowed_variants(policy, work);
  auto const run      = [&](std::size_t number) { run_until_or_plain(policy, label, work, variants[number], result); };
  if (variants.size() == 1 || work.items() == 0) return run(0);
  thread_local RecentTuners<Exec> recent;
  std::array<std::int64_t, 3> const extents{work.items(), 1, 1};
  bool const always  = policy.regroup() == Regroup::always;
  auto const choices = [&] {
    return until_choices(label, typeid(Work).name(), machine_of(Tag{}, policy.space()), work.items(), always, variants);
  };
  auto const tuner = [&] { return recent.get(policy.space(), label, extents, always, choices); };
  run_fastest(policy.space(), double(work.items()), 0, tuner, choices, run);
}

/// \tparam Given  a policy as regroup_policy() takes it.
template <class Given, class Result, class Args>
void regroup_until(std::string const& function, std::string const& label, Given const& given, Result& result,
                   Args const& args) {
  if constexpr (check_until_functors<std::remove_const_t<Result>, Args>())
    regroup_until_by(function, label, regroup_policy(given), result, args);
}

}  // namespace Koalesce::Impl

#endif
