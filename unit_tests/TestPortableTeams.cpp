// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "ReadOracle.hpp"
#include "TeamsOfThreads.hpp"

/// Transpositions and reads of the portable backend by teams of several threads, which is how GPUs run it.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

using P = Path<HostExec, SeveralThreads>;

class PortableTeams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (HostExec().concurrency() < 2) GTEST_SKIP() << HostExec::name() << " has one thread";
    last_team_size = last_league_size = 0;
  }

  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(last_team_size, std::min(+SeveralThreads::threads, HostExec().concurrency()));
    EXPECT_EQ(last_league_size, SeveralThreads::teams) << "teams have no more than a tile each";
  }
};

/// Kernels get strides: one View type has those of every layout and rank.
template <class T>
void check_strides(Rng& rng, Index<3> const& n, Permutation<3> const& p, int halo = 2,
                   Strides strides = Strides::right) {
  check_transpose<P, T, 3, LayoutStride, LayoutStride>(rng, n, p, halo, strides);
}

template <class T>
void check_transpositions() {
  for_each_seed([](Rng& rng) {
    for (auto const& n : {Index<3>{1, 100, 70}, {1, 33, 129}, {1, 257, 64}}) {
      check_strides<T>(rng, n, {0, 2, 1});
      check_strides<T>(rng, n, {0, 1, 2}, 2, Strides::random);
    }
    for (int i = 0; i < 5; ++i) check_strides<T>(rng, random_extents<3>(rng, 30000), {2, 0, 1}, 2, Strides::random);
    check_strides<T>(rng, {5, 40, 70}, {0, 2, 1});
  });
}

TEST_F(PortableTeams, transpose_words) { check_transpositions<double>(); }
TEST_F(PortableTeams, transpose_bytes) { check_transpositions<std::int8_t>(); }
TEST_F(PortableTeams, transpose_elements_that_are_no_words) { check_transpositions<Vec3<double>>(); }

TEST_F(PortableTeams, transpose_in_place) {
  for_each_seed([](Rng& rng) {
    for (std::int64_t const n : {1, 5, 64, 65, 129, 200}) {
      Field<HostExec, double, 2> a({n, n}, {1, 1}, rng), expected({n, n}, {1, 1}, rng);
      fill_for_transpose(a, rng);
      transpose_oracle(a, expected, {1, 0});
      transpose<SeveralThreads>(HostExec(), window(a));
      HostExec().fence();
      for_each_index<2>({}, a.interior(), [&](auto const& q) { a(q) = expected(q); });
      EXPECT_TRUE(a.device_matches()) << n;
    }
  });
}

/// Rows that stay rows, more of them than threads.
TEST_F(PortableTeams, copy_rows) {
  for_each_seed([](Rng& rng) {
    check_strides<double>(rng, {13, 17, 90}, {1, 0, 2});
    check_strides<double>(rng, {1, 7, 20000}, {0, 1, 2});
    check_strides<double>(rng, {20, 30, 40}, {0, 1, 2}, 2, Strides::random);
  });
}

template <int Rank, class Layout>
void check_columns(Rng& rng, Index<Rank> const& n) {
  Field<HostExec, float, Rank, Layout> field(n, random_halo<Rank>(rng, 2), rng);
  fill_for_transpose(field, rng);
  SCOPED_TRACE(to_string<Rank>(n));
  auto const down    = column_order<Rank>(n);
  auto const indices = indices_of(down, 0, std::int64_t(elements_of(field).size()));
  check_reads<P>(field, rng, down, indices);
  check_reads<P>(field, rng, Opaque<ColumnOrder>{down}, indices);
}

TEST_F(PortableTeams, transpose_while_reading) {
  for_each_seed([](Rng& rng) {
    check_columns<2, LayoutStride>(rng, {130, 70});
    check_columns<2, LayoutStride>(rng, {65, 200});
    check_columns<3, LayoutRight>(rng, {4, 70, 33});
    check_columns<3, LayoutRight>(rng, {50, 17, 9});
  });
}

/// Blocks of half-warps of both kinds, more of them than teams.
TEST_F(PortableTeams, mixed_reads) {
  for_each_seed([](Rng& rng) {
    std::int64_t const m = 170, n = 190, size = m * n;
    Field<HostExec, double, 2> field({m, n}, {1, 1}, rng);
    fill_for_transpose(field, rng);
    auto indices = indices_of(ColumnOrder(m, n), 0, size);
    std::shuffle(indices.begin() + size / 2, indices.end(), rng);
    Table<HostExec::memory_space> const table(indices, 0);
    ShadowView const a(window(field));
    a.by_column<SeveralThreads>(HostExec());
    last_team_size = 0;
    KernelRecorder const record;
    check_read<P>(a, table, indices, 0, elements_of(field));
    check_reduce<P>(a, table, indices, 0, elements_of(field));
    auto const names = record.kernel_names();
    for (auto const* label : {"read", "sum"})
      EXPECT_EQ(std::count(names.begin(), names.end(), read_kernel<P>(label, "mixed")), 1) << label;
  });
}

/// As a sweep's, for its messages.
struct AnyWork {
  using Reduction = Impl::NoReduction;
  using Domain    = Impl::WholeDomain;
};

/// Of more teams Kokkos would not run all, or run some again.
TEST(PortableLeague, has_as_many_teams_as_kokkos_numbers) {
  auto const tiling = [](std::int64_t rows) {
    return Impl::PortableBackend::choose_tiling(HostExec(), {1, rows, 1}, 2,
                                                [](std::int64_t, std::int64_t) { return std::size_t(8); });
  };
  std::int64_t const most = std::int64_t(16) << 30;
  EXPECT_EQ(tiling(most).size(), most / 16);
  EXPECT_GE(tiling(most).scratch_level, 0);
  EXPECT_LT(tiling(most + 1).scratch_level, 0);
  EXPECT_EQ(Impl::teams_of_blocks("sweep", AnyWork(), most / 16), most / 16);
  expect_error({"Koalesce::parallel_stencil(\"sweep\"): the points take 1073741825 teams", "up to 1073741824"},
               [&] { Impl::teams_of_blocks("sweep", AnyWork(), most / 16 + 1); });
}

}  // namespace
}  // namespace Koalesce::Test
