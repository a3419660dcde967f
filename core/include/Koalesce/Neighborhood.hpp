// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_NEIGHBORHOOD_HPP
#define KOALESCE_NEIGHBORHOOD_HPP

#include <Koalesce/StencilShape.hpp>

#include <cassert>
#include <cstddef>

namespace Koalesce {

/// \brief What a stencil functor receives: the values around one point of one input field.
///
/// `u(dz, dy, dx)` is the value at those offsets from the point, in the order of the View's indices
/// (one offset a dimension); `u()` is the value at the point itself. Offsets outside `Shape` are undefined
/// (an assertion catches them where assertions are on). The type is the same on every backend, so that a
/// KOKKOS_LAMBDA can name it; where the values lie, in the field or in a ring of planes on chip, does not show.
///
/// \tparam T     element type of the field.
/// \tparam Shape Box or Star.
template <class T, class Shape>
class Neighborhood {
 public:
  using value_type = T;
  using shape_type = Shape;

  static constexpr int rank = Shape::rank;

  /// \param[in] center    the point itself.
  /// \param[in] stride    elements from one point to the next, a dimension.
  /// \param[in] ring_dim  the dimension whose planes rotate in a ring.
  /// \param[in] ring_size planes in the ring, 0 where there is none.
  /// \param[in] ring_slot the slot that holds the point's own plane.
  KOKKOS_FORCEINLINE_FUNCTION Neighborhood(T const* center, Kokkos::Array<std::ptrdiff_t, rank> const& stride,
                                           int ring_dim = 0, int ring_size = 0, int ring_slot = 0)
      : m_center(center), m_stride(stride), m_ring_dim(ring_dim), m_ring_size(ring_size), m_ring_slot(ring_slot) {}

  template <class... Offset>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(Offset... offset) const {
    static_assert(sizeof...(Offset) == rank, "Koalesce::Neighborhood: give one offset a dimension");
    assert(Shape::contains(int(offset)...));
    int const at[]        = {int(offset)...};
    std::ptrdiff_t offset_of_point = 0;
    for (int d = 0; d < rank; ++d) offset_of_point += at[d] * m_stride[d];
    if (m_ring_size > 0) {
      int const last  = rank - 1;
      int const slot  = m_ring_slot + (m_ring_dim == 0 ? at[0] : at[last]);
      auto const ring = m_ring_size * (m_ring_dim == 0 ? m_stride[0] : m_stride[last]);
      if (slot < 0) offset_of_point += ring;
      if (slot >= m_ring_size) offset_of_point -= ring;
    }
    return m_center[offset_of_point];
  }

  KOKKOS_FORCEINLINE_FUNCTION T operator()() const { return *m_center; }

 private:
  T const* m_center;
  Kokkos::Array<std::ptrdiff_t, rank> m_stride;
  int m_ring_dim;
  int m_ring_size;
  int m_ring_slot;
};

/// \brief One field at the point itself: what the second stage of a composite receives of the inputs.
template <class T, int Rank>
using PointValue = Neighborhood<T, std::conditional_t<Rank == 1, Box<0>, std::conditional_t<Rank == 2, Box<0, 0>, Box<0, 0, 0>>>>;

}  // namespace Koalesce

#endif
