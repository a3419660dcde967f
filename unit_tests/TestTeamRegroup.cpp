// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <Koalesce/Regroup.hpp>

/// Branches inside a team's kernel.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupedTeam : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupedTeam, NativePath::types, PathNames);

template <class P>
using MemberOf = typename Kokkos::TeamPolicy<typename P::exec>::member_type;
template <class P, class T = int>
using ViewOf = Kokkos::View<T*, typename P::exec::memory_space>;

/// Among them odd ones and such as are no multiples of a warp.
template <class P>
std::vector<int> odd_team_sizes() {
  return team_sizes<typename P::exec>({1, 2, 3, 31, 32, 33, 64, 96, 100, 256});
}

template <class P, class Body>
void run_teams(int teams, int team_size, std::size_t scratch, Body const& body) {
  SCOPED_TRACE("team size " + std::to_string(team_size));
  Kokkos::TeamPolicy<typename P::exec> policy(teams, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for("teams", policy, body);
  Kokkos::fence();
}

template <class View>
auto host_of(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// The path of an item, in any kernel and on the host.
KOKKOS_FUNCTION inline int path_of(int team, int item, int paths, int round = 0) {
  auto const x = (unsigned(team) * 7919u + unsigned(item) + unsigned(round) * 104729u) * 2654435761u;
  return int(x >> 8) % paths;
}

// ---- Every item once ----

/// team + 1 items per call beyond `items`: the sizes of teams' calls differ.
template <class P>
struct RunOnce {
  int items, paths;
  ViewOf<P> times, taken;  // of the teams' items, `most` each

  static constexpr int most = 2100;

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team) const {
    int const t = team.league_rank(), n = items + t;
    team_regroup(
        team, n, Paths(paths), [&](int i) { return path_of(t, i, paths); },
        [&](int i, int path) {
          Kokkos::atomic_inc(&times(t * most + i));
          taken(t * most + i) = path;
        });
  }

  void compare(int teams) const {
    auto const n = host_of(times), p = host_of(taken);
    for (int t = 0; t < teams; ++t)
      for (int i = 0; i < most; ++i) {
        bool const runs = i < items + t;
        ASSERT_EQ(n(t * most + i), int(runs)) << "item " << i << " of team " << t << ", " << paths << " paths";
        ASSERT_TRUE(!runs || p(t * most + i) == path_of(t, i, paths)) << "item " << i << " of team " << t;
      }
  }
};

TYPED_TEST(RegroupedTeam, runs_every_item_once) {
  using P = TypeParam;
  for (int const team_size : odd_team_sizes<P>())
    for (int const paths : {1, 2, 3, 32, 33, 300})
      for (int const items : {0, 1, 30, 254, 2000}) {
        RunOnce<P> const body{items, paths, ViewOf<P>("times", 5 * body.most), ViewOf<P>("taken", 5 * body.most)};
        run_teams<P>(5, team_size, team_regroup_scratch(items + 4, paths, team_size), body);
        body.compare(5);
      }
}

/// Scratch memory for any team size is enough for each.
TYPED_TEST(RegroupedTeam, scratch_memory_for_any_team_size) {
  using P = TypeParam;
  for (int const team_size : odd_team_sizes<P>())
    for (int const paths : {2, 300}) {
      EXPECT_LE(team_regroup_scratch(1000, paths, team_size), team_regroup_scratch(1000, paths));
      RunOnce<P> const body{998, paths, ViewOf<P>("times", 3 * body.most), ViewOf<P>("taken", 3 * body.most)};
      run_teams<P>(3, team_size, team_regroup_scratch(1000, paths), body);
      body.compare(3);
    }
}

// ---- Two paths ----

template <class P>
struct CountTwo {
  int items;
  ViewOf<P> evens, odds, wrong;

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team) const {
    int const t = team.league_rank();
    team_regroup(
        team, items, [&](int i) { return path_of(t, i, 2) == 1; },
        [&](int i, bool odd) {
          Kokkos::atomic_inc(odd ? &odds(t) : &evens(t));
          if (odd != (path_of(t, i, 2) == 1)) Kokkos::atomic_inc(&wrong(t));
        });
  }
};

TYPED_TEST(RegroupedTeam, bool_predictor) {
  using P = TypeParam;
  for (int const team_size : odd_team_sizes<P>())
    for (int const items : {0, 1, 31, 32, 33, 777}) {
      CountTwo<P> const body{items, ViewOf<P>("evens", 4), ViewOf<P>("odds", 4), ViewOf<P>("wrong", 4)};
      run_teams<P>(4, team_size, team_regroup_scratch(items, 2, team_size), body);
      auto const evens = host_of(body.evens), odds = host_of(body.odds), wrong = host_of(body.wrong);
      for (int t = 0; t < 4; ++t) {
        int expected = 0;
        for (int i = 0; i < items; ++i) expected += path_of(t, i, 2);
        EXPECT_EQ(odds(t), expected);
        EXPECT_EQ(evens(t), items - expected);
        EXPECT_EQ(wrong(t), 0);
      }
    }
}

// ---- One after the other ----

KOKKOS_FUNCTION inline int next_value(int value, int item, int path) { return (value * 5 + item + 3 * path) % 1009; }

/// The values of a team's items lie in scratch memory; every branch depends on what the last one left, other items'
/// too.
template <class P>
struct Chain {
  int items, rounds;
  ViewOf<P> result;

  KOKKOS_FUNCTION static int kind(int const* value, int items, int i, int round) {
    return (value[i] + value[(i + 1) % items]) % (2 + round % 3);
  }

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team) const {
    auto* const value = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(int) * items, 8));
    int const t       = team.league_rank();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items), [&](int i) { value[i] = t + i; });
    team.team_barrier();
    for (int round = 0; round < rounds; ++round) {
      int *const now = value + round % 2 * items, *const then = value + (round + 1) % 2 * items;
      team_regroup(
          team, items, Paths(2 + round % 3), [&](int i) { return kind(now, items, i, round); },
          [&](int i, int path) { then[i] = next_value(now[i], i, path); });
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items),
                         [&](int i) { result(t * items + i) = value[rounds % 2 * items + i]; });
  }

  std::vector<int> expected(int t) const {
    std::vector<int> now, then(std::size_t(items), 0);
    for (int i = 0; i < items; ++i) now.push_back(t + i);
    for (int round = 0; round < rounds; ++round, std::swap(now, then))
      for (int i = 0; i < items; ++i)
        then[std::size_t(i)] = next_value(now[std::size_t(i)], i, kind(now.data(), items, i, round));
    return now;
  }
};

TYPED_TEST(RegroupedTeam, branches_that_depend_on_the_last_one) {
  using P = TypeParam;
  for (int const team_size : odd_team_sizes<P>())
    for (int const items : {1, 33, 500}) {
      Chain<P> const body{items, 9, ViewOf<P>("result", 3 * items)};
      auto const bytes = team_regroup_scratch(items, 4, team_size) + 2 * sizeof(int) * std::size_t(items) + 8;
      run_teams<P>(3, team_size, bytes, body);
      auto const result = host_of(body.result);
      for (int t = 0; t < 3; ++t)
        EXPECT_EQ(std::vector<int>(&result(t * items), &result(t * items) + items), body.expected(t));
    }
}

// ---- Reductions ----

/// Every thread sums what it runs; calls of different sizes and numbers of paths use the same scratch memory.
template <class P>
struct SumInThreads {
  int items, rounds;
  ViewOf<P, std::int64_t> sums;

  KOKKOS_FUNCTION static int size(int items, int round) { return items - 37 * round % (items + 1); }
  KOKKOS_FUNCTION static int paths(int round) { return 1 + 7 * round; }

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team, std::int64_t& sum) const {
    int const t       = team.league_rank();
    std::int64_t mine = 0;
    for (int round = 0; round < rounds; ++round)
      team_regroup(
          team, size(items, round), Paths(paths(round)), [&](int i) { return path_of(t, i, paths(round), round); },
          [&](int i, int path) { mine += std::int64_t(i + 1) * (path + 1); });
    sum += mine;
    team.team_reduce(Kokkos::Sum<std::int64_t>(mine));
    Kokkos::single(Kokkos::PerTeam(team), [&] { sums(t) = mine; });
  }

  std::int64_t expected(int t) const {
    std::int64_t sum = 0;
    for (int round = 0; round < rounds; ++round)
      for (int i = 0; i < size(items, round); ++i)
        sum += std::int64_t(i + 1) * (path_of(t, i, paths(round), round) + 1);
    return sum;
  }
};

TYPED_TEST(RegroupedTeam, sums_into_threads_own_variables) {
  using P = TypeParam;
  for (int const team_size : odd_team_sizes<P>())
    for (int const items : {0, 1, 65, 1500}) {
      SumInThreads<P> const body{items, 6, ViewOf<P, std::int64_t>("sums", 4)};
      Kokkos::TeamPolicy<typename P::exec> policy(4, team_size);
      policy.set_scratch_size(0, Kokkos::PerTeam(team_regroup_scratch(items, body.paths(5), team_size)));
      std::int64_t sum = 0, all = 0;
      Kokkos::parallel_reduce("sums", policy, body, sum);
      auto const sums = host_of(body.sums);
      for (int t = 0; t < 4; ++t) {
        EXPECT_EQ(sums(t), body.expected(t)) << items << " items, team size " << team_size;
        all += body.expected(t);
      }
      EXPECT_EQ(sum, all);
    }
}

// ---- Order ----

/// Which items a team's threads get one after the other: a team of one thread runs slot by slot.
template <class P>
struct KeepOrder {
  int items, paths;
  ViewOf<P> order, next;

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team) const {
    team_regroup(
        team, items, Paths(paths), [&](int i) { return path_of(0, i, paths); },
        [&](int i, int) { order(next(0)++) = i; });
  }
};

TYPED_TEST(RegroupedTeam, items_of_a_path_are_in_ascending_order) {
  using P = TypeParam;
  for (int const paths : {1, 2, 3, 40}) {
    KeepOrder<P> const body{600, paths, ViewOf<P>("order", 600), ViewOf<P>("next", 1)};
    run_teams<P>(1, 1, team_regroup_scratch(600, paths, 1), body);
    std::vector<int> expected(600);
    for (int i = 0; i < 600; ++i) expected[std::size_t(i)] = i;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](int a, int b) { return path_of(0, a, paths) < path_of(0, b, paths); });
    auto const second = [&](int i) { return path_of(0, i, paths) == 1; };
    if (paths == 2) std::reverse(std::find_if(expected.begin(), expected.end(), second), expected.end());
    auto const order = host_of(body.order);
    EXPECT_EQ(std::vector<int>(order.data(), order.data() + 600), expected);
  }
}

// ---- An order that is kept ----

struct Pair {
  std::int64_t value;
  int weight;
};

/// A few items change their path in a round, or none does.
KOKKOS_FUNCTION inline int regime(int team, int item, std::int64_t value, int paths) {
  return path_of(team, item, paths, int(value % 8 == 0 ? value : 0));
}

KOKKOS_FUNCTION inline std::int64_t next_value(Pair const& pair, std::int64_t value, int item, int path) {
  return (value * 3 + pair.weight * (path + 1) + pair.value + item) % 100003;
}

template <class P>
struct KeepItems {
  int items, paths, rounds;
  ViewOf<P, std::int64_t> value;
  ViewOf<P, Pair> pair;
  ViewOf<P> changed, wrong;  // of each team and round; of each team

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team) const {
    int const t      = team.league_rank();
    auto const range = Kokkos::pair(t * items, (t + 1) * items);
    auto const find  = [&](int i, std::int64_t v, Pair const&) { return regime(t, i, v, paths); };
    TeamRegroup const kept(team, items, Paths(paths), find, round_trip(Kokkos::subview(value, range)),
                           one_way(Kokkos::subview(pair, range)));
    for (int round = 0; round < rounds; ++round) {
      kept.for_each([&](int i, int path, std::int64_t& v, Pair const& p) {
        if (path != regime(t, i, v, paths)) Kokkos::atomic_inc(&wrong(t));
        v = next_value(p, v, i, path);
      });
      if (round % 3 == 1) kept.write_back();
      bool const moved = kept.update(find);
      Kokkos::single(Kokkos::PerTeam(team), [&] { changed(t * rounds + round) = moved; });
    }
    kept.write_back();
    // What was written back is there for the whole team.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items), [&](int i) { pair(t * items + i).weight += 1; });
  }
};

TYPED_TEST(RegroupedTeam, items_that_are_kept) {
  using P = TypeParam;
  Rng rng(5);
  for (int const team_size : odd_team_sizes<P>())
    for (int const paths : {1, 2, 3, 40})
      for (int const items : {0, 1, 33, 500}) {
        SCOPED_TRACE(std::to_string(items) + " items, " + std::to_string(paths) + " paths");
        int const teams = 3, rounds = 5, all = teams * items;
        KeepItems<P> const body{items,
                                paths,
                                rounds,
                                ViewOf<P, std::int64_t>("value", all),
                                ViewOf<P, Pair>("pair", all),
                                ViewOf<P>("changed", teams * rounds),
                                ViewOf<P>("wrong", teams)};
        auto const value = Kokkos::create_mirror_view(Kokkos::HostSpace(), body.value);
        auto const pair  = Kokkos::create_mirror_view(Kokkos::HostSpace(), body.pair);
        for (int k = 0; k < all; ++k) {
          value(k) = random_int(rng, 0, 100002);
          pair(k)  = {random_int(rng, 0, 100), int(random_int(rng, 0, 100))};
        }
        Kokkos::deep_copy(body.value, value);
        Kokkos::deep_copy(body.pair, pair);
        std::vector<std::int64_t> expected(value.data(), value.data() + all);
        std::vector<int> changed(std::size_t(teams * rounds), 0);
        for (int k = 0; k < all; ++k)
          for (int round = 0; round < rounds; ++round) {
            int const t = k / items, i = k % items;
            auto& v       = expected[std::size_t(k)];
            int const was = regime(t, i, v, paths);
            v             = next_value(pair(k), v, i, was);
            if (regime(t, i, v, paths) != was) changed[std::size_t(t * rounds + round)] = 1;
          }
        run_teams<P>(teams, team_size, team_regroup_scratch<std::int64_t, Pair>(items, paths, team_size), body);
        auto const result = host_of(body.value);
        auto const moved = host_of(body.changed), wrong = host_of(body.wrong);
        EXPECT_EQ(std::vector<std::int64_t>(result.data(), result.data() + all), expected);
        EXPECT_EQ(std::vector<int>(moved.data(), moved.data() + teams * rounds), changed);
        for (int t = 0; t < teams; ++t) EXPECT_EQ(wrong(t), 0);
      }
}

/// Two orders at a time, each with memory of its own; calls of team_regroup beside them.
template <class P>
struct TwoOrders {
  int items;
  ViewOf<P> value;

  KOKKOS_FUNCTION void operator()(MemberOf<P> const& team) const {
    int const t       = team.league_rank();
    auto const thirds = [&](int i) { return path_of(t, i, 3, 1); };
    auto const fifths = [&](int i) { return path_of(t, i, 5, 2); };
    TeamRegroup const by_three(team, items, Paths(3), thirds);
    TeamRegroup const by_five(team, items, Paths(5), fifths);
    for (int round = 0; round < 2; ++round) {
      by_three.for_each([&](int i, int path) { value(t * items + i) += path; });
      team_regroup(
          team, items, [&](int i) { return i % 2 == 1; },
          [&](int i, bool odd) { value(t * items + i) += odd ? 1000 : 0; });
      by_five.for_each([&](int i, int path) { value(t * items + i) += 100 * path; });
      if (by_three.update(thirds) || by_five.update(fifths)) value(t * items) += 100000;
    }
  }
};

TYPED_TEST(RegroupedTeam, orders_beside_each_other) {
  using P = TypeParam;
  for (int const team_size : odd_team_sizes<P>())
    for (int const items : {1, 200}) {
      TwoOrders<P> const body{items, ViewOf<P>("value", 2 * items)};
      run_teams<P>(2, team_size,
                   team_regroup_scratch(items, 3, team_size) + team_regroup_scratch(items, 5, team_size) +
                       team_regroup_scratch(items, 2, team_size),
                   body);
      auto const value = host_of(body.value);
      for (int t = 0; t < 2; ++t)
        for (int i = 0; i < items; ++i)
          ASSERT_EQ(value(t * items + i), 2 * (path_of(t, i, 3, 1) + 1000 * (i % 2) + 100 * path_of(t, i, 5, 2)))
              << "item " << i << " of team " << t;
    }
}

#ifdef KOKKOS_ENABLE_CUDA
/// Warps whose threads run two paths at one time.
struct CountMixedWarps {
  int items, paths;
  Kokkos::View<int*, Kokkos::CudaSpace> mixed;

  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<Kokkos::Cuda>::member_type const& team) const {
    int const t = team.league_rank();
    team_regroup(
        team, items, Paths(paths), [&](int i) { return path_of(t, i, paths); }, [&](int, int path) { count(t, path); });
  }

  KOKKOS_FUNCTION void count(int t, int path) const {
    KOKKOS_IF_ON_DEVICE((unsigned const active = __activemask();
                         bool const first = (active & ((1u << (threadIdx.x + threadIdx.y * blockDim.x) % 32) - 1)) == 0;
                         if (__match_any_sync(active, path) != active && first) Kokkos::atomic_inc(&mixed(t));))
    KOKKOS_IF_ON_HOST(((void)t; (void)path;))
  }
};

TEST(RegroupedTeamCuda, few_warps_run_two_paths) {
  for (int const team_size : {32, 96, 256})
    for (int const paths : {2, 3, 8, 40}) {
      CountMixedWarps const body{4000, paths, Kokkos::View<int*, Kokkos::CudaSpace>("mixed", 50)};
      Kokkos::TeamPolicy<Kokkos::Cuda> policy(50, team_size);
      policy.set_scratch_size(0, Kokkos::PerTeam(team_regroup_scratch(4000, paths, team_size)));
      Kokkos::parallel_for("mixed", policy, body);
      auto const mixed = host_of(body.mixed);
      for (int t = 0; t < 50; ++t) EXPECT_LE(mixed(t), paths - 1) << paths << " paths";
    }
}
#endif

}  // namespace
}  // namespace Koalesce::Test
