// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_CACHED_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_CACHED_STENCIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/BlockShape.hpp>
#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace Koalesce::Impl::CudaBackend {

/// Without a queue: one thread per point reads its taps from the fields through the caches. Many threads hide latencies
/// better than few threads with several points each, which pays if a point takes much arithmetic.
template <class Work>
__global__ void __launch_bounds__(cached_stencil_threads)
    cached_stencil_kernel(__grid_constant__ Work const work, dim3 const each) {
  WorkBlock const part(work, each);
  auto const& block = in_block(work, part.number);
  int const x = int(part.place.x * blockDim.x + threadIdx.x), y = int(part.place.y * blockDim.y + threadIdx.y),
            z = int(part.place.z * blockDim.z + threadIdx.z);
  auto update = work.reduction.identity();
  if (x < int(work.extents[2]) && y < int(work.extents[1]) && z < int(work.extents[0]))
    compute_cached_point(block, z, y, x, update);
  leave_block_part(work.reduction, update);
}

/// The same for any strides and extents.
template <class Work>
__global__ void __launch_bounds__(cached_stencil_threads)
    strided_stencil_kernel(__grid_constant__ Work const work, dim3 const each) {
  WorkBlock const part(work, each);
  auto const& block = in_block(work, part.number);
  auto const& n     = work.extents;
  auto update       = work.reduction.identity();
  auto const thread = [](unsigned block, unsigned threads, unsigned number) {
    return std::int64_t(block) * threads + number;
  };
  for (auto z = thread(part.place.z, blockDim.z, threadIdx.z); z < n[0]; z += thread(each.z, blockDim.z, 0))
    for (auto y = thread(part.place.y, blockDim.y, threadIdx.y); y < n[1]; y += thread(each.y, blockDim.y, 0))
      for (auto x = thread(part.place.x, blockDim.x, threadIdx.x); x < n[2]; x += thread(each.x, blockDim.x, 0))
        compute_cached_point(block, z, y, x, update);
  leave_block_part(work.reduction, update);
}

/// The grid: blocks with long rows of threads.
struct CachedStencilGrid {
  dim3 threads, blocks;
  bool fits;  ///< whether there is a thread for every point, and 32 bits can number them in each dimension

  explicit CachedStencilGrid(Extents3 const& n) {
    threads          = block_shape(n, cached_stencil_threads, cached_stencil_row);
    auto const count = [](std::int64_t extent, unsigned size) { return (extent + size - 1) / size; };
    // CUDA numbers up to 65535 blocks in y and z.
    constexpr std::int64_t max_blocks = 65535, max_blocks_x = (std::int64_t(1) << 31) / cached_stencil_threads - 1;
    blocks = dim3(unsigned(std::min(count(n[2], threads.x), max_blocks_x)),
                  unsigned(std::min(count(n[1], threads.y), max_blocks)),
                  unsigned(std::min(count(n[0], threads.z), max_blocks)));
    fits   = std::int64_t(blocks.x) * threads.x >= n[2] && std::int64_t(blocks.y) * threads.y >= n[1] &&
           std::int64_t(blocks.z) * threads.z >= n[0];
  }
};

/// Whether a work can run with indices of 32 bits: the tiles in registers ask for that, too.
template <class Work>
bool can_be_cached(Work const& work) {
  return CachedStencilGrid(work.extents).fits && has_short_strides(work);
}

template <class Work>
void run_cached_stencil(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  CachedStencilGrid const grid(work.extents);
  auto* const kernel     = can_be_cached(work) ? &cached_stencil_kernel<Work> : &strided_stencil_kernel<Work>;
  std::string const name = kernel_label(Tag{}, label);
  dim3 const blocks      = grid_of_blocks(label, work, grid.blocks);
  launch_and_join(exec, name, work, block_count(blocks), [&](Work const& given) {
    CudaKernel<Work const, dim3 const>(exec, name, kernel, grid.threads, 0, cudaSharedmemCarveoutMaxL1)
        .launch(exec, blocks, given, grid.blocks);
  });
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
