// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_SUMS_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_SUMS_KERNEL_HPP

#include <Koalesce/cuda/stencil/tile/TileKernel.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/SymmetricStencil.hpp>

namespace Koalesce::Impl::CudaBackend {

/// Known weights from registers: a thread reads its part of each plane once and adds it to the partial sums of the
/// 2 * rz + 1 planes of outputs that it belongs to, in the order of linear_sum, or of symmetric_sum. Of boxes that
/// takes fewer registers than TileKernel's window.
template <class WorkT, int width, int rows, int planes>
struct TileSumsKernel {
  using Work   = WorkT;
  using Order  = typename Work::Order;
  using Shape  = typename Work::Functor::shape_type;
  using Value  = std::remove_const_t<std::remove_pointer_t<decltype(get<0>(std::declval<Work const&>().in).origin)>>;
  using Weight = typename Work::Functor::weight_type;
  using Sum    = decltype(Weight() * Value());

  static constexpr int rz = Work::rz, ry = Work::ry, rx = Work::rx;

  /// What outputs read of a plane, as a shape of its own.
  struct PlaneOrder {
    template <class>
    KOKKOS_FUNCTION static constexpr int radius(int c) {
      return c == 0 ? 0 : Order::template radius<Shape>(c);
    }
    template <class>
    KOKKOS_FUNCTION static constexpr bool contains(int, int dy, int dx) {
      for (int dz = -rz; dz <= rz; ++dz)
        if (Order::template contains<Shape>(dz, dy, dx)) return true;
      return false;
    }
  };
  using Plane = RegisterWindow<Value, PlaneOrder, Shape, width, rows, 1>;

  static __device__ __forceinline__ void run(Work const& all, TileGrid const& grid) {
    compute_tiles<width, rows, planes>(all, grid,
                                       [&](Work const& work, TilePlace const& at, auto const& which, auto& update)
                                           KOALESCE_INLINE_LAMBDA { compute_tile(work, grid, at, which, update); });
  }

 private:
  using Sums   = Sum[2 * rz + 1][rows][width];
  using Update = typename Work::Reduction::Update;

  template <class Which>
  static __device__ __forceinline__ void compute_tile(Work const& work, TileGrid const& grid, TilePlace const& at,
                                                      Which const& which, Update& update) {
    auto const& in    = get<0>(work.in);
    auto const from   = in.at(at.z, at.y, 0) + at.x;
    auto const points = first_points(work.points, at);
    auto const to     = first_points(work.out, at);

    auto const places = which.template places<0, rx>(at);
    // sums[dz + rz] belongs to the output plane that sees the current plane at offset dz.
    Sums sums            = {};
    auto const add_plane = [&](int step, auto first, auto last) KOALESCE_INLINE_LAMBDA {
      int const done = step - 2 * rz;
      TileValues<typename Work::Points, width, rows> values;
      if (done >= 0) values.read(work.points, points, done, at, which.has_whole_rows(grid.wide_points));
      Plane plane;
      plane.template read<0, first.value, last.value>(from, step - rz, in.stride[0], in.stride[1], places);
      if constexpr (adds_pairs<typename Work::Functor>) {
        add_pairs(sums, weights_of(work.functor), plane);
      } else {
        static_for<rows + 2 * ry>([&](auto line) KOALESCE_INLINE_LAMBDA {
          static_for<width + 2 * rx>([&](auto column) KOALESCE_INLINE_LAMBDA {
            add<line.value - ry, column.value - rx>(sums, weights_of(work.functor),
                                                    plane.value[line.value * Plane::pitch + column.value]);
          });
        });
      }
      if (done >= 0) finish_plane(work, at, to, done, sums[2 * rz], values, which, update);
      advance(sums);
    };
    if constexpr (sizeof(Sum) <= 4) {
      static_for<planes + 2 * rz>([&](auto step) KOALESCE_INLINE_LAMBDA {
        constexpr bool first = step.value == 0, last = step.value == planes + 2 * rz - 1;
        add_plane(step.value, std::bool_constant<first>(), std::bool_constant<last>());
      });
    } else {
#pragma unroll 1
      for (int step = 0; step < planes + 2 * rz; ++step) add_plane(step, std::true_type(), std::true_type());
    }
  }

  /// Hands every sum to the next plane.
  static __device__ __forceinline__ void advance(Sums& sums) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c) {
#pragma unroll
        for (int p = 2 * rz; p > 0; --p) sums[p][r][c] = sums[p - 1][r][c];
        sums[0][r][c] = Sum{};
      }
  }

  /// Stores what becomes of a plane's sums.
  template <class To, class Values, class Which>
  static __device__ __forceinline__ void finish_plane(Work const& work, TilePlace const& at, To const& to, int plane,
                                                      Sum const (&sum)[rows][width], Values const& values,
                                                      Which const& which, Update& update) {
    auto const finish = [&](int r, int c) {
      return to_pack(
          finish_sum<Order>(work.functor, sum[r][c], values.at(r, c), at.z + plane, at.y + r, at.column(c), update));
    };
    decltype(finish(0, 0)) results[rows][width];
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c)
        if (which.computes(plane, r, c)) results[r][c] = finish(r, c);
    store_plane(work.out, to, plane, results, which);
  }

  /// Adds a plane to the sums of all points that read it.
  static __device__ __forceinline__ void add_pairs(Sums& sums, SymmetricStencil<Weight, Shape> const& weights,
                                                   Plane const& plane) {
    static_for<rows * width>([&](auto point) KOALESCE_INLINE_LAMBDA {
      constexpr int r = point.value / width, c = point.value % width;
      add_symmetric_plane_to_all<Order>(
          weights,
          [&](int dy, int dx)
              KOALESCE_INLINE_LAMBDA { return plane.value[(r + ry + dy) * Plane::pitch + c + rx + dx]; },
          [&](int dz) KOALESCE_INLINE_LAMBDA -> Sum& { return sums[dz + rz][r][c]; });
    });
  }

  /// Adds the value at row y and column x of the tile to the sums of all points that read it.
  template <int y, int x, class Weights>
  static __device__ __forceinline__ void add(Sums& sums, Weights const& weights, Value const& value) {
    static_for<rows>([&](auto r) KOALESCE_INLINE_LAMBDA {
      static_for<width>([&](auto c) KOALESCE_INLINE_LAMBDA {
        constexpr int dy = y - r.value, dx = x - c.value;
        if constexpr (dy >= -ry && dy <= ry && dx >= -rx && dx <= rx)
          static_for<2 * rz + 1>([&](auto p) KOALESCE_INLINE_LAMBDA {
            constexpr int dz = p.value - rz;
            if constexpr (Order::template contains<Shape>(dz, dy, dx))
              sums[p.value][r.value][c.value] =
                  multiply_add(Order::in_user_order(weights, dz, dy, dx), value, sums[p.value][r.value][c.value]);
          });
      });
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
