// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels that take several steps on chip: heat in a plane, shortest paths, particles.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "Placement.hpp"

namespace perf::placement {
namespace {

/// Heat in a plate with sources. Of a tile, a step leaves a cell less right on every side.
template <int Threads>
struct Hotspot {
  static constexpr char const* name = "hotspot";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-5;
  static constexpr int edge = 32, own = edge * edge / Threads;
  static constexpr float ambient = 0.25F;

  explicit Hotspot(Size size)
      : steps(4),
        heat(filled<Image<float>>(sized(size, 50, 8192, 2048), sized(size, 77, 8192, 2048))),
        power(filled<Image<float>>(heat.extent(0), heat.extent(1))),
        result(room<Image<float>>(heat.extent(0), heat.extent(1))) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::TeamArray<float[edge][edge]>("heat"), Koalesce::ThreadArray<float[own]>("power"),
                            Koalesce::ThreadArray<float[own]>("next"));
  }
  KOKKOS_FUNCTION int inner() const { return edge - 2 * steps; }
  KOKKOS_FUNCTION int tiles_across() const { return (int(heat.extent(1)) + inner() - 1) / inner(); }
  Index teams() const { return up_div(Index(heat.extent(0)), inner()) * tiles_across(); }
  double bytes() const { return 3. * double(heat.size()) * sizeof(float); }
  double flops() const { return 0; }

  KOKKOS_FUNCTION static float stepped(float t, float north, float south, float west, float east, float source) {
    return t + 0.2F * (source + (north + south - 2 * t) + (west + east - 2 * t) + 0.1F * (ambient - t));
  }

  std::vector<float> expected() const {
    auto now = on_the_host(heat), next = on_the_host(heat);
    auto const source = on_the_host(power);
    int const rows = int(heat.extent(0)), columns = int(heat.extent(1));
    for (int step = 0; step < steps; ++step, std::swap(now, next))
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          next(i, j) = stepped(now(i, j), now(std::max(i - 1, 0), j), now(std::min(i + 1, rows - 1), j),
                               now(i, std::max(j - 1, 0)), now(i, std::min(j + 1, columns - 1)), source(i, j));
    return {now.data(), now.data() + now.size()};
  }
  void add_trips(Koalesce::TripCounts& trips) const { trips.add(steps); }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& tile, auto& source, auto& next) const {
    int const r = team.team_rank(), rows = int(heat.extent(0)), columns = int(heat.extent(1));
    int const row0    = team.league_rank() / tiles_across() * inner() - steps;
    int const column0 = team.league_rank() % tiles_across() * inner() - steps;
    // Where the plate lies in the tile: at its borders no heat flows.
    int const top = Kokkos::max(0, -row0), bottom = Kokkos::min(edge - 1, rows - 1 - row0);
    int const left = Kokkos::max(0, -column0), right = Kokkos::min(edge - 1, columns - 1 - column0);
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const y = (k * Threads + r) / edge, x = (k * Threads + r) % edge;
      int const row = clamp(row0 + y, 0, rows - 1), column = clamp(column0 + x, 0, columns - 1);
      tile(y, x)   = heat(row, column);
      source(r, k) = power(row, column);
    }
    team.team_barrier();
    for (int step = 0; step < steps; ++step) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        int const y = (k * Threads + r) / edge, x = (k * Threads + r) % edge;
        next(r, k) = stepped(tile(y, x), tile(Kokkos::max(y - 1, top), x), tile(Kokkos::min(y + 1, bottom), x),
                             tile(y, Kokkos::max(x - 1, left)), tile(y, Kokkos::min(x + 1, right)), source(r, k));
      }
      team.team_barrier();
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) tile((k * Threads + r) / edge, (k * Threads + r) % edge) = next(r, k);
      team.team_barrier();
    }
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const y = (k * Threads + r) / edge, x = (k * Threads + r) % edge;
      bool const right_result = y >= steps && y < edge - steps && x >= steps && x < edge - steps;
      if (right_result && y <= bottom && x <= right) result(row0 + y, column0 + x) = next(r, k);
    }
  }

  int steps;
  Image<float> heat, power, result;
};

/// By hand. On a GPU, a thread has 16 cells of a column in registers, which are each other's neighbors; others read
/// them from scratch memory, of which two tiles make one barrier per step enough. On a host, tiles as large as a core's
/// own cache, of which the rest is power, read where it is.
template <class Kernel>
struct HotspotExpert : ByHand {
  static constexpr int width = on_host ? 256 : 64, height = 64, own = 16;
  static constexpr int threads = team_of(width * height / own), resident = on_host ? 0 : 3;
  static constexpr int level                 = on_host ? 1 : 0;
  static constexpr std::size_t scratch_bytes = sizeof(float) * 2 * width * height;

  explicit HotspotExpert(Kernel const& k) : steps(k.steps), heat(k.heat), power(k.power), result(k.result) {}
  KOKKOS_FUNCTION int across() const { return (int(heat.extent(1)) + width - 2 * steps - 1) / (width - 2 * steps); }
  void run() const { run_teams(up_div(Index(heat.extent(0)), height - 2 * steps) * across(), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const row0    = team.league_rank() / across() * (height - 2 * steps) - steps;
    int const column0 = team.league_rank() % across() * (width - 2 * steps) - steps;
    float* const tile = scratch<float>(team, 2 * width * height, level);
    if constexpr (on_host) rows(tile, row0, column0);
    else columns(team, tile, row0, column0);
  }

  KOKKOS_FUNCTION void rows(float* now, int row0, int column0) const {
    // Where the plate lies in the tile.
    int const top = Kokkos::max(0, -row0), bottom = Kokkos::min(height, int(heat.extent(0)) - row0);
    int const left = Kokkos::max(0, -column0), right = Kokkos::min(width, int(heat.extent(1)) - column0);
    float* next = now + width * height;
    for (int y = top; y < bottom; ++y) {
      KOALESCE_PERF_SIMD
      for (int x = left; x < right; ++x) now[y * width + x] = heat(row0 + y, column0 + x);
    }
    for (int step = 1; step <= steps; ++step) {
      // What is right still: a cell less a step on each side that is not the plate's border.
      int const y0 = top > 0 || row0 == 0 ? top : step, y1 = bottom < height ? bottom : height - step;
      for (int y = y0; y < y1; ++y) {
        float const* const at     = now + y * width;
        float const* const north  = now + Kokkos::max(y - 1, top) * width;
        float const* const south  = now + Kokkos::min(y + 1, bottom - 1) * width;
        float const* const source = &power(row0 + y, column0 + left) - left;
        float* const to           = step == steps ? &result(row0 + y, column0 + left) - left : next + y * width;
        int const x0              = step == steps ? Kokkos::max(left, steps + 0) : left;
        int const x1              = step == steps ? Kokkos::min(right, width - steps) : right;
        if (x0 >= x1 || (step == steps && (y < steps || y >= height - steps))) continue;
        auto const put = [&](int x, int west, int east) {
          to[x] = Kernel::stepped(at[x], north[x], south[x], at[west], at[east], source[x]);
        };
        put(x0, Kokkos::max(x0 - 1, left), Kokkos::min(x0 + 1, right - 1));
        KOALESCE_PERF_SIMD
        for (int x = x0 + 1; x < x1 - 1; ++x)
          to[x] = Kernel::stepped(at[x], north[x], south[x], at[x - 1], at[x + 1], source[x]);
        put(x1 - 1, Kokkos::max(x1 - 2, left), Kokkos::min(x1, right - 1));
      }
      Kokkos::kokkos_swap(now, next);
    }
  }

  KOKKOS_FUNCTION void columns(Member const& team, float* tiles, int row0, int column0) const {
    int const all_rows = int(heat.extent(0)), all_columns = int(heat.extent(1));
    int const top = -row0, bottom = all_rows - 1 - row0, left = -column0, right = all_columns - 1 - column0;
    int const x = team.team_rank() % width, y0 = team.team_rank() / width * own;
    int const column = clamp(column0 + x, 0, all_columns - 1);
    float cells[own], source[own];
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const row = clamp(row0 + y0 + k, 0, all_rows - 1);
      cells[k]      = heat(row, column);
      source[k]     = power(row, column);
    }
    bool const at_left = x == left || x == 0, at_right = x == right || x == width - 1;
    for (int step = 0; step < steps; ++step) {
      float* const tile = tiles + step % 2 * (width * height) + x;
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) tile[(y0 + k) * width] = cells[k];
      team.team_barrier();
      float north       = y0 == 0 ? cells[0] : tile[(y0 - 1) * width];
      float const after = y0 + own == height ? cells[own - 1] : tile[(y0 + own) * width];
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        int const y       = y0 + k;
        float const here  = cells[k];
        float const south = k + 1 < own ? cells[k + 1 < own ? k + 1 : k] : after;
        float const west = at_left ? here : tile[y * width - 1], east = at_right ? here : tile[y * width + 1];
        cells[k] = Kernel::stepped(here, y == top ? here : north, y == bottom ? here : south, west, east, source[k]);
        north    = here;
      }
    }
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const y             = y0 + k;
      bool const right_result = y >= steps && y < height - steps && x >= steps && x < width - steps;
      if (right_result && y <= bottom && x <= right) result(row0 + y, column0 + x) = cells[k];
    }
  }

  int steps;
  Image<float> heat, power, result;
};

/// The cheapest way through a wall from row to row, straight on or diagonally: dynamic programming on strips of it.
template <int Threads>
struct Pathfinder {
  static constexpr char const* name = "pathfinder";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 0;
  static constexpr int width = 1024, own = width / Threads;

  explicit Pathfinder(Size size)
      : wall(filled<Image<int>>(sized(size, 9, 32, 32), sized(size, 3000, 1 << 23, 1 << 20))),
        result(room<Line<int>>(wall.extent(1))) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::TeamArray<int[width]>("row before"), Koalesce::ThreadArray<int[own]>("row"));
  }
  KOKKOS_FUNCTION int steps() const { return int(wall.extent(0)) - 1; }
  KOKKOS_FUNCTION int inner() const { return width - 2 * steps(); }
  Index teams() const { return up_div(Index(wall.extent(1)), inner()); }
  double bytes() const { return double(wall.size() + result.size()) * sizeof(int); }
  double flops() const { return 0; }

  std::vector<int> expected() const {
    auto const costs  = on_the_host(wall);
    int const columns = int(wall.extent(1));
    std::vector<int> now(costs.data(), costs.data() + columns), before;
    for (int row = 1; row <= steps(); ++row) {
      before = now;
      for (int j = 0; j < columns; ++j)
        now[j] =
            costs(row, j) + std::min({before[std::max(j - 1, 0)], before[j], before[std::min(j + 1, columns - 1)]});
    }
    return now;
  }
  void add_trips(Koalesce::TripCounts& trips) const { trips.add(steps()); }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& before, auto& now) const {
    int const r = team.team_rank(), columns = int(wall.extent(1));
    int const column0 = team.league_rank() * inner() - steps();
    int const left = Kokkos::max(0, -column0), right = Kokkos::min(width - 1, columns - 1 - column0);
    for (int i = r; i < width; i += Threads) before(i) = wall(0, clamp(column0 + i, 0, columns - 1));
    team.team_barrier();
    for (int row = 1; row <= steps(); ++row) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        int const i = k * Threads + r;
        int const best =
            Kokkos::min(before(i), Kokkos::min(before(clamp(i - 1, left, right)), before(clamp(i + 1, left, right))));
        now(r, k) = best + wall(row, clamp(column0 + i, 0, columns - 1));
      }
      team.team_barrier();
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) before(k * Threads + r) = now(r, k);
      team.team_barrier();
    }
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const i = k * Threads + r;
      if (i >= steps() && i < width - steps() && i <= right) result(column0 + i) = now(r, k);
    }
  }

  Image<int> wall;
  Line<int> result;
};

/// By hand. On a GPU, a thread has four neighbors in registers, and the rest of the row that it needs are its
/// neighbors' ends: four numbers pass through scratch memory, in turns through two rows, so a barrier per row is
/// enough; the next row of the wall is on its way meanwhile. On a host, two rows that a core's first cache holds.
template <class Kernel>
struct PathfinderExpert : ByHand {
  static constexpr int width                 = on_host ? 2048 : 1024;
  static constexpr int threads               = team_of(width / 4);
  static constexpr std::size_t scratch_bytes = sizeof(int) * (on_host ? 2 * (width + 2) : 4 * (threads + 2));

  explicit PathfinderExpert(Kernel const& k)
      : steps(k.steps()), border((steps + 3) / 4 * 4), wall(k.wall), result(k.result) {}
  void run() const { run_teams(up_div(Index(wall.extent(1)), width - 2 * border), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const column0 = team.league_rank() * (width - 2 * border) - border;
    if constexpr (on_host) strip(team, column0);
    else quadruples(team, column0);
  }

  KOKKOS_FUNCTION void strip(Member const& team, int column0) const {
    int const columns = int(wall.extent(1));
    int const left = Kokkos::max(0, -column0), right = Kokkos::min(width, columns - column0);
    int* before = scratch<int>(team, 2 * (width + 2)) + 1;  // an element more at both ends
    int* now    = before + width + 2;
    for (int i = left; i < right; ++i) before[i] = wall(0, column0 + i);
    for (int row = 1; row <= steps; ++row) {
      before[left - 1]       = before[left];
      before[right]          = before[right - 1];
      int const* const costs = &wall(row, column0 + left) - left;
      KOALESCE_PERF_SIMD
      for (int i = left; i < right; ++i) {
        int const side = before[i - 1] < before[i + 1] ? before[i - 1] : before[i + 1];
        now[i]         = (before[i] < side ? before[i] : side) + costs[i];
      }
      Kokkos::kokkos_swap(before, now);
    }
    int const first = Kokkos::max(border + 0, left), last = Kokkos::min(width - border, right);
    for (int i = first; i < last; ++i) result(column0 + i) = before[i];
  }

  KOKKOS_FUNCTION void quadruples(Member const& team, int column0) const {
    int const r = team.team_rank(), columns = int(wall.extent(1)), column = column0 + 4 * r;
    int* const ends = scratch<int>(team, 4 * (threads + 2)) + 1;  // the first of each four, the last; of two rows
    auto now        = four_of_row(&wall(0, 0), columns, column);
    for (int row = 1; row <= steps; ++row) {
      auto const costs = four_of_row(&wall(row, 0), columns, column);
      int* const first = ends + row % 2 * 2 * (threads + 2);
      int* const last  = first + threads + 2;
      first[r] = now.v[0], last[r] = now.v[3];
      team.team_barrier();
      int west       = column <= 0 || r == 0 ? now.v[0] : last[r - 1];
      int const edge = column + 4 >= columns || r + 1 == threads ? now.v[3] : first[r + 1];
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < 4; ++k) {
        int const here = now.v[k], east = k < 3 ? now.v[k < 3 ? k + 1 : k] : edge;
        now.v[k] = Kokkos::min(here, Kokkos::min(west, column + k + 1 < columns ? east : here)) + costs.v[k];
        west     = here;
      }
    }
    if (4 * r < border || 4 * r >= width - border) return;
    if (column + 3 < columns) return put_four(&result(column), now);
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < 4; ++k)
      if (column + k < columns) result(column + k) = now.v[k];
  }

  int steps, border;
  Image<int> wall;
  Line<int> result;
};

/// Particles that fixed masses attract: position and velocity stay with the thread for several steps.
template <int Threads>
struct Particles {
  static constexpr char const* name = "particles";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-4;
  static constexpr int group = 128, own = group / Threads;
  static constexpr float time = 1e-3F, softening = 0.05F;

  using Vector = std::array<float, 3>;

  explicit Particles(Size size)
      : steps(size == Size::small ? 3 : 8),
        masses(filled<Image<float>>(sized(size, 20, 128, 128), 4)),
        start(filled<Image<float>>(6, sized(size, 384, 1 << 20, 1 << 14))),
        result(room<Image<float>>(6, start.extent(1))) {}

  auto arrays() const {
    using Own = Koalesce::ThreadArray<float[3 * own]>;
    return Koalesce::OnChip(Own("position"), Own("velocity"), Own("force"),
                            Koalesce::TeamArray<float* [4]>("masses", masses.extent(0)));
  }
  Index teams() const { return Index(start.extent(1)) / group; }
  double bytes() const { return 2. * double(start.size()) * sizeof(float); }
  double flops() const { return 20. * double(start.extent(1)) * double(masses.extent(0)) * steps; }

  std::vector<float> expected() const {
    auto const s = on_the_host(start);
    auto const m = on_the_host(masses);
    for (Index i = 0; i < Index(s.extent(1)); ++i)
      for (int step = 0; step < steps; ++step) {
        double force[3] = {};
        for (int j = 0; j < int(m.extent(0)); ++j) {
          double away[3], square = softening;
          for (int d = 0; d < 3; ++d) square += std::pow(away[d] = m(j, d) - s(d, i), 2);
          for (int d = 0; d < 3; ++d) force[d] += m(j, 3) * away[d] / (square * std::sqrt(square));
        }
        for (int d = 0; d < 3; ++d) s(d, i) += time * (s(3 + d, i) += time * float(force[d]));
      }
    return {s.data(), s.data() + s.size()};
  }
  void add_trips(Koalesce::TripCounts& trips) const {
    trips.add(steps);
    trips.add(double(masses.extent(0)));
    trips.add(double(masses.extent(0)) * 4 / Threads);  // reading them
  }

  KOKKOS_FUNCTION void operator()(Member const& team, auto& position, auto& velocity, auto& force, auto& mass) const {
    int const r = team.team_rank(), first = team.league_rank() * group, many = int(masses.extent(0));
    for (int i = r; i < many * 4; i += Threads) mass(i / 4, i % 4) = masses(i / 4, i % 4);
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < 3 * own; ++k) {
      position(r, k) = start(k % 3, first + k / 3 * Threads + r);
      velocity(r, k) = start(3 + k % 3, first + k / 3 * Threads + r);
    }
    team.team_barrier();
    for (int step = 0; step < steps; ++step) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < 3 * own; ++k) force(r, k) = 0;
      for (int j = 0; j < many; ++j) {
        KOALESCE_PERF_UNROLL
        for (int k = 0; k < 3 * own; k += 3) {
          float const x = mass(j, 0) - position(r, k), y = mass(j, 1) - position(r, k + 1),
                      z        = mass(j, 2) - position(r, k + 2);
          float const square   = x * x + y * y + z * z + softening;
          float const strength = mass(j, 3) / (square * Kokkos::sqrt(square));
          force(r, k) += strength * x;
          force(r, k + 1) += strength * y;
          force(r, k + 2) += strength * z;
        }
      }
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < 3 * own; ++k) {
        velocity(r, k) += time * force(r, k);
        position(r, k) += time * velocity(r, k);
      }
    }
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < 3 * own; ++k) {
      result(k % 3, first + k / 3 * Threads + r)     = position(r, k);
      result(3 + k % 3, first + k / 3 * Threads + r) = velocity(r, k);
    }
  }

  int steps;
  Image<float> masses, start, result;
};

/// By hand: masses are read four numbers at a time, each for several particles of a thread, which are in registers: two
/// on a GPU, on a host as many as vectors have lanes. The arithmetic is the kernel's.
template <class Kernel>
struct ParticlesExpert : ByHand {
  static constexpr int group = on_host ? 32 : 128, own = on_host ? 32 : 2;
  static constexpr int threads = team_of(group / own), max_masses = 128;
  static constexpr std::size_t scratch_bytes = sizeof(float) * 4 * max_masses;

  explicit ParticlesExpert(Kernel const& k) : steps(k.steps), masses(k.masses), start(k.start), result(k.result) {
    if (masses.extent(0) > max_masses) Kokkos::abort("too many masses");
  }
  void run() const { run_teams(Index(start.extent(1)) / group, *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const r = team.team_rank(), first = team.league_rank() * group + r, many = int(masses.extent(0));
    auto* const mass = scratch<Four<float>>(team, max_masses);
    for (int j = r; j < many; j += threads) mass[j] = four_at(&masses(j, 0));
    float position[3][own], velocity[3][own];
    KOALESCE_PERF_UNROLL
    for (int d = 0; d < 3; ++d) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        position[d][k] = start(d, first + k * threads);
        velocity[d][k] = start(3 + d, first + k * threads);
      }
    }
    team.team_barrier();
    for (int step = 0; step < steps; ++step) {
      float force[3][own];
      KOALESCE_PERF_UNROLL
      for (int d = 0; d < 3; ++d) {
        KOALESCE_PERF_UNROLL
        for (int k = 0; k < own; ++k) force[d][k] = 0;
      }
      for (int j = 0; j < many; ++j) {
        auto const m = mass[j];
        KOALESCE_PERF_UNROLL
        KOALESCE_PERF_SIMD
        for (int k = 0; k < own; ++k) {
          float const x = m.v[0] - position[0][k], y = m.v[1] - position[1][k], z = m.v[2] - position[2][k];
          float const square   = x * x + y * y + z * z + Kernel::softening;
          float const strength = m.v[3] / (square * Kokkos::sqrt(square));
          force[0][k] += strength * x;
          force[1][k] += strength * y;
          force[2][k] += strength * z;
        }
      }
      KOALESCE_PERF_UNROLL
      for (int d = 0; d < 3; ++d) {
        KOALESCE_PERF_UNROLL
        for (int k = 0; k < own; ++k) {
          velocity[d][k] += Kernel::time * force[d][k];
          position[d][k] += Kernel::time * velocity[d][k];
        }
      }
    }
    KOALESCE_PERF_UNROLL
    for (int d = 0; d < 3; ++d) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        result(d, first + k * threads)     = position[d][k];
        result(3 + d, first + k * threads) = velocity[d][k];
      }
    }
  }

  int steps;
  Image<float> masses, start, result;
};

template <class Kernel, template <class> class Expert>
void add() {
  add_kernel<Kernel, Expert<Kernel>>();
}

}  // namespace

void add_hotspot() { add<Hotspot<team_of(256)>, HotspotExpert>(); }
void add_pathfinder() { add<Pathfinder<team_of(256)>, PathfinderExpert>(); }
void add_particles() { add<Particles<team_of(128)>, ParticlesExpert>(); }

}  // namespace perf::placement
