// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CapturedGraph.hpp"
#include "TestSupport.hpp"

#include <Koalesce/Placement.hpp>
#include <Koalesce/ShadowView.hpp>
#include <Koalesce/Transpose.hpp>

/// Reads, transpositions and placed kernels that a graph runs again and again.
namespace Koalesce::Test {
namespace {

template <class P>
class Graphs : public ::testing::Test {};
TYPED_TEST_SUITE(Graphs, DefaultPaths::types, PathNames);

constexpr int rows = 70, columns = 90;

double element(int round, int i, int j) { return 1000 * round + 7 * i + j; }

/// The input of a round, and an output that the calls have to write.
template <class Exec>
struct Matrices {
  using Memory = typename Exec::memory_space;

  void fill(int number) {
    round           = number;
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), in);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) host(i, j) = element(round, i, j);
    Kokkos::deep_copy(in, host);
    Kokkos::deep_copy(out, -1.);
  }

  /// \param[in] place  place(i, j): where in `out` an element is to be.
  template <class Place>
  void check(Place const& place) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    int wrong       = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) wrong += host(place(i, j)) != element(round, i, j);
    EXPECT_EQ(wrong, 0);
  }

  Kokkos::View<double**, Kokkos::LayoutRight, Memory> in{"in", rows, columns};
  Kokkos::View<double*, Memory> out{"out", rows* columns};
  int round = 0;
};

int by_row(int i, int j) { return i * columns + j; }
int by_column(int i, int j) { return j * rows + i; }

/// Captures a call, and submits it with other elements each time.
template <class Exec, class Call>
void check_rounds(Matrices<Exec>& matrices, Call const& call, int (*place)(int, int)) {
  int number = 0;
  check_submissions(
      Exec(), call, [&] { matrices.fill(++number); }, [&] { matrices.check(place); });
}

template <class Memory>
struct Keep {
  Kokkos::View<double*, Memory> out;

  KOKKOS_FUNCTION void operator()(std::int64_t item, double value) const { out(item) = value; }
};

TYPED_TEST(Graphs, reads_of_the_original) {
  using Exec = typename TypeParam::exec;
  Matrices<Exec> matrices;
  ShadowView const a(matrices.in);
  Keep<typename Exec::memory_space> const keep{matrices.out};
  auto const call = [=](Exec const& exec) {
    parallel_read<typename TypeParam::backend>("read", exec, a, RowOrder(), keep);
  };
  check_rounds(matrices, call, by_row);
}

/// The shadow is that of the call before the capture.
TYPED_TEST(Graphs, reads_of_a_shadow) {
  using Exec = typename TypeParam::exec;
  Matrices<Exec> matrices;
  matrices.fill(1);
  ShadowView const a(matrices.in, ShadowBuild::first_read);
  Keep<typename Exec::memory_space> const keep{matrices.out};
  ColumnOrder const down(rows, columns);
  auto const call = [=](Exec const& exec) { parallel_read<typename TypeParam::backend>("read", exec, a, down, keep); };
  check_submissions(
      Exec(), call, [&] { Kokkos::deep_copy(matrices.out, -1.); }, [&] { matrices.check(by_column); });
  EXPECT_TRUE(a.has_shadow());
}

/// A later read may keep other columns where a limit of memory leaves room for some.
TYPED_TEST(Graphs, reads_of_a_shadow_of_limited_memory) {
  using Exec   = typename TypeParam::exec;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Matrices<Exec> matrices;
  matrices.fill(1);
  ShadowView const a(matrices.in, 20 * rows * sizeof(double), ShadowBuild::first_read);
  Keep<typename Exec::memory_space> const keep{matrices.out};
  ColumnOrder const down(rows, columns);
  auto const read = [=](auto const& policy) {
    parallel_read<typename TypeParam::backend>("read", policy, a, down, keep);
  };
  read(Exec());
  EXPECT_EQ(a.status(), ShadowStatus::partly_transposed);
  auto const call         = [=](Exec const& exec) { read(exec); };
  auto const other_column = [&] {
    a.invalidate();
    read(Policy(Exec(), 50 * rows, 70 * rows));
    Exec().fence();
    Kokkos::deep_copy(matrices.out, -1.);
  };
  check_submissions(Exec(), call, other_column, [&] { matrices.check(by_column); });
}

template <class Memory>
struct CopyElements {
  Kokkos::View<double const**, Kokkos::LayoutStride, Memory> from;
  Kokkos::View<double*, Memory> out;

  KOKKOS_FUNCTION void operator()(int item) const { out(item) = from(item / columns, item % columns); }
};

/// What a capture would build is there only when the graph has run: later calls must not rely on it.
TYPED_TEST(Graphs, views_of_a_shadow) {
  using Exec   = typename TypeParam::exec;
  using Memory = typename Exec::memory_space;
  Matrices<Exec> matrices;
  ShadowView const a(matrices.in);
  auto const out  = matrices.out;
  auto const call = [=](Exec const& exec) {
    a.invalidate();
    auto const view = a.template by_column<typename TypeParam::backend>(exec);
    Kokkos::parallel_for("copy", Kokkos::RangePolicy<Exec>(exec, 0, rows * columns), CopyElements<Memory>{view, out});
  };
  check_rounds(matrices, call, by_row);
  matrices.fill(9);
  call(Exec());
  Exec().fence();
  matrices.check(by_row);
  EXPECT_TRUE(a.has_shadow());
}

TYPED_TEST(Graphs, transpositions) {
  using Exec = typename TypeParam::exec;
  Matrices<Exec> matrices;
  Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const transposed(matrices.out.data(), columns, rows);
  auto const call = [=, in = matrices.in](Exec const& exec) {
    transpose<typename TypeParam::backend>(exec, transposed, in);
  };
  check_rounds(matrices, call, by_column);
}

/// A team a row, which it keeps in the tile; every thread counts its own elements.
template <class Exec>
struct ThroughTile {
  Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space> in;
  Kokkos::View<double*, typename Exec::memory_space> out;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team, auto& tile,
                                  auto& count) const {
    int const i = team.league_rank(), r = team.team_rank(), threads = team.team_size();
    count(r) = 0;
    for (int j = r; j < columns; j += threads) {
      tile(j) = in(i, j);
      count(r) += 1;
    }
    team.team_barrier();
    for (int k = 0; k < int(count(r)); ++k) {
      int const j          = r + k * threads;
      out(i * columns + j) = tile(columns - 1 - j);
    }
  }
};

int mirrored(int i, int j) { return i * columns + columns - 1 - j; }

/// Both where a placement is given and where time chooses.
TYPED_TEST(Graphs, placed_kernels) {
  using Exec = typename TypeParam::exec;
  Matrices<Exec> matrices;
  OnChip const arrays(TeamArray<double[columns]>("tile"), ThreadArray<int>("count"));
  ThroughTile<Exec> const kernel{matrices.in, matrices.out};
  auto const teams = [](Exec const& exec) {
    return PlacementPolicy(exec, rows, Backend::on_host<Exec> ? 1 : 32).with_backend(typename TypeParam::backend());
  };
  for (auto const& placement : {scratch_placement(arrays), promoted_placement(arrays)})
    check_rounds(
        matrices, [=](Exec const& exec) { parallel_placed("given", teams(exec), arrays, placement, kernel); },
        mirrored);
  check_rounds(
      matrices, [=](Exec const& exec) { parallel_placed("timed", teams(exec), arrays, kernel); }, mirrored);
}

}  // namespace
}  // namespace Koalesce::Test
