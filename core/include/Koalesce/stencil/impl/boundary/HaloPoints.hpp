// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_HALO_POINTS_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_HALO_POINTS_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// The caller's indices of a point.
template <class Order>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<std::int64_t, Order::rank> user_index(std::int64_t z, std::int64_t y,
                                                                                std::int64_t x) {
  Kokkos::Array<std::int64_t, Order::rank> point{};
  if constexpr (Order::user_dim(0) >= 0) point[Order::user_dim(0)] = z;
  if constexpr (Order::user_dim(1) >= 0) point[Order::user_dim(1)] = y;
  point[Order::user_dim(2)] = x;
  return point;
}

/// The points of a halo, numbered from 0. They form three slabs (canonical dimensions: z, y, x): whole planes before
/// and after the interior in z, whole rows between them, and the ends of the rows that remain. Within a slab neighbors
/// in x have neighboring numbers.
class HaloPoints {
 public:
  /// The same number on both sides.
  HaloPoints(Extents3 const& interior, Extents3 const& width) : HaloPoints(interior, width, width) {}

  /// \param[in] interior   per canonical dimension; missing dimensions have 1.
  /// \param[in] low, high  points before and after it; missing dimensions have 0.
  HaloPoints(Extents3 const& interior, Extents3 const& low, Extents3 const& high) : m_interior(interior), m_low(low) {
    std::int64_t end = 0;
    for (int slab = 0; slab < 3; ++slab) {
      Extents3 count{};
      for (int c = 0; c < 3; ++c) count[c] = (c == slab ? 0 : interior[c]) + (c < slab ? 0 : low[c] + high[c]);
      m_end[slab]  = end += count[0] * count[1] * count[2];
      m_rows[slab] = Divisor(count[1]);
      m_row[slab]  = Divisor(count[2]);
    }
  }

  KOKKOS_FUNCTION std::int64_t size() const { return m_end[2]; }

  /// The canonical indices of point `i`, counted from the first interior point.
  KOKKOS_FUNCTION Extents3 operator()(std::int64_t i) const {
    int const slab = i < m_end[0] ? 0 : i < m_end[1] ? 1 : 2;
    i -= slab == 0 ? 0 : slab == 1 ? m_end[0] : m_end[1];
    std::int64_t const row = i / m_row[slab], z = row / m_rows[slab];
    return {index(0, slab, z), index(1, slab, row - z * m_rows[slab].divisor()),
            index(2, slab, i - row * m_row[slab].divisor())};
  }

 private:
  /// The index of the `at`-th points of a slab in dimension c.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index(int c, int slab, std::int64_t at) const {
    if (c < slab) return at;
    return at - m_low[c] + (c == slab && at >= m_low[c] ? m_interior[c] : 0);
  }

  Extents3 m_interior, m_low, m_end{};
  Kokkos::Array<Divisor, 3> m_rows, m_row;  // of a slab: rows per plane, points per row
};

}  // namespace Koalesce::Impl

#endif
