// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_INDEX_MAP_HPP
#define KOALESCE_SHADOW_INDEX_MAP_HPP

#include <Koalesce/common/impl/Divisor.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Index maps whose order parallel_read knows. An index map is any functor map(item) -> linear index of an element,
/// (b * rows + i) * columns + j for element (i, j) of matrix b.

namespace Koalesce {

/// \brief Item after item down the columns: (0, 0), (1, 0), ..., (rows - 1, 0), (0, 1), ...
class ColumnOrder {
 public:
  /// \param[in] rows, columns, batch  of the matrix, and how many of them there are: its extents. A batch of matrices
  ///                                  needs all three.
  ColumnOrder(std::int64_t rows, std::int64_t columns, std::int64_t batch = 1)
      : m_batch(batch), m_rows(rows), m_columns(columns), m_matrix(rows * columns) {}

  /// The linear index of an item's element.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const {
    std::int64_t const before  = m_batch == 1 ? 0 : item / m_matrix * m_matrix.divisor();
    std::int64_t const in_here = item - before, column = in_here / m_rows;
    return before + (in_here - column * m_rows.divisor()) * m_columns + column;
  }

  /// Rows of a matrix.
  std::int64_t rows() const { return m_rows.divisor(); }
  /// Columns of a matrix.
  std::int64_t columns() const { return m_columns; }
  /// Number of matrices.
  std::int64_t batch() const { return m_batch; }

 private:
  std::int64_t m_batch;
  Impl::Divisor m_rows;
  std::int64_t m_columns;
  Impl::Divisor m_matrix;
};

/// \brief Item after item along the rows: the item's number is the index.
struct RowOrder {
  /// The linear index of an item's element.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return item; }
};

}  // namespace Koalesce

#endif
