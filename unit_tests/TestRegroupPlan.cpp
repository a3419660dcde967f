// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationBalance.hpp"
#include "RegroupOracle.hpp"

#include <string>
#include <utility>
#include <vector>

/// Loops whose order is kept from call to call, while items change their paths.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupPlans : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupPlans, DefaultPaths::types, PathNames);

/// Gives about a share of the items other paths: any, or all the same one.
void change_paths(Rng& rng, Items& items, double share, bool to_one) {
  auto const any = [&] { return random_int(rng, 0, items.paths - 1); };
  auto const one = any();
  for (auto& path : items.path)
    if (double(rng() % 1000000) < share * 1e6) path = to_one ? one : any();
}

/// A loop with a plan of its own, or with one that it is given.
template <class P>
struct PlannedLoop {
  using exec = typename P::exec;

  RegroupPlan<exec> plan = {};

  auto policy(Items const& items, PlanCheck check = PlanCheck::every_item) const {
    return RegroupPolicy(exec(), items.begin, items.end()).with_backend(typename P::backend()).with_plan(plan, check);
  }

  /// Runs planned, and checks what ran.
  void run(Items const& items) const {
    check(items, policy(items).with_regroup(Regroup::always).with_scope(RegroupScope::grid));
  }
  template <class Policy>
  void check(Items const& items, Policy const& policy) const {
    VisitsOf<P> const visits(items);
    parallel_regroup("planned", policy, Paths(items.paths), PathTableOf<P>(items), visits);
    exec().fence();
    EXPECT_TRUE(visits.match(items)) << items.paths << " paths";
  }
};

TYPED_TEST(RegroupPlans, every_item_runs_once_on_its_path) {
  for_each_seed([](Rng& rng) {
    for (int const paths : {2, 3, 12, 40, 300, 1023}) {
      PlannedLoop<TypeParam> const loop;
      auto items = random_items(rng, paths, random_size(rng));
      loop.run(items);
      for (double const share : {0., 0.0005, 0.01, 0.1, 0., 0.02, 1., 0.3}) {
        change_paths(rng, items, share, rng() % 3 == 0);
        SCOPED_TRACE("share " + std::to_string(share) + ", " + std::to_string(items.size()) + " items");
        loop.run(items);
      }
    }
  });
}

/// Ranges that become empty, and borders that pass others.
TYPED_TEST(RegroupPlans, paths_that_lose_all_items_and_get_them_back) {
  Rng rng(1);
  for (int const paths : {2, 5, 40}) {
    PlannedLoop<TypeParam> const loop;
    Items items{7, paths, make_paths(rng, Mix::equal, paths, 5001)};
    auto const first = items.path;
    for (int const only : {paths - 1, 0, paths / 2}) {
      loop.run(items);
      for (auto& path : items.path) path = only;
      loop.run(items);
      items.path = first;
    }
    // Round: every item gets the next path.
    for (int i = 0; i < paths; ++i) {
      for (auto& path : items.path) path = (path + 1) % paths;
      loop.run(items);
    }
  }
}

TYPED_TEST(RegroupPlans, few_items_and_none) {
  Rng rng(2);
  for (std::int64_t const size : {0, 1, 2, 31, 33, 257}) {
    PlannedLoop<TypeParam> const loop;
    Items items{5, 3, make_paths(rng, Mix::equal, 3, size)};
    for (int call = 0; call < 5; ++call) {
      loop.run(items);
      change_paths(rng, items, 0.2, false);
    }
  }
}

/// On a device, so many that every kernel has many teams.
TYPED_TEST(RegroupPlans, many_items) {
  Rng rng(3);
  PlannedLoop<TypeParam> const loop;
  Items items{1, 12, make_paths(rng, Mix::skewed, 12, Backend::on_host<typename TypeParam::exec> ? 200003 : 5000011)};
  for (double const share : {0., 0.001, 0.01, 0.1, 0.5}) {
    change_paths(rng, items, share, false);
    loop.run(items);
  }
}

/// All items go from the last of many paths to the first: every slot passes all borders, 2.2e9 in all.
TYPED_TEST(RegroupPlans, moves_past_all_paths) {
  PlannedLoop<TypeParam> const loop;
  Items items{0, 1023, std::vector<std::int64_t>(2200000, 1022)};
  items.path.back() = 0;
  loop.run(items);
  for (auto& path : items.path) path = 0;
  items.path.back() = 1022;
  loop.run(items);
}

TYPED_TEST(RegroupPlans, automatic_calls_keep_the_results) {
  Rng rng(4);
  PlannedLoop<TypeParam> const loop;
  Items items{0, 6, make_paths(rng, Mix::equal, 6, 20000)};
  for (int call = 0; call < 30; ++call) {
    loop.check(items, loop.policy(items));
    change_paths(rng, items, 0.01, false);
  }
}

TYPED_TEST(RegroupPlans, are_made_anew_when_they_no_longer_hold) {
  using Exec = typename TypeParam::exec;
  Rng rng(5);
  PlannedLoop<TypeParam> const loop;
  auto const& plan = loop.plan;
  Items items{0, 4, make_paths(rng, Mix::alternating, 4, 8000)};
  EXPECT_EQ(plan.times_made(), 0);
  loop.run(items);
  EXPECT_EQ(plan.times_made(), 1);
  for (std::size_t i = 0; i < 1000; ++i) items.path[i] = (items.path[i] + 1) % 4;
  loop.run(items);
  loop.run(items);
  EXPECT_EQ(plan.times_made(), 1);
  EXPECT_EQ(plan.items_moved(), 1000);
  for (std::size_t i = 0; i < 1001; ++i) items.path[i] = (items.path[i] + 1) % 4;
  loop.run(items);
  EXPECT_EQ(plan.items_moved(), 2001);
  EXPECT_EQ(plan.times_made(), 1) << "known when the call began";
  loop.run(items);
  EXPECT_EQ(plan.times_made(), 2) << "more than a quarter has moved";
  EXPECT_EQ(plan.items_moved(), 0);
  RegroupPlan<Exec> const same = plan;
  same.renew();
  loop.run(items);
  EXPECT_EQ(plan.times_made(), 3);
  Items const others{1, 4, items.path}, fewer{1, 4, PathNumbers(items.path.begin(), items.path.begin() + 500)};
  loop.run(others);
  EXPECT_EQ(plan.times_made(), 4) << "other items";
  loop.run(fewer);
  EXPECT_EQ(plan.times_made(), 5) << "fewer items";
  loop.run({1, 5, fewer.path});
  EXPECT_EQ(plan.times_made(), 6) << "more paths";
}

TYPED_TEST(RegroupPlans, are_taken_as_they_are_if_nothing_is_checked) {
  Rng rng(6);
  PlannedLoop<TypeParam> const loop;
  Items items{2, 3, make_paths(rng, Mix::equal, 3, 3000)};
  loop.run(items);
  PathTableOf<TypeParam> const predict(items);
  VisitsOf<TypeParam> const visits(items);
  auto const policy = loop.policy(items, PlanCheck::none).with_regroup(Regroup::always).with_scope(RegroupScope::grid);
  {
    KernelRecorder const record;
    parallel_regroup("trusts", policy, Paths(3), predict, visits);
    EXPECT_EQ(record.kernel_names(), Strings{regroup_kernel<TypeParam>("trusts", "planned")});
  }
  typename TypeParam::exec().fence();
  EXPECT_TRUE(visits.match(items));

  auto changed = items;
  for (std::size_t i = 0; i < changed.path.size(); i += 5) changed.path[i] = (changed.path[i] + 1) % 3;
  VisitsOf<TypeParam> const again(items);
  parallel_regroup("trusts", policy, Paths(3), PathTableOf<TypeParam>(changed), again);
  typename TypeParam::exec().fence();
  EXPECT_TRUE(again.match(items)) << "items run the paths that they had";
  EXPECT_EQ(loop.plan.times_made(), 1);
}

TYPED_TEST(RegroupPlans, take_22_bytes_an_item) {
  using Exec = typename TypeParam::exec;
  Rng rng(14);
  Items const items{0, 3, make_paths(rng, Mix::equal, 3, 100003)};
  PlannedLoop<TypeParam>().run(items);  // what all loops share is there
  release_regroup_memory(Exec());
  AllocationBalance const balance;
  {
    PlannedLoop<TypeParam> const loop;
    loop.run(items);
    release_regroup_memory(Exec());
    EXPECT_GT(balance.bytes(), 0);
    EXPECT_LE(balance.bytes(), 22.1 * double(items.size()));
  }
  EXPECT_EQ(balance.bytes(), 0);
}

/// A call that runs without the plan may be the one in which paths changed.
TYPED_TEST(RegroupPlans, are_compared_again_after_a_call_without_them) {
  Rng rng(8);
  PlannedLoop<TypeParam> const loop;
  Items items{0, 3, make_paths(rng, Mix::equal, 3, 3000)};
  auto const run = [&](PlanCheck check, Regroup when) {
    VisitsOf<TypeParam> const visits(items);
    auto const policy = loop.policy(items, check).with_regroup(when);
    parallel_regroup("passes by", when == Regroup::always ? policy.with_scope(RegroupScope::grid) : policy, Paths(3),
                     PathTableOf<TypeParam>(items), visits);
    typename TypeParam::exec().fence();
    EXPECT_TRUE(visits.match(items));
  };
  run(PlanCheck::every_item, Regroup::always);
  for (auto& path : items.path) path = (path + 1) % 3;
  run(PlanCheck::every_item, Regroup::never);
  run(PlanCheck::none, Regroup::never);
  run(PlanCheck::none, Regroup::always);
  run(PlanCheck::none, Regroup::always);
}

/// Key of an item: the higher, the lower its number.
struct Backward {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return -item; }
};

TYPED_TEST(RegroupPlans, order_items_of_one_path_by_keys) {
  PlannedLoop<TypeParam> const loop;
  Items const items{0, 1, PathNumbers(3000, 0)};
  auto const policy = loop.policy(items).with_order(Backward()).with_regroup(Regroup::always);
  loop.check(items, policy.with_scope(RegroupScope::grid));
  EXPECT_EQ(loop.plan.times_made(), 1);
}

struct ReadsPayload {
  KOKKOS_FUNCTION void operator()(std::int64_t, int, float const&) const {}
};

TYPED_TEST(RegroupPlans, are_kept_by_all_setters) {
  Rng rng(9);
  PlannedLoop<TypeParam> const loop;
  Items const items{0, 3, make_paths(rng, Mix::equal, 3, 3000)};
  Kokkos::View<float*, typename TypeParam::exec::memory_space> const x("x", items.size());
  auto const policy = loop.policy(items)
                          .with_payload(one_way(x))
                          .with_regroup(Regroup::always)
                          .with_scope(RegroupScope::grid)
                          .with_remap(RegroupRemap::index);
  parallel_regroup("payload", policy, Paths(3), PathTableOf<TypeParam>(items), ReadsPayload());
  typename TypeParam::exec().fence();
  EXPECT_EQ(loop.plan.times_made(), 1);
}

TYPED_TEST(RegroupPlans, items_without_a_path_are_named_and_the_others_run) {
  Rng rng(7);
  PlannedLoop<TypeParam> const loop;
  Items items{2, 5, make_paths(rng, Mix::equal, 5, 2000)};
  auto const good  = items.path;
  auto const fails = [&] {
    std::string error;
    VisitsOf<TypeParam> const visits(items);
    try {
      parallel_regroup("faulty plan", loop.policy(items).with_regroup(Regroup::always).with_scope(RegroupScope::grid),
                       Paths(5), PathTableOf<TypeParam>(items), visits);
      check_paths(typename TypeParam::exec());
    } catch (Error const& e) {
      error = e.what();
    }
    EXPECT_TRUE(visits.match(items));
    return error;
  };
  items.path[1234] = 5;
  EXPECT_NE(fails().find("gives item 1236 the path 5"), std::string::npos);
  items.path[77] = -1;
  EXPECT_NE(fails().find("gives item 79 the path -1"), std::string::npos);
  items.path = good;
  EXPECT_EQ(fails(), "");
}

struct AddItem {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, std::int64_t& sum) const { sum += (path + 1) * item; }
};

TYPED_TEST(RegroupPlans, reductions) {
  Rng rng(8);
  PlannedLoop<TypeParam> const loop;
  auto items = random_items(rng, 6, 20011);
  for (int call = 0; call < 4; ++call) {
    std::int64_t expected = 0, sum = -1;
    for (auto i = items.begin; i < items.end(); ++i) expected += (items.path_of(i) + 1) * i;
    parallel_regroup_reduce("sum", loop.policy(items).with_regroup(Regroup::always).with_scope(RegroupScope::grid),
                            Paths(6), PathTableOf<TypeParam>(items), AddItem(), sum);
    EXPECT_EQ(sum, expected);
    change_paths(rng, items, 0.05, false);
  }
}

TYPED_TEST(RegroupPlans, with_keys) {
  Rng rng(9);
  PlannedLoop<TypeParam> const loop;
  Items items{3, 7, make_paths(rng, Mix::equal, 7, 10007)};
  for (int call = 0; call < 4; ++call) {
    loop.check(items,
               loop.policy(items).with_order(Backward()).with_regroup(Regroup::always).with_scope(RegroupScope::grid));
    change_paths(rng, items, 0.05, false);
  }
  EXPECT_EQ(loop.plan.times_made(), 1);
}

/// Keys that change.
template <class Memory>
struct KeyTable {
  explicit KeyTable(std::int64_t items) : at("keys", items) {}

  /// \param[in] next  what key a key becomes.
  template <class Next>
  void change(Next const& next) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), at);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = next(host(i));
    Kokkos::deep_copy(at, host);
  }

  KOKKOS_FUNCTION double operator()(std::int64_t item) const { return at(item); }

  Kokkos::View<double*, Memory> at;
};

TYPED_TEST(RegroupPlans, are_made_anew_when_keys_have_changed) {
  Rng rng(12);
  for (std::int64_t const size : {100, 10007}) {
    SCOPED_TRACE(std::to_string(size) + " items");
    PlannedLoop<TypeParam> const loop;
    Items const items{0, 3, make_paths(rng, Mix::equal, 3, size)};
    KeyTable<typename TypeParam::exec::memory_space> const key(size);
    auto const any   = [&] { return double(random_int(rng, 1, 1000000)); };
    auto const calls = [&] {
      auto const policy = loop.policy(items).with_regroup(Regroup::always).with_scope(RegroupScope::grid);
      for (int call = 0; call < 20; ++call) loop.check(items, policy.with_order(key));
    };
    key.change([&](double) { return any(); });
    calls();
    EXPECT_EQ(loop.plan.times_made(), 1);
    key.change([&](double was) { return -5000 + 1.01 * was + 1e-3 * any(); });
    calls();
    EXPECT_EQ(loop.plan.times_made(), 1) << "they have moved together, by a thousandth of the range one by one";
    key.change([&](double) { return any(); });
    calls();
    EXPECT_EQ(loop.plan.times_made(), 2) << "they are others";
    calls();
    EXPECT_EQ(loop.plan.times_made(), 2);
    key.change([](double) { return 7; });
    calls();
    EXPECT_EQ(loop.plan.times_made(), 2) << "they are all the same";
  }
}

/// A sample sees no key that is far from all others, for which no order is good.
TYPED_TEST(RegroupPlans, are_made_anew_ever_more_rarely_if_that_is_of_no_use) {
  Rng rng(13);
  PlannedLoop<TypeParam> const loop;
  Items const items{0, 2, make_paths(rng, Mix::equal, 2, 20011)};
  KeyTable<typename TypeParam::exec::memory_space> const key(items.size());
  double last = 1e300;
  // Few bits of a key are its first ones, in which all others are alike.
  key.change([&](double) { return std::exchange(last, 1 + double(random_int(rng, 1, 1000)) * 0x1p-40); });
  auto const policy = loop.policy(items).with_regroup(Regroup::always).with_scope(RegroupScope::grid);
  for (int call = 0; call < 120; ++call) loop.check(items, policy.with_order(key, KeyBits::few));
  EXPECT_GE(loop.plan.times_made(), 3) << "a sample finds the order bad";
  EXPECT_LE(loop.plan.times_made(), 4);
}

/// More paths than plans take: the loop is regrouped otherwise, or not at all.
TYPED_TEST(RegroupPlans, of_very_many_paths_are_not_used) {
  Rng rng(10);
  PlannedLoop<TypeParam> const loop;
  Items const items{0, 1024, make_paths(rng, Mix::equal, 1024, 3000)};
  loop.run(items);
  EXPECT_EQ(loop.plan.times_made(), 0);
}

// ---- The order ----

#if defined(KOKKOS_ENABLE_SERIAL) || defined(KOKKOS_ENABLE_OPENMP)
template <class BackendTag>
void check_orders() {
  for_each_seed([](Rng& rng) {
    for (int const paths : {2, 3, 12, 300}) {
      RegroupPlan<OneThread> const plan;
      Items items{3, paths, make_paths(rng, Mix::equal, paths, 20000)};
      auto const policy = RegroupPolicy(one_thread(), items.begin, items.end())
                              .with_plan(plan)
                              .with_regroup(Regroup::always)
                              .with_scope(RegroupScope::grid);
      auto before = order_of_run<BackendTag>(items, policy);
      for (double const share : {0.01, 0.1}) {
        auto const then = items.path;
        change_paths(rng, items, share, rng() % 2 == 0);
        auto const after = order_of_run<BackendTag>(items, policy);
        std::vector<int> sizes_then(std::size_t(paths), 0), sizes_now = sizes_then;
        std::int64_t changed = 0, shifts = 0, shift = 0;
        for (std::size_t i = 0; i < then.size(); ++i) {
          changed += then[i] != items.path[i];
          ++sizes_then[std::size_t(then[i])];
          ++sizes_now[std::size_t(items.path[i])];
        }
        for (std::size_t p = 0; p < std::size_t(paths); ++p) {
          shift += sizes_now[p] - sizes_then[p];
          shifts += std::abs(shift);
        }
        std::int64_t other = 0;
        for (std::size_t slot = 0; slot < after.size(); ++slot) {
          other += after[slot] != before[slot];
          if (slot == 0) continue;
          EXPECT_LE(items.path[std::size_t(after[slot - 1])], items.path[std::size_t(after[slot])]) << slot;
        }
        EXPECT_GT(changed, 0);
        EXPECT_LE(other, changed + shifts) << "slots with another item; the rest keep theirs";
        before = after;
      }
      EXPECT_EQ(plan.times_made(), 1);
    }
  });
}

TEST(RegroupPlanOrder, items_keep_their_places) {
  check_orders<Backend::Native>();
  check_orders<Backend::Portable>();
}

TEST(RegroupPlanOrder, is_by_key_at_first) {
  Rng rng(1);
  RegroupPlan<OneThread> const plan;
  Items const items{0, 3, make_paths(rng, Mix::equal, 3, 1000)};
  auto const order = order_of_run<Backend::Native>(items, RegroupPolicy(one_thread(), 0, 1000)
                                                              .with_order(Backward())
                                                              .with_plan(plan)
                                                              .with_regroup(Regroup::always)
                                                              .with_scope(RegroupScope::grid));
  for (std::size_t slot = 1; slot < order.size(); ++slot) {
    auto const path = [&](std::size_t s) { return items.path[std::size_t(order[s])]; };
    EXPECT_TRUE(path(slot - 1) < path(slot) || (path(slot - 1) == path(slot) && order[slot - 1] > order[slot]));
  }
}
#endif

}  // namespace
}  // namespace Koalesce::Test
