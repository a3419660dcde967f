// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_QUEUED_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_QUEUED_STENCIL_HPP

#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/CachedStencil.hpp>
#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/cuda/stencil/queue/ColumnKernel.hpp>
#include <Koalesce/cuda/stencil/queue/LinearKernel.hpp>
#include <Koalesce/cuda/stencil/queue/PaceCounters.hpp>
#include <Koalesce/cuda/stencil/queue/QueueKernel.hpp>
#include <Koalesce/cuda/stencil/queue/StagedKernel.hpp>
#include <Koalesce/portable/stencil/QueuedStencil.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>

#include <algorithm>
#include <string>
#include <tuple>

namespace Koalesce::Impl::CudaBackend {

/// The __global__ function for kernels that are written as types.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::Tuning::threads, Kernel::Tuning::min_blocks)
    stencil_kernel(__grid_constant__ typename Kernel::Work const work, __grid_constant__ StencilGrid const grid) {
  Kernel::run(work, grid);
}

/// The driver leaves to L1 what blocks do not need of shared memory. Rows that begin anywhere are read through it: 27
/// points fp64 of 767 x 513 x 301 take 0.61 ms on an H200, and 0.66 with all of L1 as shared memory; the same for
/// 768^3.
template <class Kernel>
auto stencil_launch(Kokkos::Cuda const& exec, std::string const& label, StencilGrid const& grid) {
  return CudaKernel<typename Kernel::Work const, StencilGrid const>(
      exec, kernel_label(Tag{}, label), stencil_kernel<Kernel>, grid.threads(Kernel::Tuning::points, Kernel::rx),
      Kernel::bytes(grid.tile_y, grid.tile_x), cudaSharedmemCarveoutDefault);
}

/// The grid of a kernel for these extents; tile_y = 0 if no tile fits on chip.
template <class Kernel>
StencilGrid make_grid(Kokkos::Cuda const& exec, std::string const& label, Extents3 const& extents,
                      std::int64_t blocks) {
  using Tuning      = typename Kernel::Tuning;
  auto const device = CudaDevice::of(exec);
  auto grid         = choose_tile<Tuning>(
      extents, Kernel::inner_y, Kernel::inner_x, Kernel::ry, Kernel::rx, Kernel::bytes,
      device.shared_bytes_per_block / Tuning::min_blocks - reduction_bytes<typename Kernel::Work::Reduction>);
  if (grid.tile_y == 0) return grid;
  grid.pace.interval = std::max(1, Tuning::interval);
  grid.pace.resident =
      std::max(1, stencil_launch<Kernel>(exec, label, grid).blocks_per_processor() * device.processors);
  choose_chunks(grid, extents[0], Kernel::planes_before, std::max<std::int64_t>(1, grid.pace.resident / blocks));
  return grid;
}

/// Runs a stencil for which no tile fits on chip, because elements are large or fields are many.
template <class... WorkArgs>
void run_without_queue(Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  run_cached_stencil(exec, label, work);
}

template <class... WorkArgs>
void run_without_queue(Kokkos::Cuda const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  PortableBackend::run_queued_stencil(Backend::Portable{}, exec, label, work);
}

/// Runs a kernel with the best tile that fits on chip.
template <class Kernel>
void run_queue(Kokkos::Cuda const& exec, std::string const& label, typename Kernel::Work const& work) {
  // Cached, because the choice takes as long as a small stencil. A few sizes alternate in multigrid methods.
  thread_local RecentValues<std::tuple<int, std::int64_t, Extents3>, StencilGrid, 8> recent;
  std::int64_t const blocks = work.domain.blocks();
  auto grid                 = recent.get({exec.cuda_device(), blocks, work.extents},
                                         [&] { return make_grid<Kernel>(exec, label, work.extents, blocks); });
  if (grid.tile_y == 0) return run_without_queue(exec, label, work);

  // Blocks without active points would make the others wait.
  if (!has_active_points<typename Kernel::Work> && Kernel::Tuning::interval > 0 && grid.chunk >= min_paced_planes &&
      grid.blocks() * blocks >= grid.pace.resident / 2)
    grid.pace.counter = PaceCounters::next(exec);
  dim3 const all = grid_of_blocks(label, work, dim3(unsigned(grid.blocks())));
  launch_and_join(exec, kernel_label(Tag{}, label), work, all.x, [&](typename Kernel::Work const& given) {
    stencil_launch<Kernel>(exec, label, grid).launch(exec, all, given, grid);
  });
}

/// Whether rows, in all blocks, can be read several points at a time.
template <class Wide>
bool has_wide_rows(typename Wide::Work const& work) {
  bool whole = true;
  if constexpr (has_blocks<typename Wide::Work>)
    for_each(work.domain.in, [&](auto const& places, auto) { whole = whole && places.whole; });
  return whole && Wide::Readers::can_be_wide(work.in);
}

/// \tparam Wide, Narrow  kernels for fields whose rows can be read several points at a time, and for others.
template <class Wide, class Narrow>
void run_as_aligned(Kokkos::Cuda const& exec, std::string const& label, typename Wide::Work const& work) {
  if (has_wide_rows<Wide>(work)) run_queue<Wide>(exec, label, work);
  else run_queue<Narrow>(exec, label, work);
}

template <class Work, bool wide>
using ColumnQueue = ColumnKernel<Work, typename ColumnTuning<Work, wide>::type, wide>;
template <class Work, bool wide>
using LinearQueue = LinearKernel<Work, typename LinearTuning<Work, wide>::type, wide>;
template <class Work, bool wide>
using PlaneQueue = QueueKernel<Work, typename QueueTuning<Work, wide>::type, wide>;
template <class Work, bool wide>
using StagedQueue = StagedKernel<Work, typename StagedTuning<Work, wide>::type, wide>;

/// A sweep from the queue of planes, or a composite's. Where rows are copied point by point, partial sums are faster
/// than columns.
template <class... WorkArgs>
void run_queued_stencil(Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  using Work               = StencilWork<WorkArgs...>;
  constexpr bool is_sum    = is_linear<typename Work::Functor>;
  constexpr bool by_column = takes_columns<Work>;
  if constexpr (by_column && is_sum)
    run_as_aligned<ColumnQueue<Work, true>, LinearQueue<Work, false>>(exec, label, work);
  else if constexpr (by_column) run_as_aligned<ColumnQueue<Work, true>, ColumnQueue<Work, false>>(exec, label, work);
  else if constexpr (is_sum) run_as_aligned<LinearQueue<Work, true>, LinearQueue<Work, false>>(exec, label, work);
  else run_as_aligned<PlaneQueue<Work, true>, PlaneQueue<Work, false>>(exec, label, work);
}

template <class... WorkArgs>
void run_queued_stencil(Kokkos::Cuda const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  using Work = StagedWork<WorkArgs...>;
  run_as_aligned<StagedQueue<Work, true>, StagedQueue<Work, false>>(exec, label, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
