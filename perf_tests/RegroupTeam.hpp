// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_TEAM_HPP
#define KOALESCE_PERF_REGROUP_TEAM_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/block/block_radix_sort.cuh>
#endif

#include "RegroupItems.hpp"

/// Blocks of reacting cells, as codes with adaptive meshes have them, and how they are advanced without the library.
namespace perf::regroup {

/// A block is a team's: heat flows between its cells, and in each of them fuel burns, Y' = -A exp(-Ta / T) Y at
/// constant volume, T + q Y = const. How a cell is advanced depends on how fast it burns.
struct Reactor {
  static constexpr int side = 8, cells = side * side * side, substeps = 16;
  static constexpr double step = 1e-6;  // s

  enum Regime { frozen, slow, stiff };
  static constexpr int regimes = 3;

  /// Of burning fuel, per step.
  KOKKOS_FORCEINLINE_FUNCTION static double rate(double temperature) {
    return step * 1e9 * Kokkos::exp(-15000 / temperature);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Regime regime(double temperature) {
    double const burns = rate(temperature);
    return burns < 1e-7 ? frozen : burns < 0.1 ? slow : stiff;
  }

  /// Heat flows from and to the neighbors in the block.
  KOKKOS_FORCEINLINE_FUNCTION static double conducted(double const* temperature, int cell, double conductivity) {
    int const x = cell % side, y = cell / side % side, z = cell / (side * side);
    double const here = temperature[cell];
    double flow       = 0;
    if (x > 0) flow += temperature[cell - 1] - here;
    if (x < side - 1) flow += temperature[cell + 1] - here;
    if (y > 0) flow += temperature[cell - side] - here;
    if (y < side - 1) flow += temperature[cell + side] - here;
    if (z > 0) flow += temperature[cell - side * side] - here;
    if (z < side - 1) flow += temperature[cell + side * side] - here;
    return here + conductivity * flow;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void burn(int regime, double& temperature, double& fuel) {
    if (regime == slow) burn_slowly(temperature, fuel);
    else if (regime == stiff) burn_fast(temperature, fuel);
  }

 private:
  static constexpr double heat = 2000;  // K, of all fuel

  /// Runge and Kutta's fourth order.
  KOKKOS_FORCEINLINE_FUNCTION static void burn_slowly(double& temperature, double& fuel) {
    double const all  = temperature + heat * fuel;
    auto const change = [&](double y) { return -rate(all - heat * y) * y; };
    double const a = change(fuel), b = change(fuel + a / 2), c = change(fuel + b / 2), d = change(fuel + c);
    fuel += (a + 2 * b + 2 * c + d) / 6;
    temperature = all - heat * fuel;
  }

  /// Rosenbrock's method of second order, eight steps: J. G. Verwer et al., SIAM J. Sci. Comput. 20 (1999) 1456.
  KOKKOS_FORCEINLINE_FUNCTION static void burn_fast(double& temperature, double& fuel) {
    constexpr int parts    = 8;
    constexpr double h     = 1. / parts;
    constexpr double gamma = 1.7071067811865475;
    double const all       = temperature + heat * fuel;
    double y               = fuel;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int k = 0; k < parts; ++k) {
      double const t = all - heat * y, r = rate(t);
      double const slope = -r + heat * y * r * 15000 / (t * t);
      double const scale = 1 / (1 - Kokkos::min(gamma * h * slope, 0.5));
      double const first = -r * y * scale, there = Kokkos::max(y + h * first, 0.);
      double const second = (-rate(all - heat * there) * there - 2 * first) * scale;
      y                   = Kokkos::max(y + h * (1.5 * first + 0.5 * second), 0.);
    }
    fuel        = y;
    temperature = all - heat * y;
  }
};

/// The cells of all blocks, and what a team does with a block's.
struct Blocks {
  Kokkos::View<double*, Exec> temperature, fuel;
  double conductivity;

  KOKKOS_FUNCTION Index first(int block) const { return Index(block) * Reactor::cells; }
};

/// What users write without the library: a switch in each thread.
struct PlainReactors {
  Blocks blocks;

  static constexpr std::size_t scratch = 3 * Reactor::cells * sizeof(double) + 8;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const t  = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(scratch - 8, 8));
    auto* const to = t + Reactor::cells;
    auto* const y  = to + Reactor::cells;
    Index const at = blocks.first(team.league_rank());
    auto const all = Kokkos::TeamThreadRange(team, Reactor::cells);
    Kokkos::parallel_for(all, [&](int i) {
      t[i] = blocks.temperature(at + i);
      y[i] = blocks.fuel(at + i);
    });
    team.team_barrier();
    for (int k = 0; k < Reactor::substeps; ++k) {
      Kokkos::parallel_for(all, [&](int i) { to[i] = Reactor::conducted(t, i, blocks.conductivity); });
      team.team_barrier();
      Kokkos::parallel_for(all, [&](int i) {
        t[i] = to[i];
        Reactor::burn(Reactor::regime(t[i]), t[i], y[i]);
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(all, [&](int i) {
      blocks.temperature(at + i) = t[i];
      blocks.fuel(at + i)        = y[i];
    });
  }
};

#ifdef KOKKOS_ENABLE_CUDA
/// What an expert writes: a block's cells, sorted by regime with CUB in every step.
template <int Threads>
__global__ __launch_bounds__(Threads) void sorted_reactors(Blocks const blocks) {
  constexpr int each = Reactor::cells / Threads;
  using Sort         = cub::BlockRadixSort<unsigned, Threads, each, unsigned short, 2>;
  __shared__ typename Sort::TempStorage storage;
  __shared__ double t[Reactor::cells], to[Reactor::cells], y[Reactor::cells];
  Index const at = blocks.first(int(blockIdx.x));
  int const me   = int(threadIdx.x);
  for (int i = me; i < Reactor::cells; i += Threads) {
    t[i] = blocks.temperature(at + i);
    y[i] = blocks.fuel(at + i);
  }
  __syncthreads();
  for (int k = 0; k < Reactor::substeps; ++k) {
    unsigned regime[each];
    unsigned short cell[each];
#pragma unroll
    for (int e = 0; e < each; ++e) {
      int const i = me * each + e;
      cell[e]     = static_cast<unsigned short>(i);
      to[i]       = Reactor::conducted(t, i, blocks.conductivity);
      regime[e]   = Reactor::regime(to[i]);
    }
    __syncthreads();
    Sort(storage).SortBlockedToStriped(regime, cell, 0, 2);
#pragma unroll
    for (int e = 0; e < each; ++e) {
      int const i = cell[e];
      t[i]        = to[i];
      Reactor::burn(int(regime[e]), t[i], y[i]);
    }
    __syncthreads();
  }
  for (int i = me; i < Reactor::cells; i += Threads) {
    blocks.temperature(at + i) = t[i];
    blocks.fuel(at + i)        = y[i];
  }
}
#endif

}  // namespace perf::regroup

#endif
