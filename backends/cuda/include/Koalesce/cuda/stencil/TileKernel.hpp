// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_TILE_KERNEL_HPP

#include <Koalesce/cuda/stencil/RegisterWindow.hpp>

namespace Koalesce::Impl::CudaBackend {

/// Any functor from registers: a thread's neighbors in z stay with it, those in y and x come through L1 and L2.
template <class WorkT, int width, int rows>
struct TileKernel {
  using Work  = WorkT;
  using Order = typename Work::Order;
  using Shape = typename Work::Shape;

  template <class T>
  using Window = RegisterWindow<T, Order, Shape, width, rows>;

  static __device__ __forceinline__ void run(Work const& work, TileGrid const& grid) {
    TilePlace const at(grid, work.extents, width, rows);
    if (at.planes == 0) return;

    auto const first_point = [&](auto const& field, auto) { return field.at(at.z, at.y, 0) + at.x; };
    auto from              = transform(work.in, first_point);
    auto to                = transform(work.out, first_point);
    auto windows           = transform(
        work.in, [](auto const& field, auto) { return Window<typename std::decay_t<decltype(field)>::value_type>(); });
    for_each(windows, [&](auto& window, auto i) {
      auto const& stride = get<i.value>(work.in).stride;
      window.begin(get<i.value>(from), stride[0], stride[1], at);
    });

    auto const compute = [&](int k, int r, int c) {
      auto const around = transform(windows, [&](auto const& window, auto) { return window.around(r, c); });
      return to_pack(call_at<Order>(work.functor, around, at.z + k, at.y + r, std::int64_t(at.x + c)));
    };
#pragma unroll 1
    for (int k = 0; k < at.planes; ++k) {
      for_each(windows, [&](auto& window, auto i) {
        auto const& stride = get<i.value>(work.in).stride;
        window.arrive(get<i.value>(from), stride[0], stride[1], at);
        get<i.value>(from) += stride[0];
      });

      decltype(compute(0, 0, 0)) results[rows][width];
      // Where nothing but sums depends on a point, points that are not stored are computed, too.
      if (is_linear<typename Work::Functor> || at.full) {
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int c = 0; c < width; ++c) results[r][c] = compute(k, r, c);
      } else {
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int c = 0; c < width; ++c)
            if (at.has(r, c)) results[r][c] = compute(k, r, c);
      }

      for_each(to, [&](auto& place, auto i) {
        using Result       = std::decay_t<decltype(get<i.value>(results[0][0]))>;
        auto const& stride = get<i.value>(work.out).stride;
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          Result row[width];
#pragma unroll
          for (int c = 0; c < width; ++c) row[c] = get<i.value>(results[r][c]);
          at.store_row<width>(r, place + r * stride[1], row, grid.wide_outputs);
        }
        place += stride[0];
      });
      for_each(windows, [](auto& window, auto) { window.advance(); });
    }
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
