// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_LINES_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_LINES_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/packed/PackedTile.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

/// Matrices with few columns whose rows lie one after another in the source, and those with few rows whose columns do
/// in the destination. These short lines are packed: a block's share of them is one piece of memory, which moves in
/// vectors wherever a line starts. On the other side a block moves a long piece of each of the few long lines.
namespace Koalesce::Impl::CudaBackend {

template <int ElementBytes, int Threads>
__global__ __launch_bounds__(Threads) void transpose_packed_rows_kernel(TransposeWork<Word<ElementBytes>> const work,
                                                                        PackedGrid const grid) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  using Element = Word<ElementBytes>;
  PackedTile<ElementBytes> const tile(koalesce_packed_lines);
  auto const share  = grid.share(blockIdx.x, work.rows);
  int const columns = int(work.columns), elements = share.lines * columns;
  int const thread = int(threadIdx.x), vectors = elements * ElementBytes / packed_vector;

  Element const* const from = work.from + work.from_offset(share.matrix, share.first, 0);
  for (int v = thread; v < vectors; v += Threads)
    async_copy<packed_vector>(&tile.vector(v), from + v * (packed_vector / ElementBytes));
  commit_copies();
  for (int e = vectors * (packed_vector / ElementBytes) + thread; e < elements; e += Threads) tile.element(e) = from[e];
  wait_for_copies<0>();
  __syncthreads();

  Element* const to = work.to + work.to_offset(share.matrix, share.first, 0);
#pragma unroll 4
  for (int i = thread; i < columns << grid.log; i += Threads) {
    int const c = i >> grid.log, r = i & ((1 << grid.log) - 1);
    if (r < share.lines) to[c * work.to_at.column + r] = tile.element(r * columns + c);
  }
}

template <int ElementBytes, int Threads, int Blocks>
__global__ __launch_bounds__(Threads,
                             Blocks) void transpose_packed_columns_kernel(TransposeWork<Word<ElementBytes>> const work,
                                                                          PackedGrid const grid) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  using Element = Word<ElementBytes>;
  PackedTile<ElementBytes> const tile(koalesce_packed_lines);
  auto const share = grid.share(blockIdx.x, work.columns);
  int const rows = int(work.rows), elements = share.lines * rows, thread = int(threadIdx.x);

  Element const* const from = work.from + work.from_offset(share.matrix, 0, share.first);
  constexpr int at_once     = 8;
  for (int first = thread; first < rows << grid.log; first += at_once * Threads) {
    Element loaded[at_once];
    auto const for_each = [&](auto const& body) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const i = first + k * Threads, r = i >> grid.log, c = i & ((1 << grid.log) - 1);
        if (r < rows && c < share.lines) body(k, r, c);
      }
    };
    for_each([&](int k, int r, int c) { loaded[k] = load_once<Element>(from + r * work.from_at.row + c); });
    for_each([&](int k, int r, int c) { tile.element(c * rows + r) = loaded[k]; });
  }
  __syncthreads();

  Element* const to = work.to + work.to_offset(share.matrix, 0, share.first);
  int const vectors = elements * ElementBytes / packed_vector;
#pragma unroll 4
  for (int v = thread; v < vectors; v += Threads) store_once(to + v * (packed_vector / ElementBytes), tile.vector(v));
  for (int e = vectors * (packed_vector / ElementBytes) + thread; e < elements; e += Threads) to[e] = tile.element(e);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
