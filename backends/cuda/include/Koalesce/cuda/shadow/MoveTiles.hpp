// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_MOVE_TILES_HPP
#define KOALESCE_CUDA_SHADOW_MOVE_TILES_HPP

#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// Moves `count` tiles from `first` on, from the source through shared memory to the destination and the sink. While a
/// block writes one tile, it loads the next. \param[in] barrier barrier() synchronizes the block.
template <class Tile, class Sink, class Barrier>
__device__ __forceinline__ void move_tiles(TransposeWork<typename Tile::Element> const& work,
                                           typename Tile::Plan const& plan, std::int64_t first, int count, void* shared,
                                           int thread, Sink const& sink, Barrier const& barrier) {
  std::int64_t const end = min(first + count, plan.size());
  typename Tile::Loaded loaded;
  {
    Tile const tile(work, plan, plan.grid.tile(std::uint32_t(first)), shared, thread);
    tile.load(loaded);
    tile.put(loaded);
  }
#pragma unroll 1
  for (std::int64_t t = first; t < end; ++t) {
    barrier();
    if (t + 1 < end) Tile(work, plan, plan.grid.tile(std::uint32_t(t + 1)), shared, thread).load(loaded);
    Tile(work, plan, plan.grid.tile(std::uint32_t(t)), shared, thread).write(sink);
    barrier();
    if (t + 1 < end) Tile(work, plan, plan.grid.tile(std::uint32_t(t + 1)), shared, thread).put(loaded);
  }
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
