// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_QUEUE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_QUEUE_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeShape.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// Transposes matrices whose rows and columns begin anywhere. A block goes down some neighboring columns; their rows
/// pass through a circular queue in shared memory, and every step writes one whole line of memory of each column, as
/// soon as all its rows have come. No element is read twice, and only the ends of a block's columns are partial lines.
/// Rows are contiguous in the source, and columns in the destination.
template <class S>
class TransposeQueue {
 public:
  using Element = Word<S::element>;

  static constexpr int threads = S::threads;
  static constexpr int blocks  = S::blocks;
  static constexpr int line    = S::line;

  struct Plan {
    std::int64_t blocks;
    Divisor slabs, chunks;  ///< neighboring columns; runs of rows
    int columns;            ///< of a block
    int rows;               ///< of a block, a multiple of `line`

    std::int64_t size() const { return blocks; }
    KOKKOS_FUNCTION int shared_bytes() const { return S::shared_bytes; }
  };

  /// Whether the queue can move the matrices, and they are large enough for it.
  static bool takes(CudaDevice const& device, TransposeWork<Element> const& work) {
    return work.from_at.column == 1 && work.to_at.row == 1 && work.rows >= min_steps * line &&
           work.columns >= S::columns / 2 && S::shared_bytes <= device.shared_bytes_per_block;
  }

  static Plan plan(CudaDevice const& device, TransposeWork<Element> const& work, bool = false) {
    auto const parts = [](std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; };
    auto const steps = parts(work.rows, line), matrices = work.batch.size();
    auto const min_slabs = parts(work.columns, S::columns), resident = std::int64_t(blocks) * device.processors;
    Plan best{};
    double best_cost = 0;
    for (int waves = 1; waves <= max_waves; ++waves) {
      // As many blocks as run on all SMs in so many turns: first by shorter columns, then by fewer of them.
      std::int64_t const wanted = waves * resident / matrices;
      auto const max_chunks     = std::clamp<std::int64_t>(wanted / min_slabs, 1, steps / min_steps);
      auto const rows = parts(steps, max_chunks), chunks = parts(steps, rows);
      auto const columns =
          std::max<std::int64_t>(parts(work.columns, std::max(wanted / chunks, min_slabs)), S::columns / 2);
      auto const slabs = parts(work.columns, columns);
      auto const turns = parts(matrices * slabs * chunks, resident);
      // A block's first steps wait for memory, and the ends of a row's piece are read by two blocks.
      double const cost = double(turns) * double(rows + S::steps) * double(columns + edge);
      if (best.blocks > 0 && cost >= best_cost) continue;
      best_cost = cost;
      best      = {matrices * slabs * chunks, Divisor(slabs), Divisor(chunks), int(columns), int(rows * line)};
    }
    return best;
  }

  /// \param[in] block  one of the plan's.
  /// \param[in] shared Plan::shared_bytes() of shared memory, aligned to 16.
  /// \param[in] thread number of the calling thread in the block.
  __device__ __forceinline__ TransposeQueue(TransposeWork<Element> const& work, Plan const& plan, std::uint32_t block,
                                            void* shared, int thread)
      : m_work(work), m_shared(static_cast<Element*>(shared)), m_thread(thread) {
    std::uint32_t const chunk = plan.slabs.divide_short(block), batch = plan.chunks.divide_short(chunk);
    auto const column = std::int64_t(block - chunk * std::uint32_t(plan.slabs.divisor())) * plan.columns;
    auto const row    = std::int64_t(chunk - batch * std::uint32_t(plan.chunks.divisor())) * plan.rows;
    m_columns         = int(min(work.columns - column, std::int64_t(plan.columns)));
    m_rows            = int(min(work.rows - row, std::int64_t(plan.rows)));
    m_from            = work.from_offset(batch, row, column);
    m_to              = work.to_offset(batch, row, column);
    m_row             = thread / m_columns;
    m_column          = thread - m_row * m_columns;
    m_lines           = threads / m_columns;
    m_items           = threads - m_lines * m_columns;
  }

  /// Moves the block's elements.
  /// \param[in] sink    called as by TransposeTile::write().
  /// \param[in] barrier barrier() synchronizes the block.
  template <class Sink, class Barrier>
  __device__ __forceinline__ void move(Sink const& sink, Barrier const& barrier) const {
    constexpr int ahead = S::steps - 2;  // on their way while two steps are written from
    for (int s = 0; s < ahead; ++s) load(s, s);

    // A thread writes the same place of a line in each step.
    std::int64_t to[S::columns_per_thread];
    int from[S::columns_per_thread];
#pragma unroll
    for (int k = 0; k < S::columns_per_thread; ++k) {
      std::int64_t const begin = m_to + column(k) * m_work.to_at.column;
      int const before         = int(reinterpret_cast<std::uintptr_t>(m_work.to + begin) / S::element % line);
      to[k]                    = begin + row_in_line() - before;
      from[k]                  = (row_in_line() - before) * S::pitch + column(k);
    }

    int const last = (m_rows + line - 1) / line, whole = m_rows / line;
    int slot = 0, next = ahead;
#pragma unroll 1
    for (int s = 0; s <= last; ++s) {
      wait_for_copies<ahead - 1>();
      barrier();
      load(s + ahead, next);
      if (s > 0 && s < whole) write<true>(slot * S::step_size, to, from, sink);
      else write<false>(slot * S::step_size, to, from, sink);
      slot = slot + 1 < S::steps ? slot + 1 : 0;
      next = next + 1 < S::steps ? next + 1 : 0;
    }
  }

 private:
  static constexpr int min_steps = 8;                // of a block
  static constexpr int max_waves = 6;                // blocks that run one after another on an SM
  static constexpr int edge      = 64 / S::element;  // columns that take as long as the ends of a row

  __device__ __forceinline__ int row_in_line() const { return m_thread % S::lanes; }
  __device__ __forceinline__ int column(int k) const { return m_thread / S::lanes + k * (threads / S::lanes); }

  /// Begins to read the rows of a step, if there are any.
  __device__ __forceinline__ void load(int step, int slot) const {
    int const rows = min(m_rows - step * line, line);
    if (rows > 0) {
      if constexpr (S::columns == 32) load_by_warps(std::int64_t(step) * line, rows, slot);
      else load_by_threads(std::int64_t(step) * line, rows, slot);
    }
    commit_copies();
  }

  /// A warp reads a row.
  __device__ __forceinline__ void load_by_warps(std::int64_t first, int rows, int slot) const {
    int const column = m_thread % 32, warp = m_thread / 32;
    if (column >= m_columns) return;
    Element const* from = m_work.from + m_from + (first + warp) * m_work.from_at.row + column;
    Element* to         = m_shared + slot * S::step_size + warp * S::pitch + column;
#pragma unroll
    for (int k = 0; k < S::loads; ++k) {
      if (warp + k * (threads / 32) < rows) async_copy<S::element>(to, from);
      from += threads / 32 * m_work.from_at.row;
      to += threads / 32 * S::pitch;
    }
  }

  /// Neighboring threads read neighboring elements, also across the ends of rows.
  __device__ __forceinline__ void load_by_threads(std::int64_t first, int rows, int slot) const {
    int row = m_row, column = m_column;
    Element const* from = m_work.from + m_from + (first + row) * m_work.from_at.row + column;
    Element* to         = m_shared + slot * S::step_size + row * S::pitch + column;
#pragma unroll
    for (int k = 0; k < S::loads; ++k) {
      if (row < rows) async_copy<S::element>(to, from);
      row += m_lines;
      column += m_items;
      from += m_lines * m_work.from_at.row + m_items;
      to += m_lines * S::pitch + m_items;
      if (column >= m_columns) {
        column -= m_columns;
        row += 1;
        from += m_work.from_at.row - m_columns;
        to += S::pitch - m_columns;
      }
    }
  }

  /// Writes of each column the line whose last row is in the newest step. \tparam Whole  whether all its rows are in
  /// the block.
  template <bool Whole, class Sink>
  __device__ __forceinline__ void write(int slot, std::int64_t (&to)[S::columns_per_thread],
                                        int const (&from)[S::columns_per_thread], Sink const& sink) const {
#pragma unroll
    for (int k = 0; k < S::columns_per_thread; ++k) {
      if (column(k) < m_columns) {
        Element elements[S::pieces];
#pragma unroll
        for (int i = 0; i < S::pieces; ++i) {
          int const place = from[k] + slot + i * S::lanes * S::pitch;
          elements[i]     = m_shared[place < 0 ? place + S::steps * S::step_size : place];
        }
#pragma unroll
        for (int i = 0; i < S::pieces; ++i) {
          std::int64_t const at = to[k] + i * S::lanes;
          if (!Whole && !has_row(at - m_to - column(k) * m_work.to_at.column)) continue;
          store_once(m_work.to + at, elements[i]);
          sink(at, elements[i]);
        }
      }
      to[k] += line;
    }
  }

  __device__ __forceinline__ bool has_row(std::int64_t row) const { return row >= 0 && row < m_rows; }

  TransposeWork<Element> const& m_work;
  Element* m_shared;
  int m_thread;
  int m_columns, m_rows;
  int m_row, m_column;        // of the first element that the thread reads in a step
  int m_lines, m_items;       // from one of its elements to the next
  std::int64_t m_from, m_to;  // offsets of the block's first element
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
