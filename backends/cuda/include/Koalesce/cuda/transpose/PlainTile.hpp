// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PLAIN_TILE_HPP
#define KOALESCE_CUDA_TRANSPOSE_PLAIN_TILE_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace Koalesce::Impl::CudaBackend {

/// The tile for matrices in the L2 cache. There it counts what a block executes before its first load, since each
/// kernel fetches its instructions anew: here columns, rows and matrices are the grid's dimensions, and numbers have 32
/// bits.
template <int ElementBytes>
struct PlainTile {
  using Element = Word<ElementBytes>;

  static constexpr int extent = 32, threads = 256, step = threads / extent;

  struct Plan {
    Element const* from;
    Element* to;
    std::int64_t from_matrix, to_matrix;  // from one matrix to the next
    int from_row, to_column, rows, columns;
  };

  static bool takes(TransposeWork<Element> const& work) {
    constexpr std::int64_t max_int = std::numeric_limits<int>::max(), max_grid = 65535;
    return work.from_at.column == 1 && work.to_at.row == 1 && work.batch.dims() < 2 && work.batch.size() <= max_grid &&
           work.rows <= max_grid * extent &&
           std::max({work.columns, work.from_at.row, work.to_at.column}) <= max_int - extent;
  }

  /// Whether at least half of the threads' elements are some of the matrices'.
  static bool is_filled_by(TransposeWork<Element> const& work) {
    return 2 * work.rows * work.columns >= tiles(work.rows) * tiles(work.columns) * extent * extent;
  }

  static std::int64_t tiles(std::int64_t n) { return (n + extent - 1) / extent; }

  /// \param[in] work one that takes() accepts.
  static Plan plan(TransposeWork<Element> const& work) {
    auto const batch = work.batch.dim(0);
    return {work.from,      work.to,          batch.from, batch.to, int(work.from_at.row), int(work.to_at.column),
            int(work.rows), int(work.columns)};
  }
};

template <class Tile>
__global__ __launch_bounds__(Tile::threads) void transpose_plain_kernel(typename Tile::Plan const plan) {
  constexpr int extent = Tile::extent, step = Tile::step;
  __shared__ typename Tile::Element tile[extent][extent + 1];
  int const lane = int(threadIdx.x % extent), line = int(threadIdx.x / extent);
  int const row = int(blockIdx.y) * extent, column = int(blockIdx.x) * extent;

  auto const* from        = plan.from + blockIdx.z * plan.from_matrix;
  std::int64_t const down = std::int64_t(step) * plan.from_row;
  from += std::int64_t(row + line) * plan.from_row + column + lane;
#pragma unroll
  for (int r = line; r < line + extent; r += step, from += down)
    if (row + r < plan.rows && column + lane < plan.columns) tile[r][lane] = load_once<typename Tile::Element>(from);
  __syncthreads();

  auto* to                  = plan.to + blockIdx.z * plan.to_matrix;
  std::int64_t const across = std::int64_t(step) * plan.to_column;
  to += std::int64_t(column + line) * plan.to_column + row + lane;
#pragma unroll
  for (int c = line; c < line + extent; c += step, to += across)
    if (row + lane < plan.rows && column + c < plan.columns) *to = tile[lane][c];
}

template <class T>
void launch_plain(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<T> const& work) {
  using Tile      = PlainTile<int(sizeof(T))>;
  auto const plan = Tile::plan(work);
  CudaKernel<typename Tile::Plan const>(exec, kernel_label(Tag{}, label), transpose_plain_kernel<Tile>, Tile::threads,
                                        0, cudaSharedmemCarveoutDefault)
      .launch(exec,
              dim3(unsigned(Tile::tiles(work.columns)), unsigned(Tile::tiles(work.rows)), unsigned(work.batch.size())),
              plan);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
