// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_CACHED_POINT_HPP
#define KOALESCE_STENCIL_IMPL_CACHED_POINT_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl {

/// Whether compute_cached_point() may have indices of 32 bits: inputs have stride 1 in x, and their other strides fit.
template <class Work>
bool has_short_strides(Work const& work) {
  bool can            = true;
  auto const is_short = [](std::int64_t stride) { return stride == std::int64_t(int(stride)); };
  for_each(work.in, [&](auto const& field, auto) {
    can = can && field.stride[2] == 1 && is_short(field.stride[0]) && is_short(field.stride[1]);
  });
  return can;
}

/// Computes one point, whose taps are read from the fields through the caches.
/// \tparam Index int, or std::int64_t for any strides.
/// \param[in,out] update  what the reductions have been given so far.
template <class Index, class Work, class Update>
KOKKOS_FORCEINLINE_FUNCTION void compute_cached_point(Work const& work, Index z, Index y, Index x, Update& update) {
  using Order = typename Work::Order;

  auto const around = transform(work.in, [&](auto const& field, auto) KOALESCE_INLINE_LAMBDA {
    using In = std::decay_t<decltype(field)>;
    using T  = typename In::value_type;
    // Strides as int: a product takes one instruction of a GPU, with 64-bit strides four. (For outputs that is slower.)
    std::int64_t const stride_x = std::is_same_v<Index, int> ? 1 : field.stride[2];
    auto const place =
        std::int64_t(z) * Index(field.stride[0]) + std::int64_t(y) * Index(field.stride[1]) + x * stride_x;
    return Order::template neighborhood<typename In::shape_type>(field.origin + place, field.stride[0], field.stride[1],
                                                                 stride_x,
                                                                 Neighborhood<T, typename In::shape_type>::read_only);
  });
  store(work.out, call_at<Order>(work.functor, around, load(work.points, z, y, x), z, y, x, update), z, y, x);
}

/// Computes a point of a tile, if it is active and lies in the work.
/// \param[in] word, lane  of the tile's words of bits, and of the word's bits.
template <class Index, class Work, class Update>
KOKKOS_FORCEINLINE_FUNCTION void compute_active_point(Work const& work, ActiveTile const& tile, int word, int lane,
                                                      Update& update) {
  auto const& first = work.domain.first;
  Extents3 const p  = ActiveTileShape<Work::Order::rank>::place(tile, word);
  auto const z = p[0] - first[0], y = p[1] - first[1], x = p[2] + lane - first[2];
  if (x >= 0 && x < work.extents[2] && is_active_in(work, z, y, x))
    compute_cached_point(work, Index(z), Index(y), Index(x), update);
}

}  // namespace Koalesce::Impl

#endif
