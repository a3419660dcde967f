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

/// By hand. On a GPU, tiles of 128 x 128, of which a thread has four squares of 4 x 4 in registers; the next tiles are
/// on their way while these are multiplied, and there is room for both: a barrier per step. On a host, blocks of the
/// matrix on the right are copied to scratch memory, where they are contiguous, and 4 rows meet 32 columns at a time.
template <class Kernel>
struct MatmulExpert : ByHand {
  static constexpr int edge = on_host ? 64 : 128, depth = on_host ? 128 : 8;
  static constexpr int threads = team_of(256), resident = on_host ? 0 : 2;
  static constexpr int pitch   = edge + 4;      // of the tile of a: stores of a column meet few banks
  static constexpr int columns = 32, rows = 4;  // on a host: of the block of b, and of c at a time
  static constexpr int in_tiles              = depth * (pitch + edge);  // of both
  static constexpr std::size_t scratch_bytes = sizeof(float) * (on_host ? depth * columns : 2 * in_tiles);

  explicit MatmulExpert(Kernel const& k) : n(k.n), a(k.a), b(k.b), c(k.result) {}
  void run() const { run_teams(Index(n / edge) * (n / (on_host ? columns : edge)), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if constexpr (on_host) multiply_blocks(team);
    else multiply_tiles(team);
  }

  KOKKOS_FUNCTION void multiply_blocks(Member const& team) const {
    int const across = n / columns, row0 = team.league_rank() / across * edge,
              column0  = team.league_rank() % across * columns;
    float* const block = scratch<float>(team, depth * columns);
    for (int k0 = 0; k0 < n; k0 += depth) {
      int const many = Kokkos::min(depth + 0, n - k0);
      for (int k = 0; k < many; ++k) {
        KOALESCE_PERF_SIMD
        for (int j = 0; j < columns; ++j) block[k * columns + j] = b(k0 + k, column0 + j);
      }
      for (int i = row0; i < row0 + edge; i += rows) {
        float sums[rows][columns] = {};
        for (int k = 0; k < many; ++k)
          for (int row = 0; row < rows; ++row) {
            float const left = a(i + row, k0 + k);
            KOALESCE_PERF_SIMD
            for (int j = 0; j < columns; ++j) sums[row][j] += left * block[k * columns + j];
          }
        for (int row = 0; row < rows; ++row) {
          KOALESCE_PERF_SIMD
          for (int j = 0; j < columns; ++j)
            c(i + row, column0 + j) = (k0 == 0 ? 0 : c(i + row, column0 + j)) + sums[row][j];
        }
      }
    }
  }

  KOKKOS_FUNCTION void multiply_tiles(Member const& team) const {
    int const r = team.team_rank(), x = r % 16 * 4, y = r / 16 * 4;
    int const row0 = team.league_rank() / (n / edge) * edge, column0 = team.league_rank() % (n / edge) * edge;
    // What a thread fetches of both tiles: four neighbors.
    int const row_a = r / 2, k_a = r % 2 * 4, k_b = r / 32, column_b = r % 32 * 4;
    float const* from_a = &a(row0 + row_a, k_a);
    float const* from_b = &b(k_b, column0 + column_b);
    float* const tiles  = scratch<float>(team, 2 * in_tiles);
    auto const put      = [&](float* to, Four<float> const& left, Four<float> const& right) {
      KOALESCE_PERF_UNROLL
      for (int i = 0; i < 4; ++i) to[(k_a + i) * pitch + row_a] = left.v[i];
      put_four(to + depth * pitch + k_b * edge + column_b, right);
    };
    float sums[8][8];
    KOALESCE_PERF_UNROLL
    for (int i = 0; i < 8; ++i) {
      KOALESCE_PERF_UNROLL
      for (int j = 0; j < 8; ++j) sums[i][j] = 0;
    }
    put(tiles, four_at(from_a), four_at(from_b));
    team.team_barrier();
    for (int k0 = 0, now = 0; k0 < n; k0 += depth, now ^= 1) {
      bool const more = k0 + depth < n;
      Four<float> next_a, next_b;
      if (more) next_a = four_at(from_a += depth), next_b = four_at(from_b += Index(depth) * n);
      float const* const tile_a = tiles + now * in_tiles;
      float const* const tile_b = tile_a + depth * pitch;
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < depth; ++k) {
        float left[8], right[8];
        KOALESCE_PERF_UNROLL
        for (int half = 0; half < 2; ++half) {
          auto const of_a = four_at(tile_a + k * pitch + half * 64 + y);
          auto const of_b = four_at(tile_b + k * edge + half * 64 + x);
          KOALESCE_PERF_UNROLL
          for (int i = 0; i < 4; ++i) left[half * 4 + i] = of_a.v[i], right[half * 4 + i] = of_b.v[i];
        }
        KOALESCE_PERF_UNROLL
        for (int i = 0; i < 8; ++i) {
          KOALESCE_PERF_UNROLL
          for (int j = 0; j < 8; ++j) sums[i][j] += left[i] * right[j];
        }
      }
      if (more) put(tiles + (now ^ 1) * in_tiles, next_a, next_b);
      team.team_barrier();
    }
    KOALESCE_PERF_UNROLL
    for (int i = 0; i < 8; ++i) {
      KOALESCE_PERF_UNROLL
      for (int half = 0; half < 2; ++half) {
        Four<float> four;
        KOALESCE_PERF_UNROLL
        for (int j = 0; j < 4; ++j) four.v[j] = sums[i][half * 4 + j];
        put_four(&c(row0 + i / 4 * 64 + y + i % 4, column0 + half * 64 + x), four);
      }
    }
  }

  int n;
  Image<float> a, b, c;
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

/// By hand. On a GPU, a thread has a row of the panel in registers, the square's as well; the only thing that others
/// need of it is the row of U that it becomes: a barrier per column. On a host, columns of the square first, then 16
/// rows at a time, which vector registers hold.
template <class Kernel>
struct LuPanelExpert : ByHand {
  static constexpr int edge = Kernel::edge, below = Kernel::below;
  static constexpr int threads               = team_of(edge + below);
  static constexpr int pitch                 = edge;
  static constexpr std::size_t scratch_bytes = sizeof(float) * edge * pitch;

  explicit LuPanelExpert(Kernel const& k) : panels(k.panels), result(k.result) {}
  void run() const { run_teams(Index(panels.extent(0)), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if constexpr (on_host) factor_columns(team);
    else factor_rows(team);
  }

  KOKKOS_FUNCTION void factor_columns(Member const& team) const {
    constexpr int several = 16;
    int const p           = team.league_rank();
    float* const square   = scratch<float>(team, edge * pitch);  // by columns
    float inverse[edge];
    for (int j = 0; j < edge; ++j) {
      float* const column = square + j * edge;
      for (int i = 0; i < edge; ++i) column[i] = panels(p, j, i);
      column[j] += Kernel::larger;
      for (int k = 0; k < j; ++k) {
        float const* const left = square + k * edge;
        float const factor      = column[k];
        KOALESCE_PERF_SIMD
        for (int i = k + 1; i < edge; ++i) column[i] -= left[i] * factor;
      }
      inverse[j] = 1 / column[j];
      for (int i = j + 1; i < edge; ++i) column[i] *= inverse[j];
      for (int i = 0; i < edge; ++i) result(p, j, i) = column[i];
    }
    for (int i0 = edge; i0 < edge + below; i0 += several) {
      float rows[edge][several];
      for (int j = 0; j < edge; ++j) {
        float sums[several];
        KOALESCE_PERF_SIMD
        for (int i = 0; i < several; ++i) sums[i] = panels(p, j, i0 + i);
        for (int k = 0; k < j; ++k) {
          float const factor = square[j * edge + k];
          KOALESCE_PERF_SIMD
          for (int i = 0; i < several; ++i) sums[i] -= rows[k][i] * factor;
        }
        KOALESCE_PERF_SIMD
        for (int i = 0; i < several; ++i) result(p, j, i0 + i) = rows[j][i] = sums[i] * inverse[j];
      }
    }
  }

  KOKKOS_FUNCTION void factor_rows(Member const& team) const {
    int const r = team.team_rank(), p = team.league_rank();
    float* const upper = scratch<float>(team, edge * pitch);  // a row of it is written once; the diagonal is inverted
    float row[edge];
    KOALESCE_PERF_UNROLL
    for (int j = 0; j < edge; ++j) row[j] = panels(p, j, r) + (j == r ? Kernel::larger : 0);
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < edge; ++k) {
      if (r == k) {
        upper[k * pitch + k] = 1 / row[k];
        KOALESCE_PERF_UNROLL
        for (int j = k + 1; j < edge; ++j) upper[k * pitch + j] = row[j];
      }
      team.team_barrier();
      if (r > k) {
        row[k] *= upper[k * pitch + k];
        KOALESCE_PERF_UNROLL
        for (int j = k + 1; j < edge; ++j) row[j] -= row[k] * upper[k * pitch + j];
      }
    }
    KOALESCE_PERF_UNROLL
    for (int j = 0; j < edge; ++j) result(p, j, r) = row[j];
  }

  Block<float> panels, result;
};

template <class Kernel, template <class> class Expert>
void add() {
  add_kernel<Kernel, Expert<Kernel>>();
}

}  // namespace

void add_matmul() { add<Matmul<team_of(256)>, MatmulExpert>(); }
void add_lu_panel() { add<LuPanel<team_of(128)>, LuPanelExpert>(); }

}  // namespace perf::placement
