// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_HALF_WARP_HPP
#define KOALESCE_SHADOW_HALF_WARP_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce {

/// \brief The M x N matrix that linear indices count: index = row * N + column.
struct MatrixShape {
  std::int64_t rows,  ///< M
      columns;        ///< N

  /// Number of elements.
  KOKKOS_FUNCTION std::int64_t size() const { return rows * columns; }
  /// The row of the element with this linear index.
  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const { return index / columns; }
  /// The column of the element with this linear index.
  KOKKOS_FUNCTION std::int64_t column(std::int64_t index) const { return index % columns; }
};

/// \brief How a half-warp reads a row-major matrix.
enum class Access {
  irregular,         ///< neither of the others
  by_column,         ///< all in one column, one row after the other
  wrapped_by_column  ///< down one column to its last row, and on from the first row of the next
};

/// \brief The indices that one half-warp reads, and what they say about its access.
///
/// A half-warp is 16 neighboring threads: the lanes of half a warp on CUDA, a run of 16 consecutive work items
/// on a CPU. The last one of a loop may have fewer. The rules are those of L. Wang, X. Shi, Y. Chang (Huawei, Beihang
/// University): "Method and device for accessing global memory", Chinese patent application, 2016, with the first and
/// the last index in the order of the threads.
class HalfWarp {
 public:
  static constexpr int size = 16;  ///< lanes of a full half-warp

  /// \param[in] index_of index_of(lane) is the lane's index, 0 <= lane < count, in the order of the threads.
  /// \param[in] count    number of lanes, 1 to 16.
  template <class IndexOf>
  KOKKOS_FUNCTION explicit HalfWarp(IndexOf const& index_of, int count = size) : m_count(count) {
    m_index[0] = index_of(0);
    for (int lane = 1; lane < count; ++lane) m_index[lane] = index_of(lane);
  }

  /// The first lane's index.
  KOKKOS_FUNCTION std::int64_t first() const { return m_index[0]; }
  /// The last lane's index.
  KOKKOS_FUNCTION std::int64_t last() const { return m_index[m_count - 1]; }

  /// By column: columns are equal and neighboring indices differ by N. Wrapped: there are two columns that differ by
  /// one, neighbors in a column differ by N, the larger column starts at row 0 and the smaller one ends at row M - 1.
  KOKKOS_FUNCTION Access access(MatrixShape const& shape) const {
    std::int64_t const column = shape.column(first());
    int lane                  = 1;
    while (lane < m_count && is_below(lane, shape)) ++lane;
    if (lane == m_count) return Access::by_column;

    bool const wraps = shape.row(m_index[lane - 1]) == shape.rows - 1 && shape.row(m_index[lane]) == 0 &&
                       shape.column(m_index[lane]) == column + 1;
    if (!wraps) return Access::irregular;
    ++lane;
    while (lane < m_count && is_below(lane, shape)) ++lane;
    return lane == m_count ? Access::wrapped_by_column : Access::irregular;
  }

  /// Whether this half-warp goes on where the one before it stopped: in the same column, N after its last index; or at
  /// row 0 of the next column, when the one before ended at row M - 1.
  KOKKOS_FUNCTION bool follows(std::int64_t last_before, MatrixShape const& shape) const {
    std::int64_t const before = shape.column(last_before), now = shape.column(first());
    if (now == before) return first() == last_before + shape.columns;
    return now == before + 1 && shape.row(last_before) == shape.rows - 1 && shape.row(first()) == 0;
  }

  /// The same, with the half-warp before it.
  KOKKOS_FUNCTION bool follows(HalfWarp const& before, MatrixShape const& shape) const {
    return follows(before.last(), shape);
  }

  /// Whether a traversal by column ends here: the largest index is M * N - 1.
  KOKKOS_FUNCTION bool ends_traversal(MatrixShape const& shape) const {
    std::int64_t largest = first();
    for (int lane = 1; lane < m_count; ++lane) largest = Kokkos::max(largest, m_index[lane]);
    return largest == shape.size() - 1;
  }

 private:
  KOKKOS_FUNCTION bool is_below(int lane, MatrixShape const& shape) const {
    return m_index[lane] == m_index[lane - 1] + shape.columns;
  }

  std::int64_t m_index[size];
  int m_count;
};

}  // namespace Koalesce

#endif
