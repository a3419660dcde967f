// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_REGROUP_GRID_HPP
#define KOALESCE_CUDA_REGROUP_REGROUP_GRID_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/cuda/regroup/BlockOrder.hpp>
#include <Koalesce/cuda/regroup/RegroupTuning.hpp>
#include <Koalesce/portable/regroup/RegroupGrid.hpp>

#include <string>

/// Regrouping over the grid by blocks: up to 32 paths. An item without a path gets no slot.
namespace Koalesce::Impl::CudaBackend {

/// The common part of the kernels: one block per tile.
template <class Work>
struct CudaGrid {
  using Shape = RegroupTuning::Grid;
  using Order = BlockOrder<Shape, Work::static_paths>;

  Work work;
  PortableBackend::GridPathOrder order;

  /// The stored path of an item; one byte is enough for 32 paths.
  __device__ __forceinline__ std::uint8_t& code(int item) const {
    return reinterpret_cast<std::uint8_t*>(order.codes)[item];
  }

  /// The first slot of the lane's path.
  __device__ __forceinline__ int first_slot_of_lane() const {
    int const lane = WarpWorker::lane();
    return WarpWorker::sum_below(lane < order.buckets ? order.totals[lane] : 0);
  }
};

template <class Work>
struct CudaGridCount {
  using Order = typename CudaGrid<Work>::Order;
  using Shape = typename CudaGrid<Work>::Shape;

  CudaGrid<Work> grid;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    KOKKOS_IF_ON_DEVICE((count(team);))
    KOKKOS_IF_ON_HOST(((void)team;))
  }

  template <class Member>
  __device__ __forceinline__ void count(Member const& team) const {
    Order const blocks(grid.work.paths);
    int const tile = team.league_rank(), first = tile * Shape::round;
    int path[Shape::at_once];
#pragma unroll
    for (int k = 0; k < Shape::at_once; ++k) {
      int const item = first + blocks.item(k);
      path[k]        = item < grid.order.items ? grid.work.path(grid.work.begin + item) : grid.work.paths;
    }
#pragma unroll
    for (int k = 0; k < Shape::at_once; ++k)
      if (first + blocks.item(k) < grid.order.items) grid.code(first + blocks.item(k)) = std::uint8_t(path[k]);
    __shared__ int counts[Shape::threads];
    counts[blocks.thread()] = blocks.count(path);
    __syncthreads();
    if (blocks.warp() == 0 && blocks.lane() < grid.work.paths)
      grid.order.table[std::int64_t(blocks.lane()) * grid.order.tiles + tile] = blocks.sum_up(counts, 0).total;
  }
};

/// Orders a tile's items in shared memory first, so that the items of a path are written together.
template <class Work, bool Moves>
struct CudaGridPlace {
  using Order = typename CudaGrid<Work>::Order;
  using Shape = typename CudaGrid<Work>::Shape;

  CudaGrid<Work> grid;
  typename Slots<Work>::Pointers elements;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    KOKKOS_IF_ON_DEVICE((place(team);))
    KOKKOS_IF_ON_HOST(((void)team;))
  }

  template <class Member>
  __device__ __forceinline__ void place(Member const& team) const {
    Order const blocks(grid.work.paths);
    auto const& order = grid.order;
    int const tile = team.league_rank(), first = tile * Shape::round;
    int place[Shape::at_once];
#pragma unroll
    for (int k = 0; k < Shape::at_once; ++k) {
      int const item = first + blocks.item(k);
      place[k]       = item < order.items ? grid.code(item) : order.buckets;
    }
    __shared__ int counts[Shape::threads];
    __shared__ int local[Shape::round], begin[32];
    counts[blocks.thread()] = blocks.rank(place);
    __syncthreads();
    auto const sum = blocks.sum_up(counts, 0);
    blocks.put(local, sum, first, place);
    int const lane  = blocks.lane();
    int const below = grid.first_slot_of_lane();
    int const items =
        __shfl_sync(Order::all, below, 31) + (order.buckets == 32 ? order.totals[31] : 0);  // items that have a path
    if (blocks.warp() == 0 && lane < order.buckets)
      begin[lane] = first_slot(order.buckets, lane, items, below, order.table[std::int64_t(lane) * order.tiles + tile]);
    __syncthreads();
    blocks.for_each(sum, sum.total, [&](int path, int rank, int slot) {
      int const to   = blocks.slot(path, begin[path], rank);
      order.item[to] = local[slot];
      if constexpr (Moves) depart(grid.work.payload, grid.work.begin + local[slot], elements, to);
    });
  }
};

/// Runs the items in order of their slots. Only warps at the border of two paths run more than one.
template <class Work, bool Moves>
struct CudaGridLoop {
  using Order = typename CudaGrid<Work>::Order;
  using Shape = typename CudaGrid<Work>::Shape;

  CudaGrid<Work> grid;
  typename Slots<Work>::Pointers elements;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((run(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

  template <class Member, class Update>
  __device__ __forceinline__ void run(Member const& team, Update& update) const {
    auto const& order = grid.order;
    int const lane    = WarpWorker::lane();
    int const start   = grid.first_slot_of_lane();
    int const items   = __shfl_sync(Order::all, start, 31) + (order.buckets == 32 ? order.totals[31] : 0);
    int const slot    = team.league_rank() * Shape::threads + team.team_rank();
    // The last path that starts at or before a slot.
    auto const path_at = [&](int s) {
      return __popc(__ballot_sync(Order::all, lane < order.buckets && start <= s)) - 1;
    };
    int path       = path_at(slot - lane);
    int const last = path_at(slot - lane + 31);
    for (int next = path + 1; next <= last; ++next)
      if (slot >= __shfl_sync(Order::all, start, next)) path = next;
    if (slot >= items) return;
    std::int64_t const item = grid.work.begin + order.item[slot];
    if constexpr (Moves) {
      grid.work.run_moved(path, item, elements, slot, update);
      come_back(grid.work.payload, item, elements, slot);
    } else {
      grid.work.run(path, item, update);
    }
  }
};

template <bool Moves, class Named, class Work, class Result>
void run_cuda_grid(Kokkos::Cuda const& exec, Named const& named, Work const& work, char* memory, Result& result) {
  using Shape = typename CudaGrid<Work>::Shape;
  if (work.paths > max_block_paths)
    return PortableBackend::run_grid<WarpWorker, Moves>(exec, named, work, memory, Shape::threads,
                                                        RegroupTuning::scan_threads, result);
  auto const memory_of = PortableBackend::grid_memory<Moves>(work, memory, Shape::round);
  CudaGrid<Work> const grid{work, memory_of.order};
  auto const teams = [&](int items_per_team) {
    return Kokkos::TeamPolicy<Kokkos::Cuda, FunctorAsArgument>(
        exec, int((work.items() + items_per_team - 1) / items_per_team), Shape::threads);
  };
  Kokkos::parallel_for(named("grid: count"), teams(Shape::round), CudaGridCount<Work>{grid});
  PortableBackend::scan_tiles(exec, named, grid.order, RegroupTuning::scan_threads);
  Kokkos::parallel_for(named("grid: place"), teams(Shape::round), CudaGridPlace<Work, Moves>{grid, memory_of.elements});
  for_or_reduce(named(PortableBackend::grid_name<Moves>), teams(Shape::threads),
                CudaGridLoop<Work, Moves>{grid, memory_of.elements}, result);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
