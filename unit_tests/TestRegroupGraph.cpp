// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CapturedGraph.hpp"
#include "RegroupOracle.hpp"

/// Regrouped loops that a graph runs again and again, while the items change their paths, keys and lengths.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupGraphs : public ::testing::Test {
 protected:
  using Exec   = typename P::exec;
  using Memory = typename Exec::memory_space;

  /// Captures call(exec), and submits it several times. \param[in] change is called before each submission.
  template <class Call, class Change, class Check>
  void check(Call const& call, Change const& change, Check const& check) {
    check_submissions(Exec(), call, change, check);
  }

  /// Items whose paths and keys change.
  struct Loop {
    explicit Loop(std::int64_t count)
        : items{5, 6, make_paths(rng, Mix::equal, 6, count)}, predict(items), visits(items), key("keys", count) {}

    void change() {
      items.path = make_paths(rng, all_mixes[rng() % std::size(all_mixes)], items.paths, items.size());
      Kokkos::deep_copy(predict.at, PathTable<Kokkos::HostSpace>(items).at);
      Kokkos::deep_copy(visits.times, 0);
      auto const host = Kokkos::create_mirror_view(key);
      for (std::int64_t i = 0; i < items.size(); ++i) host(i) = double(rng() % 1000) / 7;
      Kokkos::deep_copy(key, host);
    }

    Rng rng{1};
    Items items;
    PathTable<Memory> predict;
    Visits<Memory> visits;
    Kokkos::View<double*, Memory> key;
  };

  /// \param[in] with with(policy, loop) says how it is regrouped.
  template <class With>
  void check_loop(With const& with) {
    for (std::int64_t const count : {1, 3001, 40000}) {
      SCOPED_TRACE(std::to_string(count) + " items");
      Loop loop(count);
      auto const call = [&](Exec const& exec) {
        auto const policy = RegroupPolicy(exec, loop.items.begin, loop.items.end())
                                .with_backend(typename P::backend())
                                .with_regroup(Regroup::always);
        parallel_regroup("captured", with(policy, loop), Paths(loop.items.paths), loop.predict, loop.visits);
      };
      check(
          call, [&] { loop.change(); }, [&] { EXPECT_TRUE(loop.visits.match(loop.items)); });
    }
  }
};
TYPED_TEST_SUITE(RegroupGraphs, DefaultPaths::types, PathNames);

TYPED_TEST(RegroupGraphs, within_teams) {
  this->check_loop([](auto const& policy, auto const&) { return policy.with_scope(RegroupScope::team); });
}

TYPED_TEST(RegroupGraphs, over_the_grid) {
  this->check_loop([](auto const& policy, auto const&) { return policy.with_scope(RegroupScope::grid); });
}

/// A functor that Kokkos would not pass as an argument.
template <class Memory>
struct LargeVisits {
  Visits<Memory> visits;
  double weights[100];

  KOKKOS_FUNCTION void operator()(std::int64_t item, int path) const {
    visits(item, weights[item % 100] == double(item % 100) ? path : -1);
  }
};

TYPED_TEST(RegroupGraphs, of_large_functors) {
  using Exec   = typename TypeParam::exec;
  using Memory = typename Exec::memory_space;
  for (auto const scope : {RegroupScope::team, RegroupScope::grid})
    for (auto const regroup : {Regroup::never, Regroup::always}) {
      typename TestFixture::Loop loop(20000);
      LargeVisits<Memory> functors[2]{{loop.visits, {}}, {loop.visits, {}}};
      for (int i = 0; i < 100; ++i) functors[0].weights[i] = functors[1].weights[i] = i;
      // One after the other, of which each waits for nothing that a capture has.
      auto const call = [&](Exec const& exec) {
        for (auto const& functor : functors)
          parallel_regroup("captured",
                           RegroupPolicy(exec, loop.items.begin, loop.items.end())
                               .with_backend(typename TypeParam::backend())
                               .with_scope(scope)
                               .with_regroup(regroup),
                           Paths(loop.items.paths), loop.predict, functor);
      };
      this->check(
          call, [&] { loop.change(); },
          [&] {
            auto const times = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loop.visits.times);
            auto const taken = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loop.visits.taken);
            int wrong        = 0;
            for (std::int64_t i = 0; i < loop.items.size(); ++i)
              wrong += times(i) != 2 || taken(i) != loop.items.path[std::size_t(i)];
            EXPECT_EQ(wrong, 0);
          });
    }
}

/// Reads an item's key.
template <class Memory>
struct KeyAt {
  Kokkos::View<double*, Memory> key;
  std::int64_t begin;

  KOKKOS_FUNCTION double operator()(std::int64_t item) const { return key(item - begin); }
};

TYPED_TEST(RegroupGraphs, in_order_of_keys) {
  for (auto const bits : {KeyBits::few, KeyBits::many, KeyBits::exact})
    this->check_loop([bits](auto const& policy, auto const& loop) {
      using Memory = typename TypeParam::exec::memory_space;
      return policy.with_scope(RegroupScope::grid).with_order(KeyAt<Memory>{loop.key, loop.items.begin}, bits);
    });
}

TYPED_TEST(RegroupGraphs, by_a_plan) {
  RegroupPlan<typename TypeParam::exec> const plans[3];
  this->check_loop([&](auto const& policy, auto const& loop) {
    auto const& plan = plans[loop.items.size() == 1 ? 0 : loop.items.size() == 3001 ? 1 : 2];
    return policy.with_scope(RegroupScope::grid).with_plan(plan);
  });
}

/// Items that take as many steps as the View says.
template <class Memory>
struct Countdown {
  Kokkos::View<int*, Memory> steps, taken;

  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return ++taken(i) >= steps(i); }
};
template <class Memory>
struct BeginAt {
  Kokkos::View<int*, Memory> steps;

  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return steps(i); }
};
struct CountDown {
  KOKKOS_FUNCTION bool operator()(std::int64_t, int& left) const { return --left <= 0; }
};
template <class Memory>
struct EndAt {
  Kokkos::View<int*, Memory> left, ended;

  KOKKOS_FUNCTION void operator()(std::int64_t i, int const& state) const {
    left(i) = state;
    Kokkos::atomic_inc(&ended(i));
  }
};

TYPED_TEST(RegroupGraphs, items_that_run_until_they_are_done) {
  using Exec   = typename TypeParam::exec;
  using Memory = typename Exec::memory_space;
  Rng rng(2);
  for (std::int64_t const count : {1, 33, 20011}) {
    Kokkos::View<int*, Memory> const steps("steps", count), taken("taken", count), left("left", count),
        ended("ended", count);
    Kokkos::deep_copy(steps, 1);
    auto const call = [&](Exec const& exec) {
      auto const policy =
          RegroupPolicy(exec, 0, count).with_backend(typename TypeParam::backend()).with_regroup(Regroup::always);
      parallel_regroup_until("captured in memory", policy, Countdown<Memory>{steps, taken});
      parallel_regroup_until("captured in registers", policy, BeginAt<Memory>{steps}, CountDown(),
                             EndAt<Memory>{left, ended});
    };
    auto const change = [&] {
      auto const host = Kokkos::create_mirror_view(steps);
      for (std::int64_t i = 0; i < count; ++i) host(i) = 1 + int(rng() % 70);
      Kokkos::deep_copy(steps, host);
      for (auto const& view : {taken, ended}) Kokkos::deep_copy(view, 0);
      Kokkos::deep_copy(left, -1);
    };
    this->check(call, change, [&] {
      auto const expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), steps),
                 t        = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), taken),
                 l        = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), left),
                 e        = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ended);
      std::int64_t wrong  = 0;
      for (std::int64_t i = 0; i < count; ++i) wrong += t(i) != expected(i) || l(i) != 0 || e(i) != 1;
      EXPECT_EQ(wrong, 0);
    });
  }
}

}  // namespace
}  // namespace Koalesce::Test
