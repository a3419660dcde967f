// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_PLACE_HPP
#define KOALESCE_CUDA_STENCIL_TILE_PLACE_HPP

#include <Koalesce/cuda/runtime/VectorAccess.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// How threads cover the interior with tiles of points.
struct TileGrid {
  dim3 threads, blocks;
  int planes;         ///< that a thread marches through
  int shift;          ///< points by which the first tile of a row begins before the interior, for the sake of alignment
  bool wide_outputs;  ///< which are aligned as the inputs are
};

/// The calling thread's tile: `width` points in x of `rows` rows, taken through `planes` planes.
///
/// The last tile in y ends with the interior: of its rows those before `first_row` belong to another thread. In x a
/// tile may reach beyond the interior on either side.
struct TilePlace {
  std::int64_t z, y;
  int x;          ///< of the first point
  int extent_x;   ///< of the interior
  int planes;     ///< to march through; 0: no point of the tile is in the interior
  int first_row;  ///< of the tile's rows, that is its own
  bool whole;     ///< all its points in x are in the interior
  bool full;      ///< all its points are this thread's

  __device__ __forceinline__ TilePlace(TileGrid const& grid, Extents3 const& n, int width, int rows) {
    z = (std::int64_t(blockIdx.z) * blockDim.z + threadIdx.z) * grid.planes;
    y = (std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y) * rows;
    x = int((blockIdx.x * blockDim.x + threadIdx.x) * unsigned(width)) - grid.shift;

    extent_x = int(n[2]);
    planes   = z >= n[0] || y >= n[1] || x >= extent_x ? 0 : int(n[0] - z < grid.planes ? n[0] - z : grid.planes);
    whole    = x >= 0 && x + width <= extent_x;

    first_row = y + rows <= n[1] ? 0 : int(y + rows - n[1]);
    y -= first_row;
    full = width * rows == 1 || (whole && first_row == 0);
  }

  /// Whether row r and column c of the tile are a point of this thread's.
  __device__ __forceinline__ bool has(int r, int c) const {
    return r >= first_row && (whole || (x + c >= 0 && x + c < extent_x));
  }

  /// Writes the results of row r to `to`, the place of its first point.
  template <int width, class Out, class Result>
  __device__ __forceinline__ void store_row(int r, Out* to, Result const (&result)[width], bool wide) const {
    if (r < first_row) return;
    if constexpr (width > 1 && is_vector_size<width * sizeof(Out)>) {
      if (whole && wide) {
        Out out[width];
#pragma unroll
        for (int c = 0; c < width; ++c) out[c] = result[c];
        return store_vector<width>(to, out);
      }
    }
#pragma unroll
    for (int c = 0; c < width; ++c)
      if (has(r, c)) to[c] = result[c];
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
