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

}  // namespace

void add_hotspot() { add_kernel<Hotspot<team_of(256)>>(); }
void add_pathfinder() { add_kernel<Pathfinder<team_of(256)>>(); }
void add_particles() { add_kernel<Particles<team_of(128)>>(); }

}  // namespace perf::placement
