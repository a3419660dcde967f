// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_COLUMN_WALK_HPP
#define KOALESCE_SHADOW_IMPL_COLUMN_WALK_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// Where a traversal along the strided dimension is after every `Step` items. It foresees a map's indices, whose
/// places, rows and columns it knows without a division.
template <class Work, int Step>
class ColumnWalk {
 public:
  /// \param[in] first  the index of the first item.
  KOKKOS_FORCEINLINE_FUNCTION ColumnWalk(Work const& work, std::int64_t first) { start(work, first); }

  /// Negative where the walk has ended.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index() const { return m_index; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t place() const { return m_place; }
  KOKKOS_FORCEINLINE_FUNCTION typename Work::Position position() const { return m_at; }

  /// Goes on from another index, if it is not the one foreseen.
  KOKKOS_FORCEINLINE_FUNCTION void go_to(Work const& work, std::int64_t index) {
    if (index != m_index) start(work, index);
  }

  /// Ends where the next index cannot be computed without a division.
  KOKKOS_FORCEINLINE_FUNCTION void advance(Work const& work) {
    std::int64_t const m = work.rows.divisor(), n = work.columns.divisor();
    m_place += Step;
    if (m_index < 0) return;
    if (work.by_columns) {
      m_index += Step;
      m_at.j += Step;
      if (m_at.j < n) return;
      m_at.j -= n;
      if (++m_at.i == m || m_at.j >= n) m_index = -1;
    } else {
      m_index += Step * n;
      m_at.i += Step;
      if (m_at.i < m) return;
      m_at.i -= m;
      m_index += 1 - m * n;
      if (++m_at.j == n || m_at.i >= m) m_index = -1;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void start(Work const& work, std::int64_t index) {
    auto const element = work.element(index);
    m_index            = index;
    m_place            = element.place;
    m_at               = {element.b, element.i, element.j};
  }

  std::int64_t m_index, m_place;
  typename Work::Position m_at;
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
