// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_REDUCE_LINES_HPP
#define KOALESCE_CUDA_SHADOW_REDUCE_LINES_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/portable/shadow/ReduceLines.hpp>

namespace Koalesce::Impl::CudaBackend {

using PortableBackend::run_line_reduction;

}  // namespace Koalesce::Impl::CudaBackend

#endif
