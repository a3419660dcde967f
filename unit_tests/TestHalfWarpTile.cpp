// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TeamsOfThreads.hpp"

#include <functional>

namespace Koalesce::Test {

/// The host's threads, taken for those of a GPU: half-warps share tiles in scratch memory.
struct LikeGpu : HostExec {};

}  // namespace Koalesce::Test

template <>
inline constexpr bool Koalesce::Backend::on_host<Koalesce::Test::LikeGpu> = false;

namespace Koalesce::Test {
namespace {

template <class Exec>
class HalfWarpTileTest : public ::testing::Test {};
TYPED_TEST_SUITE(HalfWarpTileTest, NativePath::types, PathNames);

/// Each team reads its rows of the whole matrix by column; element (i, j) is to come once, with its value, on the
/// thread of row i and after (i, j - 1).
template <class Exec, class Tile, class T, class View, class Vector, class Seen>
struct ReadAll {
  View a;
  Vector x;
  std::int64_t split[2];                                    // the columns where a second and third read() go on
  Seen value;                                               // what came for each element
  Kokkos::View<int*, typename Exec::memory_space> next;     // the column to come, of each row
  Kokkos::View<int[3], typename Exec::memory_space> wrong;  // an order, an element of x, a thread's row

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile(team);
    std::int64_t const row = std::int64_t(team.league_rank()) * Tile::rows(team.team_size());
    auto const mine        = Tile::first_row(team.team_rank(), row);
    auto const see         = [&](std::int64_t i, std::int64_t j, T const& v) {
      if (next(i)++ != j) wrong(0) = 1;
      if (team.team_rank() < team.team_size() / 16 * 16 && i != mine) wrong(2) = 1;
      value(i, j) = v;
    };
    tile.read(team, a, row, 0, split[0], see);
    auto const see_both = [&](std::int64_t i, std::int64_t j, T const& v, T const& x_j) {
      see(i, j, v);
      if (!(x_j == T(x(j)))) wrong(1) = 1;
    };
    tile.read(team, a, x, row, split[0], split[1], see_both);
    tile.read(team, a, x, row, split[1], a.extent(1) + 5, see_both);
  }
};

/// Calls a kernel as it is.
template <class Kernel>
struct Directly {
  Kernel kernel;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    kernel(team);
  }
};

/// Calls a host's kernel with a team whose barriers ThreadSanitizer is told of.
template <class Kernel>
struct ByTeam {
  Kernel kernel;

  template <class Member>
  void operator()(Member const& team) const {
    call_with_team(kernel, team);
  }
};

/// Whose elements are not objects in memory on CUDA, but values that the texture cache returns.
template <class View>
auto as_random_access(View const& view) {
  return Kokkos::View<typename View::const_data_type, typename View::array_layout, typename View::device_type,
                      Kokkos::MemoryTraits<Kokkos::RandomAccess>>(view);
}

/// \tparam TileExec what the tile takes the execution space for.
/// \tparam Rows     of a half-warp.
/// \param[in] seen  makes the View to read of the matrix.
template <class Exec, class T, class Layout, class TileExec = Exec, template <class> class Call = Directly,
          int Rows = 16, class Seen = std::identity>
void check_tiles(std::int64_t rows, std::int64_t columns, int team_size, Rng& rng, Seen const& seen = {}) {
  constexpr int ahead = Rows == 2 ? 1 : Rows == 8 ? 5 : 3;
  using Tile          = HalfWarpTile<T, TileExec, ahead, Rows>;
  while (Tile::scratch_size(team_size) > 40 * 1024) team_size -= HalfWarp::size;
  Field<Exec, T, 2, Layout> field({rows, columns}, {0, 0}, rng);
  field.fill(rng);
  Field<Exec, T, 2> read({rows, columns}, {0, 0}, rng);
  for_each_index<2>({0, 0}, {rows, columns}, [&](Index<2> const& p) { read(p) = field(p); });

  using VectorLayout =
      std::conditional_t<std::is_same_v<Layout, Kokkos::LayoutStride>, Kokkos::LayoutStride, Kokkos::LayoutRight>;
  Field<Exec, T, 1, VectorLayout> x({columns}, {0}, rng);
  x.fill(rng);

  Kokkos::View<int*, typename Exec::memory_space> next("next", rows);
  Kokkos::View<int[3], typename Exec::memory_space> wrong("wrong");
  auto const a           = seen(field.view());
  std::int64_t const few = random_int(rng, 0, columns);
  ReadAll<Exec, Tile, T, std::remove_const_t<decltype(a)>, decltype(x.view()), decltype(read.view())> const kernel{
      a, x.view(), {few, random_int(rng, few, columns)}, read.view(), next, wrong};
  int const teams = int((rows + Tile::rows(team_size) - 1) / Tile::rows(team_size));
  Kokkos::TeamPolicy<Exec> policy(teams, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(Tile::scratch_size(team_size))));
  Kokkos::parallel_for("tiles", policy, Call<std::remove_const_t<decltype(kernel)>>{kernel});

  EXPECT_TRUE(read.device_matches());
  auto const host_next  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), next);
  auto const host_wrong = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong);
  EXPECT_EQ(host_wrong(0), 0) << "columns out of order";
  EXPECT_EQ(host_wrong(1), 0) << "elements of the vector";
  EXPECT_EQ(host_wrong(2), 0) << "rows of threads";
  for (std::int64_t i = 0; i < rows; ++i) EXPECT_EQ(host_next(i), columns) << "row " << i;
}

/// Sizes of teams that make whole half-warps, and ones that do not.
template <class Exec>
std::vector<int> tile_team_sizes() {
  if (HalfWarpTile<double, Exec>::on_host) return {1};
  return {16, 32, 48, 64, 36, 5};
}

TYPED_TEST(HalfWarpTileTest, ReadsByColumn) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int const team_size : tile_team_sizes<Exec>()) {
      auto const n = random_extents<2>(rng, 20000);
      SCOPED_TRACE(to_string<2>(n) + ", teams of " + std::to_string(team_size));
      check_tiles<Exec, double, Kokkos::LayoutRight>(n[0], n[1], team_size, rng);
      check_tiles<Exec, float, Kokkos::LayoutRight>(n[0], n[1], team_size, rng);
      check_tiles<Exec, float, Kokkos::LayoutRight>(50, 16 * random_int(rng, 1, 20), team_size, rng);
      check_tiles<Exec, short, Kokkos::LayoutRight>(70, random_int(rng, 30, 200), team_size, rng);
      check_tiles<Exec, signed char, Kokkos::LayoutRight>(40, random_int(rng, 30, 200), team_size, rng);
      check_tiles<Exec, signed char, Kokkos::LayoutStride>(n[0], n[1], team_size, rng);
      check_tiles<Exec, Vec3<float>, Kokkos::LayoutRight>(n[0], n[1], team_size, rng);
      check_tiles<Exec, Kokkos::complex<double>, Kokkos::LayoutStride>(n[0], n[1], team_size, rng);
    }
  });
}

TYPED_TEST(HalfWarpTileTest, ReadsFewRowsPerHalfWarp) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int const team_size : tile_team_sizes<Exec>()) {
      auto const n = random_extents<2>(rng, 20000);
      SCOPED_TRACE(to_string<2>(n) + ", teams of " + std::to_string(team_size));
      check_tiles<Exec, double, Kokkos::LayoutRight, Exec, Directly, 8>(n[0], n[1], team_size, rng);
      check_tiles<Exec, float, Kokkos::LayoutRight, Exec, Directly, 4>(21, 64 * random_int(rng, 1, 9), team_size, rng);
      check_tiles<Exec, float, Kokkos::LayoutRight, Exec, Directly, 2>(5, random_int(rng, 100, 2000), team_size, rng);
      check_tiles<Exec, signed char, Kokkos::LayoutRight, Exec, Directly, 4>(9, random_int(rng, 1, 900), team_size,
                                                                             rng);
      check_tiles<Exec, Vec3<float>, Kokkos::LayoutStride, Exec, Directly, 2>(n[0], n[1], team_size, rng);
    }
  });
}

TYPED_TEST(HalfWarpTileTest, ReadsThroughReferencesOfTheViews) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  auto const n = random_extents<2>(rng, 20000);
  check_tiles<Exec, float, Kokkos::LayoutRight, Exec, Directly>(
      n[0], n[1], HalfWarpTile<float, Exec>::recommended_team_size(), rng,
      [](auto const& view) { return as_random_access(view); });
}

TYPED_TEST(HalfWarpTileTest, ReadsTilesOfOneElement) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  check_tiles<Exec, float, Kokkos::LayoutRight>(1, 1, tile_team_sizes<Exec>().front(), rng);
  check_tiles<Exec, float, Kokkos::LayoutLeft>(17, 1, tile_team_sizes<Exec>().front(), rng);
  check_tiles<Exec, float, Kokkos::LayoutRight>(1, 17, tile_team_sizes<Exec>().front(), rng);
}

// ---- The way through scratch memory, on the host ----

class HalfWarpTileOfThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (HostExec().concurrency() < 2) GTEST_SKIP() << HostExec::name() << " has one thread";
  }
};

template <class T, class Layout, int Rows = 16>
void check_shared_tiles(std::int64_t rows, std::int64_t columns, int team_size, Rng& rng) {
  check_tiles<HostExec, T, Layout, LikeGpu, ByTeam, Rows>(rows, columns, team_size, rng);
}

/// One half-warp of few lanes, and two half-warps where there are as many threads.
TEST_F(HalfWarpTileOfThreads, ReadsByColumn) {
  for_each_seed([](Rng& rng) {
    for (int const team_size : {1, 2, 3, 16, 18}) {
      if (team_size > HostExec().concurrency()) continue;
      auto const n = random_extents<2>(rng, 5000);
      SCOPED_TRACE(to_string<2>(n) + ", teams of " + std::to_string(team_size));
      check_shared_tiles<double, Kokkos::LayoutRight>(n[0], n[1], team_size, rng);
      check_shared_tiles<signed char, Kokkos::LayoutStride>(n[0], n[1], team_size, rng);
      check_shared_tiles<Vec3<float>, Kokkos::LayoutRight>(70, 40, team_size, rng);
      check_shared_tiles<float, Kokkos::LayoutRight, 4>(n[0], n[1], team_size, rng);
    }
  });
}

/// Of more bytes than Kokkos gives every team unasked.
struct LargeElement {
  double numbers[1024];
};

struct WithoutScratch {
  template <class Member>
  void operator()(Member const& team) const {
    [[maybe_unused]] HalfWarpTile<LargeElement, LikeGpu> const tile(team);
  }
};

TEST(HalfWarpTileScratch, AbortsWhereThereIsTooLittle) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Kokkos::parallel_for("tiles", Kokkos::TeamPolicy<HostExec>(1, 1), WithoutScratch()),
               "HalfWarpTile: there is not enough scratch memory.*add HalfWarpTile::scratch_size");
}

}  // namespace
}  // namespace Koalesce::Test
