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
template <int Width, int VectorWidth, int Rows, int Planes>
struct RegisterTile {
  static constexpr int width = Width, vector = VectorWidth, rows = Rows, planes = Planes;
};

template <class... Tiles>
struct TileList {};

/// \tparam few for functors that are no sums: each of them compiles for long.
template <class T, class Reach, int Rank, bool few = false>
constexpr auto register_tiles() {
  constexpr int wide = 16 / sizeof(T);
  if constexpr (few && Reach::z <= 1)
    return TileList<RegisterTile<1, 1, 1, 4>, RegisterTile<1, 1, 2, 4>, RegisterTile<1, 1, 1, 8>,
                    RegisterTile<2, 2, 1, 4>, RegisterTile<2, 2, 2, 4>, RegisterTile<2, 2, 2, 8>,
                    RegisterTile<4, wide, 1, 4>>{};
  else if constexpr (Rank == 1)
    return TileList<RegisterTile<1, 1, 1, 1>, RegisterTile<2, 1, 1, 1>, RegisterTile<2, 2, 1, 1>,
                    RegisterTile<4, 2, 1, 1>, RegisterTile<4, wide, 1, 1>, RegisterTile<8, wide, 1, 1>>{};
  else if constexpr (Rank == 2)
    return TileList<RegisterTile<1, 1, 1, 4>, RegisterTile<1, 1, 1, 8>, RegisterTile<2, 1, 1, 4>,
                    RegisterTile<2, 2, 1, 4>, RegisterTile<2, 2, 1, 8>, RegisterTile<2, 2, 1, 16>,
                    RegisterTile<4, 2, 1, 4>, RegisterTile<4, wide, 1, 4>, RegisterTile<4, wide, 1, 8>>{};
  else if constexpr (Reach::box && Reach::z > 1)  // a plane of a window would not fit into registers with its queue
    return TileList<RegisterTile<1, 1, 1, 1>, RegisterTile<2, 2, 1, 1>, RegisterTile<1, 1, 2, 1>,
                    RegisterTile<1, 1, 1, 2>>{};
  else if constexpr (Reach::box)
    return TileList<RegisterTile<1, 1, 1, 4>, RegisterTile<1, 1, 1, 8>, RegisterTile<1, 1, 2, 4>,
                    RegisterTile<2, 1, 1, 4>, RegisterTile<2, 2, 1, 4>, RegisterTile<2, 2, 1, 8>,
                    RegisterTile<2, 2, 2, 4>, RegisterTile<4, 2, 1, 8>, RegisterTile<4, wide, 1, 8>>{};
  else
    return TileList<RegisterTile<1, 1, 1, 4>, RegisterTile<1, 1, 1, 8>, RegisterTile<1, 1, 2, 4>,
                    RegisterTile<1, 1, 2, 8>, RegisterTile<1, 1, 4, 4>, RegisterTile<2, 2, 1, 4>,
                    RegisterTile<2, 2, 2, 4>, RegisterTile<2, 2, 2, 8>, RegisterTile<2, 2, 4, 4>,
                    RegisterTile<2, 2, 4, 8>, RegisterTile<4, 2, 1, 4>, RegisterTile<4, wide, 1, 4>,
                    RegisterTile<4, wide, 2, 4>>{};
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

/// A thread's Tile:: The last tiles of rows and planes are moved back to end with the interior: points computed twice
/// get the same value twice. Those of a row begin at multiples of the vector, `shift` elements before the interior.
template <class Tile>
struct TilePlace {
  int z, y, x;
  bool inside;

  template <class Sweep>
  __device__ TilePlace(Sweep const& s, int shift) {
    x      = (blockIdx.x * blockDim.x + threadIdx.x) * Tile::width - shift;
    y      = (blockIdx.y * blockDim.y + threadIdx.y) * Tile::rows;
    z      = (blockIdx.z * blockDim.z + threadIdx.z) * Tile::planes;
    inside = x < s.nx && y < s.ny && z < s.nz;
    if (Tile::vector == 1) x = min(x, s.nx - Tile::width);
    y = min(y, s.ny - Tile::rows);
    z = min(z, s.nz - Tile::planes);
  }
};

/// What a thread keeps of one input, as far as the shape needs it.
template <class T, class Reach, class Tile>
struct Window {
  static constexpr int rz = Reach::z, ry = Reach::y, rx = Reach::x;

  T value[Tile::planes + 2 * rz][Tile::rows + 2 * ry][Tile::width + 2 * rx];

  /// \param from the tile's first point in the window's first plane.
  template <int From, int To>
  __device__ __forceinline__ void read_rows(int plane, int begin, int end, T const* from, std::int64_t pitch, int x,
                                            int nx) {
#pragma unroll
    for (int r = begin; r < end; ++r)
      read_row<Tile::vector, rx, From, To>(&value[plane][r][rx], from + (r - ry) * pitch, x, nx);
  }

  /// Reads what the outputs of plane m need and those before did not: `from` as above.
  template <int m>
  __device__ __forceinline__ void advance(T const* from, std::int64_t plane, std::int64_t pitch, int x, int nx) {
    constexpr int rows = Tile::rows, width = Tile::width;
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

template <class Sweep, class Tile>
__global__ void __launch_bounds__(256) cuda_tile(Sweep const s, int const shift) {
  using T     = typename Sweep::value_type;
  using Reach = typename Sweep::reach;
  using Point = Koalesce::Box<0, 0, 0>;
  using Here  = Window<T, perf::Reach<Point>, RegisterTile<Tile::width, Tile::vector, Tile::rows, 1>>;

  TilePlace<Tile> const place(s, shift);
  if (!place.inside) return;
  int const x             = place.x;
  std::int64_t const from = place.z * s.plane + place.y * s.pitch + x;
  Window<T, Reach, Tile> window[Sweep::around];
  Here here[Sweep::inputs - Sweep::around + 1];

  Koalesce::Impl::static_for<Tile::planes>([&](auto plane) KOALESCE_INLINE_LAMBDA {
    constexpr int m = decltype(plane)::value;
#pragma unroll
    for (int k = 0; k < Sweep::around; ++k)
      window[k].template advance<m>(s.in[k] + from - Reach::z * s.plane, s.plane, s.pitch, x, s.nx);
#pragma unroll
    for (int k = Sweep::around; k < Sweep::inputs; ++k)
      here[k - Sweep::around].template advance<0>(s.in[k] + from + m * s.plane, s.plane, s.pitch, x, s.nx);
    T result[Sweep::outputs][Tile::rows][Tile::width];
#pragma unroll
    for (int r = 0; r < Tile::rows; ++r)
#pragma unroll
      for (int c = 0; c < Tile::width; ++c)
        Sweep::each_output(s.apply([&](auto k) KOALESCE_INLINE_LAMBDA {
          if constexpr (k.value < Sweep::around) return WindowTaps<Window<T, Reach, Tile>>(window[k.value], m, r, c);
          else return WindowTaps<Here>(here[k.value - Sweep::around], 0, r, c);
        }),
                           [&](auto o, T value) KOALESCE_INLINE_LAMBDA { result[o.value][r][c] = value; });
#pragma unroll
    for (int o = 0; o < Sweep::outputs; ++o)
#pragma unroll
      for (int r = 0; r < Tile::rows; ++r)
        write_row<Tile::vector, Tile::width>(s.out[o] + from + m * s.plane + r * s.pitch, result[o][r], x, s.nx);
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

/// The variant by which a kernel of register tiles runs a sweep with one of them, in two blocks, if it can.
template <class Tile, class Sweep>
void add_register_tile(std::vector<Variant<Sweep>>& variants, Sweep const& sweep, void (*kernel)(Sweep, int)) {
  using std::to_string;
  int const shift = shift_of(sweep, Tile::vector);
  if (shift < 0 || Tile::width > sweep.nx || Tile::rows > sweep.ny || Tile::planes > sweep.nz) return;
  for (std::array<unsigned, 3> const zyx : {std::array<unsigned, 3>{1, 4, 64}, {1, 8, 32}}) {
    dim3 const block       = block_of<Sweep>(zyx);
    std::string const name = to_string(Tile::width) + "x" + to_string(Tile::rows) + "x" + to_string(Tile::planes) +
                             " points a thread, " + to_string(Tile::vector) + " at once, block " + block_name(block);
    // Of types whose widest vector is 2 some tiles are listed twice; in one dimension both blocks are the same.
    if (std::any_of(variants.begin(), variants.end(), [&](auto const& variant) { return variant.name == name; }))
      continue;
    variants.push_back({name, [=](Sweep const& s) {
                          dim3 const blocks(blocks_of((s.nx + shift + Tile::width - 1) / Tile::width, block.x),
                                            blocks_of((s.ny + Tile::rows - 1) / Tile::rows, block.y),
                                            blocks_of((s.nz + Tile::planes - 1) / Tile::planes, block.z));
                          kernel<<<blocks, block, 0, Exec().cuda_stream()>>>(s, shift);
                        }});
  }
}

template <class Sweep, class... Tiles>
std::vector<Variant<Sweep>> cuda_tile_variants(Sweep const& sweep, TileList<Tiles...>) {
  std::vector<Variant<Sweep>> variants;
  (add_register_tile<Tiles>(variants, sweep, &cuda_tile<Sweep, Tiles>), ...);
  return variants;
}

template <class Sweep>
std::vector<Variant<Sweep>> cuda_tile_variants(Sweep const& sweep) {
  return cuda_tile_variants(sweep, register_tiles<typename Sweep::value_type, typename Sweep::reach, Sweep::Shape::rank,
                                                  !KnownWeights<typename Sweep::functor_type>>());
}

#endif

}  // namespace perf

#endif
