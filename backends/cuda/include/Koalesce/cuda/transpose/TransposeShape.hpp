// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_SHAPE_HPP
#define KOALESCE_CUDA_TRANSPOSE_TRANSPOSE_SHAPE_HPP

#include <Koalesce/common/impl/Word.hpp>

namespace Koalesce::Impl::CudaBackend {

/// How a kernel moves tiles of `Rows` times `Columns` elements of `Element` bytes: `Vector` bytes of a row and of a
/// column at a time. If that is one element, rows and columns need no alignment; otherwise they are contiguous and
/// start at multiples of `Vector` bytes.
///
/// In shared memory a column is a line of units. A unit is one element or, if vectors hold several small elements, four
/// bytes of a column's neighboring elements, which are transposed in registers first.
template <int Element, int VectorBytes, int Rows, int Columns, int Blocks>
struct TransposeShape {
  static constexpr int element = Element;
  static constexpr int vector  = VectorBytes;
  static constexpr int rows    = Rows;
  static constexpr int columns = Columns;
  static constexpr int blocks  = Blocks;
  static constexpr int threads = 256;

  static constexpr int unit            = vector > element&& element < 4 ? 4 : element;
  static constexpr int unit_rows       = unit / element;
  static constexpr int vector_elements = vector / element;
  static constexpr int vector_units    = vector / unit;

  /// A thread loads the same columns of `loads` lines, `load_step` apart, and stores likewise.
  static constexpr int lines         = rows / unit_rows;
  static constexpr int loads_across  = columns / vector_elements;
  static constexpr int load_step     = threads / loads_across;
  static constexpr int loads         = lines / load_step;
  static constexpr int stores_across = rows / vector_elements;
  static constexpr int store_step    = threads / stores_across;
  static constexpr int stores        = columns / store_step;

  /// Units from one column to the next, an odd number: columns then start in different banks.
  static constexpr int pitch        = lines + 1;
  static constexpr int shared_bytes = pitch * columns * unit;

  static_assert(load_step * loads_across == threads && loads * load_step == lines);
  static_assert(store_step * stores_across == threads && stores * store_step == columns);
  static_assert(lines % vector_elements == 0 && pitch % 2 == 1);

  using ElementWord = Word<element>;
  using VectorWord  = Word<vector>;
  using UnitWord    = Word<unit>;
};

/// How a queue moves the rows of a block: `Steps` steps of as many rows as a line of memory has elements, up to
/// `Columns` columns.
template <int Element, int Threads, int Columns, int Steps, int Blocks>
struct QueueShape {
  static constexpr int element = Element;
  static constexpr int threads = Threads;
  static constexpr int columns = Columns;
  static constexpr int steps   = Steps;
  static constexpr int blocks  = Blocks;
  static constexpr int line    = 256 / element;  ///< rows of a step

  static constexpr int pitch        = columns + 1;  ///< elements from row to row: a column's lie in different banks
  static constexpr int step_size    = line * pitch;
  static constexpr int shared_bytes = steps * step_size * element;

  static constexpr int lanes  = line < 32 ? line : 32;  ///< threads with neighboring rows of a column
  static constexpr int pieces = line / lanes;

  static constexpr int columns_per_thread = columns * lanes / threads;
  static constexpr int loads              = line * columns / threads;

  static_assert(columns_per_thread * threads == columns * lanes && loads * threads == line * columns);
};

/// The same for elements of 1 and 2 bytes, of which rows move in `Words` words of 4 bytes, with the bytes around them.
template <int Element, int Threads, int Words, int Steps, int Blocks>
struct SmallQueueShape {
  static constexpr int element = Element;
  static constexpr int threads = Threads;
  static constexpr int steps   = Steps;
  static constexpr int blocks  = Blocks;
  static constexpr int columns = (4 * Words - 4) / element;
  static constexpr int line    = 256 / element;  ///< rows of a step

  static constexpr int max_pitch    = 4 * Words + 8;  ///< bytes from row to row
  static constexpr int shared_bytes = steps * line * max_pitch;

  static constexpr int in_word    = 4 / element;                             ///< rows of a column that a word holds
  static constexpr int line_words = 64;                                      ///< words of a line
  static constexpr int row_words  = Words / 32;                              ///< words of a row that a thread reads
  static constexpr int row_reads  = line * 32 / threads;                     ///< rows of which a thread reads in a step
  static constexpr int writes     = Words * in_word * line_words / threads;  ///< words that it writes

  static_assert(row_words * 32 == Words && row_reads * threads == line * 32 &&
                writes * threads == Words * in_word * line_words);
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
