// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEP_SUMS_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEP_SUMS_HPP

#include <Koalesce/common/impl/MultiplyAdd.hpp>
#include <Koalesce/cuda/stencil/steps/StepRows.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/SymmetricStencil.hpp>

namespace Koalesce::Impl::CudaBackend {

/// Planes that a step of sums stays behind the one before it. Where warps read each other's rows, a plane is added when
/// all have left theirs.
template <int rz, int ry>
inline constexpr int sums_lag = rz + (ry > 0);

/// One field in a thread of a fused sweep with known weights. Of every time level before the last it holds the newest
/// plane and the sums of the next planes of the step after it, to which planes are added in the order of linear_sum, or
/// of symmetric_sum. Neighbors are read once, in one plane, and not in each that their plane is added to.
/// \tparam planes  places for planes that arrive; they rotate.
template <class T, class Order, class Shape, class Tile, int depth, int planes>
struct StepSums : StepRows<T, Tile, Order::template radius<Shape>(1), depth, 2,
                           /*SharesArrivals*/ (Order::template radius<Shape>(1) > 0)> {
  static constexpr int rz    = Order::template radius<Shape>(0);
  static constexpr int ry    = Order::template radius<Shape>(1);
  static constexpr int rx    = Order::template radius<Shape>(2);
  static constexpr int width = Tile::width, rows = Tile::rows;
  static constexpr int vector = step_vector<T, width>;

  using Rows = StepRows<T, Tile, ry, depth, 2, (ry > 0)>;

  /// Whether a plane is added one turn after it is complete, when other warps have left their rows of it.
  static constexpr bool waits = ry > 0;
  static_assert(!waits || planes % 2 == 0);

  /// Planes on their way. One more is being read where other warps may still do so.
  static constexpr int ahead = planes - 1 - waits;

  /// Points of planes and sums that a thread holds between two of its steps, at most.
  static constexpr int held_points = (2 * rz + waits) * depth * rows * width;

  using value_type = T;

  T sums[depth][2 * rz][rows][width];  ///< of the planes from rz before the newest one on
  T newest[depth][rows][width];        ///< nothing of the first level, whose planes stay where they arrive

  template <int phase>
  __device__ __forceinline__ auto& newest_plane(int level) {
    return newest[level];
  }

  /// The thread's points in the next step's plane, where they keep their values.
  template <int phase>
  __device__ __forceinline__ T const& center(int level, int r, int c) const {
    return sums[level][0][r][c];
  }

  __device__ __forceinline__ void start(T* shared, T* arrivals, T const (&first)[rows][width]) {
#pragma unroll
    for (int level = 0; level < depth; ++level)
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int c = 0; c < width; ++c) {
          newest[level][r][c] = first[r][c];
#pragma unroll
          for (int j = 0; j < 2 * rz; ++j) sums[level][j][r][c] = T{};
        }
    Rows::template start_edges<planes>(shared, arrivals, first);
  }

  /// Leaves the rows of a level's newest plane that other warps read.
  template <int phase>
  __device__ __forceinline__ void leave(T* shared, int level) const {
    Rows::leave_edges(shared, level, phase % 2, newest[level]);
  }

  /// The sums that a plane is part of; the first one is complete.
  struct Sums {
    T of[2 * rz + 1][rows][width];
  };

  /// Adds the newest plane of a level that all warps have left to its sums.
  /// \param[in] any_keeps  whether points keep their values.
  /// \param[in] keeps      keeps(j, k): whether point k does in the plane of sum j.
  template <int phase, class Weights, class Keeps>
  __device__ __forceinline__ Sums add(Weights const& weights, T const* shared, T const* arrivals, int level,
                                      bool any_keeps, Keeps const& keeps) const {
    constexpr int slot = (phase + planes - waits) % planes;
    T own[rows][width];
    [[maybe_unused]] T around[rows + 2 * ry][width + 2 * rx];
    Sums added;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c) {
        added.of[2 * rz][r][c] = T{};
#pragma unroll
        for (int j = 0; j < 2 * rz; ++j) added.of[j][r][c] = sums[level][j][r][c];
      }
    static_for<rows + 2 * ry>([&](auto line) KOALESCE_INLINE_LAMBDA {
      constexpr int y = line.value - ry;
      T row[width];
      if constexpr (!Rows::is_own(y)) {
        Rows::template read_other<y>(row, shared, arrivals, level, slot % 2, slot);
      } else {
        if (level == 0) read_points(row, arrivals + slot * Rows::arrival_points + y * Rows::row_points);
        else {
#pragma unroll
          for (int c = 0; c < width; ++c) row[c] = newest[level][y][c];
        }
#pragma unroll
        for (int c = 0; c < width; ++c) own[y][c] = row[c];
      }
      static_for<width + 2 * rx>([&](auto column) KOALESCE_INLINE_LAMBDA {
        constexpr int x = column.value - rx;
        if constexpr (adds_pairs<Weights>) around[line.value][column.value] = point_in_row<x>(row);
        else if constexpr (is_read(y, x)) add_point<y, x>(added, weights, point_in_row<x>(row));
      });
      if constexpr (adds_pairs<Weights> && y >= ry) add_around_row<y - ry>(added, weights, around);
    });
    // A point that keeps its value is its own sum, from the plane that it lies in on.
    if (any_keeps)
#pragma unroll
      for (int j = 0; j <= rz; ++j)
#pragma unroll
        for (int k = 0; k < rows * width; ++k) {
          int const r = k / width, c = k % width;
          if (keeps(j, k)) added.of[j][r][c] = j == rz ? own[r][c] : sums[level][j][r][c];
        }
    return added;
  }

  /// Goes on to the next plane.
  __device__ __forceinline__ void hold(int level, Sums const& added) {
#pragma unroll
    for (int j = 0; j < 2 * rz; ++j)
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int c = 0; c < width; ++c) sums[level][j][r][c] = added.of[j + 1][r][c];
  }

 private:
  /// Adds the plane around a row of the thread's points to all sums of these.
  template <int r, class Weights>
  __device__ __forceinline__ static void add_around_row(Sums& added, Weights const& weights,
                                                        T const (&around)[rows + 2 * ry][width + 2 * rx]) {
    static_for<width>([&](auto column) KOALESCE_INLINE_LAMBDA {
      constexpr int c = column.value;
      add_symmetric_plane_to_all<Order>(
          weights, [&](int dy, int dx) KOALESCE_INLINE_LAMBDA { return around[r + ry + dy][c + rx + dx]; },
          [&](int dz) KOALESCE_INLINE_LAMBDA -> T& { return added.of[rz - dz][r][c]; });
    });
  }

  /// Whether any of the thread's points reads the value at column x of row y.
  KOKKOS_FUNCTION static constexpr bool is_read(int y, int x) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < width; ++c)
        for (int dz = -rz; dz <= rz; ++dz)
          if (contains(dz, y - r, x - c)) return true;
    return false;
  }
  KOKKOS_FUNCTION static constexpr bool contains(int dz, int dy, int dx) {
    return dy >= -ry && dy <= ry && dx >= -rx && dx <= rx && Order::template contains<Shape>(dz, dy, dx);
  }

  /// Adds one value to all sums of the thread that it is part of.
  template <int y, int x, class Weights>
  __device__ __forceinline__ static void add_point(Sums& added, Weights const& weights, T const& value) {
    static_for<rows * width>([&](auto k) KOALESCE_INLINE_LAMBDA {
      constexpr int r = k.value / width, c = k.value % width;
      static_for<2 * rz + 1>([&](auto j) KOALESCE_INLINE_LAMBDA {
        constexpr int dz = rz - j.value;
        if constexpr (contains(dz, y - r, x - c)) {
          T& sum = added.of[j.value][r][c];
          sum    = multiply_add(Order::in_user_order(weights, dz, y - r, x - c), value, sum);
        }
      });
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
