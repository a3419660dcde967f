// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_TILE_KERNEL_HPP

#include <Koalesce/cuda/stencil/RegisterWindow.hpp>
#include <Koalesce/cuda/stencil/TilePlace.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>

namespace Koalesce::Impl::CudaBackend {

/// A tile that is not inside: those of its points that are, a plane at a time. (With its rows in a loop, too, the
/// compiler gives some kernels 80 registers instead of 48.)
template <int width, int rows, int planes, class Work>
__device__ __forceinline__ void compute_cut_tile(Work const& work, TilePlace const& at) {
#pragma unroll 1
  for (int k = 0; k < planes && at.z + k < work.extents[0]; ++k)
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c)
        if (at.y + r < work.extents[1] && at.x + c >= 0 && at.x + c < work.extents[2])
          compute_cached_point(work, int(at.z) + k, int(at.y) + r, at.x + c);
}

/// Writes the results of neighboring points to `to`, the place of the first.
/// \param[in] wide whether that is a multiple of their size.
template <class Out, class Result, int width>
__device__ __forceinline__ void store_row(Out* to, Result const (&result)[width], bool wide) {
  if constexpr (width > 1 && is_vector_size<width * sizeof(Out)>) {
    if (wide) {
      Out out[width];
#pragma unroll
      for (int c = 0; c < width; ++c) out[c] = result[c];
      return store_vector<width>(to, out);
    }
  }
#pragma unroll
  for (int c = 0; c < width; ++c) to[c] = result[c];
}

/// Any functor from registers: a thread's neighbors in z stay with it, those in y and x come through L1 and L2.
template <class WorkT, int width, int rows, int planes>
struct TileKernel {
  using Work  = WorkT;
  using Order = typename Work::Order;
  using Shape = typename Work::Shape;

  template <class Ins>
  struct WindowsOf;
  template <class... Ts>
  struct WindowsOf<Pack<Field<Ts>...>> {
    using type = Pack<RegisterWindow<std::remove_const_t<Ts>, Order, Shape, width, rows, planes>...>;
  };
  using Windows = typename WindowsOf<typename Work::Ins>::type;

  static __device__ __forceinline__ void run(Work const& work, TileGrid const& grid) {
    TilePlace const at(grid, work.extents, width, rows, planes);
    if (!at.inside) return compute_cut_tile<width, rows, planes>(work, at);

    Windows windows;
    auto const from = transform(work.in, [&](auto const& field, auto) { return field.at(at.z, at.y, 0) + at.x; });
    auto const to   = transform(work.out, [&](auto const& field, auto) { return field.at(at.z, at.y, 0) + at.x; });
    static_for<planes>([&](auto plane) KOALESCE_INLINE_LAMBDA {
      for_each(windows, [&](auto& window, auto i) {
        auto const& stride = get<i.value>(work.in).stride;
        window.template read<plane.value>(get<i.value>(from), stride[0], stride[1]);
      });
      compute_plane<plane.value>(work, at, windows, to, grid.wide_outputs);
    });
  }

 private:
  /// Plane m of the tile.
  template <int m, class To>
  static __device__ __forceinline__ void compute_plane(Work const& work, TilePlace const& at, Windows const& windows,
                                                       To const& to, bool wide) {
    auto const compute = [&](int r, int c) {
      auto const around = transform(windows, [&](auto const& window, auto) { return window.around(m, r, c); });
      return to_pack(call_at<Order>(work.functor, around, at.z + m, at.y + r, std::int64_t(at.x + c)));
    };
    decltype(compute(0, 0)) results[rows][width];
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c) results[r][c] = compute(r, c);

    for_each(to, [&](auto const& place, auto i) {
      using Result       = std::decay_t<decltype(get<i.value>(results[0][0]))>;
      auto const& stride = get<i.value>(work.out).stride;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        Result row[width];
#pragma unroll
        for (int c = 0; c < width; ++c) row[c] = get<i.value>(results[r][c]);
        store_row(place + m * stride[0] + r * stride[1], row, wide);
      }
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
