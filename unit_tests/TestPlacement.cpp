// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TestSupport.hpp"

#include <Koalesce/Placement.hpp>

#include <limits>
#include <utility>

/// Kernels compute the same wherever their arrays lie.
namespace Koalesce::Test {

template <class Exec>
using TeamOf = typename Kokkos::TeamPolicy<Exec>::member_type;
template <class Exec, class T = int>
using TeamOutput = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;  // of a team: an item

// ---- Arrays of any rank ----

template <int Rank>
using Extents = Kokkos::Array<int, Rank>;

template <std::size_t Rank>
KOKKOS_FUNCTION int product(Kokkos::Array<int, Rank> const& n) {
  int size = 1;
  for (std::size_t d = 0; d < Rank; ++d) size *= n[int(d)];
  return size;
}

/// The element at(index...) of a number; the last index is the fastest.
template <int D, class Extents, class At, class... Index>
KOKKOS_FUNCTION auto& element(Extents const& n, int number, At const& at, Index... index) {
  if constexpr (D == 0) return at(index...);
  else return element<D - 1>(n, number / n[D - 1], at, number % n[D - 1], index...);
}

/// What a team's elements hold, small enough for three of them to be a char.
KOKKOS_FUNCTION inline int value_of(int team, int element) { return (team * 7 + element * 11 + element / 3) % 31; }

/// Each item is a tile's element that another thread wrote, and twice one of the thread's own. Both were written before
/// a barrier.
template <class Exec, class T, int TileRank, int MineRank>
struct Mirror {
  Extents<TileRank> tile_extents;
  Extents<MineRank> mine_extents;
  TeamOutput<Exec, T> out;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto& tile, auto& mine) const {
    int const t = team.league_rank(), r = team.team_rank(), threads = team.team_size(), own = product(mine_extents);
    auto const tile_at = [&](auto... i) -> T& { return tile(i...); };
    auto const mine_at = [&](auto... i) -> T& { return mine(r, i...); };
    for (int e = r; e < product(tile_extents); e += threads)
      element<TileRank>(tile_extents, e, tile_at) = Element<T>::make(value_of(t, e));
    for (int k = 0; k < own; ++k)
      element<MineRank>(mine_extents, k, mine_at) = Element<T>::make(value_of(t, r * own + k + 1));
    team.team_barrier();
    for (int item = r; item < int(out.extent(1)); item += threads) {
      T sum = Element<T>::make(0);
      if (own > 0) Element<T>::add(sum, 2, element<MineRank>(mine_extents, item / threads % own, mine_at));
      if (int const n = product(tile_extents); n > 0)
        Element<T>::add(sum, 1, element<TileRank>(tile_extents, n - 1 - item % n, tile_at));
      out(t, item) = sum;
    }
  }

  T expected(int t, int item, int threads) const {
    int const tile = product(tile_extents), own = product(mine_extents), r = item % threads;
    T sum = Element<T>::make(0);
    if (tile > 0) Element<T>::add(sum, 1, Element<T>::make(value_of(t, tile - 1 - item % tile)));
    if (own > 0) Element<T>::add(sum, 2, Element<T>::make(value_of(t, r * own + item / threads % own + 1)));
    return sum;
  }
};

/// Every element lies where its type may, and keeps its value while the others are written.
template <class Exec>
struct Align {
  TeamOutput<Exec> wrong;

  template <class T>
  KOKKOS_FUNCTION static int misplaced(T& element) {
    return int(reinterpret_cast<std::uintptr_t>(&element) % alignof(T) != 0);
  }

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto& a, auto& b, auto& c, auto& d) const {
    int const t = team.league_rank(), r = team.team_rank();
    if (r == 0)
      for (int i = 0; i < 3; ++i) a(i) = char(t % 50 + i);
    b(r) = Kokkos::complex<double>(t, r);
    for (int i = r; i < 5; i += team.team_size()) c(i) = short(t + 100 * i);
    for (int i = 0; i < 3; ++i) d(r, i) = t - r - i;
    team.team_barrier();
    int bad = misplaced(a(0)) + misplaced(b(r)) + misplaced(c(0)) + misplaced(d(r, 2));
    for (int i = 0; i < 3; ++i) bad += int(a(i) != char(t % 50 + i)) + int(d(r, i) != t - r - i);
    for (int i = 0; i < 5; ++i) bad += int(c(i) != short(t + 100 * i));
    bad += int(b(r).real() != t || b(r).imag() != r);
    wrong(t, r) = bad;
  }
};

/// a[i] is a(i), also of an array of one element per thread.
template <class Exec>
struct Brackets {
  TeamOutput<Exec> out;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto& shared, auto& own) const {
    int const t = team.league_rank(), r = team.team_rank(), threads = team.team_size();
    shared[r] = t + r;
    own[r]    = 1000 * r;
    team.team_barrier();
    own(r) += shared((r + 1) % threads) + shared[std::size_t(r)];
    out(t, r) = own[r];
  }

  static int expected(int t, int r, int threads) { return 1000 * r + t + (r + 1) % threads + t + r; }
};

template <class Exec>
struct NoArrays {
  TeamOutput<Exec> out;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team) const { out(team.league_rank(), team.team_rank()) = 5; }
};

template <class Exec>
struct EightArrays {
  TeamOutput<Exec> out;

  KOKKOS_FUNCTION void operator()(TeamOf<Exec> const& team, auto&... array) const {
    int const r = team.team_rank();
    int number  = 0;
    ((array(r) = r + ++number), ...);
    team.team_barrier();
    out(team.league_rank(), r) = (0 + ... + array(r));
  }
};

namespace {

template <class P>
class Placing : public ::testing::Test {};
TYPED_TEST_SUITE(Placing, DefaultPaths::types, PathNames);

/// Core launches placed kernels, for every backend alike: backends only name them.
template <class P>
class PlacingAnywhere : public ::testing::Test {};
TYPED_TEST_SUITE(PlacingAnywhere, NativePath::types, PathNames);

template <class View>
auto host_of(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

// ---- Every placement ----

/// Every run-time placement of the arrays.
template <class Arrays>
std::vector<Placement> all_placements(Arrays const& arrays) {
  auto const promoted = promoted_placement(arrays);
  std::vector<Placement> all;
  for (unsigned moved = 0; moved < 1u << promoted.size(); ++moved) {
    all.push_back(scratch_placement(arrays));
    for (std::size_t a = 0; a < promoted.size(); ++a)
      if (moved >> a & 1) all.back()[a] = promoted[a];
  }
  return all;
}

/// An array whose extents known at run time are random: often none, one or odd.
template <class Array>
Array random_array(std::string const& name, Rng& rng, int most) {
  auto const extent = [&](auto) { return int(random_int(rng, 0, 5) == 0 ? 0 : random_int(rng, 1, most)); };
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return Array(name, extent(D)...);
  }(std::make_index_sequence<Array::shape_type::dynamic_rank>());
}

template <class Array>
auto extents_of(Array const& array) {
  return array.shape().for_extents([](auto... n) { return Extents<int(sizeof...(n))>{n...}; });
}

/// A kernel with both arrays in every place, and what a loop on the host gives.
template <class P, class Tile, class Mine>
class EveryPlace {
 public:
  using T    = typename Tile::value_type;
  using Exec = typename P::exec;

  EveryPlace(Rng& rng, int league, int threads)
      : m_arrays(random_array<Tile>("tile", rng, 7), random_array<Mine>("mine", rng, 3)),
        m_kernel{extents_of(get<0>(m_arrays.arrays)), extents_of(get<1>(m_arrays.arrays)),
                 TeamOutput<Exec, T>("out", std::size_t(league), std::size_t(random_int(rng, 1, 300)))},
        m_league(league),
        m_threads(threads) {}

  /// Whether the scratch memory of any device has room.
  bool fits() const {
    auto const elements = product(m_kernel.tile_extents) + m_threads * product(m_kernel.mine_extents);
    return sizeof(T) * std::size_t(elements) < 20000;
  }

  template <class Places>
  void check(Places const& places, std::string const& name) const {
    Kokkos::deep_copy(m_kernel.out, poison<T>());
    parallel_placed("mirror", PlacementPolicy(Exec(), m_league, m_threads).with_backend(typename P::backend()),
                    m_arrays, places, m_kernel);
    auto const out = host_of(m_kernel.out);  // waits
    for (int t = 0; t < m_league; ++t)
      for (int item = 0; item < int(out.extent(1)); ++item)
        ASSERT_TRUE(out(t, item) == m_kernel.expected(t, item, m_threads))
            << name << ": item " << item << " of team " << t << ", " << m_league << " teams of " << m_threads << ", "
            << Impl::declaration_text(m_arrays);
  }

  void check_all() const {
    auto const declared = Impl::declared_arrays(m_arrays);
    for (auto const& placement : all_placements(m_arrays)) check(placement, to_string(placement, declared));
    check(FixedPlacement<Place::scratch, Place::thread_memory>(), "fixed, memory of the thread");
    check(FixedPlacement<Place::scratch, Place::global_memory>(), "fixed, scratch and global memory");
  }

 private:
  OnChip<Tile, Mine> m_arrays;
  Mirror<Exec, T, Tile::shape_type::rank, Mine::shape_type::rank> m_kernel;
  int m_league, m_threads;
};

template <class P, class Tile, class Mine>
void check_every_place() {
  for_each_seed([](Rng& rng) {
    for (int const threads : team_sizes<typename P::exec>({1, 2, 3, 4, 32, 100, 256}))
      for (int const league : {0, 1, int(random_int(rng, 2, 60))}) {
        EveryPlace<P, TeamArray<Tile>, ThreadArray<Mine>> const kernel(rng, league, threads);
        if (kernel.fits()) kernel.check_all();
      }
  });
}

TYPED_TEST(PlacingAnywhere, no_extents) { check_every_place<TypeParam, char, char>(); }
TYPED_TEST(PlacingAnywhere, short_integers) { check_every_place<TypeParam, short[7], short*>(); }
TYPED_TEST(PlacingAnywhere, integers) { check_every_place<TypeParam, int** [2], int[3]>(); }
TYPED_TEST(PlacingAnywhere, complex_numbers) {
  using Complex = Kokkos::complex<double>;
  check_every_place<TypeParam, Complex[3][1][2][2], Complex**>();
}
TYPED_TEST(PlacingAnywhere, elements_of_12_bytes) {
  check_every_place<TypeParam, Vec3<float>[5][3], Vec3<float>[1][2][2][1]>();
}
TYPED_TEST(PlacingAnywhere, elements_of_24_bytes) {
  check_every_place<TypeParam, Vec3<double>****, Vec3<double>** [1][2]>();
}

// ---- What else a kernel may do ----

/// What each thread of each team leaves with the arrays in these places.
template <class P, class Arrays, class Expected>
void check_threads(auto const& kernel_with, Arrays const& arrays_for, std::vector<int> const& sizes,
                   Expected const& expected, auto const& places) {
  using Exec = typename P::exec;
  for (int const threads : team_sizes<Exec>(sizes)) {
    TeamOutput<Exec> const out("out", 37, std::size_t(threads));
    Kokkos::deep_copy(out, -1);
    parallel_placed("threads", PlacementPolicy(Exec(), 37, threads).with_backend(typename P::backend()),
                    arrays_for(threads), places, kernel_with(out));
    auto const host = host_of(out);
    for (int t = 0; t < 37; ++t)
      for (int r = 0; r < threads; ++r) ASSERT_EQ(host(t, r), expected(t, r, threads)) << "thread " << r;
  }
}

TYPED_TEST(PlacingAnywhere, arrays_of_odd_sizes_are_aligned) {
  using Exec        = typename TypeParam::exec;
  auto const arrays = [](int) {
    return OnChip(TeamArray<char[3]>("a"), ThreadArray<Kokkos::complex<double>>("b"), TeamArray<short*>("c", 5),
                  ThreadArray<std::int64_t*>("d", 3));
  };
  auto const check = [&](auto const& places) {
    check_threads<TypeParam>([](auto const& out) { return Align<Exec>{out}; }, arrays, {1, 2, 3, 33, 255},
                             [](int, int, int) { return 0; }, places);
  };
  using enum Place;
  check(FixedPlacement<scratch, scratch, scratch, scratch>());
  check(FixedPlacement<scratch, registers, scratch, scratch>());
  check(FixedPlacement<scratch, scratch, global_memory, scratch>());
  check(FixedPlacement<global_memory, scratch, scratch, thread_memory>());
  check(FixedPlacement<global_memory, registers, global_memory, thread_memory>());
}

TYPED_TEST(Placing, index_in_brackets) {
  using Exec        = typename TypeParam::exec;
  auto const arrays = [](int threads) { return OnChip(TeamArray<int*>("shared", threads), ThreadArray<int>("own")); };
  for (auto const& placement : all_placements(arrays(1)))
    check_threads<TypeParam>([](auto const& out) { return Brackets<Exec>{out}; }, arrays, {1, 2, 3, 32, 100, 256},
                             Brackets<Exec>::expected, placement);
}

TYPED_TEST(PlacingAnywhere, no_arrays) {
  using Exec = typename TypeParam::exec;
  check_threads<TypeParam>([](auto const& out) { return NoArrays<Exec>{out}; }, [](int) { return OnChip<>(); }, {1, 3},
                           [](int, int, int) { return 5; }, Placement(0));
}

TYPED_TEST(PlacingAnywhere, eight_arrays) {
  using Exec = typename TypeParam::exec;
  using Own  = ThreadArray<int>;
  OnChip const arrays(Own("a"), Own("b"), Own("c"), Own("d"), Own("e"), Own("f"), Own("g"), Own("h"));
  using enum Place;
  FixedPlacement<scratch, registers, thread_memory, global_memory, scratch, registers, thread_memory,
                 global_memory> const places;
  int const threads = team_sizes<Exec>({1, 2, 100}).back();
  TeamOutput<Exec> const out("out", 9, std::size_t(threads));
  parallel_placed("eight", PlacementPolicy(Exec(), 9, threads).with_backend(typename TypeParam::backend()), arrays,
                  places, EightArrays<Exec>{out});
  auto const host = host_of(out);
  for (int t = 0; t < 9; ++t)
    for (int r = 0; r < threads; ++r) ASSERT_EQ(host(t, r), 8 * r + 36);
}

TYPED_TEST(PlacingAnywhere, launch_bounds) {
  using Exec        = typename TypeParam::exec;
  int const threads = team_sizes<Exec>({1, 2, 64}).back();
  TeamOutput<Exec> const out("out", 5, std::size_t(threads));
  auto const policy = PlacementPolicy(Exec(), 5, threads).template with_launch_bounds<64, 2>();
  EXPECT_EQ(policy.league_size(), 5);
  EXPECT_EQ(policy.team_size(), threads);
  OnChip const arrays(TeamArray<int*>("shared", threads), ThreadArray<int>("own"));
  parallel_placed("bounds", policy.with_backend(typename TypeParam::backend()), arrays,
                  FixedPlacement<Place::global_memory, Place::registers>(), Brackets<Exec>{out});
  auto const host = host_of(out);
  for (int t = 0; t < 5; ++t)
    for (int r = 0; r < threads; ++r) ASSERT_EQ(host(t, r), Brackets<Exec>::expected(t, r, threads));
}

// ---- Names, instances, fences ----

template <class P, class Places>
void expect_one_kernel(typename P::exec const& exec, Places const& places) {
  OnChip const arrays(TeamArray<int*>("shared", 1), ThreadArray<int>("own"));
  Brackets<typename P::exec> const kernel{TeamOutput<typename P::exec>("out", 8, 1)};
  auto const run = [&] {
    parallel_placed("one", PlacementPolicy(exec, 8, 1).with_backend(typename P::backend()), arrays, places, kernel);
  };
  run();  // Kokkos' scratch memory is there
  exec.fence();
  KernelRecorder const record;
  run();
  ASSERT_EQ(record.kernel_names(), Strings{std::string("Koalesce::") + P::backend::name + "::one"});
  EXPECT_EQ(record.kernels[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_FALSE(record.kernels[0].reduces);
  EXPECT_EQ(record.regions, Strings{"Koalesce::parallel_placed"});
  EXPECT_EQ(record.fences, Strings());
  EXPECT_EQ(record.allocations, Strings());
}

/// The default instance, two others, and on CPU threads one of a single thread.
template <class Exec>
std::vector<Exec> some_instances() {
  std::vector<Exec> all = two_instances<Exec>();
  all.push_back(Exec());
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) all.push_back(Exec(1));
#endif
  return all;
}

TYPED_TEST(Placing, runs_one_kernel_on_the_callers_instance_and_waits_for_nothing) {
  for (auto const& exec : some_instances<typename TypeParam::exec>()) {
    for (auto const shared : {Place::scratch, Place::global_memory})
      for (auto const own : {Place::scratch, Place::registers})
        expect_one_kernel<TypeParam>(exec, Placement{shared, own});
    expect_one_kernel<TypeParam>(exec, FixedPlacement<Place::global_memory, Place::thread_memory>());
    exec.fence();
  }
}

struct MarkThreads {
  template <class Member, class Array>
  KOKKOS_FUNCTION void operator()(Member const& team, Array& shared) const {
    shared(team.team_rank()) = 1;
    team.team_barrier();
  }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const&) const {}
};

/// An instance of fewer threads has no room for teams that another one has run.
TYPED_TEST(Placing, teams_that_an_instance_has_no_threads_for) {
  using Exec           = typename TypeParam::exec;
  auto const instances = some_instances<Exec>();
  OnChip const arrays(TeamArray<double[4]>("shared"));
  for (auto const& exec : instances) {
    Kokkos::TeamPolicy<Exec> const any(exec, 1, 1);
    bool const fits = any.team_size_max(MarkThreads(), Kokkos::ParallelForTag()) >= 2;
    auto const run  = [&] {
      parallel_placed("teams", PlacementPolicy(exec, 3, 2).with_backend(typename TypeParam::backend()), arrays,
                       Placement(1), MarkThreads());
      exec.fence();
    };
    if (fits) EXPECT_NO_THROW(run());
    else EXPECT_THROW(run(), Error);
  }
}

TYPED_TEST(Placing, runs_nothing_without_teams) {
  using Exec = typename TypeParam::exec;
  OnChip const arrays(TeamArray<int*>("shared", 1), ThreadArray<int>("own"));
  KernelRecorder const record;
  parallel_placed("none", PlacementPolicy(Exec(), 0, 1).with_backend(typename TypeParam::backend()), arrays,
                  Placement(2), Brackets<Exec>{});
  EXPECT_EQ(record.kernel_names(), Strings());
}

TEST(PlacementPolicy, with_backend_keeps_the_rest) {
  using Exec          = Kokkos::DefaultHostExecutionSpace;
  auto const policy   = PlacementPolicy(Exec(), 5, 1).with_launch_bounds<64, 2>();
  auto const portable = policy.with_backend(Backend::Portable{});
  static_assert(std::is_same_v<decltype(portable)::backend_type, Backend::Portable>);
  static_assert(std::is_same_v<decltype(portable.with_backend(Backend::Native{})), std::decay_t<decltype(policy)>>);
  auto const bounded = PlacementPolicy(Exec(), 5, 1).with_backend(Backend::Portable{}).with_launch_bounds<64, 2>();
  static_assert(std::is_same_v<decltype(bounded), decltype(portable)>);
  EXPECT_EQ(portable.league_size(), 5);
  EXPECT_EQ(portable.team_size(), 1);
}

/// A thread's stack holds no such array.
template <class P>
struct LargeOfThread {
  Kokkos::View<double*, typename P::exec::memory_space> sums;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<typename P::exec>::member_type const& team,
                                  auto& array) const {
    int const thread = team.team_rank();
    for (int i = 0; i < 2000000; i += 1000) array(thread, i) = i + team.league_rank();
    double sum = 0;
    for (int i = 0; i < 2000000; i += 1000) sum += array(thread, i);
    sums(team.league_rank()) = sum;
  }
};

TYPED_TEST(Placing, arrays_of_threads_stay_off_the_stack) {
  LargeOfThread<TypeParam> const kernel{Kokkos::View<double*, typename TypeParam::exec::memory_space>("sums", 3)};
  OnChip const arrays(ThreadArray<double[2000000]>("large"));
  auto const policy = PlacementPolicy(typename TypeParam::exec(), 3, 1).with_backend(typename TypeParam::backend());
  EXPECT_EQ(promoted_placement(arrays), Placement{Place::thread_memory});
  for (int call = 0; call < 4; ++call) parallel_placed("large", policy, arrays, kernel);
  auto const sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.sums);
  for (int team = 0; team < 3; ++team) EXPECT_EQ(sums(team), 1999000000. + 2000 * team);
}

TEST(PlacementResults, an_infinite_result_is_not_close_to_a_finite_one) {
  double const infinite = std::numeric_limits<double>::infinity();
  Kokkos::View<double*, Kokkos::HostSpace> const view("view", 1);
  for (double const tolerance : {0., 1e-9, 1.})
    for (auto const& [first, then] :
         {std::pair(5., infinite), std::pair(infinite, 5.), std::pair(-infinite, infinite)}) {
      view(0) = first;
      Impl::ResultCheck const check(view, tolerance);
      check.remember();
      EXPECT_TRUE(check.difference().empty());
      view(0) = then;
      EXPECT_FALSE(check.difference().empty()) << first << " and " << then << " within " << tolerance;
    }
}

}  // namespace
}  // namespace Koalesce::Test
