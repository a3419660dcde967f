// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <string>
#include <vector>

/// Automatic calls that may use a plan.
namespace Koalesce::Test {
namespace {

using RV = RegroupVariant;

struct ItemNumber {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return item; }
};

/// A loop that always has the same items.
template <class P>
struct SteadyLoop {
  using exec = typename P::exec;

  std::string label;
  RegroupPlan<exec> plan = {};
  Items items            = some_items();

  static Items some_items() {
    Rng rng(1);
    return {0, 3, make_paths(rng, Mix::equal, 3, 5000)};
  }

  auto policy(PlanCheck check = PlanCheck::every_item) const {
    return RegroupPolicy(exec(), 0, 5000).with_backend(typename P::backend()).with_plan(plan, check);
  }

  /// Calls it, and returns the decisions so far.
  template <class Policy>
  std::vector<RegroupDecision> run(Policy const& how, int calls = 1) const {
    for (int call = 0; call < calls; ++call) {
      parallel_regroup(label, how, Paths(3), PathTableOf<P>(items), VisitsOf<P>(items));
      exec().fence();
    }
    return regroup_decisions(label);
  }
};

template <class P>
class RegroupPlanChoices : public ::testing::Test {
 protected:
  RegroupPlanChoices() { forget_tuning(); }
};
TYPED_TEST_SUITE(RegroupPlanChoices, DefaultPaths::types, PathNames);

TYPED_TEST(RegroupPlanChoices, try_plans_among_the_others) {
  SteadyLoop<TypeParam> const loop{"tries plans on " + TypeParam::name()};
  std::vector<RV> tried;
  auto const decisions = loop.run(loop.policy());
  for (auto const& trial : decisions.at(0).trials) tried.push_back(trial.variant);
  EXPECT_EQ(tried, (std::vector<RV>{RV::plain, RV::team, RV::planned}));
}

/// Making an order is no update of it, and its call no measure of those that follow.
TYPED_TEST(RegroupPlanChoices, time_plans_from_their_second_call_on) {
  SteadyLoop<TypeParam> const loop{"times plans on " + TypeParam::name()};
  auto const early = loop.run(loop.policy(), 4).at(0);  // plain, team, planned, plain
  EXPECT_EQ(loop.plan.times_made(), 1);
  ASSERT_EQ(early.trials.at(2).variant, RV::planned);
  EXPECT_EQ(early.trials[2].calls, 0);
  auto const late = loop.run(loop.policy(), 20).at(0);
  EXPECT_TRUE(late.decided);
  EXPECT_GE(late.trials.at(2).calls, 1);
  EXPECT_LE(late.trials.at(2).calls, 2);
}

/// A call that trusts the plan says nothing of one that compares every item.
TYPED_TEST(RegroupPlanChoices, are_shared_by_calls_that_use_plans_alike) {
  SteadyLoop<TypeParam> const loop{"uses plans on " + TypeParam::name()};
  auto const decisions = [&](PlanCheck check, KeyBits bits) {
    return loop.run(loop.policy(check).with_order(ItemNumber(), bits)).size();
  };
  EXPECT_EQ(decisions(PlanCheck::every_item, KeyBits::few), 1u);
  EXPECT_EQ(decisions(PlanCheck::none, KeyBits::few), 2u);
  EXPECT_EQ(decisions(PlanCheck::every_item, KeyBits::many), 3u);
  EXPECT_EQ(decisions(PlanCheck::none, KeyBits::few), 3u);
}

}  // namespace
}  // namespace Koalesce::Test
