// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_LINES_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_LINES_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeTuning.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// Matrices with few columns whose rows lie one after another in the source, and those with few rows whose columns do
/// in the destination. These short lines are packed: a block's share of them is one piece of memory, which moves in
/// vectors wherever a line starts. On the other side a block moves a long piece of each of the few long lines.
namespace Koalesce::Impl::CudaBackend {

/// Bytes of the vectors in which packed lines move.
inline constexpr int packed_vector = 16;

/// How packed lines are dealt out: each block gets 2^log of them, of one matrix.
struct PackedGrid {
  int log;
  std::int64_t blocks;
  Divisor blocks_per_matrix;

  /// \param[in] length elements of a line.
  PackedGrid(std::int64_t matrices, std::int64_t lines, std::int64_t length, int element, int max_bytes) {
    log = 5;  // then every block starts at a multiple of a vector
    while ((length * element << (log + 1)) <= max_bytes && (std::int64_t(1) << log) < lines) ++log;
    std::int64_t const per_matrix = (lines + (std::int64_t(1) << log) - 1) >> log;
    blocks                        = matrices * per_matrix;
    blocks_per_matrix             = Divisor(per_matrix);
  }

  /// What a block moves: `lines` lines of a matrix from `first` on.
  struct Share {
    std::int64_t matrix, first;
    int lines;
  };

  __device__ __forceinline__ Share share(std::uint32_t block, std::int64_t lines) const {
    std::uint32_t const matrix = blocks_per_matrix.divide_short(block);
    std::int64_t const first   = std::int64_t(block - matrix * std::uint32_t(blocks_per_matrix.divisor())) << log;
    return {matrix, first, int(min(lines - first, std::int64_t(1) << log))};
  }
};

/// Packed lines in shared memory.
template <int ElementBytes>
class PackedTile {
 public:
  using Element = Word<ElementBytes>;
  using Vector  = Word<packed_vector>;

  static int shared_bytes(std::int64_t length, int log) {
    return int(((length * ElementBytes << log) + 127) / 128 * 128);
  }

  __device__ __forceinline__ explicit PackedTile(void* shared) : m_shared(static_cast<unsigned char*>(shared)) {}

  /// Element e of the packed lines.
  __device__ __forceinline__ Element& element(int e) const {
    return *reinterpret_cast<Element*>(m_shared + place(e * ElementBytes));
  }

  __device__ __forceinline__ Vector& vector(int v) const {
    return *reinterpret_cast<Vector*>(m_shared + place(v * packed_vector));
  }

 private:
  /// Neighboring vectors of one 128-byte line, and equal vectors of eight such lines, lie in different banks.
  __device__ __forceinline__ static int place(int byte) {
    return byte ^ (byte / 128 % (128 / packed_vector) * packed_vector);
  }

  unsigned char* m_shared;
};

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

/// Runs the transposition by packed lines if its shape and alignment allow it.
/// \return whether they did.
template <int ElementBytes>
bool launch_packed(Kokkos::Cuda const& exec, std::string const& label, TransposeWork<Word<ElementBytes>> const& work) {
  auto const& from = work.from_at;
  auto const& to   = work.to_at;
  if (from.column != 1 || to.row != 1 || std::max(work.rows, work.columns) < PackedTuning::min_lines) return false;

  constexpr std::int64_t per_vector = packed_vector / ElementBytes;
  auto const launch = [&](auto kernel, PackedNumbers const& numbers, std::int64_t lines, std::int64_t length) {
    PackedGrid const grid(work.batch.size(), lines, length, ElementBytes, numbers.bytes);
    if (grid.blocks >= std::int64_t(1) << 31) return false;
    CudaKernel(exec, kernel_label(Tag{}, label), kernel, numbers.threads,
               PackedTile<ElementBytes>::shared_bytes(length, grid.log))
        .launch(exec, unsigned(grid.blocks), work, grid);
    return true;
  };
  if (work.columns <= work.rows && work.columns * ElementBytes <= PackedTuning::max_line && from.row == work.columns &&
      is_aligned(work.from, packed_vector) && work.batch.from_multiple_of(per_vector))
    return launch(transpose_packed_rows_kernel<ElementBytes, PackedTuning::rows.threads>, PackedTuning::rows, work.rows,
                  work.columns);
  if (work.rows <= work.columns && work.rows * ElementBytes <= PackedTuning::max_line && to.column == work.rows &&
      is_aligned(work.to, packed_vector) && work.batch.to_multiple_of(per_vector))
    return launch(transpose_packed_columns_kernel<ElementBytes, PackedTuning::columns.threads,
                                                  PackedTuning::column_blocks(ElementBytes)>,
                  PackedTuning::columns, work.columns, work.rows);
  return false;
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
