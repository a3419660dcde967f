// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_SMALL_LINES_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_SMALL_LINES_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/cuda/transpose/packed/LongLine.hpp>
#include <Koalesce/cuda/transpose/packed/PackedTile.hpp>
#include <Koalesce/cuda/transpose/packed/SmallTile.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

/// Packed lines of elements of 1 to 4 bytes: the long lines move in packets, too, or stores would move a byte a thread.
namespace Koalesce::Impl::CudaBackend {

template <int ElementBytes, int Threads>
__global__ __launch_bounds__(Threads) void transpose_small_rows_kernel(TransposeWork<Word<ElementBytes>> const work,
                                                                       PackedGrid const grid,
                                                                       SmallTileShape<ElementBytes> const shape) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  using Element    = Word<ElementBytes>;
  auto const share = grid.share(blockIdx.x, work.rows);
  SmallTile<ElementBytes> const tile(koalesce_packed_lines, shape, share.lines);

  Element const* const from = work.from + work.from_offset(share.matrix, share.first, 0);
  tile.template for_packed<Threads>([&](auto& vector, int e) { async_copy<packed_vector>(&vector, from + e); },
                                    [&](Element& element, int e) { element = from[e]; });
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();

  Element* const to = work.to + work.to_offset(share.matrix, share.first, 0);
  auto const column = [&](int c) { return LongLine<Element>(to + c * work.to_at.column, share.lines); };
  int const places  = tile.places();
  for (int i = int(threadIdx.x); i < places; i += Threads)
    tile.at_place(i, [&](int c, int p) {
      auto const line = column(c);
      if (p < line.packets()) *line.packet(p) = tile.gather(line.first(p), c);
    });
  tile.template for_edges<Threads>([&](int c, int e) {
    auto const line = column(c);
    if (e < line.edges()) line[line.edge(e)] = tile(line.edge(e), c);
  });
}

template <int ElementBytes, int Threads>
__global__ __launch_bounds__(Threads) void transpose_small_columns_kernel(TransposeWork<Word<ElementBytes>> const work,
                                                                          PackedGrid const grid,
                                                                          SmallTileShape<ElementBytes> const shape) {
  extern __shared__ __align__(128) unsigned char koalesce_packed_lines[];
  using Element    = Word<ElementBytes>;
  auto const share = grid.share(blockIdx.x, work.columns);
  SmallTile<ElementBytes> const tile(koalesce_packed_lines, shape, share.lines);

  Element const* const from = work.from + work.from_offset(share.matrix, 0, share.first);
  auto const row            = [&](int r) { return LongLine<Element const>(from + r * work.from_at.row, share.lines); };
  int const places          = tile.places();
  for (int i = int(threadIdx.x); i < places; i += Threads)
    tile.at_place(i, [&](int r, int p) {
      auto const line = row(r);
      if (p < line.packets()) tile.scatter(line.first(p), r, load_once<Word<packed_vector>>(line.packet(p)));
    });
  tile.template for_edges<Threads>([&](int r, int e) {
    auto const line = row(r);
    if (e < line.edges()) tile(line.edge(e), r) = line[line.edge(e)];
  });
  __syncthreads();

  Element* const to = work.to + work.to_offset(share.matrix, 0, share.first);
  tile.template for_packed<Threads>([&](auto& vector, int e) { store_once(to + e, vector); },
                                    [&](Element& element, int e) { to[e] = element; });
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
