// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_REGROUP_PLAN_HPP
#define KOALESCE_REGROUP_REGROUP_PLAN_HPP

#include <Koalesce/regroup/impl/PlanState.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>

namespace Koalesce {

/// Which items' paths a call with a RegroupPlan looks at: every item's; or none's, because none has changed.
enum class PlanCheck { every_item, none };

/// \brief An order of items that is kept from call to call.
///
///     RegroupPlan<> plan;                                                                        // once
///     parallel_regroup("events", RegroupPolicy(exec, 0, n).with_plan(plan), predict, f0, f1);    // many times
///
/// The first call orders the items over the grid, by path and by key if the policy has one. Later calls compare every
/// item's path with the one that it had, and move only items that changed theirs, and as many others as have to make
/// room for them. All others keep their places, and so their neighbors. Where the paths of few items change, that costs
/// a read of all paths, instead of a sort. Results are always those of the plain loop, and Regroup::automatic runs the
/// plan only where it is fastest.
///
/// Items that moved lie among the others of their path in no particular order, and items whose keys have changed stay
/// where they are. So the plan is made anew when as many items have moved as a quarter of all; when the keys of
/// neighbors, of which every 16th call looks at a sample, have on average a 32nd of the keys' range between them; when
/// the range of items or the number of paths is another one; and when renew() asks for it.
///
/// Calls that share a plan must not run at the same time: one instance, or fences in between. Copies are the same plan.
/// It takes 22 bytes an item, in Exec's memory, is made and destroyed while Kokkos is initialized, as Views are, must
/// live as long as graphs into which calls were captured, and then serve no other loop.
/// The method: H. Lin, Z. Wang, H. Liu (Huawei), "Method and device for eliminating branch divergence", Chinese patent
/// application, 2019: warps keep the items that fit.
///
/// \tparam Exec  execution space of the loops.
template <class Exec = Kokkos::DefaultExecutionSpace>
class RegroupPlan {
 public:
  using execution_space = Exec;  ///< of the loops

  /// Makes the order anew at the next call.
  void renew() const { m_state->renew(); }

  /// How many times the order has been made.
  std::int64_t times_made() const { return m_state->times_made(); }

  /// How many items have moved since then, as far as kernels have told yet.
  std::int64_t items_moved() const { return m_state->items_moved(); }

 private:
  friend struct Impl::PlanAccess;

  std::shared_ptr<Impl::PlanState<Exec>> m_state = std::make_shared<Impl::PlanState<Exec>>();
};

/// For loops without RegroupPolicy::with_plan.
struct NoPlan {};

}  // namespace Koalesce

#endif
