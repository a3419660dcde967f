// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEP_COLUMN_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEP_COLUMN_HPP

#include <Koalesce/cuda/stencil/steps/NearFaces.hpp>
#include <Koalesce/cuda/stencil/steps/StepRows.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <algorithm>

namespace Koalesce::Impl::CudaBackend {

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

  /// Whether neighbors in y and x are in the point's own plane.
  static constexpr bool is_flat = [] {
    for (int dz = -rz; dz <= rz; ++dz)
      for (int dy = -ry; dy <= ry; ++dy)
        for (int dx = -rx; dx <= rx; ++dx)
          if (dz != 0 && (dy != 0 || dx != 0) && Order::template contains<Shape>(dz, dy, dx)) return false;
    return true;
  }();

  /// Planes that a step must stay behind the one before it. Neighbors in y come from other warps, through shared memory
  /// and past a barrier, so their plane must be older than the newest one.
  static constexpr int lag = std::max(rz, in_y.highest + 1);
};

/// Whether the planes that arrive stay until their rows are read. They do from the plane on that a step computes.
template <class Reach, int lag, int planes>
inline constexpr bool arrivals_stay = Reach::ry > 0 && Reach::in_y.lowest >= 0 && planes - 1 - lag > 1;

/// The rows of a field that warps leave for each other: of all planes that are held, but of the first level only if
/// they do not stay where they arrive.
template <class T, class Order, class Shape, class Tile, int depth, int lag, int planes>
using ColumnRows = StepRows<T, Tile, StepsReach<Order, Shape>::ry, depth, planes,
                            arrivals_stay<StepsReach<Order, Shape>, lag, planes>>;

/// One field in a thread of a fused sweep. Of every time level before the last it holds the newest planes of its own
/// column in registers. Neighbors in x lie in registers of its warp's other threads, those in y, if other warps have
/// them, in shared memory.
/// \tparam lag    planes that a step stays behind the one before it.
/// \tparam planes  of every level that are held, in registers and in shared memory; they rotate.
template <class T, class Order, class Shape, class Tile, int depth, int lag, int planes>
struct StepColumn : ColumnRows<T, Order, Shape, Tile, depth, lag, planes> {
  using Reach = StepsReach<Order, Shape>;
  using Rows  = ColumnRows<T, Order, Shape, Tile, depth, lag, planes>;

  static constexpr int rz = Reach::rz, ry = Reach::ry, rx = Reach::rx;
  static constexpr int width = Tile::width, rows = Tile::rows;
  static constexpr int vector = step_vector<T, width>;

  /// Planes on their way.
  static constexpr int ahead = Rows::shares_arrivals ? planes - 1 - lag : planes - 1;

  /// Points of planes that a thread holds between two of its steps.
  static constexpr int held_points = (planes - 1) * depth * rows * width;

  using value_type = T;

  T held[depth][planes][rows][width];

  template <int phase>
  __device__ __forceinline__ auto& newest_plane(int level) {
    return held[level][phase];
  }

  /// The register plane in which plane dz, as seen by the step after `level`, lies in this phase of the rotation.
  KOKKOS_FUNCTION static constexpr int place(int phase, int dz) { return (phase - (lag - dz) + 2 * planes) % planes; }

  /// Gives all levels, and all rows that warps leave for each other, values of the first plane: the functor never sees
  /// others than a field's.
  __device__ __forceinline__ void start(T* shared, T* arrivals, T const (&first)[rows][width]) {
#pragma unroll
    for (int level = 0; level < depth; ++level)
#pragma unroll
      for (int k = 0; k < planes; ++k)
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int c = 0; c < width; ++c) held[level][k][r][c] = first[r][c];
    Rows::template start_edges<planes>(shared, arrivals, first);
  }

  /// Leaves the rows of a level's newest plane that other warps read.
  template <int phase, class Near>
  __device__ __forceinline__ void leave(T* shared, T* arrivals, int level, Near const& near) const {
    Rows::leave_edges(shared, level, phase, held[level][phase]);
    leave_beyond<phase>(shared, arrivals, level, near);
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
          if constexpr (!Near::exist(2) && reads_beside(dz, y)) {
            read_beside<phase, dz, y>(to, row, shared, arrivals, level);
          } else {
            fill_row<dz, y>(to, row);
          }
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
  /// Leaves the rows beyond a face in y that is near for the warp next to it, where it finds its neighbors' rows.
  template <int phase, class Near>
  __device__ __forceinline__ void leave_beyond(T* shared, T* arrivals, int level, Near const& near) const {
    if constexpr (Near::exist(1) && ry > 0) {
      bool const arrives = level < Rows::first_left;
      T* const first     = arrives ? arrivals + phase * Rows::arrival_points : shared + Rows::edges_place(level, phase);
      if (near.template is_first<1>()) leave_rows_beyond<phase, 1>(first, level, near);
      if (near.template is_last<1, rows>())
        leave_rows_beyond<phase, -1>(first + ((arrives ? rows : Rows::edges) - 1) * Rows::row_points, level, near);
    }
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

  /// \param[in] outermost  the warp's row next to the face.
  template <int phase, int inward, class Near>
  __device__ __forceinline__ void leave_rows_beyond(T* outermost, int level, Near const& near) const {
    static_for<ry>([&](auto before) KOALESCE_INLINE_LAMBDA {
      constexpr int k = before.value + 1, y = inward > 0 ? -k : rows - 1 + k;
      T row[width];
      static_for<width>([&](auto c) KOALESCE_INLINE_LAMBDA {
        row[c.value] =
            near.template beyond<T, 1, y, k, inward, rows, ry>({0, y, c.value}, [&](auto other) KOALESCE_INLINE_LAMBDA {
              static_assert(Rows::is_own(other.value), "more rows are read beyond a face than a thread has");
              return held[level][phase][other.value][c.value];
            });
      });
      write_points(outermost - inward * k * Rows::row_points, row);
    });
  }

  /// A row of a level.
  template <int phase, int dz, int y>
  __device__ __forceinline__ void read_row(T (&row)[width], T const* shared, T const* arrivals, int level) const {
    constexpr int slot = place(phase, dz);
    if constexpr (Rows::is_own(y)) {
#pragma unroll
      for (int c = 0; c < width; ++c) row[c] = held[level][slot][y][c];
    } else {
      Rows::template read_other<y>(row, shared, arrivals, level, slot, slot);
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
        if constexpr (Rows::is_own(y) && x >= 0 && x < width) held[level][place(phase, dz)][y][x] = row[x];
      }
    });
  }

  /// Whether the points beside the thread's own in a row are read from shared memory, a thread's at a time: where they
  /// are whole threads', of the point's own plane, which is the oldest that stays where it arrives. Shuffles would take
  /// an instruction for each word.
  KOKKOS_FUNCTION static constexpr bool reads_beside(int dz, int y) {
    return rx > 0 && rx % width == 0 && ry > 0 && dz == 0 && Rows::is_own(y) && Rows::edge_of(y) >= 0 &&
           reads(dz, y, -rx) && reads(dz, y, rx + width - 1);
  }
  template <int phase, int dz, int y>
  __device__ __forceinline__ static void read_beside(T* to, T const (&row)[width], T const* shared, T const* arrivals,
                                                     int level) {
    T const* const from = Rows::own_row(shared, arrivals, level, place(phase, dz), y);
#pragma unroll
    for (int c = 0; c < width; ++c) to[c] = row[c];
    static_for<rx / width>([&](auto lane) KOALESCE_INLINE_LAMBDA {
      constexpr int x = (lane.value + 1) * width;
      T before[width], behind[width];
      read_points(before, from - x);
      read_points(behind, from + x);
#pragma unroll
      for (int c = 0; c < width; ++c) {
        to[c - x] = before[c];
        to[c + x] = behind[c];
      }
    });
  }

  /// The row's own points, and those of other threads that are read.
  template <int dz, int y>
  __device__ __forceinline__ static void fill_row(T* to, T const (&row)[width]) {
    static_for<width + 2 * rx>([&](auto column) KOALESCE_INLINE_LAMBDA {
      constexpr int x = column.value - rx;
      if constexpr (reads(dz, y, x)) to[x] = point_in_row<x>(row);
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
