// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_COLUMN_WALK_HPP
#define KOALESCE_SHADOW_IMPL_COLUMN_WALK_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace Koalesce::Impl {

/// Where a traversal along the strided dimension is after every `Step` items. It foresees a map's indices, whose
/// places, rows and columns it knows without a division.
template <class Work, int Step>
class ColumnWalk {
 public:
  /// Whether rows and columns can be counted in 32 bits.
  KOKKOS_FUNCTION static bool can_walk(Work const& work) {
    constexpr std::int64_t most = std::int64_t(1) << 30;
    return work.rows.divisor() < most && work.columns.divisor() < most;
  }

  /// \param[in] first  the index of the first item.
  KOKKOS_FORCEINLINE_FUNCTION ColumnWalk(Work const& work, std::int64_t first)
      : m_stride(Step * (work.by_columns ? 1 : work.columns.divisor())),
        m_wrap(1 - work.rows.divisor() * work.columns.divisor()),
        m_rows(work.by_columns ? no_end : int(work.rows.divisor())),
        m_columns(int(work.columns.divisor())) {
    start(work, first);
  }

  /// Negative where the walk has ended.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index() const { return m_index; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t place() const { return m_place; }
  /// Not if lines are rows.
  KOKKOS_FORCEINLINE_FUNCTION typename Work::Position position() const { return {m_matrix, m_row, m_column}; }

  /// Goes on from another index, if it is not the one foreseen.
  KOKKOS_FORCEINLINE_FUNCTION void go_to(Work const& work, std::int64_t index) {
    if (index != m_index) start(work, index);
  }

  /// Ends where the next index cannot be computed without a division.
  KOKKOS_FORCEINLINE_FUNCTION void advance() {
    m_place += Step;
    m_index += m_stride;
    m_row += Step;
    if (m_row < m_rows) return;
    m_row -= m_rows;
    m_index += m_wrap;
    if (++m_column == m_columns || m_row >= m_rows) m_index = ended;
  }

 private:
  // Constants, because std's functions are the host's alone.
  static constexpr int no_end         = std::numeric_limits<int>::max();
  static constexpr std::int64_t ended = std::numeric_limits<std::int64_t>::min() / 2;

  KOKKOS_FORCEINLINE_FUNCTION void start(Work const& work, std::int64_t index) {
    auto const element = work.element(index);
    m_index            = index;
    m_place            = element.place;
    m_matrix           = element.b;
    m_row              = int(element.i);
    m_column           = int(element.j);
  }

  std::int64_t m_stride, m_wrap;
  int m_rows, m_columns;
  std::int64_t m_index = 0, m_place = 0, m_matrix = 0;
  int m_row = 0, m_column = 0;
};

/// Reads an element at a place of the shadow; what the shadow lacks comes from the original.
/// \tparam OfAll  whether it lacks nothing.
template <bool OfAll, class Work>
KOKKOS_FORCEINLINE_FUNCTION typename Work::value_type read_place(Work const& work, std::int64_t place,
                                                                 std::int64_t index) {
  if constexpr (OfAll) return work.shadow[place];
  else return work.holds(place) ? work.from_shadow(place) : work.original(index);
}

}  // namespace Koalesce::Impl

#endif
