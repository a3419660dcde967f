// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CUDA_BLOCKS_HPP
#define KOALESCE_PERF_STENCIL_CUDA_BLOCKS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "StencilCuda.hpp"
#include "StencilCudaTiles.hpp"

/// Sweeps over many small cubes as an expert writes them in CUDA: blockIdx.z is the block of data, and its edge is
/// known to the compiler, so thread blocks divide it exactly and rows need no checks.
namespace perf {

/// One sweep over blocks of Edge^3 points. Pointers are of the first block's first interior point.
template <class T, class Shape_, int Edge, class Functor>
struct BlocksSweep {
  using value_type = T;
  using Shape      = Shape_;
  using reach      = Reach<Shape>;

  static constexpr int edge = Edge;

  T const* in[1];
  T* out[1];
  std::int64_t plane, pitch, block;  ///< elements from one plane, row and block to the next
  unsigned blocks;
  Functor functor;
};

/// \param[in] u, out  fields with the block first, of the same strides, and with halos of one point.
template <class Shape, int Edge, class View, class Functor>
auto blocks_sweep(View const& u, View const& out, Functor const& functor) {
  std::int64_t const origin = u.stride(1) + u.stride(2) + 1;
  return BlocksSweep<typename View::value_type, Shape, Edge, Functor>{{u.data() + origin},
                                                                      {out.data() + origin},
                                                                      std::int64_t(u.stride(1)),
                                                                      std::int64_t(u.stride(2)),
                                                                      std::int64_t(u.stride(0)),
                                                                      unsigned(u.extent(0)),
                                                                      functor};
}

#ifdef KOKKOS_ENABLE_CUDA

// ---- A thread a point ----

template <class Sweep>
__global__ void __launch_bounds__(1024) cuda_blocks_point(Sweep const s) {
  int const x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, z = blockIdx.y * blockDim.z + threadIdx.z;
  std::int64_t const place = blockIdx.z * s.block + z * s.plane + y * s.pitch + x;
  s.out[0][place]          = s.functor(PointerTaps<typename Sweep::value_type>(s.in[0] + place, s.plane, s.pitch));
}

template <class Sweep>
std::vector<Variant<Sweep>> cuda_blocks_point_variants(Sweep const&) {
  constexpr unsigned edge = Sweep::edge;
  std::vector<Variant<Sweep>> variants;
  for (std::array<unsigned, 2> const zy : {std::array<unsigned, 2>{1, 4},
                                           {1, 8},
                                           {1, 16},
                                           {1, 32},
                                           {2, 2},
                                           {2, 4},
                                           {2, 8},
                                           {4, 2},
                                           {4, 4},
                                           {4, 8},
                                           {8, 4}}) {
    dim3 const block(edge, zy[1], zy[0]);
    if (edge % block.y != 0 || edge % block.z != 0 || block.x * block.y * block.z > 1024) continue;
    variants.push_back({"block " + block_name(block), [=](Sweep const& s) {
                          dim3 const grid(edge / block.y, edge / block.z, s.blocks);
                          cuda_blocks_point<<<grid, block, 0, Exec().cuda_stream()>>>(s);
                        }});
  }
  return variants;
}

// ---- Register tiles ----

template <class T>
constexpr auto block_tiles() {
  constexpr int wide = 16 / sizeof(T);
  return TileList<RegisterTile<1, 1, 1, 4>, RegisterTile<1, 1, 1, 8>, RegisterTile<1, 1, 1, 16>,
                  RegisterTile<1, 1, 2, 4>, RegisterTile<1, 1, 2, 8>, RegisterTile<1, 1, 4, 4>,
                  RegisterTile<2, 2, 1, 4>, RegisterTile<2, 2, 1, 8>, RegisterTile<2, 2, 1, 16>,
                  RegisterTile<2, 2, 2, 4>, RegisterTile<2, 2, 2, 8>, RegisterTile<2, 2, 4, 4>,
                  RegisterTile<4, wide, 1, 4>, RegisterTile<4, wide, 1, 8>, RegisterTile<4, wide, 2, 4>>{};
}

/// \tparam Shifted  whether rows begin between multiples of the vector. Only then the first and the last tile of a row
///                  have points outside of the interior.
template <class Sweep, class Tile, bool Shifted>
__global__ void __launch_bounds__(256) cuda_blocks_tile(Sweep const s, int const shift) {
  using T     = typename Sweep::value_type;
  using Reach = typename Sweep::reach;

  int const x = int(threadIdx.x) * Tile::width - (Shifted ? shift : 0),
            y = (blockIdx.x * blockDim.y + threadIdx.y) * Tile::rows,
            z = (blockIdx.y * blockDim.z + threadIdx.z) * Tile::planes;
  // What checks compare: a tile that lies inside is a row of its own.
  int const first = Shifted ? x : 0, points = Shifted ? Sweep::edge : Tile::width;

  std::int64_t const place = blockIdx.z * s.block + z * s.plane + y * s.pitch + x;
  Window<T, Reach, Tile> window;
  Koalesce::Impl::static_for<Tile::planes>([&](auto plane) KOALESCE_INLINE_LAMBDA {
    constexpr int m = decltype(plane)::value;
    window.template advance<m>(s.in[0] + place - Reach::z * s.plane, s.plane, s.pitch, first, points);
#pragma unroll
    for (int r = 0; r < Tile::rows; ++r) {
      T row[Tile::width];
#pragma unroll
      for (int c = 0; c < Tile::width; ++c) row[c] = s.functor(WindowTaps<Window<T, Reach, Tile>>(window, m, r, c));
      write_row<Tile::vector, Tile::width>(s.out[0] + place + m * s.plane + r * s.pitch, row, first, points);
    }
  });
}

/// The variants with one tile, in thread blocks of as many whole rows of tiles as make up 64, 128 and 256 threads.
template <class Tile, class Sweep>
void add_block_tile(std::vector<Variant<Sweep>>& variants, Sweep const& sweep) {
  using std::to_string;
  constexpr int edge = Sweep::edge, rows = edge / Tile::rows, columns = edge / Tile::planes;
  static_assert(edge % Tile::width == 0 && edge % Tile::rows == 0 && edge % Tile::planes == 0);
  int const shift = sweep.block % Tile::vector == 0 ? shift_of(sweep, Tile::vector) : -1;
  if (shift < 0) return;
  unsigned const across = unsigned(edge + shift + Tile::width - 1) / Tile::width;
  for (unsigned const threads : {64, 128, 256}) {
    dim3 block(across, 1, 1);
    while (2 * block.y <= unsigned(rows) && block.x * 2 * block.y <= threads) block.y *= 2;
    while (2 * block.z <= unsigned(columns) && block.x * block.y * 2 * block.z <= threads) block.z *= 2;
    std::string const name = to_string(Tile::width) + "x" + to_string(Tile::rows) + "x" + to_string(Tile::planes) +
                             " points a thread, " + to_string(Tile::vector) + " at once, block " + block_name(block);
    if (std::any_of(variants.begin(), variants.end(), [&](auto const& variant) { return variant.name == name; }))
      continue;
    variants.push_back({name, [=](Sweep const& s) {
                          dim3 const grid(rows / block.y, columns / block.z, s.blocks);
                          auto* const kernel =
                              shift == 0 ? &cuda_blocks_tile<Sweep, Tile, false> : &cuda_blocks_tile<Sweep, Tile, true>;
                          kernel<<<grid, block, 0, Exec().cuda_stream()>>>(s, shift);
                        }});
  }
}

template <class Sweep, class... Tiles>
std::vector<Variant<Sweep>> cuda_blocks_tile_variants(Sweep const& sweep, TileList<Tiles...>) {
  std::vector<Variant<Sweep>> variants;
  (add_block_tile<Tiles>(variants, sweep), ...);
  return variants;
}

template <class Sweep>
std::vector<Variant<Sweep>> cuda_blocks_tile_variants(Sweep const& sweep) {
  return cuda_blocks_tile_variants(sweep, block_tiles<typename Sweep::value_type>());
}

#endif

}  // namespace perf

#endif
