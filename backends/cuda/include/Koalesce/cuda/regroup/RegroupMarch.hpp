// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_REGROUP_MARCH_HPP
#define KOALESCE_CUDA_REGROUP_REGROUP_MARCH_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/cuda/regroup/BlockOrder.hpp>
#include <Koalesce/cuda/regroup/RegroupTuning.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>

#include <Koalesce/regroup/impl/RegroupWork.hpp>

#include <algorithm>
#include <string>

/// Regrouping within blocks that march.
namespace Koalesce::Impl::CudaBackend {

/// A block marches through a stretch of items, a few thousand per round: it orders them by path, runs full warps, and
/// takes the rest into the next round. So every warp has one path, only the last warps of a stretch are not full, and
/// warps read neighboring memory.
template <class Work, class Shape>
struct MarchingRegroup {
  static constexpr int threads = Shape::threads;

  Work work;
  std::int64_t stretch;  // items of a block, fewer than 2^31

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int shared_bytes(int paths) {
    return int(sizeof(int)) * (2 * Shape::threads + 32 * paths + Shape::round + 31 * paths);
  }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((march_as_team(team, update);))
    KOKKOS_IF_ON_HOST(((void)team; (void)update;))
  }

  template <class Member, class Update>
  __device__ __forceinline__ void march_as_team(Member const& team, Update& update) const {
    void* const shared = team.team_scratch(0).get_shmem_aligned(shared_bytes(work.paths), 16);
    march(
        team.league_rank(), static_cast<int*>(shared), [&] { team.team_barrier(); }, update);
    team.team_barrier();  // before the next team uses the scratch memory
  }

  template <class Barrier, class Update>
  __device__ __forceinline__ void march(std::int64_t block, int* shared, Barrier const& barrier, Update& update) const {
    Order const blocks(work.paths);
    std::int64_t const begin = work.begin + block * stretch;
    int const items          = int(min(stretch, work.end - begin));
    int* counts              = shared;  // two times [warps][32]
    int* const waiting       = shared + 2 * Shape::threads;
    int* const order         = waiting + 32 * work.paths;
    int left                 = 0;  // lane p: items of path p that are left for the next round
    Predicted next[Shape::at_once];
    predict(blocks, begin, 0, items, next);
    for (int first = 0; first < items; first += Shape::round) {
      int place[Shape::at_once];
#pragma unroll
      for (int k = 0; k < Shape::at_once; ++k) {
        int const item = first + blocks.item(k);
        place[k]       = item < items ? work.checked(next[k], begin + item) : work.paths;
      }
      counts[blocks.thread()] = blocks.rank(place);
      barrier();
      auto const sum = blocks.sum_up(counts, left);
      blocks.put(order, sum, first, place);
      for_each_left(
          blocks, sum, 0, left, [&](int slot, int& item) { order[slot] = item; }, waiting);
      barrier();
      // Loads the next round's paths while this round's items run.
      predict(blocks, begin, first + Shape::round, items, next);
      bool const is_last = first + Shape::round >= items;
      int const ready    = is_last ? sum.total : sum.total / 32 * 32;
      blocks.for_each(sum, ready, [&](int path, int, int slot) { work.run(path, begin + order[slot], update); });
      left = sum.total - ready;
      for_each_left(
          blocks, sum, ready, left, [&](int slot, int& item) { item = order[slot]; }, waiting);
      counts = shared + (shared + Shape::threads - counts);  // the other half: some warps may still read this one
    }
  }

 private:
  using Order = BlockOrder<Shape, Work::static_paths>;

  using Predicted = decltype(std::declval<Work const&>().predicted(0));

  __device__ __forceinline__ void predict(Order const& blocks, std::int64_t begin, int first, int items,
                                          Predicted (&predicted)[Shape::at_once]) const {
#pragma unroll
    for (int k = 0; k < Shape::at_once; ++k) {
      int const item = first + blocks.item(k);
      if (item < items) predicted[k] = work.predicted(begin + item);
    }
  }

  /// Calls action(slot, item) for up to 31 remaining items per path, from `first` of the path's lane on; one warp per
  /// path.
  template <class Action>
  __device__ __forceinline__ void for_each_left(Order const& blocks, typename Order::Lane const& sum, int first,
                                                int left, Action const& action, int* waiting) const {
    for (int path = blocks.warp(); path < work.paths; path += Shape::warps) {
      int const start = __shfl_sync(Order::all, sum.start, path);
      int const rank  = __shfl_sync(Order::all, first, path) + blocks.lane();
      if (blocks.lane() < __shfl_sync(Order::all, left, path))
        action(blocks.slot(path, start, rank), waiting[path * 32 + blocks.lane()]);
    }
  }
};

template <class Body>
__global__ __launch_bounds__(Body::threads,
                             RegroupTuning::resident_threads / Body::threads) void marching_kernel(Body const body) {
  extern __shared__ int koalesce_regroup_shared[];
  NoUpdate none;
  body.march(
      blockIdx.x, koalesce_regroup_shared, [] { __syncthreads(); }, none);
}

/// The number of items per block. The grid has a small multiple of the `resident` blocks, unless there are too few
/// items. Many paths need long stretches, so that the partial warps at the end do not matter.
inline std::int64_t stretch_of(std::int64_t items, int paths, std::int64_t resident, int round) {
  std::int64_t const long_enough = std::max<std::int64_t>(1024 * paths, round);
  std::int64_t const times       = std::clamp<std::int64_t>(items / (resident * long_enough), 1, 8);
  std::int64_t const fair        = (items + resident * times - 1) / (resident * times);
  return std::clamp<std::int64_t>((fair + 31) / 32 * 32, round, std::int64_t(1) << 30);
}

/// Whether blocks march in a kernel of our own; else, where they reduce or a functor is large, as Kokkos' teams.
template <class Shape, class Work, class Result>
inline constexpr bool marches_in_kernel =
    std::is_same_v<Result, NoResult> && sizeof(MarchingRegroup<Work, Shape>) < 4000;

template <class Shape, class Work, class Result>
void run_marching_in(Kokkos::Cuda const& exec, std::string const& label, Work const& work, Result& result) {
  using Body               = MarchingRegroup<Work, Shape>;
  int const shared         = Body::shared_bytes(work.paths);
  std::int64_t const cores = CudaDevice::of(exec).processors;
  auto const blocks        = [&](std::int64_t stretch) { return (work.items() + stretch - 1) / stretch; };
  if constexpr (marches_in_kernel<Shape, Work, Result>) {
    CudaKernel<Body const> const kernel(exec, label, marching_kernel<Body>, Shape::threads, shared,
                                        cudaSharedmemCarveoutDefault);
    auto const stretch = stretch_of(work.items(), work.paths, cores * kernel.blocks_per_processor(), Shape::round);
    kernel.launch(exec, blocks(stretch), Body{work, stretch});
  } else {
    auto const stretch =
        stretch_of(work.items(), work.paths, cores * RegroupTuning::resident_threads / Shape::threads, Shape::round);
    Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<Shape::threads, 1>, FunctorAsArgument> policy(
        exec, int(blocks(stretch)), Shape::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(shared + 16));
    for_or_reduce(label, policy, Body{work, stretch}, result);
  }
}

template <class Work, class Result>
void run_marching(Kokkos::Cuda const& exec, std::string const& label, Work const& work, Result& result) {
  // Kokkos leaves a team no more than 48 KiB, and takes some of them for its own reductions.
  constexpr bool is_team     = !marches_in_kernel<RegroupTuning::ManyPaths, Work, Result>;
  constexpr bool may_be_few  = is_team || Work::static_paths <= RegroupTuning::max_few_paths;
  constexpr bool may_be_many = !is_team && (Work::static_paths == 0 || !may_be_few);
  if constexpr (may_be_few)
    if (is_team || work.paths <= RegroupTuning::max_few_paths)
      return run_marching_in<RegroupTuning::FewPaths>(exec, label, work, result);
  if constexpr (may_be_many) run_marching_in<RegroupTuning::ManyPaths>(exec, label, work, result);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
