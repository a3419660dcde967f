// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_CALL_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_CALL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/PlanState.hpp>
#include <Koalesce/regroup/impl/RegroupBackend.hpp>
#include <Koalesce/regroup/impl/RegroupChecks.hpp>
#include <Koalesce/regroup/impl/RegroupLoop.hpp>
#include <Koalesce/regroup/impl/SortKey.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace Koalesce::Impl {

/// One call: what it runs on and with.
/// \tparam Policy  a RegroupPolicy.
template <class Policy, class Work, class Result>
struct RegroupCall {
  using Exec = typename Policy::execution_space;
  using Tag  = typename Policy::backend_type;

  Policy const& policy;
  std::string const& label;
  Work const& work;
  Result& result;
  RegroupLoop<Exec>& loop;

  Exec const& exec() const { return policy.space(); }
  std::string named(char const* variant) const {
    std::string name = kernel_label(Tag{}, label);
    return name.append(" [").append(variant).append("]");
  }
  bool is_captured() const { return Impl::is_captured(exec()); }

  /// Whether the variant runs with a plan whose order has to be made first.
  bool makes_plan(RegroupVariant variant) const {
    if constexpr (has_plan<Policy>)
      return variant == RegroupVariant::planned && plan_room() != nullptr && PlanAccess::state(policy.plan()).is_due();
    return false;
  }

  /// Runs a variant; returns false if there was no memory for it.
  bool run(RegroupVariant variant) const {
    static_assert(RegroupBackend<Tag, Exec, KernelName, Work, Result>,
                  "Koalesce: the execution space's backend was not included, or lacks a function that RegroupBackend "
                  "requires; include <Koalesce/Regroup.hpp>, or write that function");
    if constexpr (has_plan<Policy>) {
      if (variant == RegroupVariant::planned) return run_with_plan();
      if (policy.plan_check() == PlanCheck::every_item) PlanAccess::state(policy.plan()).passed_by();
    }
    return with_memory(variant,
                       [&](char* memory) { run_regroup(Tag{}, exec(), kernel_name(), work, variant, memory, result); });
  }

  /// Runs the variant, or the plain loop if there is no memory for it.
  bool run_or_plain(RegroupVariant variant) const { return run(variant) || (run(RegroupVariant::plain), false); }

 private:
  struct KernelName {
    RegroupCall const& call;

    std::string operator()(char const* step) const { return call.named(step); }
  };
  KernelName kernel_name() const { return {*this}; }

  char* plan_room() const {
    return PlanAccess::state(policy.plan())
        .room({work.begin, work.items(), work.paths}, plan_memory(Tag{}, work), is_captured());
  }

  /// Makes the order if it is due, in the plan's room; returns false if there was no memory for that.
  bool make_due_plan(char* plan) const {
    auto& state = PlanAccess::state(policy.plan());
    if (!state.is_due()) return true;
    return with_memory(RegroupVariant::planned, [&](char* memory) {
      auto const bits = Work::has_key ? SortBits::of<typename Work::KeyValue>(policy.key_bits(), work.paths)
                                      : SortBits::at_least(0, work.paths);
      make_plan(Tag{}, exec(), kernel_name(), work, bits, plan, memory);
      state.made();
    });
  }

  bool run_with_plan() const {
    static_assert(PlanBackend<Tag, Exec, KernelName, Work, Result>,
                  "Koalesce: the execution space's backend lacks a function that PlanBackend requires; write it");
    auto& state      = PlanAccess::state(policy.plan());
    auto const was   = state.times_made();
    char* const plan = plan_room();
    if (plan == nullptr || !make_due_plan(plan)) return false;
    bool const is_trusted = policy.plan_check() == PlanCheck::none && state.is_current();
    if (state.times_made() == was && !is_trusted) {
      state.change([&] { update_plan(Tag{}, exec(), kernel_name(), work, plan, state.moved()); });
      if constexpr (Work::has_key)
        if (!is_captured() && state.wants_sample())
          sample_plan(Tag{}, exec(), kernel_name(), work, plan, state.is_apart());
    }
    run_planned(Tag{}, exec(), kernel_name(), work, plan, result);
    if (is_captured()) state.captured();
    return true;
  }

  /// Calls action(memory that the variant needs); returns false if there is none.
  template <class Action>
  bool with_memory(RegroupVariant variant, Action const& action) const {
    return with_loop_memory(exec(), regroup_memory(Tag{}, exec(), work, variant), action);
  }
};

}  // namespace Koalesce::Impl

#endif
