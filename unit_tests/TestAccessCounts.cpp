// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TestSupport.hpp"

#include <Koalesce/Placement.hpp>

/// What an instrumented run counts, and what it finds wrong.
namespace Koalesce::Test {

template <class Exec>
using TeamOf = typename Kokkos::TeamPolicy<Exec>::member_type;

/// Loops up to bounds known at run time, accesses under a condition, uses of one element twice; writes a team's number.
template <class Exec>
struct UseArrays {
  using View = Kokkos::View<int*, typename Exec::memory_space>;

  int tile, rounds;
  View out;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto& line, auto& sums, auto&, auto& last) const {
    int const t = team.league_rank(), r = team.team_rank(), threads = team.team_size();
    for (int i = r; i < tile; i += threads) line(i) = i + t;
    for (int k = 0; k < 3; ++k) sums(r, k) = 0;
    for (int round = 0; round < rounds; ++round) sums(r, round % 3) += round;
    if (t % 2 == 1 && r == 0) last() = sums(r, 0) + sums(r, 1) + sums(r, 2);
    if (r == 0) out(t) = t % 2 == 1 ? last() : rounds * (rounds - 1) / 2;
  }
};

/// Elements of a thread's own, elements that the thread before reads, and one that all read.
template <class Exec>
struct ShareElements {
  bool wraps;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto& mine, auto& neighbors, auto& first) const {
    int const r = team.team_rank(), threads = team.team_size();
    mine(0, r)   = r;
    neighbors(r) = r;
    if (r == 0) first() = 7;
    team.team_barrier();
    mine(1, r) = mine(0, r) + first();
    if (wraps || r + 1 < threads) mine(1, r) += neighbors((r + 1) % threads);
  }
};

/// One thread of one team accesses one element.
template <class Exec, int Indices>
struct AccessOnce {
  int team, thread;
  Kokkos::Array<int, Indices> index;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& member, auto& array) const {
    if (member.league_rank() == team && member.team_rank() == thread)
      access(array, std::make_integer_sequence<int, Indices>());
  }

  template <int... I>
  KOKKOS_FUNCTION void access(auto& array, std::integer_sequence<int, I...>) const {
    array(index[I]...) = 1;
  }
};

/// A thread of every team accesses one element, several times.
template <class Exec>
struct AccessOften {
  int element, times;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto& array) const {
    if (team.team_rank() == 0)
      for (int i = 0; i < times; ++i) array(element) = i;
  }
};

namespace {

template <class P>
class AccessCounts : public ::testing::Test {};
TYPED_TEST_SUITE(AccessCounts, DefaultPaths::types, PathNames);

constexpr int leagues[] = {1, 7, 8, 9, 1000, 10007};

template <class P, class Arrays, class Kernel>
auto count(std::int64_t league, int threads, Arrays const& arrays, Kernel const& kernel) {
  return count_accesses("c", PlacementPolicy(typename P::exec(), league, threads).with_backend(typename P::backend()),
                        arrays, kernel);
}

void expect_count(AccessCount const& count, std::string const& name, int teams, std::int64_t accesses,
                  std::int64_t shared) {
  EXPECT_EQ(count.name, name);
  EXPECT_EQ(count.teams, teams) << name;
  EXPECT_EQ(count.accesses, accesses) << name;
  EXPECT_EQ(count.shared_elements, shared) << name;
  EXPECT_EQ(count.accesses_per_team(), double(accesses) / teams) << name;
}

// ---- Counts ----

/// The teams that ran: as many as were told, spread over the league, each with what it computes.
template <class View>
std::vector<int> teams_that_ran(View const& out, int rounds) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  std::vector<int> teams;
  for (int t = 0; t < int(host.extent(0)); ++t) {
    if (host(t) == -1) continue;
    teams.push_back(t);
    EXPECT_EQ(host(t), rounds * (rounds - 1) / 2) << "team " << t;
  }
  return teams;
}

/// The first team ran, and others at even distances.
void expect_spread(std::vector<int> const& ran, int league) {
  int const teams = std::min(league, 8);
  ASSERT_EQ(int(ran.size()), teams);
  EXPECT_EQ(ran.front(), 0);
  for (int i = 0; i < teams; ++i) {
    int const gap = (i + 1 < teams ? ran[std::size_t(i) + 1] : league) - ran[std::size_t(i)];
    EXPECT_GE(gap, league / teams);
    EXPECT_LE(gap, (league + teams - 1) / teams);
  }
}

template <class P>
void check_use(int league, int threads, int tile, int rounds) {
  SCOPED_TRACE(std::to_string(league) + " teams of " + std::to_string(threads));
  OnChip const arrays(TeamArray<int*>("line", tile), ThreadArray<int[3]>("sums"), ThreadArray<double*>("none", 2),
                      TeamArray<int>("last"));
  using Kernel = UseArrays<typename P::exec>;
  Kernel const kernel{tile, rounds, typename Kernel::View("out", std::size_t(league))};
  Kokkos::deep_copy(kernel.out, -1);
  auto const counts = count<P>(league, threads, arrays, kernel);
  auto const ran    = teams_that_ran(kernel.out, rounds);
  expect_spread(ran, league);
  int const teams = int(ran.size());
  auto const odd  = std::count_if(ran.begin(), ran.end(), [](int t) { return t % 2 == 1; });
  ASSERT_EQ(counts.size(), 4u);
  expect_count(counts[0], "line", teams, std::int64_t(teams) * tile, 0);
  expect_count(counts[1], "sums", teams, std::int64_t(teams) * threads * (3 + rounds) + 3 * odd, 0);
  expect_count(counts[2], "none", teams, 0, 0);
  expect_count(counts[3], "last", teams, 2 * odd, 0);
}

TYPED_TEST(AccessCounts, are_exact) {
  for (int const threads : team_sizes<typename TypeParam::exec>({1, 2, 3, 32, 100}))
    for (int const league : leagues) {
      check_use<TypeParam>(league, threads, 10, 7);
      check_use<TypeParam>(league, threads, 0, 0);
      check_use<TypeParam>(league, threads, 333, 1000);
    }
}

TYPED_TEST(AccessCounts, are_none_without_teams) {
  OnChip const arrays(TeamArray<int[3]>("a"));
  EXPECT_TRUE(count<TypeParam>(0, 1, arrays, AccessOften<typename TypeParam::exec>{0, 5}).empty());
}

/// Arrays that do not fit in scratch memory are counted in global memory.
TYPED_TEST(AccessCounts, of_large_arrays) {
  using Exec = typename TypeParam::exec;
  for (int const element : {0, 999999}) {
    auto const counts = count<TypeParam>(9, 1, OnChip(TeamArray<int*>("a", 1000000)), AccessOften<Exec>{element, 5});
    expect_count(counts.at(0), "a", 8, 40, 0);
  }
}

TYPED_TEST(AccessCounts, come_from_one_kernel_on_the_callers_instance) {
  using Exec = typename TypeParam::exec;
  Exec const exec;
  KernelRecorder record;
  count<TypeParam>(1000, 1, OnChip(TeamArray<int[3]>("a")), AccessOften<Exec>{0, 5});
  std::erase_if(record.kernels, [](auto const& kernel) { return kernel.name.rfind("Koalesce::", 0) != 0; });
  ASSERT_EQ(record.kernel_names(), Strings{std::string("Koalesce::") + TypeParam::backend::name + "::c [count]"});
  EXPECT_EQ(record.kernels[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_EQ(record.regions.at(0), "Koalesce::count_accesses");
}

// ---- Elements that threads share ----

template <class P>
void check_sharing(int league, int threads, bool wraps) {
  SCOPED_TRACE(std::to_string(league) + " teams of " + std::to_string(threads));
  OnChip const arrays(TeamArray<int**>("mine", 2, threads), TeamArray<int*>("neighbors", threads),
                      TeamArray<int>("first"));
  auto const counts = count<P>(league, threads, arrays, ShareElements<typename P::exec>{wraps});
  int const teams = std::min(league, 8), reads = wraps ? threads : threads - 1, several = threads > 1 ? 1 : 0;
  expect_count(counts.at(0), "mine", teams, teams * (3 * threads + reads), 0);
  expect_count(counts.at(1), "neighbors", teams, teams * (threads + reads), teams * reads * several);
  expect_count(counts.at(2), "first", teams, teams * (threads + 1), teams * several);
}

TYPED_TEST(AccessCounts, of_elements_that_threads_share) {
  for (int const threads : team_sizes<typename TypeParam::exec>({1, 2, 3, 4, 32, 33, 100, 256}))
    for (int const league : leagues)
      for (bool const wraps : {false, true}) check_sharing<TypeParam>(league, threads, wraps);
}

// ---- What contradicts a declaration ----

/// The text of the Error that counting throws, if it throws one.
template <class P, class Arrays, class Kernel>
std::string error_of(std::int64_t league, int threads, Arrays const& arrays, Kernel const& kernel) {
  try {
    count<P>(league, threads, arrays, kernel);
  } catch (Error const& e) {
    return e.what();
  }
  return "";
}

std::string text_of(auto const& index) {
  std::string text;
  for (int i = 0; i < int(index.size()); ++i) text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return "(" + text + ")";
}

template <class Array>
using IndexOf = Kokkos::Array<int, Array::shape_type::rank + int(Array::own)>;

/// The last thread of team 250 accesses an element.
template <class P, class Array>
std::string error_at(Array const& array, int threads, IndexOf<Array> const& index) {
  return error_of<P>(1000, threads, OnChip(array),
                     AccessOnce<typename P::exec, int(IndexOf<Array>::size())>{250, threads - 1, index});
}

/// Beyond either end of every extent.
template <class P, class Array>
void expect_outside(Array const& array, int threads, IndexOf<Array> const& inside, IndexOf<Array> const& extents) {
  EXPECT_EQ(error_at<P>(array, threads, inside), "");
  for (int d = 0; d < int(inside.size()); ++d)
    for (int const bad : {-1, extents[d], extents[d] + 7, 2147483647, -2147483647 - 1}) {
      auto index = inside;
      index[d]   = bad;
      EXPECT_EQ(
          error_at<P>(array, threads, index),
          "Koalesce::count_accesses(\"c\"): array \"a\" is accessed 1 times outside its extents, first by thread " +
              std::to_string(threads - 1) + " of team 250 at " + text_of(index) +
              "; no such element exists; enlarge the array or correct the kernel's indices");
    }
}

TYPED_TEST(AccessCounts, find_accesses_outside) {
  using P = TypeParam;
  for (int const n : team_sizes<typename P::exec>({1, 3, 32})) {
    expect_outside<P>(TeamArray<int[1]>("a"), n, {0}, {1});
    expect_outside<P>(TeamArray<char** [2][3]>("a", 4, 5), n, { 3, 4, 1, 2 }, {4, 5, 2, 3});
    expect_outside<P>(ThreadArray<int>("a"), n, {n - 1}, {n});
    expect_outside<P>(ThreadArray<short* [2]>("a", 3), n, { n - 1, 0, 0 }, {n, 3, 2});
    expect_outside<P>(ThreadArray<char[4][5][2][3]>("a"), n, {n - 1, 3, 4, 1, 2}, {n, 4, 5, 2, 3});
  }
}

TYPED_TEST(AccessCounts, find_accesses_of_arrays_without_elements) {
  EXPECT_NE((error_at<TypeParam>(TeamArray<int*>("a", 0), 1, {0})), "");
  EXPECT_NE((error_at<TypeParam>(ThreadArray<int**>("a", 0, 2), 1, {0, 0, 1})), "");
}

TYPED_TEST(AccessCounts, tell_how_often_an_array_is_left) {
  auto const text =
      error_of<TypeParam>(1, 1, OnChip(TeamArray<int[9]>("a")), AccessOften<typename TypeParam::exec>{9, 123});
  EXPECT_NE(text.find("\"a\" is accessed 123 times outside its extents, first by thread 0 of team 0 at (9)"), text.npos)
      << text;
}

/// Element by element of another thread's.
TYPED_TEST(AccessCounts, find_threads_in_each_others_elements) {
  using P          = TypeParam;
  auto const sizes = team_sizes<typename P::exec>({2, 3, 32, 100});
  if (sizes.back() == 1) GTEST_SKIP() << "teams have one thread";
  for (int const n : sizes)
    for (int other = 0; other < n - 1; other += n / 2) {
      std::string const why = "Koalesce::count_accesses(\"c\"): ThreadArray \"a\" is shared: thread " +
                              std::to_string(n - 1) + " of team 250 touches element (" + std::to_string(other);
      std::string const whose =
          ") of thread " + std::to_string(other) +
          "; in registers, no other thread could reach it; declare a TeamArray with an additional extent";
      EXPECT_EQ((error_at<P>(ThreadArray<int>("a"), n, {other})), why + whose);
      EXPECT_EQ((error_at<P>(ThreadArray<int** [2]>("a", 3, 2), n, { other, 2, 0, 1 })), why + ", 2, 0, 1" + whose);
    }
}

/// Of an array that fits nowhere nothing is counted.
TYPED_TEST(AccessCounts, of_what_does_not_fit) {
  auto const text = error_of<TypeParam>(8, 1, OnChip(ThreadArray<double*>("a", 12000000)),
                                        AccessOnce<typename TypeParam::exec, 2>{0, 0, {0, 0}});
  for (std::string const phrase :
       {"count_accesses(\"c\"): the accesses cannot be counted (a: ThreadArray of 8 bytes [12000000] at run time): ",
        "a team needs 96000016 bytes of global memory", "or state the accesses of every array"})
    EXPECT_NE(text.find(phrase), text.npos) << phrase << " is not in\n" << text;
}

}  // namespace
}  // namespace Koalesce::Test
