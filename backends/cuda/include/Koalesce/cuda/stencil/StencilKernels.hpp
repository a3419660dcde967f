// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STENCIL_KERNELS_HPP
#define KOALESCE_CUDA_STENCIL_STENCIL_KERNELS_HPP

#include <Koalesce/cuda/stencil/LinearKernel.hpp>
#include <Koalesce/cuda/stencil/QueueKernel.hpp>
#include <Koalesce/cuda/stencil/StagedKernel.hpp>

namespace Koalesce::Impl::CudaBackend {

/// The __global__ function for kernels that are written as types.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::Tuning::threads, Kernel::Tuning::min_blocks)
    stencil_kernel(__grid_constant__ typename Kernel::Work const work, __grid_constant__ StencilGrid const grid) {
  Kernel::run(work, grid);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
