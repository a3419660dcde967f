// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_CUDA_HPP
#define KOALESCE_PERF_TRANSPOSE_CUDA_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cstdint>
#include <string>
#include <vector>

#include "Measure.hpp"

/// A transposition as an expert writes it in CUDA for row-major matrices without a pitch.
namespace perf {

/// A block moves a tile of Rows x Columns elements through shared memory, in rows that are padded by one element.
template <class T, int Rows, int Columns, int Threads>
__global__ __launch_bounds__(Threads) void transpose_tile(T const* __restrict__ in, T* __restrict__ out, int rows,
                                                          int columns) {
  __shared__ __align__(16) unsigned char memory[sizeof(T) * Rows * (Columns + 1)];
  auto* const tile    = reinterpret_cast<T(*)[Columns + 1]>(memory);  // of types with constructors, too
  constexpr int count = Rows * Columns / Threads, load_step = Threads / Columns, store_step = Threads / Rows;

  int const row = blockIdx.y * Rows, column = blockIdx.x * Columns, t = threadIdx.x;
  int const load_row = t / Columns, load_column = t % Columns, store_row = t % Rows, store_column = t / Rows;
  in += std::int64_t(row + load_row) * columns + column + load_column;
#pragma unroll
  for (int k = 0; k < count; ++k)
    if (row + load_row + k * load_step < rows && column + load_column < columns)
      tile[load_row + k * load_step][load_column] = in[std::int64_t(k * load_step) * columns];
  __syncthreads();
  out += std::int64_t(column + store_column) * rows + row + store_row;
#pragma unroll
  for (int k = 0; k < count; ++k)
    if (row + store_row < rows && column + store_column + k * store_step < columns)
      out[std::int64_t(k * store_step) * rows] = tile[store_row][store_column + k * store_step];
}

/// The kernel for tiles of one size.
template <class T>
struct CudaTranspose {
  using Launch = void(Exec const&, T const*, T*, int, int);

  std::string name;
  int rows;  ///< of a tile
  Launch* launch;

  template <int Rows, int Columns, int Threads>
  static CudaTranspose of() {
    auto const launch = [](Exec const& exec, T const* in, T* out, int rows, int columns) {
      dim3 const blocks((columns + Columns - 1) / Columns, (rows + Rows - 1) / Rows);
      transpose_tile<T, Rows, Columns, Threads><<<blocks, Threads, 0, exec.cuda_stream()>>>(in, out, rows, columns);
    };
    return {std::to_string(Rows) + "x" + std::to_string(Columns) + " by " + std::to_string(Threads), Rows, launch};
  }

  template <class View>
  void run(View const& in, View const& out) const {
    launch(Exec(), in.data(), out.data(), int(in.extent(0)), int(in.extent(1)));
  }
};

/// Those whose grids are large enough for so many rows.
template <class T>
std::vector<CudaTranspose<T>> cuda_transposes(std::int64_t rows) {
  using Peer = CudaTranspose<T>;
  std::vector<Peer> all{Peer::template of<32, 32, 256>(), Peer::template of<64, 16, 256>(),
                        Peer::template of<64, 32, 256>()};
  if constexpr (sizeof(T) < 8) all.push_back(Peer::template of<64, 64, 512>());
  std::erase_if(all, [&](Peer const& peer) { return (rows + peer.rows - 1) / peer.rows > 65535; });
  return all;
}

}  // namespace perf

#endif
#endif
