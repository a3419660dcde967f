// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/cuda/Launch.hpp>
#include <Koalesce/cuda/PaceCounters.hpp>
#include <Koalesce/cuda/StencilKernels.hpp>
#include <Koalesce/cuda/StencilTuning.hpp>
#include <Koalesce/portable/Stencil.hpp>

#include <algorithm>
#include <string>

namespace Koalesce::Impl {

/// Runs a kernel with the best tile that fits on chip, or where none does (large elements, many fields) the portable
/// one.
template <class Kernel>
void run_cuda(Kokkos::Cuda const& exec, std::string const& label, typename Kernel::Work const& work) {
  using Tuning      = typename Kernel::Tuning;
  auto const device = CudaDevice::of(exec);
  auto grid = choose_tile<Tuning>(work.extents, Kernel::inner_y, Kernel::inner_x, Kernel::ry, Kernel::rx, Kernel::bytes,
                                  device.shared_bytes_a_block / Tuning::min_blocks);
  if (grid.tile_y == 0) return run_stencil(Backend::Portable{}, exec, label, work);

  CudaKernel<typename Kernel::Work const, StencilGrid const> const kernel(
      exec, kernel_label(Backend::Cuda{}, label), stencil_kernel<Kernel>, grid.threads(Tuning::points, Kernel::rx),
      Kernel::bytes(grid.tile_y, grid.tile_x));
  grid.pace.interval = std::max(1, Tuning::interval);
  grid.pace.resident = std::max(1, kernel.blocks_a_processor() * device.processors);
  choose_chunks(grid, work.extents[0], Kernel::planes_before, grid.pace.resident);

  // Short marches end before their blocks can drift apart.
  if (Tuning::interval > 0 && grid.chunk >= 32 && grid.blocks() >= grid.pace.resident / 2)
    grid.pace.counter = PaceCounters::next(exec);
  kernel.launch(exec, grid.blocks(), work, grid);
}

template <template <class, class, bool> class Kernel, template <class, bool> class Tuning, class Work>
void run_cuda_as_aligned(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  using Wide   = Kernel<Work, typename Tuning<Work, true>::type, true>;
  using Narrow = Kernel<Work, typename Tuning<Work, false>::type, false>;
  if (Wide::Readers::can_be_wide(work.in)) run_cuda<Wide>(exec, label, work);
  else run_cuda<Narrow>(exec, label, work);
}

template <class... WorkArgs>
void run_stencil(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label,
                 StencilWork<WorkArgs...> const& work) {
  if constexpr (is_linear<typename StencilWork<WorkArgs...>::Functor>)
    run_cuda_as_aligned<LinearKernel, LinearTuning>(exec, label, work);
  else run_cuda_as_aligned<QueueKernel, QueueTuning>(exec, label, work);
}

template <class... WorkArgs>
void run_stencil(Backend::Cuda, Kokkos::Cuda const& exec, std::string const& label,
                 StagedWork<WorkArgs...> const& work) {
  run_cuda_as_aligned<StagedKernel, StagedTuning>(exec, label, work);
}

}  // namespace Koalesce::Impl

#endif
