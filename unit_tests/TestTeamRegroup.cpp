// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <Koalesce/Regroup.hpp>

/// Branches inside a team's kernel.
namespace Koalesce::Test {
namespace {

template <class P>
class TeamRegroup : public ::testing::Test {};
TYPED_TEST_SUITE(TeamRegroup, NativePaths, PathNames);

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

TYPED_TEST(TeamRegroup, runs_every_item_once) {
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
TYPED_TEST(TeamRegroup, scratch_memory_for_any_team_size) {
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

TYPED_TEST(TeamRegroup, bool_predictor) {
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

TYPED_TEST(TeamRegroup, branches_that_depend_on_the_last_one) {
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

TYPED_TEST(TeamRegroup, sums_into_threads_own_variables) {
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

TYPED_TEST(TeamRegroup, items_of_a_path_are_in_ascending_order) {
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

TEST(TeamRegroupCuda, few_warps_run_two_paths) {
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
