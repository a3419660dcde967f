// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_ACTIVE_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_ACTIVE_STENCIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/CachedStencil.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>

#include <cstdint>
#include <string>

namespace Koalesce::Impl::CudaBackend {

inline constexpr int active_warps = 8;

/// A block a tile that has active points, a warp a word of their bits: threads march through the tile's planes, and
/// read their taps from the fields through the caches.
/// \tparam Index  int, or std::int64_t for any strides.
template <class Work, class Index>
__global__ void __launch_bounds__(32 * active_warps) active_stencil_kernel(__grid_constant__ Work const work) {
  using Shape           = ActiveTileShape<Work::Order::rank>;
  ActiveTile const tile = work.domain.tiles[blockIdx.x];
  auto update           = work.reduction.identity();
  auto const& first     = work.domain.first;
  Extents3 const p      = Shape::place(tile, int(threadIdx.y));
  Extents3 const next   = Shape::place(tile, int(threadIdx.y) + active_warps);
  auto const z = p[0] - first[0], y = p[1] - first[1], x = p[2] - first[2] + threadIdx.x;
  auto const dz = next[0] - p[0], dx = next[2] - p[2];
  // A tile without checks has only active points, all of them in the work.
  Extents3 const from = Shape::place(tile, 0), &n = work.extents;
  bool inside = tile.whole;
  for (int c = 0; c < 3; ++c)
    inside = inside && from[c] >= first[c] && from[c] + Shape::extents[c] <= first[c] + n[c];
  if (inside) {
#pragma unroll 4
    for (int k = 0; k < Shape::words / active_warps; ++k)
      compute_cached_point(work, Index(z + k * dz), Index(y), Index(x + k * dx), update);
  } else {
    for (int word = int(threadIdx.y); word < Shape::words; word += active_warps)
      compute_active_point<Index>(work, tile, word, int(threadIdx.x), update);
  }
  leave_block_part(work.reduction, update);
}

template <class Work>
void run_active_stencil(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  auto* const kernel =
      can_be_cached(work) ? &active_stencil_kernel<Work, int> : &active_stencil_kernel<Work, std::int64_t>;
  std::string const name = kernel_label(Tag{}, label);
  dim3 const blocks(unsigned(work.domain.size));
  launch_and_join(exec, name, work, work.domain.size, [&](Work const& given) {
    CudaKernel<Work const>(exec, name, kernel, dim3(32, active_warps), 0, cudaSharedmemCarveoutMaxL1)
        .launch(exec, blocks, given);
  });
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
