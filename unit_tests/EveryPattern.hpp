// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_EVERY_PATTERN_HPP
#define KOALESCE_TEST_EVERY_PATTERN_HPP

#include "TestSupport.hpp"

#include <atomic>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

/// A small call of every pattern: for tests of what is around them.
namespace Koalesce::Test {

/// Of all functors below, how many CPU threads one has met at most: those of the instance that it runs on.
inline std::atomic<int> max_threads{0};

KOKKOS_FUNCTION inline void note_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  KOKKOS_IF_ON_HOST((if (omp_get_num_threads() > max_threads) max_threads = omp_get_num_threads();))
#endif
}

struct Squares {
  KOKKOS_FUNCTION void operator()(std::int64_t, double value, double& sum) const {
    note_threads();
    sum += value * value;
  }
};

/// Stores a stencil's weighted sum, and adds it up.
struct AddUp {
  KOKKOS_FUNCTION double operator()(double value, std::int64_t, std::int64_t, std::int64_t, double& sum) const {
    note_threads();
    sum += value;
    return value;
  }
};

/// A time step, which moves everything by one point.
struct Shift {
  template <class U>
  KOKKOS_FUNCTION int operator()(U const& u, std::int64_t, std::int64_t) const {
    note_threads();
    return u(-1, -1);
  }
};

/// The same, and adds it up.
struct ShiftAndAddUp {
  template <class U>
  KOKKOS_FUNCTION int operator()(U const& u, std::int64_t y, std::int64_t x, std::int64_t& sum) const {
    sum += u(-1, -1);
    return Shift()(u, y, x);
  }
};

struct Pair {
  double x;
  std::int32_t id;
};

struct ColumnSum {
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, double value, double& sum) const {
    note_threads();
    sum += value;
  }
};

struct ThreeKinds {
  KOKKOS_FUNCTION int operator()(std::int64_t item) const { return int(item * item % 3); }
};

template <class Space>
struct AddByKind {
  Kokkos::View<std::int64_t*, Space> out;

  KOKKOS_FUNCTION void operator()(std::int64_t item, int kind) const {
    note_threads();
    out(item) += 1 + kind * item;
  }
};

/// The same as a step that is the last one.
template <class Space>
struct AddOnce {
  AddByKind<Space> add;

  KOKKOS_FUNCTION bool operator()(std::int64_t item) const {
    add(item, ThreeKinds()(item));
    return true;
  }
  KOKKOS_FUNCTION bool operator()(std::int64_t item, std::int64_t& sum) const {
    sum += item;
    return (*this)(item);
  }
};

/// Every thread writes an element of the tile, and sums its own numbers; then takes the tile's element of its neighbor.
template <class Exec>
struct Neighbors {
  Kokkos::View<std::int64_t**, typename Exec::memory_space> out;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team, auto& tile,
                                  auto& own) const {
    int const r = team.team_rank(), threads = team.team_size();
    note_threads();
    tile(r) = 10 * team.league_rank() + r;
    for (int k = 0; k < 3; ++k) own(r, k) = r + k;
    team.team_barrier();
    out(team.league_rank(), r) += tile((r + 1) % threads) + own(r, 0) + own(r, 1) + own(r, 2);
  }
};

/// A call of every pattern on one instance. Sums are of small whole numbers: exact in any order.
template <class P>
class EveryPattern {
 public:
  using Exec  = typename P::exec;
  using Space = typename Exec::memory_space;

  explicit EveryPattern(Exec const& exec = {})
      : m_exec(exec),
        m_threads(Backend::on_host<Exec> && Impl::threads_of(exec) == 1 ? 1 : team_sizes<Exec>({1, 2}).back()) {
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), m_field);
    for_each_index<3>({}, {depth + 2, height + 2, width + 2},
                      [&](Index<3> const& p) { host(p[0], p[1], p[2]) = field_value(p); });
    Kokkos::deep_copy(m_field, host);
    auto const matrix = Kokkos::create_mirror(Kokkos::HostSpace(), m_matrix);
    for_each_index<2>({}, {rows, columns}, [&](Index<2> const& p) { matrix(p[0], p[1]) = matrix_value(p[0], p[1]); });
    Kokkos::deep_copy(m_matrix, matrix);
    auto const state = Kokkos::create_mirror(Kokkos::HostSpace(), m_states[0]);
    for_each_index<2>({}, {side, side}, [&](Index<2> const& p) { state(p[0], p[1]) = state_value(p[0], p[1], 0); });
    for (auto const& to : m_states) Kokkos::deep_copy(to, state);
    auto const pairs = Kokkos::create_mirror(Kokkos::HostSpace(), m_pairs);
    for (int i = 0; i < int(pairs.extent(0)); ++i) pairs(i) = {0.5 * i, 3 * i};
    Kokkos::deep_copy(m_pairs, pairs);
    Kokkos::fence();
  }

  /// \return how many times it has run everything.
  int run() {
    using B = typename P::backend;
    Index<3> const n{depth, height, width};
    fill_halo(m_exec, m_field, n, Periodic());
    LinearStencil<double, Shape> const weights([](int z, int y, int x) { return 1 + z + 2 * y + 3 * x; });
    StencilPolicy<Exec, Shape, B> const policy(m_exec, n);
    parallel_stencil("every: stencil", policy, m_field, m_sums, weights);
    parallel_stencil_reduce("every: reduce", policy, m_field, m_reduced, weights, AddUp(), m_total);
    ActivePoints const active(policy, active_boxes());
    parallel_stencil("every: active", policy.with_active(active), m_field, m_active, weights);
    StencilPolicy<Exec, Box<1, 1>, B> const plane(m_exec, {side, side});
    auto const steps = plane.with_boundary(Periodic());
    parallel_stencil_steps("every: steps", steps.with_fused_steps(1), m_states[0], m_scratch, steps_per_run, Shift());
    auto const fused = steps.with_fused_steps(sees_team_barriers ? 0 : 1);  // sweeps of several steps have barriers
    parallel_stencil_steps("every: fused steps", fused, m_states[1], m_scratch, steps_per_run, Shift());
    parallel_stencil_steps_reduce("every: reduced steps", fused, m_states[2], m_scratch, steps_per_run, ShiftAndAddUp(),
                                  m_state_sum);
    transpose<B>(m_exec, m_transposed, m_matrix);
    copy_structs<B>(m_exec, m_arrays_of_pairs, Pairs(m_pairs));
    ShadowView const shadow(m_matrix, ShadowBuild::first_read);
    parallel_read_reduce<B>("every: read", m_exec, shadow, ColumnOrder(rows, columns), Squares(), m_squares);
    parallel_reduce_columns<B>("every: columns", m_exec, m_matrix, ColumnSum(), m_column_sums);
    parallel_reduce_rows<B>("every: rows", m_exec, m_matrix, ColumnSum(), m_row_sums);
    auto const items  = RegroupPolicy(m_exec, 0, std::int64_t(m_kinds.extent(0))).with_backend(B());
    auto const always = items.with_regroup(Regroup::always);
    AddByKind<Space> const add{m_kinds};
    parallel_regroup("every: team", always.with_scope(RegroupScope::team), Paths(3), ThreeKinds(), add);
    parallel_regroup("every: grid", always.with_scope(RegroupScope::grid), Paths(3), ThreeKinds(), add);
    parallel_regroup("every: automatic", items, Paths(3), ThreeKinds(), add);
    auto const over_grid = always.with_scope(RegroupScope::grid);
    parallel_regroup("every: ordered", over_grid.with_order(ThreeKinds(), KeyBits::few), Paths(3), ThreeKinds(), add);
    parallel_regroup("every: planned", over_grid.with_plan(m_plan), Paths(3), ThreeKinds(), add);
    parallel_regroup_until("every: until", items, AddOnce<Space>{add});
    parallel_regroup_until_reduce("every: until reduce", items, AddOnce<Space>{add}, m_item_sum);
    for (auto const& places : {scratch_placement(m_arrays), promoted_placement(m_arrays)})
      parallel_placed("every: placed", teams(), m_arrays, places, Neighbors<Exec>{m_neighbors});
    return ++m_runs;
  }

  /// Of the placed kernel, in a run beside those that count.
  std::vector<AccessCount> count_accesses() const {
    Kokkos::View<std::int64_t**, Space> const beside("beside", 5, 2);
    return Koalesce::count_accesses("every: count", teams(), m_arrays, Neighbors<Exec>{beside});
  }

  /// Waits for its instance.
  ::testing::AssertionResult is_right() const {
    m_exec.fence();
    auto const sums       = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_sums);
    auto const transposed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_transposed);
    auto const kinds      = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_kinds);
    auto const neighbors  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_neighbors);
    auto const reduced    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_reduced);
    auto const active     = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_active);
    auto const columns_of = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_column_sums);
    auto const rows_of    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_row_sums);
    std::string wrong;
    double total = 0;
    for_each_index<3>({}, {depth, height, width}, [&](Index<3> const& p) {
      double const sum = stencil_sum(p);
      total += sum;
      if (sums(p[0], p[1], p[2]) != sum) wrong = "stencil";
      if (reduced(p[0], p[1], p[2]) != sum) wrong = "reduction's field";
      if (active(p[0], p[1], p[2]) != (is_active(p) ? sum : 0)) wrong = "active points";
    });
    if (m_total != total) wrong = "reduction";
    double squares = 0;
    for_each_index<2>({}, {rows, columns}, [&](Index<2> const& p) {
      double const value = matrix_value(p[0], p[1]);
      squares += value * value;
      if (transposed(p[1], p[0]) != value) wrong = "transpose";
    });
    if (m_squares != squares) wrong = "read";
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < rows; ++i) sum += matrix_value(i, j);
      if (columns_of(j) != sum) wrong = "reduced columns";
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) sum += matrix_value(i, j);
      if (rows_of(i) != sum) wrong = "reduced rows";
    }
    std::int64_t state_sum = 0;
    for_each_index<2>({}, {side, side}, [&](Index<2> const& p) { state_sum += state_value(p[0], p[1], 0); });
    if (m_state_sum != state_sum) wrong = "reduction of steps";
    for (auto const& state : m_states) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state);
      for_each_index<2>({}, {side, side}, [&](Index<2> const& p) {
        if (host(p[0], p[1]) != state_value(p[0], p[1], steps_per_run * m_runs)) wrong = "steps";
      });
    }
    auto const x  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_pair_x);
    auto const id = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_pair_id);
    for (int i = 0; i < int(x.extent(0)); ++i)
      if (x(i) != 0.5 * i || id(i) != 3 * i) wrong = "structs";
    if (m_item_sum != std::int64_t(kinds.extent(0) * (kinds.extent(0) - 1) / 2)) wrong = "regrouped reduction";
    for (std::int64_t i = 0; i < std::int64_t(kinds.extent(0)); ++i)
      if (kinds(i) != m_runs * 7 * (1 + ThreeKinds()(i) * i)) wrong = "regroup";
    for (int t = 0; t < int(neighbors.extent(0)); ++t)
      for (int r = 0; r < m_threads; ++r)
        if (neighbors(t, r) != m_runs * 2 * (10 * t + (r + 1) % m_threads + 3 * r + 3)) wrong = "placed";
    if (!wrong.empty()) return ::testing::AssertionFailure() << "wrong after " << m_runs << " runs: " << wrong;
    return ::testing::AssertionSuccess();
  }

 private:
  using Shape = Star<1, 1, 1>;
  using Pairs = StructView<Members<&Pair::x, &Pair::id>, Space>;

  static constexpr std::int64_t depth = 5, height = 6, width = 19, rows = 37, columns = 53, side = 16,
                                steps_per_run = 3;

  static std::vector<IndexBox<3>> active_boxes() { return {{{0, 0, 0}, {3, 4, 18}}, {{2, 3, 5}, {5, 6, 7}}}; }

  static bool is_active(Index<3> const& p) {
    for (auto const& box : active_boxes()) {
      bool in = true;
      for (int d = 0; d < 3; ++d) in = in && box.from[d] <= p[d] && p[d] < box.to[d];
      if (in) return true;
    }
    return false;
  }

  /// Of the point's periodic image inside.
  static double field_value(Index<3> p) {
    Index<3> const n{depth, height, width};
    for (int d = 0; d < 3; ++d) p[d] = (p[d] - 1 + n[d]) % n[d];
    return double((7 * p[0] + 5 * p[1] + 3 * p[2]) % 11);
  }
  static double matrix_value(std::int64_t i, std::int64_t j) { return double((i * 13 + j * 7) % 23); }

  static int state_value(std::int64_t y, std::int64_t x, std::int64_t steps) {
    auto const before = [&](std::int64_t i) { return ((i - steps) % side + side) % side; };
    return int(before(y) * side + before(x));
  }

  static double stencil_sum(Index<3> const& p) {
    double sum = 0;
    for_each_index<3>({-1, -1, -1}, {2, 2, 2}, [&](Index<3> const& d) {
      if (Shape::contains(int(d[0]), int(d[1]), int(d[2])))
        sum +=
            double(1 + d[0] + 2 * d[1] + 3 * d[2]) * field_value({p[0] + d[0] + 1, p[1] + d[1] + 1, p[2] + d[2] + 1});
    });
    return sum;
  }

  auto teams() const {
    return PlacementPolicy(m_exec, std::int64_t(m_neighbors.extent(0)), m_threads).with_backend(typename P::backend());
  }

  Exec m_exec;
  int m_threads, m_runs = 0;
  OnChip<TeamArray<std::int64_t*>, ThreadArray<std::int64_t[3]>> m_arrays{TeamArray<std::int64_t*>("tile", m_threads),
                                                                          ThreadArray<std::int64_t[3]>("own")};
  Kokkos::View<double***, Space> m_field{"field", depth + 2, height + 2, width + 2},
      m_sums{"sums", depth, height, width}, m_reduced{"reduced", depth, height, width},
      m_active{"active", depth, height, width};
  Kokkos::View<double**, Space> m_matrix{"matrix", rows, columns}, m_transposed{"transposed", columns, rows};
  Kokkos::View<double*, Space> m_column_sums{"column sums", columns}, m_row_sums{"row sums", rows};
  using State       = Kokkos::View<int**, Space>;
  State m_states[3] = {State("step by step", side, side), State("fused", side, side), State("reduced", side, side)},
        m_scratch{"scratch", side, side};
  Kokkos::View<Pair*, Space> m_pairs{"pairs", 100};
  Kokkos::View<double*, Space> m_pair_x{"x", 100};
  Kokkos::View<std::int32_t*, Space> m_pair_id{"id", 100};
  Pairs m_arrays_of_pairs{m_pair_x, m_pair_id};
  Kokkos::View<std::int64_t*, Space> m_kinds{"kinds", 3000};
  RegroupPlan<Exec> m_plan;
  Kokkos::View<std::int64_t**, Space> m_neighbors{"neighbors", 5, 2};
  double m_squares = 0, m_total = 0;
  std::int64_t m_state_sum = 0, m_item_sum = 0;
};

}  // namespace Koalesce::Test

#endif
