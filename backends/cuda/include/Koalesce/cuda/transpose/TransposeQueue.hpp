// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_QUEUE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_QUEUE_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/transpose/StreamingAccess.hpp>
#include <Koalesce/cuda/transpose/TransposeQueuePlan.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

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

  using Plan = QueuePlan<S>;

  static bool takes(CudaDevice const& device, TransposeWork<Element> const& work) { return Plan::takes(device, work); }

  static Plan plan(CudaDevice const& device, TransposeWork<Element> const& work, bool = false) {
    return Plan::make(device, work);
  }

  /// \param[in] block  one of the plan's.
  /// \param[in] shared Plan::shared_bytes() of shared memory, aligned to 16.
  /// \param[in] thread number of the calling thread in the block.
  __device__ __forceinline__ TransposeQueue(TransposeWork<Element> const& work, Plan const& plan, std::uint32_t block,
                                            void* shared, int thread)
      : m_work(work), m_shared(static_cast<Element*>(shared)), m_thread(thread) {
    auto const part = plan.part(work, block);
    m_columns       = part.columns;
    m_rows          = part.rows;
    m_from          = work.from_offset(part.batch, part.row, part.column);
    m_to            = work.to_offset(part.batch, part.row, part.column);
    m_row           = thread / m_columns;
    m_column        = thread - m_row * m_columns;
    m_lines         = threads / m_columns;
    m_items         = threads - m_lines * m_columns;
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
