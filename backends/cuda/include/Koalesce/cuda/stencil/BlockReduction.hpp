// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_BLOCK_REDUCTION_HPP
#define KOALESCE_CUDA_STENCIL_BLOCK_REDUCTION_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/stencil/impl/JoinParts.hpp>
#include <Koalesce/stencil/impl/StencilReduction.hpp>

#include <cstring>

namespace Koalesce::Impl::CudaBackend {

/// The value of the lane `step` after the caller's, of any type.
template <class T>
__device__ __forceinline__ T shuffled_down(unsigned mask, T const& value, unsigned step) {
  constexpr int words = (int(sizeof(T)) + 3) / 4;
  unsigned word[words];
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < words; ++w) word[w] = __shfl_down_sync(mask, word[w], step);
  T result;
  memcpy(&result, word, sizeof(T));
  return result;
}

inline constexpr int max_warps = 32;

/// Shared memory that leave_block_part() takes.
template <class Reduction>
inline constexpr int reduction_bytes =
    std::is_same_v<Reduction, NoReduction> ? 0 : max_warps * int(sizeof(typename Reduction::Update));

__device__ __forceinline__ void leave_block_part(NoReduction const&, Pack<> const&) {}

/// Leaves the threads' results as one of the block's. All threads of the block call it.
template <class... Reducers>
__device__ __forceinline__ void leave_block_part(StencilReduction<Reducers...> const& reduction,
                                                 typename StencilReduction<Reducers...>::Update update) {
  using Reduction        = StencilReduction<Reducers...>;
  using Update           = typename Reduction::Update;
  unsigned const threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned const rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), lane = rank % 32;
  unsigned const lanes = min(32u, threads - (rank - lane)), mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
#pragma unroll
  for (unsigned step = 16; step > 0; step /= 2) {
    Update const other = shuffled_down(mask, update, step);
    if (lane + step < lanes) reduction.join(update, other);
  }

  __shared__ alignas(alignof(Update)) unsigned char bytes[reduction_bytes<Reduction>];
  auto* const of_warps = reinterpret_cast<Update*>(bytes);
  if (lane == 0) memcpy(&of_warps[rank / 32], &update, sizeof(Update));
  __syncthreads();
  if (rank > 0) return;
  for (unsigned warp = 1; warp < (threads + 31) / 32; ++warp) reduction.join(update, of_warps[warp]);
  reduction.leave(blockIdx.x + std::int64_t(gridDim.x) * (blockIdx.y + std::int64_t(gridDim.y) * blockIdx.z), update);
}

/// The blocks of a grid.
inline std::int64_t block_count(dim3 const& blocks) { return std::int64_t(blocks.x) * blocks.y * blocks.z; }

}  // namespace Koalesce::Impl::CudaBackend

#endif
