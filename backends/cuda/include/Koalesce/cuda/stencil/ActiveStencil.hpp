// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_ACTIVE_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_ACTIVE_STENCIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/CachedStencil.hpp>
#include <Koalesce/cuda/stencil/tile/TiledStencil.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>

#include <cstdint>
#include <string>

namespace Koalesce::Impl::CudaBackend {

inline constexpr int active_warps = 8;

/// A block a tile that has active points, a warp a word of their bits, a thread a point at a time, whose taps are read
/// from the fields through the caches.
/// \tparam Index  int, or std::int64_t for any strides.
template <class Work, class Index>
__global__ void __launch_bounds__(32 * active_warps) active_stencil_kernel(__grid_constant__ Work const work) {
  ActiveTile const tile = work.domain.tiles[blockIdx.x];
  auto update           = work.reduction.identity();
  for (int word = int(threadIdx.y); word < ActiveTileShape<Work::Order::rank>::words; word += active_warps)
    compute_active_point<Index>(work, tile, word, int(threadIdx.x), update);
  leave_block_part(work.reduction, update);
}

template <class Work>
void run_cached_active(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  auto* const kernel =
      can_be_cached(work) ? &active_stencil_kernel<Work, int> : &active_stencil_kernel<Work, std::int64_t>;
  std::string const name = kernel_label(Tag{}, label);
  dim3 const blocks(unsigned(work.domain.size));
  launch_and_join(exec, name, work, work.domain.size, [&](Work const& given) {
    CudaKernel<Work const>(exec, name, kernel, dim3(32, active_warps), 0, cudaSharedmemCarveoutMaxL1)
        .launch(exec, blocks, given);
  });
}

/// The width of register tiles that begin where tiles of active points do; 0: there are none.
template <class Work>
int active_width(Work const& work) {
  if (Work::Order::rank == 1 || !can_be_cached(work)) return 0;
  int const width = tile_width(work);
  bool const aligned =
      width > 1 && (shift_of(get<0>(work.in), width) + width - work.domain.first[2] % width) % width == 0;
  return width > 1 && !aligned ? 1 : width;
}

/// From registers where they hold a tile, else through the caches.
template <class Work>
void run_active_stencil(Kokkos::Cuda const& exec, std::string const& label, Work const& work) {
  int const width = active_width(work);
  if constexpr (Work::Order::rank > 1)
    if (width > 0) return run_tiled_stencil(exec, label, work, width);
  run_cached_active(exec, label, work);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
