// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_PLACE_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_PLACE_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

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

  __device__ __forceinline__ static TilePlace of(dim3 const& block, TileGrid const& grid, Extents3 const& n, int width,
                                                 int rows, int planes) {
    TilePlace at;
    at.z      = (std::int64_t(block.z) * blockDim.z + threadIdx.z) * planes;
    at.y      = (std::int64_t(block.y) * blockDim.y + threadIdx.y) * rows;
    at.x      = int((block.x * blockDim.x + threadIdx.x) * unsigned(width)) - grid.shift;
    at.inside = at.z + planes <= n[0] && at.y + rows <= n[1] && (width == 1 || at.x >= 0) && at.x + width <= int(n[2]);
    return at;
  }

  /// The same in a tile of active points, which a block of threads takes, or part of it.
  template <class Work>
  __device__ __forceinline__ static TilePlace in_active(ActiveTile const& tile, Work const& work, int width, int rows,
                                                        int planes) {
    auto const first = ActiveTileShape<Work::Order::rank>::place(tile, 0);
    auto const& box  = work.domain.first;
    auto const& n    = work.extents;
    TilePlace at;
    at.z      = first[0] - box[0] + std::int64_t(blockIdx.z * blockDim.z + threadIdx.z) * planes;
    at.y      = first[1] - box[1] + std::int64_t(threadIdx.y) * rows;
    at.x      = int(first[2] - box[2]) + int(threadIdx.x) * width;
    at.inside = at.z >= 0 && at.z + planes <= n[0] && at.y >= 0 && at.y + rows <= n[1] && at.x >= 0 &&
                at.x + width <= int(n[2]);
    return at;
  }
};

/// Which points of a thread's tile are computed, by plane, row and column: all of them.
struct AllPoints {
  __device__ constexpr bool operator()(int, int, int) const { return true; }
};

/// Or some, with a bit each.
template <int width, int rows, int planes>
struct SomePoints {
  static_assert(width * rows * planes <= 64);

  std::uint64_t bits = ~std::uint64_t(0);

  __device__ __forceinline__ bool operator()(int plane, int row, int column) const {
    return bits >> ((plane * rows + row) * width + column) & 1;
  }

  /// \param[in] at  all columns lie in one word.
  template <class Work>
  __device__ __forceinline__ static SomePoints of(ActiveTile const& tile, Work const& work, TilePlace const& at) {
    SomePoints some;
    if (tile.whole || !at.inside) return some;
    some.bits         = 0;
    auto const& first = work.domain.first;
    auto const x      = at.x + first[2];
#pragma unroll
    for (int m = 0; m < planes; ++m)
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const word = work.domain.word(at.z + m + first[0], at.y + r + first[1], x / 32);
        some.bits |= std::uint64_t(word >> (x % 32) & ((1u << width) - 1)) << ((m * rows + r) * width);
      }
    return some;
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
