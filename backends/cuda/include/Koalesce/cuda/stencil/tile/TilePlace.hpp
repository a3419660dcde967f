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
  int z, y, x;     ///< of the first point
  int begin, end;  ///< columns that lie in the interior's rows; the end may come after the tile's
  bool inside;     ///< all its points are in the interior

  /// A column of the tile, or the nearest one in the interior.
  __device__ __forceinline__ int inner(int c) const { return c < begin ? begin : c >= end ? end - 1 : c; }

  /// Where that lies.
  __device__ __forceinline__ std::int64_t column(int c) const { return std::int64_t(x) + inner(c); }

  __device__ __forceinline__ static TilePlace of(dim3 const& block, TileGrid const& grid, Extents3 const& n, int width,
                                                 int rows, int planes) {
    TilePlace at;
    at.z      = int(block.z * blockDim.z + threadIdx.z) * planes;
    at.y      = int(block.y * blockDim.y + threadIdx.y) * rows;
    at.x      = int((block.x * blockDim.x + threadIdx.x) * unsigned(width)) - grid.shift;
    at.begin  = width > 1 && at.x < 0 ? -at.x : 0;
    at.end    = int(n[2]) - at.x;
    at.inside = at.z + planes <= int(n[0]) && at.y + rows <= int(n[1]) && (width == 1 || at.x >= 0) &&
                at.x + width <= int(n[2]);
    return at;
  }

  /// The same tile, whose columns are known to lie in the interior.
  __device__ __forceinline__ TilePlace whole(int width) const { return {z, y, x, 0, width, inside}; }

  /// The same in a tile of active points, which a block of threads takes, or part of it.
  template <class Work>
  __device__ __forceinline__ static TilePlace in_active(ActiveTile const& tile, Work const& work, int width, int rows,
                                                        int planes) {
    auto const first = ActiveTileShape<Work::Order::rank>::place(tile, 0);
    auto const& box  = work.domain.first;
    auto const& n    = work.extents;
    TilePlace at;
    at.z      = int(first[0] - box[0]) + int(blockIdx.z * blockDim.z + threadIdx.z) * planes;
    at.y      = int(first[1] - box[1]) + int(threadIdx.y) * rows;
    at.x      = int(first[2] - box[2]) + int(threadIdx.x) * width;
    at.inside = at.z >= 0 && at.z + planes <= int(n[0]) && at.y >= 0 && at.y + rows <= int(n[1]) && at.x >= 0 &&
                at.x + width <= int(n[2]);
    return at;
  }
};

/// Where a tile's neighbors lie in memory: around it.
struct PlacesAround {
  static constexpr bool goes_beyond = false, copies = false;

  /// The first point of a row.
  /// \param[in] from        the tile's first point.
  /// \param[in] plane, row  elements from one to the next.
  template <class T>
  __device__ __forceinline__ T const* row(T const* from, int z, int y, std::int64_t plane, std::int64_t row) const {
    return from + z * plane + y * row;
  }

  /// What is at a point, of the value that has been read.
  template <class T>
  __device__ __forceinline__ T value(int, int, int, T value) const {
    return value;
  }
};

/// The same of a tile that goes beyond the ends of the interior's rows. In the field's first and last row there may be
/// no memory, and columns within reach of these stand in.
struct PlacesBeyond : PlacesAround {
  static constexpr bool goes_beyond = true;

  int begin, end;

  __device__ constexpr PlacesBeyond(int first, int last) : begin(first), end(last) {}
};

/// Which points of a thread's tile are computed, by plane, row and column, and how they are stored, in whole rows or
/// one by one: all of them.
struct AllPoints {
  bool wide;  ///< rows can be stored at once

  /// \tparam input  its number.
  /// \tparam rx  how far it is read in x.
  template <int input, int rx>
  __device__ static constexpr PlacesAround places(TilePlace const&) {
    return {};
  }

  __device__ constexpr bool has_whole_rows(bool aligned) const { return aligned; }
  __device__ constexpr bool computes(int, int, int) const { return true; }
  __device__ constexpr bool stores_row(int, int) const { return wide; }
  __device__ constexpr bool stores_point(int, int, int) const { return !wide; }
};

/// Or all, of which those are stored that no other tile stores. A tile beyond the last plane or row is moved back to
/// end with it; one of several points in x, which is bound to its places in memory, goes beyond the ends of a row.
template <int width, int rows, int planes>
struct OwnPoints {
  int plane, row;  ///< the first of both
  bool whole;      ///< all columns are stored, at once
  int begin, end;  ///< or these, one by one

  template <int input, int rx>
  __device__ static constexpr auto places(TilePlace const& at) {
    if constexpr (width > 1) return PlacesBeyond(at.begin, at.end);
    else return PlacesAround();
  }
  __device__ constexpr bool has_whole_rows(bool) const { return whole; }
  __device__ constexpr bool computes(int, int, int) const { return true; }
  __device__ __forceinline__ bool stores_row(int m, int r) const { return has_row(m, r) && whole; }
  __device__ __forceinline__ bool stores_point(int m, int r, int c) const {
    return has_row(m, r) && (width == 1 || (c >= begin && c < end));
  }

  /// Moves a tile of which a point lies in the work.
  __device__ __forceinline__ static OwnPoints of(TilePlace& at, Extents3 const& n, bool wide) {
    OwnPoints own{0, 0, true, 0, 0};
    if (!wide || at.x < 0 || at.x + width > int(n[2])) {
      own.whole = false;
      own.begin = at.begin;
      own.end   = at.end;
    }
    if (at.z + planes > int(n[0])) own.plane = at.z + planes - int(n[0]);
    if (at.y + rows > int(n[1])) own.row = at.y + rows - int(n[1]);
    at.z -= own.plane;
    at.y -= own.row;
    return own;
  }

 private:
  __device__ __forceinline__ bool has_row(int m, int r) const {
    return (m == planes - 1 || m >= plane) && (r == rows - 1 || r >= row);
  }
};

/// Or some, with a bit each.
template <int width, int rows, int planes>
struct SomePoints {
  static_assert(width * rows * planes <= 64);

  std::uint64_t bits = ~std::uint64_t(0);

  template <int input, int rx>
  __device__ static constexpr PlacesAround places(TilePlace const&) {
    return {};
  }
  __device__ constexpr bool has_whole_rows(bool aligned) const { return aligned; }
  __device__ __forceinline__ bool computes(int plane, int row, int column) const {
    return bits >> ((plane * rows + row) * width + column) & 1;
  }
  __device__ constexpr bool stores_row(int, int) const { return false; }
  __device__ __forceinline__ bool stores_point(int m, int r, int c) const { return computes(m, r, c); }

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
