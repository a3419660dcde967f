// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_BLOCK_PLACE_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_BLOCK_PLACE_HPP

#include <Koalesce/cuda/stencil/queue/StencilGrid.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// The calling thread's block and its place in it.
struct BlockPlace {
  std::int64_t z, y, x;  ///< the block's first point
  int planes;            ///< planes that the block computes
  int ty, tx;            ///< the thread's first point in the tile
  bool active;           ///< the thread has points in the tile

  __device__ __forceinline__ BlockPlace(unsigned number, StencilGrid const& grid, Extents3 const& extents, int points) {
    std::int64_t const block = number;
    x                        = block % grid.tiles_x * grid.step_x;
    y                        = block / grid.tiles_x % grid.tiles_y * grid.step_y;
    z                        = block / grid.tiles_x / grid.tiles_y * grid.chunk;
    planes                   = int(grid.chunk < extents[0] - z ? grid.chunk : extents[0] - z);
    ty                       = int(threadIdx.x) / grid.tile_x * points;
    tx                       = int(threadIdx.x) % grid.tile_x;
    active                   = ty < grid.tile_y;
  }

  /// The number of the thread's rows in the interior, at most `points`; 0 if its column is outside.
  __device__ __forceinline__ int height(Extents3 const& extents, int points) const {
    std::int64_t const rows = extents[1] - y - ty;
    if (!active || x + tx >= extents[2] || rows <= 0) return 0;
    return rows < points ? int(rows) : points;
  }
};

/// The slot after `slot` in the plane queue.
template <int Slots>
__device__ __forceinline__ int next_slot(int slot) {
  return slot + 1 == Slots ? 0 : slot + 1;
}

/// Computes the values of a thread's points first to last - 1 and then stores them. No store stands between the
/// computations, so the compiler reads taps that neighboring points share only once.
/// \param[in] value  value(p, all): `all`, a constant, says that all points are computed, with constant p.
template <int Points, class Value, class Store>
__device__ __forceinline__ void compute_points(int first, int last, Value const& value, Store const& store) {
  if (first == 0 && last == Points) {
    decltype(value(0, std::true_type{})) results[Points];
#pragma unroll
    for (int p = 0; p < Points; ++p) results[p] = value(p, std::true_type{});
#pragma unroll
    for (int p = 0; p < Points; ++p) store(p, results[p]);
  } else {
#pragma unroll 1
    for (int p = first; p < last; ++p) store(p, value(p, std::false_type{}));
  }
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
