// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_WORK_BLOCK_HPP
#define KOALESCE_CUDA_STENCIL_WORK_BLOCK_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// The calling thread block's part: a block of the work, and the thread block's place within that.
struct WorkBlock {
  unsigned number = 0;
  dim3 place;

  /// \param[in] each  thread blocks that a block of the work has.
  template <class Work>
  __device__ __forceinline__ WorkBlock(Work const&, dim3 const& each) : place(blockIdx) {
    if constexpr (has_blocks<Work>) {
      // Those of one block follow each other, so that they find their halos in L2.
      unsigned const rows = blockIdx.x / each.x, planes = rows / each.y;
      number  = planes / each.z;
      place.x = blockIdx.x - rows * each.x;
      place.y = rows - planes * each.y;
      place.z = planes - number * each.z;
    }
  }
};

/// A grid that runs these thread blocks for every block of a work; throws if CUDA cannot number them.
template <class Work>
dim3 grid_of_blocks(std::string const& label, Work const& work, dim3 const& each) {
  if constexpr (!has_blocks<Work>) {
    return each;
  } else {
    constexpr std::int64_t most = (std::int64_t(1) << 31) - 1;
    double const all            = double(each.x) * each.y * each.z * double(work.domain.blocks());
    if (all > double(most))
      fail(call_text(Work::Reduction::function, label), work.domain.blocks(), " blocks take ", all,
           " thread blocks, but CUDA numbers up to ", most, " in a row; run fewer blocks at a time");
    return dim3(unsigned(all));
  }
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
