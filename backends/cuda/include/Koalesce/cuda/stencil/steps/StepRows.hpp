// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEP_ROWS_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEP_ROWS_HPP

#include <Koalesce/cuda/runtime/VectorAccess.hpp>

#include <algorithm>
#include <cstring>

namespace Koalesce::Impl::CudaBackend {

/// The part of a plane that a thread of a fused sweep computes: `width` points in x of `rows` rows. Warps are rows of
/// 32 threads; `warps` of them, one behind the other in y, share a tile.
template <int Width, int Rows, int Warps>
struct StepsTile {
  static constexpr int width = Width, rows = Rows, warps = Warps;
};

/// Points that one instruction reads or writes.
template <class T, int width>
inline constexpr int step_vector = std::min(width, std::max(1, 16 / int(sizeof(T))));

/// Neighboring points in shared memory.
template <class T, int width>
__device__ __forceinline__ void read_points(T (&to)[width], T const* from) {
  constexpr int vector = step_vector<T, width>;
  using Vector         = typename CudaVector<vector* int(sizeof(T))>::type;
#pragma unroll
  for (int c = 0; c < width; c += vector) {
    Vector const v = *reinterpret_cast<Vector const*>(from + c);
    memcpy(to + c, &v, sizeof(v));
  }
}
template <class T, int width>
__device__ __forceinline__ void write_points(T* to, T const (&from)[width]) {
  constexpr int vector = step_vector<T, width>;
#pragma unroll
  for (int c = 0; c < width; c += vector) store_vector<vector>(to + c, from + c);
}

/// A value of the thread so many lanes before (direction -1) or after (1) this one; at a warp's end any will do.
template <int direction, class T>
__device__ __forceinline__ T shuffle_points(T const& value, unsigned lanes) {
  constexpr int words = int(sizeof(T)) / 4;
  unsigned parts[words];
  memcpy(parts, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i)
    parts[i] = direction < 0 ? __shfl_up_sync(~0u, parts[i], lanes) : __shfl_down_sync(~0u, parts[i], lanes);
  T result;
  memcpy(&result, parts, sizeof(T));
  return result;
}

/// The value at column x of a row of which each thread has `width` points.
template <int x, class T, int width>
__device__ __forceinline__ T point_in_row(T const (&row)[width]) {
  constexpr int lanes = (x + 64 * width) / width - 64, c = (x + 64 * width) % width;
  if constexpr (lanes == 0) return row[c];
  else if constexpr (lanes < 0) return shuffle_points<-1>(row[c], unsigned(-lanes));
  else return shuffle_points<1>(row[c], unsigned(lanes));
}

/// Where the warps of a tile find each other's rows: of the first level in the planes that arrive, if they are there
/// long enough, and of the others, where each leaves what its neighbors read.
/// \tparam slots           planes of a level whose rows are left at a time.
/// \tparam SharesArrivals  whether nothing is left of the first level.
template <class T, class Tile, int ry, int depth, int slots, bool SharesArrivals>
struct StepRows {
  static constexpr int width = Tile::width, rows = Tile::rows;

  static constexpr int edges       = std::min(rows, 2 * ry);  ///< rows of a warp that others read
  static constexpr int row_points  = 32 * width;
  static constexpr int slot_points = (Tile::warps * edges + 2 * ry) * row_points;  ///< with rows around the tile

  static constexpr bool shares_arrivals = SharesArrivals;
  static constexpr int first_left       = shares_arrivals ? 1 : 0;  ///< the first level of which rows are left
  static constexpr int bytes            = (depth - first_left) * slots * slot_points * int(sizeof(T));

  /// Of a plane that arrives; where rows are shared, with those around the tile.
  static constexpr int arrival_points = (Tile::warps * rows + (shares_arrivals ? 2 * ry : 0)) * row_points;

  using Points = T[rows][width];  ///< a thread's, of one plane

  /// Where the thread's points of the first plane that arrives begin.
  __device__ __forceinline__ static int arrival_place() {
    return ((shares_arrivals ? ry : 0) + int(threadIdx.y) * rows) * row_points + int(threadIdx.x) * width;
  }

  KOKKOS_FUNCTION static constexpr bool is_own(int y) { return y >= 0 && y < rows; }

  /// Where the rows of a level's plane that the warp leaves begin for this thread. Those of its neighbors lie around
  /// them.
  __device__ __forceinline__ static int edges_place(int level, int slot) {
    return ((level - first_left) * slots + slot) * slot_points + (ry + int(threadIdx.y) * edges) * row_points +
           int(threadIdx.x) * width;
  }

  /// Leaves the rows of a level's plane that other warps read.
  __device__ __forceinline__ static void leave_edges(T* shared, int level, int slot, Points const& points) {
    if constexpr (edges > 0) {
      if (level < first_left) return;
      T* const to = shared + edges_place(level, slot);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (edge_of(r) >= 0) write_points(to + edge_of(r) * row_points, points[r]);
    }
  }

  /// Gives all such rows the values of a first plane, also those around the tile, which no warp has. Nothing that
  /// depends on them is kept, unless they are beyond a face that is near.
  template <int arrivals_of_planes>
  __device__ __forceinline__ static void start_edges(T* shared, [[maybe_unused]] T* arrivals, Points const& first) {
    if constexpr (edges > 0) {
#pragma unroll
      for (int level = first_left; level < depth; ++level)
#pragma unroll
        for (int slot = 0; slot < slots; ++slot) {
          leave_edges(shared, level, slot, first);
          start_around(shared + edges_place(level, slot), edges, first);
        }
      if constexpr (shares_arrivals) {
#pragma unroll 1
        for (int slot = 0; slot < arrivals_of_planes; ++slot)
          start_around(arrivals + slot * arrival_points, rows, first);
      }
    }
  }

  /// A row that another warp has, of the plane that lies in these slots.
  /// \tparam y  counted from the thread's first.
  template <int y>
  __device__ __forceinline__ static void read_other(T (&row)[width], T const* shared, T const* arrivals, int level,
                                                    int slot, int arrived) {
    static_assert(!is_own(y));
    if (level < first_left) read_points(row, arrivals + arrived * arrival_points + y * row_points);
    else read_points(row, shared + edges_place(level, slot) + (y < 0 ? y : edges + y - rows) * row_points);
  }

  /// Which of the rows that are left a row of the warp is; -1: it is not.
  KOKKOS_FUNCTION static constexpr int edge_of(int r) {
    if (rows <= 2 * ry) return r;
    return r < ry ? r : r >= rows - ry ? r - rows + 2 * ry : -1;
  }

  /// A row of the thread's own that is left, or stays where it arrived.
  __device__ __forceinline__ static T const* own_row(T const* shared, T const* arrivals, int level, int slot, int r) {
    if (level < first_left) return arrivals + slot * arrival_points + r * row_points;
    return shared + edges_place(level, slot) + edge_of(r) * row_points;
  }

 private:
  /// \param[in] to     the warp's first row.
  /// \param[in] count  of its rows.
  __device__ __forceinline__ static void start_around(T* to, int count, Points const& first) {
#pragma unroll
    for (int r = 0; r < ry; ++r) {
      if (threadIdx.y == 0) write_points(to - (r + 1) * row_points, first[0]);
      if (threadIdx.y == Tile::warps - 1) write_points(to + (count + r) * row_points, first[rows - 1]);
    }
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
