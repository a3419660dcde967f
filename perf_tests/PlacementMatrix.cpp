// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of linear algebra: a matrix product, LU factors of panels.

#include <vector>

#include "Placement.hpp"

namespace perf::placement {
namespace {

/// c = a b, tile by tile; a thread sums up several elements of the team's.
template <int Threads>
struct Matmul {
  static constexpr char const* name = "matmul";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-5;
  static constexpr int edge = 64, depth = 8;  // of the tiles of c, and of those of a and b the other way
  static constexpr int across = Threads < 16 ? 1 : 16, down = Threads / across;
  static constexpr int rows = edge / down, columns = edge / across;  // a thread's

  explicit Matmul(Size size)
      : n(int(sized(size, 128, 2048, 512))),
        a(filled<Image<float>>(n, n)),
        b(filled<Image<float>>(n, n)),
        result(room<Image<float>>(n, n)) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::TeamArray<float[depth][edge]>("tile of a"),
                            Koalesce::TeamArray<float[depth][edge]>("tile of b"),
                            Koalesce::ThreadArray<float[rows * columns]>("sums"));
  }
  Index teams() const { return Index(n / edge) * (n / edge); }
  double bytes() const { return 3. * n * n * sizeof(float); }
  double flops() const { return 2. * n * n * n; }

  std::vector<float> expected() const {
    auto const x = on_the_host(a), y = on_the_host(b);
    std::vector<float> c;
    for (int row = 0; row < n; ++row)
      for (int column = 0; column < n; ++column) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += double(x(row, k)) * double(y(k, column));
        c.push_back(float(sum));
      }
    return c;
  }
  void add_trips(Koalesce::TripCounts& trips) const { trips.add(double(n) / depth); }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& tile_a, auto& tile_b, auto& sums) const {
    int const r = team.team_rank(), x = r % across, y = r / across;
    int const row0 = team.league_rank() / (n / edge) * edge, column0 = team.league_rank() % (n / edge) * edge;
    KOALESCE_PERF_UNROLL
    for (int s = 0; s < rows * columns; ++s) sums(r, s) = 0;
    for (int k0 = 0; k0 < n; k0 += depth) {
      for (int i = r; i < depth * edge; i += Threads) {
        tile_a(i % depth, i / depth) = a(row0 + i / depth, k0 + i % depth);
        tile_b(i / edge, i % edge)   = b(k0 + i / edge, column0 + i % edge);
      }
      team.team_barrier();
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < depth; ++k) {
        KOALESCE_PERF_UNROLL
        for (int i = 0; i < rows; ++i) {
          KOALESCE_PERF_UNROLL
          for (int j = 0; j < columns; ++j)
            sums(r, i * columns + j) += tile_a(k, i * down + y) * tile_b(k, j * across + x);
        }
      }
      team.team_barrier();
    }
    KOALESCE_PERF_UNROLL
    for (int s = 0; s < rows * columns; ++s)
      result(row0 + s / columns * down + y, column0 + s % columns * across + x) = sums(r, s);
  }

  int n;
  Image<float> a, b, result;
};

/// L and U, in place of each other, of many panels, whose columns lie together. The panels' own diagonals are made to
/// dominate: nothing pivots. The team factors the square at the top; then each thread has rows of its own.
template <int Threads>
struct LuPanel {
  static constexpr char const* name = "lu_panel";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-5;
  static constexpr int edge = 32, below = 128;
  static constexpr int own      = below / Threads;  // rows
  static constexpr float larger = edge;

  explicit LuPanel(Size size)
      : panels(filled<Block<float>>(sized(size, 5, 16384, 1024), edge, edge + below)),
        result(room<Block<float>>(panels.extent(0), edge, edge + below)) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::TeamArray<float[edge][edge + 1]>("square"),
                            Koalesce::ThreadArray<float[own * edge]>("rows"));
  }
  Index teams() const { return Index(panels.extent(0)); }
  double bytes() const { return 2. * double(panels.size()) * sizeof(float); }
  double flops() const { return 0; }

  std::vector<float> expected() const {
    auto const a = on_the_host(panels);
    for (Index p = 0; p < teams(); ++p) {
      for (int k = 0; k < edge; ++k) a(p, k, k) += larger;
      for (int k = 0; k < edge; ++k)
        for (int i = k + 1; i < edge + below; ++i) {
          a(p, k, i) /= a(p, k, k);
          for (int j = k + 1; j < edge; ++j) a(p, j, i) -= a(p, k, i) * a(p, j, k);
        }
    }
    return {a.data(), a.data() + a.size()};
  }
  void add_trips(Koalesce::TripCounts& trips) const {
    constexpr double columns = edge - 1;
    trips.add((columns + 1) / 2 / Threads);
    trips.add((columns + 1) * (2 * columns + 1) / 6 / Threads);
  }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& square, auto& rows) const {
    int const r = team.team_rank(), p = team.league_rank();
    for (int i = r; i < edge * edge; i += Threads)
      square(i % edge, i / edge) = panels(p, i / edge, i % edge) + (i % edge == i / edge ? larger : 0);
    for (int q = 0; q < own; ++q) {
      KOALESCE_PERF_UNROLL
      for (int j = 0; j < edge; ++j) rows(r, q * edge + j) = panels(p, j, edge + q * Threads + r);
    }
    team.team_barrier();
    for (int k = 0; k + 1 < edge; ++k) {
      int const next = k + 1, left = edge - next;
      for (int i = r; i < left; i += Threads) square(next + i, k) /= square(k, k);
      team.team_barrier();
      for (int i = r; i < left * left; i += Threads)
        square(next + i / left, next + i % left) -= square(next + i / left, k) * square(k, next + i % left);
      team.team_barrier();
    }
    for (int i = r; i < edge * edge; i += Threads) result(p, i / edge, i % edge) = square(i % edge, i / edge);
    for (int q = 0; q < own; ++q) {
      KOALESCE_PERF_UNROLL
      for (int j = 0; j < edge; ++j) {
        float v = rows(r, q * edge + j);
        KOALESCE_PERF_UNROLL
        for (int k = 0; k < j; ++k) v -= rows(r, q * edge + k) * square(k, j);
        rows(r, q * edge + j) = v / square(j, j);
      }
      KOALESCE_PERF_UNROLL
      for (int j = 0; j < edge; ++j) result(p, j, edge + q * Threads + r) = rows(r, q * edge + j);
    }
  }

  Block<float> panels, result;
};

}  // namespace

void add_matmul() { add_kernel<Matmul<team_of(256)>>(); }
void add_lu_panel() { add_kernel<LuPanel<team_of(128)>>(); }

}  // namespace perf::placement
