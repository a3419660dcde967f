// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEP_COLUMN_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEP_COLUMN_HPP

#include <Koalesce/cuda/runtime/VectorAccess.hpp>
#include <Koalesce/cuda/stencil/steps/NearFaces.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <algorithm>

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

/// What a shape asks of a pipeline of steps that moves along z: a step's result is the next step's newest plane.
template <class Order, class Shape>
struct StepsReach {
  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  /// The planes, from the lowest to the highest, in which neighbors in y are read; none if lowest > highest.
  struct PlanesInY {
    int lowest = 1, highest = -1;
  };
  static constexpr PlanesInY in_y = [] {
    PlanesInY found;
    for (int dz = -rz; dz <= rz; ++dz)
      for (int dy = -ry; dy <= ry; ++dy)
        for (int dx = -rx; dx <= rx; ++dx) {
          if (dy == 0 || !Order::template contains<Shape>(dz, dy, dx)) continue;
          if (found.lowest > found.highest) found.lowest = dz;
          found.highest = dz;
        }
    return found;
  }();

  /// Whether these are in the point's own plane.
  static constexpr bool has_flat_y = in_y.lowest > in_y.highest || (in_y.lowest == 0 && in_y.highest == 0);

  /// Planes that a step must stay behind the one before it. Neighbors in y come from other warps, through shared memory
  /// and past a barrier, so their plane must be older than the newest one.
  static constexpr int lag = std::max(rz, in_y.highest + 1);
};

/// One field in a thread of a fused sweep. Of every time level before the last it holds the newest planes of its own
/// column in registers. Neighbors in x lie in registers of its warp's other threads, those in y, if other warps have
/// them, in shared memory.
/// \tparam lag    planes that a step stays behind the one before it.
/// \tparam planes  of every level that are held, in registers and in shared memory; they rotate.
template <class T, class Order, class Shape, class Tile, int depth, int lag, int planes>
struct StepColumn {
  using Reach = StepsReach<Order, Shape>;

  static constexpr int rz = Reach::rz, ry = Reach::ry, rx = Reach::rx;
  static constexpr int width = Tile::width, rows = Tile::rows;
  static constexpr int vector = step_vector<T, width>;

  static constexpr int edges       = std::min(rows, 2 * ry);  ///< rows of a warp that others read
  static constexpr int row_points  = 32 * width;
  static constexpr int slot_points = (Tile::warps * edges + 2 * ry) * row_points;  ///< with rows around the tile

  /// Whether warps read each other's rows of the first level where its planes arrive, because older ones are still
  /// there. Nothing is left of it then.
  static constexpr bool shares_arrivals = ry > 0 && planes - 1 - lag > 1;
  static constexpr int first_left       = shares_arrivals ? 1 : 0;  ///< the first level of which rows are left
  static constexpr int bytes            = (depth - first_left) * planes * slot_points * int(sizeof(T));

  /// Of a plane that arrives; where rows are shared, with those around the tile.
  static constexpr int arrival_points = (Tile::warps * rows + (shares_arrivals ? 2 * ry : 0)) * row_points;

  /// Where the thread's points of the first plane that arrives begin.
  __device__ __forceinline__ static int arrival_place() {
    return ((shares_arrivals ? ry : 0) + int(threadIdx.y) * rows) * row_points + int(threadIdx.x) * width;
  }

  using value_type = T;

  T held[depth][planes][rows][width];

  /// The register plane in which plane dz, as seen by the step after `level`, lies in this phase of the rotation.
  KOKKOS_FUNCTION static constexpr int place(int phase, int dz) { return (phase - (lag - dz) + 2 * planes) % planes; }

  /// Leaves the rows of a level's newest plane that other warps read.
  __device__ __forceinline__ void leave_edges(T* shared, int level, int phase) const {
    if constexpr (edges > 0) {
      if (level < first_left) return;
      T* const to = shared + edges_place(level, phase);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (edge_of(r) >= 0) write_points(to + edge_of(r) * row_points, held[level][phase][r]);
    }
  }

  /// Leaves the rows beyond a face in y that is near for the warp next to it, where it finds its neighbors' rows.
  template <int phase, class Near>
  __device__ __forceinline__ void leave_beyond(T* shared, T* arrivals, int level, Near const& near) const {
    if constexpr (Near::exist(1) && ry > 0) {
      bool const arrives = level < first_left;
      T* const first     = arrives ? arrivals + phase * arrival_points : shared + edges_place(level, phase);
      if (near.template is_first<1>()) leave_rows_beyond<phase, 1>(first, level, near);
      if (near.template is_last<1, rows>())
        leave_rows_beyond<phase, -1>(first + ((arrives ? rows : edges) - 1) * row_points, level, near);
    }
  }

  /// Gives all such rows values, also those around the tile, which no warp has. Nothing that depends on them is kept,
  /// unless they are beyond a face that is near.
  __device__ __forceinline__ void start_edges(T* shared, [[maybe_unused]] T* arrivals) const {
    if constexpr (edges > 0) {
#pragma unroll
      for (int level = first_left; level < depth; ++level)
#pragma unroll
        for (int phase = 0; phase < planes; ++phase) {
          leave_edges(shared, level, phase);
          T* const to = shared + edges_place(level, phase);
#pragma unroll
          for (int r = 0; r < ry; ++r) {
            if (threadIdx.y == 0) write_points(to - (r + 1) * row_points, held[level][phase][0]);
            if (threadIdx.y == Tile::warps - 1)
              write_points(to + (edges + r) * row_points, held[level][phase][rows - 1]);
          }
        }
      if constexpr (shares_arrivals) {
#pragma unroll 1
        for (int phase = 0; phase < planes; ++phase)
#pragma unroll
          for (int r = 0; r < ry; ++r) {
            T* const to = arrivals + phase * arrival_points;
            if (threadIdx.y == 0) write_points(to - (r + 1) * row_points, held[0][0][0]);
            if (threadIdx.y == Tile::warps - 1) write_points(to + (rows + r) * row_points, held[0][0][0]);
          }
      }
    }
  }

  /// What the next step reads of a level around the thread's points.
  struct Window {
    static constexpr int pitch = width + 2 * rx, plane = (rows + 2 * ry) * pitch;

    T value[(2 * rz + 1) * plane];

    __device__ __forceinline__ auto around(int r, int c) const {
      return Order::template neighborhood<Shape>(value, plane, pitch, 1, 0, 0, rz * plane + (ry + r) * pitch + rx + c);
    }
  };

  /// \param[in] near  NearFaces, if neighbors in y are read in the point's own plane alone, or NoNearFaces.
  template <int phase, class Near>
  __device__ __forceinline__ Window window(T const* shared, T const* arrivals, int level, Near const& near) {
    fill_own_points<phase>(level, near);
    Window w;
    static_for<2 * rz + 1>([&](auto p) KOALESCE_INLINE_LAMBDA {
      constexpr int dz = p.value - rz;
      static_for<rows + 2 * ry>([&](auto line) KOALESCE_INLINE_LAMBDA {
        constexpr int y = line.value - ry;
        if constexpr (reads_row(dz, y)) {
          T row[width];
          read_row<phase, dz, y>(row, shared, arrivals, level);
          T* const to = w.value + p.value * Window::plane + line.value * Window::pitch + rx;
          fill_row<dz, y>(to, row);
          if constexpr (Near::exist(2) && reads_across(dz, y)) fill_in_x<phase, dz, y>(to, level, near);
        }
      });
    });
    return w;
  }

  /// The thread's points in the next step's plane.
  template <int phase>
  __device__ __forceinline__ T const& center(int level, int r, int c) const {
    return held[level][place(phase, 0)][r][c];
  }

 private:
  /// Which of the rows that are left a row of the warp is; -1: it is not.
  KOKKOS_FUNCTION static constexpr int edge_of(int r) {
    if (rows <= 2 * ry) return r;
    return r < ry ? r : r >= rows - ry ? r - rows + 2 * ry : -1;
  }

  /// Where the rows of a level's plane that the warp leaves begin for this thread. Those of its neighbors lie around
  /// them.
  __device__ __forceinline__ static int edges_place(int level, int phase) {
    return ((level - first_left) * planes + phase) * slot_points + (ry + int(threadIdx.y) * edges) * row_points +
           int(threadIdx.x) * width;
  }

  /// Whether any of the thread's points reads the value at column x of row y in plane dz.
  KOKKOS_FUNCTION static constexpr bool reads(int dz, int y, int x) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < width; ++c) {
        int const dy = y - r, dx = x - c;
        if (dy < -ry || dy > ry || dx < -rx || dx > rx) continue;
        if (Order::template contains<Shape>(dz, dy, dx)) return true;
      }
    return false;
  }
  KOKKOS_FUNCTION static constexpr bool reads_across(int dz, int y) {
    for (int x = -rx; x < 0; ++x)
      if (reads(dz, y, x)) return true;
    for (int x = width; x < width + rx; ++x)
      if (reads(dz, y, x)) return true;
    return false;
  }
  KOKKOS_FUNCTION static constexpr bool reads_row(int dz, int y) {
    for (int x = -rx; x < width + rx; ++x)
      if (reads(dz, y, x)) return true;
    return false;
  }

  KOKKOS_FUNCTION static constexpr bool is_own(int y) { return y >= 0 && y < rows; }

  /// \param[in] outermost  the warp's row next to the face.
  template <int phase, int inward, class Near>
  __device__ __forceinline__ void leave_rows_beyond(T* outermost, int level, Near const& near) const {
    static_for<ry>([&](auto before) KOALESCE_INLINE_LAMBDA {
      constexpr int k = before.value + 1, y = inward > 0 ? -k : rows - 1 + k;
      T row[width];
      static_for<width>([&](auto c) KOALESCE_INLINE_LAMBDA {
        row[c.value] =
            near.template beyond<T, 1, y, k, inward, rows, ry>({0, y, c.value}, [&](auto other) KOALESCE_INLINE_LAMBDA {
              static_assert(is_own(other.value), "more rows are read beyond a face than a thread has");
              return held[level][phase][other.value][c.value];
            });
      });
      write_points(outermost - inward * k * row_points, row);
    });
  }

  /// A row of a level.
  template <int phase, int dz, int y>
  __device__ __forceinline__ void read_row(T (&row)[width], T const* shared, T const* arrivals, int level) const {
    if constexpr (is_own(y)) {
#pragma unroll
      for (int c = 0; c < width; ++c) row[c] = held[level][place(phase, dz)][y][c];
    } else {
      if (level < first_left) read_points(row, arrivals + place(phase, dz) * arrival_points + y * row_points);
      else
        read_points(row, shared + edges_place(level, place(phase, dz)) + (y < 0 ? y : edges + y - rows) * row_points);
    }
  }

  /// Fills the thread's own points beyond faces in z. Nothing else needs what they held.
  template <int phase, class Near>
  __device__ __forceinline__ void fill_own_points(int level, Near const& near) {
    if constexpr (Near::exist(0))
      if (near.edge_z)
        static_for<2 * rz + 1>([&](auto p) KOALESCE_INLINE_LAMBDA {
          constexpr int dz = p.value - rz;
          if constexpr (dz != 0)
            static_for<rows * width>([&](auto k) KOALESCE_INLINE_LAMBDA {
              constexpr int y = k.value / width, c = k.value % width;
              near.template fill<0, dz, 1, rz>(
                  held[level][place(phase, dz)][y][c], {dz, y, c},
                  [&](auto other) KOALESCE_INLINE_LAMBDA { return held[level][place(phase, other.value)][y][c]; });
            });
        });
  }

  /// Fills what a row of a window reads beyond faces in x.
  template <int phase, int dz, int y, class Near>
  __device__ __forceinline__ void fill_in_x(T* row, int level, Near const& near) {
    static_for<width + 2 * rx>([&](auto column) KOALESCE_INLINE_LAMBDA {
      constexpr int x = column.value - rx;
      if constexpr (reads(dz, y, x)) {
        near.template fill<2, x, width, rx>(row[x], {dz, y, x},
                                            [&](auto other) KOALESCE_INLINE_LAMBDA { return row[other.value]; });
        if constexpr (is_own(y) && x >= 0 && x < width) held[level][place(phase, dz)][y][x] = row[x];
      }
    });
  }

  /// The row's own points, and those of other threads that are read.
  template <int dz, int y>
  __device__ __forceinline__ static void fill_row(T* to, T const (&row)[width]) {
    static_for<width + 2 * rx>([&](auto column) KOALESCE_INLINE_LAMBDA {
      constexpr int x = column.value - rx;
      if constexpr (reads(dz, y, x)) {
        constexpr int lanes = (x + 64 * width) / width - 64, c = (x + 64 * width) % width;
        if constexpr (lanes == 0) to[x] = row[c];
        else if constexpr (lanes < 0) to[x] = shuffle<-1>(row[c], unsigned(-lanes));
        else to[x] = shuffle<1>(row[c], unsigned(lanes));
      }
    });
  }

  /// A value of the thread so many lanes before or after this one; at a warp's end any will do.
  template <int direction>
  __device__ __forceinline__ static T shuffle(T const& value, unsigned lanes) {
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
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
