// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_HPP
#define KOALESCE_CUDA_REGROUP_HPP

#include <Koalesce/cuda/Stopwatch.hpp>
#include <Koalesce/cuda/WarpWorker.hpp>
#include <Koalesce/portable/Regroup.hpp>

#include <string>

/// Regrouping by warps. Kokkos launches the kernels and reduces.
namespace Koalesce::Impl {

/// A team runs the warps of slots whose items begin in its tiles, path by path: what its warps read at one time lies
/// near, as in the plain loop, and every warp but those where two paths meet is of one path. Up to 32 paths.
template <class Work, bool Moves>
struct CudaGridLoop {
  static constexpr int threads = 256;
  static constexpr int tiles   = 8;  // a team's

  Work work;
  GridPathOrder order;
  typename Slots<Work>::Pointers elements;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((run(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

 private:
  /// The first warp of slots that does not begin before this slot; a last warp that is not full counts as one.
  __device__ __forceinline__ int warp_at(int slot) const { return slot == order.items ? (slot + 31) / 32 : slot / 32; }

  /// Where a path's slots begin that a tile places.
  __device__ __forceinline__ int slot_at(int path, int tile) const {
    int const* const row = order.table + std::int64_t(path) * order.tiles;
    int const step       = slot_step(order.paths, path);
    int const slot       = tile < order.tiles ? row[tile] : row[0] + step * order.totals[path];
    return step < 0 ? slot + 1 : slot;  // downward, slots end where they begin
  }

  template <class Member, class Update>
  __device__ __forceinline__ void run(Member const& team, Update& update) const {
    int const lane = team.team_rank() % 32, warp = team.team_rank() / 32;
    int const tile = team.league_rank() * tiles, end = min(tile + tiles, order.tiles);
    int first = 0, count = 0;
    if (lane < order.paths) {
      int const a = warp_at(slot_at(lane, tile)), b = warp_at(slot_at(lane, end));
      first = min(a, b);
      count = abs(b - a);
    }
    int sum = count;
#pragma unroll
    for (int up = 1; up < 32; up *= 2) {
      int const other = __shfl_up_sync(0xffffffffu, sum, up);
      if (lane >= up) sum += other;
    }
    int const all = __shfl_sync(0xffffffffu, sum, 31), before = sum - count;
    for (int k = warp; k < all; k += threads / 32) {
      int const path = __ffs(__ballot_sync(0xffffffffu, before <= k && k < sum)) - 1;
      int const slot = 32 * (__shfl_sync(0xffffffffu, first, path) + k - __shfl_sync(0xffffffffu, before, path)) + lane;
      if (slot < order.items) run_slot(slot, update);
    }
  }

  template <class Update>
  __device__ __forceinline__ void run_slot(int slot, Update& update) const {
    GridLoop<Work, Moves>{work, order, elements}(slot, update);
  }
};

template <bool Moves, class Named, class Work, class Result>
void run_cuda_grid(Kokkos::Cuda const& exec, Named const& named, Work const& work, char* memory, Result& result) {
  using Body = CudaGridLoop<Work, Moves>;
  if (work.paths > 32) return run_grid<WarpWorker, Moves>(exec, named, work, memory, Body::threads, result);
  auto const grid = grid_memory<WarpWorker, Moves>(work, memory);
  make_grid_order<WarpWorker, Moves>(exec, named, work, grid.order, grid.elements, Body::threads);
  run_body(named(grid_name<Moves>),
           Kokkos::TeamPolicy<Kokkos::Cuda>(exec, (grid.order.tiles + Body::tiles - 1) / Body::tiles, Body::threads),
           Body{work, grid.order, grid.elements}, result);
}

template <class Named, class Work, class Result>
void run_regroup(Backend::Cuda, Kokkos::Cuda const& exec, Named const& named, Work const& work, RegroupWay way,
                 char* memory, Result& result) {
  constexpr int threads = 256;
  switch (way) {
    case RegroupWay::plain: return run_plain_loop(exec, named(to_string(way)), work, result);
    case RegroupWay::team: return run_team<WarpWorker, false>(exec, named(to_string(way)), work, threads, result);
    case RegroupWay::team_moved:
      if constexpr (Work::has_travelers) run_team<WarpWorker, true>(exec, named(to_string(way)), work, threads, result);
      return;
    case RegroupWay::grid: return run_cuda_grid<false>(exec, named, work, memory, result);
    case RegroupWay::grid_moved:
      if constexpr (Work::has_travelers) run_cuda_grid<true>(exec, named, work, memory, result);
      return;
  }
}

}  // namespace Koalesce::Impl

#endif
