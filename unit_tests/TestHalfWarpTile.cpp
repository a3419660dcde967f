// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TeamsOfThreads.hpp"

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
template <class Exec, class Tile, class T, class View, class Seen>
struct ReadAll {
  View a;
  Seen value;                                                          // what came for each element
  Kokkos::View<int*, typename Exec::memory_space> next, out_of_order;  // the column to come, of each row

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile(team);
    std::int64_t const row = std::int64_t(team.league_rank()) * Tile::rows(team.team_size());
    for (std::int64_t c = 0; c < std::int64_t(a.extent(1)); c += Tile::side)
      tile.read(team, a, row, c, [&](std::int64_t i, std::int64_t j, T const& v) {
        if (next(i)++ != j) out_of_order(0) = 1;
        value(i, j) = v;
      });
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

/// \tparam TileExec what the tile takes the execution space for.
template <class Exec, class T, class Layout, class TileExec = Exec, template <class> class Call = Directly>
void check_tiles(std::int64_t rows, std::int64_t columns, int team_size, Rng& rng) {
  using Tile = HalfWarpTile<T, TileExec>;
  Field<Exec, T, 2, Layout> field({rows, columns}, {0, 0}, rng);
  field.fill(rng);
  Field<Exec, T, 2> read({rows, columns}, {0, 0}, rng);
  for_each_index<2>({0, 0}, {rows, columns}, [&](Index<2> const& p) { read(p) = field(p); });

  Kokkos::View<int*, typename Exec::memory_space> next("next", rows), out_of_order("out of order", 1);
  ReadAll<Exec, Tile, T, decltype(field.view()), decltype(read.view())> const kernel{field.view(), read.view(), next,
                                                                                     out_of_order};
  int const teams = int((rows + Tile::rows(team_size) - 1) / Tile::rows(team_size));
  Kokkos::TeamPolicy<Exec> policy(teams, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(int(Tile::scratch_size(team_size))));
  Kokkos::parallel_for("tiles", policy, Call<std::remove_const_t<decltype(kernel)>>{kernel});

  EXPECT_TRUE(read.device_matches());
  auto const host_next  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), next);
  auto const host_order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out_of_order);
  EXPECT_EQ(host_order(0), 0);
  for (std::int64_t i = 0; i < rows; ++i) EXPECT_EQ(host_next(i), columns) << "row " << i;
}

/// Sizes of teams that make whole half-warps, and ones that do not.
template <class Exec>
std::vector<int> tile_team_sizes() {
  if (HalfWarpTile<double, Exec>::on_host) return {1};
  return {16, 32, 64, 100, 128, 5};
}

TYPED_TEST(HalfWarpTileTest, ReadsByColumn) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int const team_size : tile_team_sizes<Exec>()) {
      auto const n = random_extents<2>(rng, 20000);
      SCOPED_TRACE(to_string<2>(n) + ", teams of " + std::to_string(team_size));
      check_tiles<Exec, double, Kokkos::LayoutRight>(n[0], n[1], team_size, rng);
      check_tiles<Exec, signed char, Kokkos::LayoutStride>(n[0], n[1], team_size, rng);
      check_tiles<Exec, Vec3<float>, Kokkos::LayoutRight>(n[0], n[1], team_size, rng);
    }
  });
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

template <class T, class Layout>
void check_shared_tiles(std::int64_t rows, std::int64_t columns, int team_size, Rng& rng) {
  check_tiles<HostExec, T, Layout, LikeGpu, ByTeam>(rows, columns, team_size, rng);
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
