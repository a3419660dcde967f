// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_TILE_CUDA_HPP
#define KOALESCE_PERF_TRANSPOSE_TILE_CUDA_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_pipeline.h>

#include <cstdint>
#include <functional>
#include <string>

/// A hand-written CUDA kernel that computes a recurrence along each row of a row-major matrix.
namespace perf {

/// A contiguous row-major matrix `a`, a vector `x` of `columns` elements, and `y` with one result per row.
template <class T>
struct RowKernelData {
  T const* a;
  T const* x;
  T* y;
  std::int64_t rows, columns;
};

/// The tiles of one warp in shared memory. Rows are padded by one element, so the lanes read a column without bank
/// conflicts. The elements of x for the tile's columns follow it.
template <class T, int Rows, int Columns, int Stages>
struct WarpTiles {
  static constexpr int warp = 32, batch = 16, pitch = Columns + 1, size = Rows * pitch + Columns;

  static constexpr std::size_t bytes_per_warp = sizeof(T) * Stages * size;

  /// Starts to copy tile t, or nothing after the last one. All `Rows` rows lie in the matrix.
  __device__ static void load(RowKernelData<T> const& m, std::int64_t row, int lane, int t, T* tiles) {
    T* const tile = tiles + t % Stages * size;
#pragma unroll
    for (int c = lane; c < Columns; c += warp) {
      std::int64_t const column = std::int64_t(t) * Columns + c;
      if (column >= m.columns) break;
      __pipeline_memcpy_async(tile + Rows * pitch + c, m.x + column, sizeof(T));
      T const* from = m.a + row * m.columns + column;
#pragma unroll
      for (int r = 0; r < Rows; ++r, from += m.columns) __pipeline_memcpy_async(tile + r * pitch + c, from, sizeof(T));
    }
    __pipeline_commit();
  }

  /// Continues a lane's row through the tile. Elements are loaded in batches, because the steps of one row depend on
  /// each other and hide no latency.
  template <class Step>
  __device__ static void consume(T const* tile, int lane, int columns, T& sum, Step const& step) {
    T const *const row = tile + lane % Rows * pitch, *const x = tile + Rows * pitch;
    if (columns == Columns) {
#pragma unroll
      for (int first = 0; first < Columns; first += batch) {
        T element[batch];
#pragma unroll
        for (int c = 0; c < batch; ++c) element[c] = row[first + c];
#pragma unroll
        for (int c = 0; c < batch; ++c) sum = step(sum, element[c], x[first + c]);
      }
    } else {
      for (int c = 0; c < columns; ++c) sum = step(sum, row[c], x[c]);
    }
  }
};

/// Each warp computes `Rows` rows by itself, without block barriers; `Stages` - 1 tiles are in flight while it works on
/// another one. Fewer rows than lanes make more warps, for matrices of few rows. The last warps start early enough to
/// have `Rows` rows, which saves a test per copy; a few rows are computed twice, with the same result.
template <class T, int Rows, int Columns, int Stages, class Step>
__global__ void __launch_bounds__(128, 1) go_along_rows(RowKernelData<T> const m, Step const step) {
  using Tiles = WarpTiles<T, Rows, Columns, Stages>;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  int const warp = int(threadIdx.x) / Tiles::warp, lane = int(threadIdx.x) % Tiles::warp;
  std::int64_t const rows_before = (std::int64_t(blockIdx.x) * (blockDim.x / Tiles::warp) + warp) * Rows;
  std::int64_t const row         = min(rows_before, m.rows - Rows);

  T* const tiles  = reinterpret_cast<T*>(shared_memory + warp * Tiles::bytes_per_warp);
  int const count = int((m.columns + Columns - 1) / Columns);
  for (int t = 0; t < Stages - 1; ++t) Tiles::load(m, row, lane, t, tiles);
  T sum = 0;
  for (int t = 0; t < count; ++t) {
    Tiles::load(m, row, lane, t + Stages - 1, tiles);
    __pipeline_wait_prior(Stages - 1);
    __syncwarp();
    int const columns = int(min(std::int64_t(Columns), m.columns - std::int64_t(t) * Columns));
    Tiles::consume(tiles + t % Stages * Tiles::size, lane, columns, sum, step);
    __syncwarp();
  }
  if (lane < Rows) m.y[row + lane] = sum;
}

/// A launch of go_along_rows; empty if the matrix has fewer than `Rows` rows or shared memory is too small.
template <int Rows, int Columns, int Stages, class T, class Step>
std::function<void()> launch_along_rows(Kokkos::Cuda const& exec, RowKernelData<T> const& m, Step const& step,
                                        int warps) {
  using Tiles             = WarpTiles<T, Rows, Columns, Stages>;
  auto* const kernel      = &go_along_rows<T, Rows, Columns, Stages, Step>;
  std::size_t const bytes = warps * Tiles::bytes_per_warp;
  if (m.rows < Rows || bytes > exec.cuda_device_prop().sharedMemPerBlockOptin) return {};
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  std::int64_t const rows_per_block = std::int64_t(warps) * Rows;
  unsigned const blocks             = unsigned((m.rows + rows_per_block - 1) / rows_per_block);
  return [=] { kernel<<<blocks, warps * Tiles::warp, bytes, exec.cuda_stream()>>>(m, step); };
}

}  // namespace perf
#endif

#endif
