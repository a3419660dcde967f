// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_SMALL_QUEUE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_SMALL_QUEUE_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/transpose/TransposeQueuePlan.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// TransposeQueue for elements of 1 and 2 bytes, which move in words of 4: those of a row with the bytes around it, and
/// those of a column's lines.
///
/// In shared memory a row begins as many bytes behind a word as in the source. A word of a column consists of
/// neighboring rows; lanes read those of one column, or of two or four neighboring words of rows, so that all lie in
/// different banks.
template <class S>
class TransposeSmallQueue {
 public:
  using Element = Word<S::element>;
  using Plan    = QueuePlan<S>;

  static constexpr int threads = S::threads;
  static constexpr int blocks  = S::blocks;
  static constexpr int line    = S::line;

  /// Offsets of a block's columns have 32 bits.
  static bool takes(CudaDevice const& device, TransposeWork<Element> const& work) {
    return Plan::takes(device, work) && work.to_at.column * S::element < (std::int64_t(1) << 31) / (S::columns + 1);
  }
  static Plan plan(CudaDevice const& device, TransposeWork<Element> const& work, bool = false) {
    return Plan::make(device, work);
  }

  __device__ __forceinline__ TransposeSmallQueue(TransposeWork<Element> const& work, Plan const& plan,
                                                 std::uint32_t block, void* shared, int thread)
      : m_work(work), m_shared(static_cast<unsigned char*>(shared)), m_thread(thread) {
    auto const part = plan.part(work, block);
    m_columns       = part.columns;
    m_rows          = part.rows;
    m_first         = address_of(work.from + work.from_offset(part.batch, 0, 0));
    m_end           = address_of(work.from + work.from_offset(part.batch, work.rows - 1, work.columns - 1) + 1);
    m_from          = address_of(work.from + work.from_offset(part.batch, part.row, part.column));
    m_to            = address_of(work.to + work.to_offset(part.batch, part.row, part.column));
    m_row_stride    = work.from_at.row * S::element;
    m_column_stride = work.to_at.column * S::element;
    m_begin         = int(m_from % 4);
    m_pitch         = pitch(m_columns * S::element, int(m_row_stride % 8));
    m_row_bytes     = m_columns * S::element;
  }

  template <class Sink, class Barrier>
  __device__ __forceinline__ void move(Sink const&, Barrier const& barrier) const {
    constexpr int ahead = S::steps - 2;  // on their way while two steps are written from
    for (int s = 0; s < ahead; ++s) load(s, s);

    // A thread writes the same words of a line in each step.
    int to[S::writes], from[S::writes];
    place_words(to, from);

    int const last = (m_rows + line - 1) / line, whole = m_rows / line;
    int slot = 0, next = ahead;
#pragma unroll 1
    for (int s = 0; s <= last; ++s) {
      wait_for_copies<ahead - 1>();
      barrier();
      load(s + ahead, next);
      if (s == 0 || s >= whole) write_some(s, slot, to, from);
      else if (slot > 0) write<false>(s, slot, to, from);
      else write<true>(s, slot, to, from);
      slot = slot + 1 < S::steps ? slot + 1 : 0;
      next = next + 1 < S::steps ? next + 1 : 0;
    }
  }

 private:
  __device__ __forceinline__ static std::int64_t address_of(void const* place) {
    return std::int64_t(reinterpret_cast<std::uintptr_t>(place));
  }

  /// Bytes from row to row in shared memory: words of one row touch no other row, rows begin as in the source, and
  /// words of a column lie in as many banks as possible.
  __device__ __forceinline__ static int pitch(int bytes, int stride) {
    int const least = bytes + 3;
    if (stride % 4 != 0) return least + ((stride - least) & 3);
    return least + ((4 - least) & 7);
  }

  /// Begins to read the rows of a step, if there are any. A warp reads a row.
  __device__ __forceinline__ void load(int step, int slot) const {
    int const rows = min(m_rows - step * line, line), warp = m_thread / 32, byte = m_thread % 32 * 4;
    if (rows > 0) {
      std::int64_t from = m_from + (std::int64_t(step) * line + warp) * m_row_stride;
      int to            = m_begin + (slot * line + warp) * m_pitch;
      if (rows == line && is_inside(step)) {
        from += byte;
        to += byte;
#pragma unroll
        for (int k = 0; k < S::row_reads; ++k) {
          int const end      = (int(from) & 3) + m_row_bytes - byte;
          auto* const source = reinterpret_cast<unsigned char const*>(from & ~std::int64_t(3));
          auto* const target = m_shared + (to & ~3);
#pragma unroll
          for (int w = 0; w < S::row_words; ++w)
            if (end > 128 * w) async_copy<4>(target + 128 * w, source + 128 * w);
          from += threads / 32 * m_row_stride;
          to += threads / 32 * m_pitch;
        }
      } else {
#pragma unroll 1
        for (int row = warp; row < rows; row += threads / 32) {
#pragma unroll 1
          for (int w = byte; w < (int(from) & 3) + m_row_bytes; w += 128)
            copy_word((to & ~3) + w, (from & ~std::int64_t(3)) + w);
          from += threads / 32 * m_row_stride;
          to += threads / 32 * m_pitch;
        }
      }
    }
    commit_copies();
  }

  /// Whether the words of a step lie in the matrix.
  __device__ __forceinline__ bool is_inside(int step) const {
    std::int64_t const first = m_from + std::int64_t(step) * line * m_row_stride;
    return first - 3 >= m_first && first + (line - 1) * m_row_stride + m_row_bytes + 3 <= m_end;
  }

  /// What lies beside the matrix is not read.
  __device__ __forceinline__ void copy_word(int to, std::int64_t from) const {
    if (from >= m_first && from + 4 <= m_end) {
      async_copy<4>(m_shared + to, reinterpret_cast<void const*>(from));
    } else {
#pragma unroll 1
      for (int i = 0; i < 4; ++i)
        if (from + i >= m_first && from + i < m_end)
          m_shared[to + i] = *reinterpret_cast<unsigned char const*>(from + i);
    }
  }

  /// Lanes that read words of one column.
  __device__ __forceinline__ int lanes() const {
    int const step = m_pitch / S::element;
    return step % 2 != 0 ? 32 : step % 4 != 0 ? 16 : 8;
  }

  struct Place {
    int column, word;
  };
  __device__ __forceinline__ Place place(int k) const {
    int const column_lanes = lanes(), columns = 32 / column_lanes, pieces = S::line_words / column_lanes;
    int const warp = m_thread / 32, lane = m_thread % 32;
    int const item = k * (threads / 32) + warp, group = item / pieces;
    return {group / S::in_word * (S::in_word * columns) + group % S::in_word + lane / column_lanes * S::in_word,
            item % pieces * column_lanes + lane % column_lanes};
  }

  /// Where words lie, from the block's first element on; to = -1: there is none.
  __device__ __forceinline__ void place_words(int (&to)[S::writes], int (&from)[S::writes]) const {
#pragma unroll
    for (int k = 0; k < S::writes; ++k) {
      auto const at            = place(k);
      std::int64_t const begin = m_to + at.column * m_column_stride;
      int const row            = at.word * S::in_word - int(begin % 256) / S::element;
      to[k]                    = at.column < m_columns ? int(begin + row * S::element - (m_to - m_to % 256)) : -1;
      from[k]                  = m_begin + row * m_pitch + at.column * S::element;
    }
  }

  /// \tparam Wraps  whether rows lie at the queue's end, too.
  template <bool Wraps>
  __device__ __forceinline__ unsigned word_at(int from) const {
    unsigned word = 0;
#pragma unroll
    for (int i = 0; i < S::in_word; ++i) {
      int const at = Wraps && from < 0 ? from + S::steps * line * m_pitch : from;
      word += unsigned(reinterpret_cast<Element const*>(m_shared + at)->bits) << (8 * S::element * i);
      from += m_pitch;
    }
    return word;
  }

  template <bool Wraps>
  __device__ __forceinline__ void write(int step, int slot, int const (&to)[S::writes],
                                        int const (&from)[S::writes]) const {
    auto* const target = reinterpret_cast<unsigned char*>(m_to - m_to % 256 + std::int64_t(step) * 256);
    int const first    = slot * line * m_pitch;
#pragma unroll
    for (int k = 0; k < S::writes; ++k)
      if (to[k] != -1) __stcs(reinterpret_cast<unsigned*>(target + to[k]), word_at<Wraps>(from[k] + first));
  }

  /// The same where some of the rows are not in the block.
  __device__ __forceinline__ void write_some(int step, int slot, int const (&to)[S::writes],
                                             int const (&from)[S::writes]) const {
    auto* const target = reinterpret_cast<unsigned char*>(m_to - m_to % 256 + std::int64_t(step) * 256);
    int const first    = slot * line * m_pitch;
#pragma unroll
    for (int k = 0; k < S::writes; ++k) {
      if (to[k] == -1) continue;
      unsigned const word      = word_at<true>(from[k] + first);
      std::int64_t const begin = m_to + place(k).column * m_column_stride;
      int const row            = place(k).word * S::in_word - int(begin % 256) / S::element + step * line;
#pragma unroll
      for (int i = 0; i < S::in_word; ++i)
        if (row + i >= 0 && row + i < m_rows)
          reinterpret_cast<Element*>(target + to[k])[i].bits = decltype(Element::bits)(word >> (8 * S::element * i));
    }
  }

  TransposeWork<Element> const& m_work;
  unsigned char* m_shared;
  int m_thread;
  int m_columns, m_rows;
  int m_begin, m_pitch, m_row_bytes;           // of rows in shared memory
  std::int64_t m_first, m_end, m_from, m_to;   // addresses: of the matrix, and of the block's first element
  std::int64_t m_row_stride, m_column_stride;  // in bytes
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
