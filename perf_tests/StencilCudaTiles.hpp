// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CUDA_TILES_HPP
#define KOALESCE_PERF_STENCIL_CUDA_TILES_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "StencilCuda.hpp"

/// Register tiles through the caches, as an expert writes them in CUDA: a thread computes `width` points of `rows` rows
/// and marches `planes` planes. What a plane gives to several outputs stays in registers; x and y neighbors of other
/// threads come through L1 and L2.
namespace perf {

/// A thread's points, and how many of a row it reads at once.
struct RegisterTile {
  int width, vector, rows, planes;

  bool operator==(RegisterTile const&) const = default;
};

template <class T, class Reach, int Rank>
constexpr auto register_tiles() {
  constexpr int wide = 16 / sizeof(T);
  if constexpr (Rank == 1)
    return std::to_array<RegisterTile>(
        {{1, 1, 1, 1}, {2, 1, 1, 1}, {2, 2, 1, 1}, {4, 2, 1, 1}, {4, wide, 1, 1}, {8, wide, 1, 1}});
  else if constexpr (Rank == 2)
    return std::to_array<RegisterTile>({{1, 1, 1, 4},
                                        {1, 1, 1, 8},
                                        {2, 1, 1, 4},
                                        {2, 2, 1, 4},
                                        {2, 2, 1, 8},
                                        {2, 2, 1, 16},
                                        {4, 2, 1, 4},
                                        {4, wide, 1, 4},
                                        {4, wide, 1, 8}});
  else if constexpr (Reach::box && Reach::z > 1)  // a plane of a window would not fit into registers with its queue
    return std::to_array<RegisterTile>({{1, 1, 1, 1}, {2, 2, 1, 1}, {1, 1, 2, 1}, {1, 1, 1, 2}});
  else if constexpr (Reach::box)
    return std::to_array<RegisterTile>({{1, 1, 1, 4},
                                        {1, 1, 1, 8},
                                        {1, 1, 2, 4},
                                        {2, 1, 1, 4},
                                        {2, 2, 1, 4},
                                        {2, 2, 1, 8},
                                        {2, 2, 2, 4},
                                        {4, 2, 1, 8},
                                        {4, wide, 1, 8}});
  else
    return std::to_array<RegisterTile>({{1, 1, 1, 4},
                                        {1, 1, 1, 8},
                                        {1, 1, 2, 4},
                                        {1, 1, 2, 8},
                                        {1, 1, 4, 4},
                                        {2, 2, 1, 4},
                                        {2, 2, 2, 4},
                                        {2, 2, 2, 8},
                                        {2, 2, 4, 4},
                                        {2, 2, 4, 8},
                                        {4, 2, 1, 4},
                                        {4, wide, 1, 4},
                                        {4, wide, 2, 4}});
}

#ifdef KOKKOS_ENABLE_CUDA

template <class T, int N>
struct alignas(N * sizeof(T)) Vector {
  T value[N];
};

/// Reads N values at an address that is a multiple of their size.
template <int N, class T>
__device__ __forceinline__ void read(T* to, T const* from) {
  if constexpr (N == 1) {
    *to = __ldg(from);
  } else if constexpr (N == 2) {
    using Two      = std::conditional_t<sizeof(T) == 8, double2, float2>;
    Two const pair = __ldg(reinterpret_cast<Two const*>(from));
    to[0] = pair.x, to[1] = pair.y;
  } else {
    float4 const four = __ldg(reinterpret_cast<float4 const*>(from));
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  }
}

/// Reads row[From] to row[To - 1], which lie at `from` + the same offsets, N at once where all of them are wanted.
/// A tile begins at a multiple of N elements, so its first and last points may lie outside the interior: nothing is
/// read that no point needs, and the row's last vector lies in the field, whose pitch is a multiple of N.
template <int N, int Radius, int From, int To, class T>
__device__ __forceinline__ void read_row(T* row, T const* from, int x, int nx) {
  constexpr int first = From >= 0 ? From / N * N : -((-From + N - 1) / N * N);
  auto const read_at  = [&]<int Count>(std::integral_constant<int, Count>, int c) KOALESCE_INLINE_LAMBDA {
    bool const left  = N == 1 || c + Count >= N - Radius || x + c + Count > -Radius;
    bool const right = N == 1 || c <= Radius || x + c < nx + Radius;
    if (left && right) read<Count>(row + c, from + c);
  };
#pragma unroll
  for (int c = first; c < To; c += N) {
    if (c >= From && c + N <= To) read_at(std::integral_constant<int, N>{}, c);
    else
#pragma unroll
      for (int k = c; k < c + N; ++k)
        if (k >= From && k < To) read_at(std::integral_constant<int, 1>{}, k);
  }
}

/// Writes the points of a row that lie in the interior.
template <int N, int Width, class T>
__device__ __forceinline__ void write_row(T* to, T const* row, int x, int nx) {
#pragma unroll
  for (int c = 0; c < Width; c += N) {
    if (N == 1 || (x + c >= 0 && x + c + N <= nx)) {
      Vector<T, N> out;
#pragma unroll
      for (int k = 0; k < N; ++k) out.value[k] = row[c + k];
      *reinterpret_cast<Vector<T, N>*>(to + c) = out;
    } else {
#pragma unroll
      for (int k = c; k < c + N; ++k)
        if (x + k >= 0 && x + k < nx) to[k] = row[k];
    }
  }
}

/// A thread's tile. The last tiles of rows and planes are moved back to end with the interior: points computed twice
/// get the same value twice. Those of a row begin at multiples of the vector, `shift` elements before the interior.
template <RegisterTile tile>
struct TilePlace {
  int z, y, x;
  bool inside;

  template <class Sweep>
  __device__ TilePlace(Sweep const& s, int shift) {
    x      = (blockIdx.x * blockDim.x + threadIdx.x) * tile.width - shift;
    y      = (blockIdx.y * blockDim.y + threadIdx.y) * tile.rows;
    z      = (blockIdx.z * blockDim.z + threadIdx.z) * tile.planes;
    inside = x < s.nx && y < s.ny && z < s.nz;
    if (tile.vector == 1) x = min(x, s.nx - tile.width);
    y = min(y, s.ny - tile.rows);
    z = min(z, s.nz - tile.planes);
  }
};

/// What a thread keeps of one input, as far as the shape needs it.
template <class T, class Reach, RegisterTile tile>
struct Window {
  static constexpr int rz = Reach::z, ry = Reach::y, rx = Reach::x;

  T value[tile.planes + 2 * rz][tile.rows + 2 * ry][tile.width + 2 * rx];

  /// \param from the tile's first point in the window's first plane.
  template <int From, int To>
  __device__ __forceinline__ void read_rows(int plane, int begin, int end, T const* from, std::int64_t pitch, int x,
                                            int nx) {
#pragma unroll
    for (int r = begin; r < end; ++r)
      read_row<tile.vector, rx, From, To>(&value[plane][r][rx], from + (r - ry) * pitch, x, nx);
  }

  /// Reads what the outputs of plane m need and those before did not: `from` as above.
  template <int m>
  __device__ __forceinline__ void advance(T const* from, std::int64_t plane, std::int64_t pitch, int x, int nx) {
    constexpr int rows = tile.rows, width = tile.width;
#pragma unroll
    for (int p = m == 0 ? 0 : m + 2 * rz; p <= m + 2 * rz; ++p) {
      if constexpr (Reach::box) read_rows<-rx, width + rx>(p, 0, rows + 2 * ry, from + p * plane, pitch, x, nx);
      else read_rows<0, width>(p, ry, ry + rows, from + p * plane, pitch, x, nx);
    }
    if constexpr (!Reach::box) {
      constexpr int p      = m + rz;
      T const* const place = from + p * plane;
      read_rows<0, width>(p, 0, ry, place, pitch, x, nx);
      read_rows<0, width>(p, ry + rows, rows + 2 * ry, place, pitch, x, nx);
      read_rows<-rx, 0>(p, ry, ry + rows, place, pitch, x, nx);
      read_rows<width, width + rx>(p, ry, ry + rows, place, pitch, x, nx);
    }
  }
};

template <class Window>
struct WindowTaps : AnyRank<WindowTaps<Window>> {
  Window const& window;
  int plane, row, column;

  __device__ __forceinline__ WindowTaps(Window const& window_, int p, int r, int c)
      : window(window_), plane(p), row(r), column(c) {}

  KOKKOS_FORCEINLINE_FUNCTION auto at(int dz, int dy, int dx) const {
    return window.value[plane + Window::rz + dz][row + Window::ry + dy][column + Window::rx + dx];
  }
};

template <class Sweep, RegisterTile tile>
__global__ void __launch_bounds__(256) cuda_tile(Sweep const s, int const shift) {
  using T     = typename Sweep::value_type;
  using Reach = typename Sweep::reach;
  using Point = Koalesce::Box<0, 0, 0>;
  using Here  = Window<T, perf::Reach<Point>, RegisterTile{tile.width, tile.vector, tile.rows, 1}>;

  TilePlace<tile> const place(s, shift);
  if (!place.inside) return;
  int const x             = place.x;
  std::int64_t const from = place.z * s.plane + place.y * s.pitch + x;
  Window<T, Reach, tile> window[Sweep::around];
  Here here[Sweep::inputs - Sweep::around + 1];

  Koalesce::Impl::static_for<tile.planes>([&](auto plane) KOALESCE_INLINE_LAMBDA {
    constexpr int m = decltype(plane)::value;
#pragma unroll
    for (int k = 0; k < Sweep::around; ++k)
      window[k].template advance<m>(s.in[k] + from - Reach::z * s.plane, s.plane, s.pitch, x, s.nx);
#pragma unroll
    for (int k = Sweep::around; k < Sweep::inputs; ++k)
      here[k - Sweep::around].template advance<0>(s.in[k] + from + m * s.plane, s.plane, s.pitch, x, s.nx);
    T result[Sweep::outputs][tile.rows][tile.width];
#pragma unroll
    for (int r = 0; r < tile.rows; ++r)
#pragma unroll
      for (int c = 0; c < tile.width; ++c)
        Sweep::each_output(s.apply([&](auto k) KOALESCE_INLINE_LAMBDA {
          if constexpr (k.value < Sweep::around) return WindowTaps<Window<T, Reach, tile>>(window[k.value], m, r, c);
          else return WindowTaps<Here>(here[k.value - Sweep::around], 0, r, c);
        }),
                           [&](auto o, T value) KOALESCE_INLINE_LAMBDA { result[o.value][r][c] = value; });
#pragma unroll
    for (int o = 0; o < Sweep::outputs; ++o)
#pragma unroll
      for (int r = 0; r < tile.rows; ++r)
        write_row<tile.vector, tile.width>(s.out[o] + from + m * s.plane + r * s.pitch, result[o][r], x, s.nx);
  });
}

/// Elements by which the first interior point of all fields misses a multiple of `vector`; -1 where rows differ in
/// that.
template <class Sweep>
int shift_of(Sweep const& s, int vector) {
  using T       = typename Sweep::value_type;
  auto const at = [&](T const* p) { return int(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % vector); };
  bool even     = s.pitch % vector == 0 && s.plane % vector == 0;
  for (auto const* p : s.in) even = even && at(p) == at(s.in[0]);
  for (auto const* p : s.out) even = even && at(p) == at(s.in[0]);
  return even ? at(s.in[0]) : -1;
}

/// The ways in which a kernel of register tiles can run this sweep.
/// \param kernel kernel.operator()<tile>() is the kernel's address.
template <auto tiles, class Sweep, class Kernel>
std::vector<Way<Sweep>> register_tile_ways(Sweep const& sweep, Kernel const& kernel) {
  std::vector<Way<Sweep>> ways;
  std::vector<RegisterTile> added;
  auto const add_tile = [&](RegisterTile const& t, auto const launched) {
    // Of types whose widest vector is 2, some tiles are listed twice.
    if (std::find(added.begin(), added.end(), t) != added.end()) return;
    added.push_back(t);
    int const shift = shift_of(sweep, t.vector);
    if (shift < 0 || t.width > sweep.nx || t.rows > sweep.ny || t.planes > sweep.nz) return;
    for (std::array<unsigned, 3> const zyx : {std::array<unsigned, 3>{1, 4, 64}, {1, 8, 32}}) {
      dim3 const block = block_of<Sweep>(zyx);
      ways.push_back({std::to_string(t.width) + "x" + std::to_string(t.rows) + "x" + std::to_string(t.planes) +
                          " points a thread, " + std::to_string(t.vector) + " at once, block " + block_name(block),
                      [=](Sweep const& s) {
                        dim3 const blocks(blocks_of((s.nx + shift + t.width - 1) / t.width, block.x),
                                          blocks_of((s.ny + t.rows - 1) / t.rows, block.y),
                                          blocks_of((s.nz + t.planes - 1) / t.planes, block.z));
                        launched<<<blocks, block, 0, Exec().cuda_stream()>>>(s, shift);
                      }});
      if (Sweep::Shape::rank == 1) break;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add_tile(tiles[I], kernel.template operator()<tiles[I]>()), ...);
  }
  (std::make_index_sequence<tiles.size()>{});
  return ways;
}

template <class Sweep>
std::vector<Way<Sweep>> cuda_tile_ways(Sweep const& sweep) {
  constexpr auto tiles = register_tiles<typename Sweep::value_type, typename Sweep::reach, Sweep::Shape::rank>();
  return register_tile_ways<tiles>(sweep, []<RegisterTile tile>() { return &cuda_tile<Sweep, tile>; });
}

#endif

}  // namespace perf

#endif
