// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_WORK_BLOCK_HPP
#define KOALESCE_CUDA_STENCIL_WORK_BLOCK_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// The calling thread block's part: a block of the work, and the thread block's number, in x, within that.
struct WorkBlock {
  unsigned number = 0, x;

  template <class Work>
  __device__ __forceinline__ explicit WorkBlock(Work const& work) : x(blockIdx.x) {
    if constexpr (has_blocks<Work>) {
      unsigned const each = gridDim.x / unsigned(work.domain.blocks());
      number              = x / each;
      x -= number * each;
    }
  }
};

/// A grid that runs so many thread blocks, in x, for every block of a work; throws if CUDA cannot number them.
template <class Work>
dim3 grid_of_blocks(std::string const& label, Work const& work, dim3 blocks) {
  std::int64_t const x = std::int64_t(blocks.x) * work.domain.blocks(), most = (std::int64_t(1) << 31) - 1;
  if (x > most)
    fail(call_text("Koalesce::parallel_stencil", label), work.domain.blocks(), " blocks take ", x,
         " thread blocks in a row, but CUDA numbers up to ", most, "; run fewer blocks at a time");
  blocks.x = unsigned(x);
  return blocks;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
