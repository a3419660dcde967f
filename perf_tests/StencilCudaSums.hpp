// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CUDA_SUMS_HPP
#define KOALESCE_PERF_STENCIL_CUDA_SUMS_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "StencilCudaTiles.hpp"

/// Register tiles for known weights: each plane is read once and added to the sums of all the output planes that it
/// belongs to, so registers hold sums, not planes.
namespace perf {

template <class T, class Reach, int Rank>
constexpr auto partial_sum_tiles() {
  constexpr int wide = 16 / sizeof(T);
  if constexpr (Rank == 3 && Reach::box && Reach::z > 1)
    return TileList<RegisterTile<1, 1, 1, 4>, RegisterTile<1, 1, 1, 8>, RegisterTile<2, 2, 1, 8>,
                    RegisterTile<2, 2, 2, 4>, RegisterTile<4, 2, 1, 4>, RegisterTile<4, 2, 1, 8>,
                    RegisterTile<4, wide, 2, 4>>{};
  else if constexpr (Rank == 3 && Reach::box)
    return TileList<RegisterTile<1, 1, 1, 8>, RegisterTile<1, 1, 2, 8>, RegisterTile<2, 2, 1, 8>,
                    RegisterTile<2, 2, 1, 16>, RegisterTile<2, 2, 2, 8>, RegisterTile<4, 2, 1, 8>,
                    RegisterTile<4, 2, 1, 16>, RegisterTile<4, wide, 1, 16>, RegisterTile<4, wide, 2, 8>>{};
  else return register_tiles<T, Reach, Rank>();
}

#ifdef KOKKOS_ENABLE_CUDA

template <class Sweep, class Tile>
__global__ void __launch_bounds__(256) cuda_sums(Sweep const s, int const shift) {
  using T          = typename Sweep::value_type;
  using Reach      = typename Sweep::reach;
  constexpr int rz = Reach::z, ry = Reach::y, rx = Reach::x;
  constexpr int width = Tile::width, rows = Tile::rows, planes = Tile::planes;
  TilePlace<Tile> const place(s, shift);
  if (!place.inside) return;
  int const x                = place.x;
  std::int64_t const from    = place.z * s.plane + place.y * s.pitch + x;
  T sum[planes][rows][width] = {};

  Koalesce::Impl::static_for<planes + 2 * rz>([&](auto plane) KOALESCE_INLINE_LAMBDA {
    constexpr int p = decltype(plane)::value;
    // Of a star, planes that no output lies in give their points on the axis alone.
    constexpr bool whole = Reach::box || (p >= rz && p < planes + rz);
#pragma unroll
    for (int r = whole ? -ry : 0; r < (whole ? rows + ry : rows); ++r) {
      T row[width + 2 * rx];
      T const* const start = s.in[0] + from + (p - rz) * s.plane + r * s.pitch;
      if (whole && (Reach::box || (r >= 0 && r < rows)))
        read_row<Tile::vector, rx, -rx, width + rx>(row + rx, start, x, s.nx);
      else read_row<Tile::vector, rx, 0, width>(row + rx, start, x, s.nx);
#pragma unroll
      for (int dz = rz; dz >= -rz; --dz) {
        int const m = p - rz - dz;
        if (m < 0 || m >= planes) continue;
#pragma unroll
        for (int i = 0; i < rows; ++i) {
          int const dy = r - i;
          if (dy < -ry || dy > ry) continue;
#pragma unroll
          for (int c = 0; c < width; ++c)
#pragma unroll
            for (int dx = -rx; dx <= rx; ++dx) {
              if (!Reach::contains(dz, dy, dx)) continue;
              sum[m][i][c] += s.functor.weight_at(dz, dy, dx) * row[rx + c + dx];
            }
        }
      }
    }
    if constexpr (constexpr int m = p - 2 * rz; m >= 0)
#pragma unroll
      for (int i = 0; i < rows; ++i)
        write_row<Tile::vector, width>(s.out[0] + from + m * s.plane + i * s.pitch, sum[m][i], x, s.nx);
  });
}

/// The same of boxes whose weights are the same on both sides: values with one weight are added first, and what a plane
/// gives to the outputs before it and behind it is computed once.
template <class Sweep, class Tile>
__global__ void __launch_bounds__(256) cuda_symmetric_sums(Sweep const s, int const shift) {
  using T          = typename Sweep::value_type;
  using Reach      = typename Sweep::reach;
  constexpr int rz = Reach::z, ry = Reach::y, rx = Reach::x;
  constexpr int width = Tile::width, rows = Tile::rows, planes = Tile::planes;
  TilePlace<Tile> const place(s, shift);
  if (!place.inside) return;
  int const x                = place.x;
  std::int64_t const from    = place.z * s.plane + place.y * s.pitch + x;
  T sum[planes][rows][width] = {};

  Koalesce::Impl::static_for<planes + 2 * rz>([&](auto plane) KOALESCE_INLINE_LAMBDA {
    constexpr int p = decltype(plane)::value;
    T value[rows + 2 * ry][width + 2 * rx];
#pragma unroll
    for (int r = 0; r < rows + 2 * ry; ++r)
      read_row<Tile::vector, rx, -rx, width + rx>(value[r] + rx,
                                                  s.in[0] + from + (p - rz) * s.plane + (r - ry) * s.pitch, x, s.nx);
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int c = 0; c < width; ++c) {
        T pair[ry + 1][rx + 1];
#pragma unroll
        for (int b = 0; b <= ry; ++b)
#pragma unroll
          for (int d = 0; d <= rx; ++d) {
            auto const in_row = [&](int r) {
              return d == 0 ? value[r][rx + c] : value[r][rx + c - d] + value[r][rx + c + d];
            };
            pair[b][d] = b == 0 ? in_row(ry + i) : in_row(ry + i - b) + in_row(ry + i + b);
          }
#pragma unroll
        for (int a = 0; a <= rz; ++a) {
          int const before = p - rz - a, behind = p - rz + a;
          if ((before < 0 || before >= planes) && (behind < 0 || behind >= planes)) continue;
          T part{};
#pragma unroll
          for (int b = 0; b <= ry; ++b)
#pragma unroll
            for (int d = 0; d <= rx; ++d) part += s.functor.weight_at(a, b, d) * pair[b][d];
          if (before >= 0 && before < planes) sum[before][i][c] += part;
          if (a > 0 && behind >= 0 && behind < planes) sum[behind][i][c] += part;
        }
      }
    if constexpr (constexpr int m = p - 2 * rz; m >= 0)
#pragma unroll
      for (int i = 0; i < rows; ++i)
        write_row<Tile::vector, width>(s.out[0] + from + m * s.plane + i * s.pitch, sum[m][i], x, s.nx);
  });
}

template <class Sweep, class... Tiles>
std::vector<Variant<Sweep>> cuda_sum_variants(Sweep const& sweep, bool symmetric, TileList<Tiles...>) {
  std::vector<Variant<Sweep>> variants;
  if constexpr (Sweep::reach::box) {
    if (symmetric) {
      (add_register_tile<Tiles>(variants, sweep, &cuda_symmetric_sums<Sweep, Tiles>), ...);
      return variants;
    }
  }
  (add_register_tile<Tiles>(variants, sweep, &cuda_sums<Sweep, Tiles>), ...);
  return variants;
}

/// \param[in] symmetric  of weights that are the same on both sides.
template <class Sweep>
std::vector<Variant<Sweep>> cuda_sum_variants(Sweep const& sweep, bool symmetric = false) {
  return cuda_sum_variants(sweep, symmetric,
                           partial_sum_tiles<typename Sweep::value_type, typename Sweep::reach, Sweep::Shape::rank>());
}

#endif

}  // namespace perf

#endif
