// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_PLACE_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_PLACE_HPP

#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// How threads cover the interior with tiles of points.
struct TileGrid {
  dim3 threads, blocks;
  int shift;         ///< points by which the first tile of a row begins before the interior, for the sake of alignment
  bool wide_points;  ///< outputs, and inputs read at the point alone, are aligned as the other inputs are
};

/// The calling thread's tile: `width` points in x of `rows` rows in `planes` planes.
struct TilePlace {
  std::int64_t z, y;
  int x;        ///< of the first point
  bool inside;  ///< all its points are in the interior

  __device__ __forceinline__ TilePlace(unsigned block_x, TileGrid const& grid, Extents3 const& n, int width, int rows,
                                       int planes) {
    z = (std::int64_t(blockIdx.z) * blockDim.z + threadIdx.z) * planes;
    y = (std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y) * rows;
    x = int((block_x * blockDim.x + threadIdx.x) * unsigned(width)) - grid.shift;

    inside = z + planes <= n[0] && y + rows <= n[1] && (width == 1 || x >= 0) && x + width <= int(n[2]);
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
