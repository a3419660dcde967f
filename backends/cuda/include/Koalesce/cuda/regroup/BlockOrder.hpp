// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_BLOCK_ORDER_HPP
#define KOALESCE_CUDA_REGROUP_BLOCK_ORDER_HPP

#include <Koalesce/cuda/regroup/WarpWorker.hpp>

/// Orders the items of one round of a block by path; each thread has a few items. Lane p of every warp keeps the data
/// of path p, so that little passes through shared memory.
namespace Koalesce::Impl::CudaBackend {

/// Maximum number of paths that a block orders: a lane of a warp for each.
inline constexpr int max_block_paths = 32;

#ifdef __CUDACC__
/// \tparam Shape  a BlockShape.
/// \tparam Paths  how many there are; 0: known at run time only.
template <class Shape, int Paths>
struct BlockOrder : Shape {
  using Shape::at_once, Shape::warps;

  static constexpr unsigned all = WarpWorker::all;

  /// The data of path p in this round, kept by lane p.
  struct Lane {
    int total;   // items
    int before;  // items of earlier warps, and those left over from earlier rounds
    int start;   // slot of the first
  };

  int run_time_paths;

  __device__ __forceinline__ explicit BlockOrder(int p) : run_time_paths(p) {}

  __device__ __forceinline__ int paths() const { return Paths > 0 ? Paths : run_time_paths; }

  __device__ __forceinline__ static int thread() { return int(threadIdx.x + threadIdx.y * blockDim.x); }
  __device__ __forceinline__ static int warp() { return thread() / 32; }
  __device__ __forceinline__ static int lane() { return WarpWorker::lane(); }

  /// The thread's k-th item in a round.
  __device__ __forceinline__ static int item(int k) { return (warp() * at_once + k) * 32 + lane(); }

  __device__ __forceinline__ int slot(int path, int start, int rank) const {
    return start + slot_step(paths(), path) * rank;
  }

  /// The number of the warp's items that take the lane's path.
  __device__ __forceinline__ int count(int const (&path)[at_once]) const {
    int const bits = WarpWorker::bits_of(paths());
    int count      = 0;
#pragma unroll
    for (int k = 0; k < at_once; ++k) count += __popc(WarpWorker::lanes_of(path[k], path[k] < paths(), bits).mine);
    return lane() < paths() ? count : 0;
  }

  /// Replaces path[k] by the item's place: the path, and the number of earlier items of the warp that take it; negative
  /// for an item without a path. Returns count().
  __device__ __forceinline__ int rank(int (&path)[at_once]) const {
    int const bits       = WarpWorker::bits_of(paths());
    unsigned const lower = (1u << lane()) - 1;
    int count            = 0;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      bool const takes = path[k] < paths();
      auto const lanes = WarpWorker::lanes_of(path[k], takes, bits);
      int const before = __shfl_sync(all, count, path[k]);
      path[k]          = takes ? path[k] | (before + __popc(lanes.same & lower)) << 8 : -1;
      count += __popc(lanes.mine);
    }
    return lane() < paths() ? count : 0;
  }
  __device__ __forceinline__ static int path_of(int place) { return place & 31; }
  __device__ __forceinline__ static int rank_of(int place) { return place >> 8; }

  /// Adds up the warps' counts, [warps][32] of them.
  /// \param[in] waiting number of items of the lane's path that come before all others, left over from earlier rounds.
  __device__ __forceinline__ Lane sum_up(int const* counts, int waiting) const {
    Lane sum{waiting, waiting, 0};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      int const count = counts[w * 32 + lane()];
      sum.total += count;
      if (w < warp()) sum.before += count;
    }
    sum.start = WarpWorker::sum_below(sum.total);
    // If there are two paths, the slots of the second one run downward from the last slot.
    if (paths() == 2 && lane() == 1) sum.start += sum.total - 1;
    return sum;
  }

  /// Sets order[slot] = first + item for the thread's items.
  __device__ __forceinline__ void put(int* order, Lane const& sum, int first, int const (&place)[at_once]) const {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      int const path  = path_of(place[k]);
      int const start = __shfl_sync(all, sum.start, path), before = __shfl_sync(all, sum.before, path);
      if (place[k] >= 0) order[slot(path, start, before + rank_of(place[k]))] = first + item(k);
    }
  }

  /// Calls action(path, rank, slot of the path's rank-th item) for the first `count` items of every path, where `count`
  /// is that of the path's lane. All items of a warp have one path.
  template <class Action>
  __device__ __forceinline__ void for_each(Lane const& sum, int count, Action const& action) const {
    int const full = (count + 31) / 32, before = WarpWorker::sum_below(full);
    int const all_full = __shfl_sync(all, before + full, 31);
    for (int k = warp(); k < all_full; k += warps) {
      int const path  = __ffs(__ballot_sync(all, before <= k && k < before + full)) - 1;
      int const rank  = 32 * (k - __shfl_sync(all, before, path)) + lane();
      int const start = __shfl_sync(all, sum.start, path);
      if (rank < __shfl_sync(all, count, path)) action(path, rank, slot(path, start, rank));
    }
  }
};
#endif

}  // namespace Koalesce::Impl::CudaBackend

#endif
