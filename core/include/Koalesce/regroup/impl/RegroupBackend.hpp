// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_BACKEND_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_BACKEND_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/SortKey.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace Koalesce::Impl {

/// What a backend must have for parallel_regroup, found by argument-dependent lookup through its tag:
///
///     can_regroup(tag, work, variant)           whether it can run a RegroupWork by this variant
///     regroup_memory(tag, exec, work, variant)  bytes of memory that it needs for that
///     regroup_bytes(tag, work, variant)         bytes that regrouping moves in addition to the loop's own
///     run_regroup(tag, exec, named, work, variant, memory, result)
///
/// The last starts kernels called named(<step>) on `exec`, which run every item once, reduced into `result` unless that
/// is NoResult; `memory` has the bytes asked for, aligned as Views are. Every backend can run RegroupVariant::plain.
template <class Tag, class Exec, class Named, class Work, class Result>
concept RegroupBackend = requires(Tag tag, Exec const& exec, Named const& named, Work const& work,
                                  RegroupVariant variant, char* memory, Result& result) {
  { can_regroup(tag, work, variant) } -> std::same_as<bool>;
  { regroup_memory(tag, exec, work, variant) } -> std::same_as<std::size_t>;
  { regroup_bytes(tag, work, variant) } -> std::same_as<std::int64_t>;
  run_regroup(tag, exec, named, work, variant, memory, result);
};

/// And for loops with a RegroupPlan:
///
///     plan_memory(tag, work)                   bytes that the plan keeps
///     make_plan(tag, exec, named, work, bits, plan, memory)
///     update_plan(tag, exec, named, work, plan, report)
///     sample_plan(tag, exec, named, work, plan, is_apart), if the loop has a key
///     run_planned(tag, exec, named, work, plan, result)
///
/// `plan` and `memory` have plan_memory() and regroup_memory() bytes. make_plan() starts kernels that put the items in
/// order; update_plan() ones that move items whose paths have changed since, and say how many that have been since the
/// order was made; sample_plan() one that sets a number to 1 if neighbors' keys have become far apart; and
/// run_planned() is run_regroup() in that order, for RegroupVariant::planned.
template <class Tag, class Exec, class Named, class Work, class Result>
concept PlanBackend = requires(Tag tag, Exec const& exec, Named const& named, Work const& work, SortBits bits,
                               char* plan, char* memory, std::int64_t* report, Result& result) {
  { plan_memory(tag, work) } -> std::same_as<std::size_t>;
  make_plan(tag, exec, named, work, bits, plan, memory);
  update_plan(tag, exec, named, work, plan, report);
  requires !Work::has_key || requires { sample_plan(tag, exec, named, work, plan, report); };
  run_planned(tag, exec, named, work, plan, result);
};

}  // namespace Koalesce::Impl

#endif
