// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_KERNEL_HPP

#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/cuda/stencil/tile/RegisterWindow.hpp>
#include <Koalesce/cuda/stencil/tile/TileFaces.hpp>
#include <Koalesce/cuda/stencil/tile/TilePlace.hpp>
#include <Koalesce/cuda/stencil/tile/TileValues.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>

namespace Koalesce::Impl::CudaBackend {

/// A tile that is not inside: those of its points that are, a plane at a time. (With its rows in a loop, too, the
/// compiler gives some kernels 80 registers instead of 48.)
template <int width, int rows, int planes, class Work, class Update>
__device__ __forceinline__ void compute_cut_tile(Work const& work, TilePlace const& at, Update& update) {
#pragma unroll 1
  for (int k = 0; k < planes && at.z + k < work.extents[0]; ++k)
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < width; ++c)
        if (at.y + r < work.extents[1] && at.x + c >= 0 && at.x + c < work.extents[2] &&
            is_active_in(work, at.z + k, at.y + r, at.x + c))
          compute_cached_point(work, int(at.z) + k, int(at.y) + r, at.x + c, update);
}

/// Whether points may be computed by two threads: no result is summed up. Where values are read at the points, too, far
/// shapes and known weights leave no registers for it. Lines are tiles of one row; their ends are cut.
template <class Work>
inline constexpr bool has_own_points =
    Work::Order::rank > 1 && !has_active_points<Work> && std::is_same_v<typename Work::Reduction, NoReduction> &&
    (std::is_same_v<typename Work::Points, Pack<>> ||
     (!is_linear<typename Work::Functor> && Work::rz <= 1 && Work::ry <= 1 && Work::rx <= 1));

/// Beyond which faces a warp reads.
enum class FacesRead { none, rows_ends, any };

template <int width, int rows, int planes, class Work>
__device__ __forceinline__ FacesRead faces_read(Work const& work, TilePlace const& at) {
  auto const& faces    = work.domain;
  bool const rows_ends = faces.is_beyond(2, at.x - Work::rx, at.x + width + Work::rx),
             others    = faces.is_beyond(0, at.z - Work::rz, at.z + planes + Work::rz) ||
                      faces.is_beyond(1, at.y - Work::ry, at.y + rows + Work::ry);
  unsigned const warp = __activemask();
  return __any_sync(warp, others)      ? FacesRead::any
         : __any_sync(warp, rows_ends) ? FacesRead::rows_ends
                                       : FacesRead::none;
}

/// Calls inside(work, place, which of its points, update) for the calling thread's tile, if it lies in the work.
template <int width, int rows, int planes, class Work, class Inside>
__device__ __forceinline__ void compute_tiles(Work const& all, TileGrid const& grid, Inside const& inside) {
  WorkBlock const part(all, grid.blocks);
  auto const& work   = in_block(all, part.number);
  auto update        = work.reduction.identity();
  auto const compute = [&](TilePlace const& at, auto const& which) KOALESCE_INLINE_LAMBDA {
    if (at.inside) inside(work, at.whole(width), which, update);
    else compute_cut_tile<width, rows, planes>(work, at, update);
  };
  if constexpr (has_active_points<Work>) {
    ActiveTile const tile = work.domain.tiles[blockIdx.x];
    auto const at         = TilePlace::in_active(tile, work, width, rows, planes);
    compute(at, SomePoints<width, rows, planes>::of(tile, work, at));
  } else if constexpr (has_own_points<Work>) {
    auto at = TilePlace::of(part.place, grid, work.extents, width, rows, planes);
    if (at.z >= int(work.extents[0]) || at.y >= int(work.extents[1]) || at.begin >= at.end) return;
    using Order = typename Work::Order;
    if constexpr (!reaches_faces<Work>) {
      auto const own = OwnPoints<width, rows, planes>::of(at, work.extents, grid.wide_points);
      inside(work, at, own, update);
    } else {
      FacesRead const read = faces_read<width, rows, planes>(work, at);
      auto const own       = OwnPoints<width, rows, planes>::of(at, work.extents, grid.wide_points);
      if (read == FacesRead::none) inside(work, at.whole(width), PointsInside(own), update);
      else if (read == FacesRead::rows_ends) inside(work, at, points_at_faces<Order, false>(own, work.domain), update);
      else inside(work, at, points_at_faces<Order, true>(own, work.domain), update);
    }
  } else {
    compute(TilePlace::of(part.place, grid, work.extents, width, rows, planes), AllPoints{grid.wide_points});
  }
  leave_block_part(work.reduction, update);
}

/// Any functor from registers: a thread's neighbors in z stay with it, those in y and x come through L1 and L2.
template <class WorkT, int width, int rows, int planes>
struct TileKernel {
  using Work  = WorkT;
  using Order = typename Work::Order;

  template <class Ins>
  struct WindowsOf;
  template <class... Fields>
  struct WindowsOf<Pack<Fields...>> {
    using type =
        Pack<RegisterWindow<typename Fields::value_type, Order, typename Fields::shape_type, width, rows, planes>...>;
  };
  using Windows = typename WindowsOf<typename Work::Ins>::type;

  static __device__ __forceinline__ void run(Work const& all, TileGrid const& grid) {
    compute_tiles<width, rows, planes>(all, grid,
                                       [&](Work const& work, TilePlace const& at, auto const& which, auto& update)
                                           KOALESCE_INLINE_LAMBDA { compute_tile(work, grid, at, which, update); });
  }

 private:
  template <class Which>
  static __device__ __forceinline__ void compute_tile(Work const& work, TileGrid const& grid, TilePlace const& at,
                                                      Which const& which, typename Work::Reduction::Update& update) {
    Windows windows;
    auto const from   = first_points(work.in, at);
    auto const points = first_points(work.points, at);
    auto const to     = first_points(work.out, at);
    auto const places = transform(work.in, [&](auto const& field, auto i) {
      using Shape = typename std::decay_t<decltype(field)>::shape_type;
      return which.template places<i.value, Order::template radius<Shape>(2)>(at);
    });
    TileValues<typename Work::Points, width, rows> values[2];
    bool const whole = which.has_whole_rows(grid.wide_points);
    values[0].read(work.points, points, 0, at, whole);
    static_for<planes>([&](auto plane) KOALESCE_INLINE_LAMBDA {
      constexpr int m = plane.value;
      for_each(windows, [&](auto& window, auto i) {
        auto const& stride = get<i.value>(work.in).stride;
        window.template read<m>(get<i.value>(from), 0, stride[0], stride[1], get<i.value>(places));
      });
      // Ahead of this plane's stores: they may change what is read after them.
      if constexpr (m + 1 < planes) values[(m + 1) % 2].read(work.points, points, m + 1, at, whole);

      auto const compute = [&](int r, int c) {
        auto const around = transform(windows, [&](auto const& window, auto) { return window.around(m, r, c); });
        return to_pack(
            call_at<Order>(work.functor, around, values[m % 2].at(r, c), at.z + m, at.y + r, at.column(c), update));
      };
      decltype(compute(0, 0)) results[rows][width];
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int c = 0; c < width; ++c)
          if (which.computes(m, r, c)) results[r][c] = compute(r, c);
      store_plane(work.out, to, m, results, which);
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
