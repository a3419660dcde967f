// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_NEIGHBORHOOD_HPP
#define KOALESCE_STENCIL_NEIGHBORHOOD_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/stencil/StencilShape.hpp>

#include <cassert>
#include <cstddef>
#include <utility>

namespace Koalesce {

/// \brief What a stencil functor receives: the values around one point of one input field.
///
/// `u(dz, dy, dx)` is the value at those offsets from the point, in the order of the View's indices
/// (one offset per dimension); `u()` is the value at the point itself. Offsets outside `Shape` are undefined behavior,
/// and so is `u()` if it does not contain the point;
/// if assertions are enabled, as in Debug builds, an assertion stops the program. The type is the same on every
/// backend, so a KOKKOS_LAMBDA can name it. It hides whether the values lie in the field or in the plane queue on chip.
///
/// \tparam T     element type of the field.
/// \tparam Shape Box, Star or Offsets.
template <class T, class Shape>
class Neighborhood {
 public:
  using value_type = T;      ///< element type of the field
  using shape_type = Shape;  ///< Box, Star or Offsets

  static constexpr int rank = Shape::rank;  ///< number of dimensions

  /// \param[in] base       what the elements' places are counted from.
  /// \param[in] stride     elements from one point to the next, per dimension.
  /// \param[in] queue_dim  the dimension whose planes rotate in the plane queue.
  /// \param[in] queue_size planes in the queue; 0 if the values lie in the field; `read_only` if, besides, nothing
  ///                       changes the field while the kernel runs.
  /// \param[in] queue_slot the slot that holds the point's own plane.
  /// \param[in] point      place of the point itself: points that share `base` share the values that both read.
  KOKKOS_FORCEINLINE_FUNCTION Neighborhood(T const* base, Kokkos::Array<std::ptrdiff_t, rank> const& stride,
                                           int queue_dim = 0, int queue_size = 0, int queue_slot = 0,
                                           std::ptrdiff_t point = 0)
      : m_base(base),
        m_point(point),
        m_stride(stride),
        m_queue_dim(queue_dim),
        m_queue_size(queue_size),
        m_queue_slot(queue_slot) {}

  /// The value at these offsets from the point, one per dimension, each within the shape.
  template <class... Offset>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(Offset... offset) const {
    static_assert(sizeof...(Offset) == rank && (Impl::is_offset<Offset> && ...),
                  "Koalesce::Neighborhood: give one offset per dimension, of an integer type");
    assert(Shape::contains(int(offset)...) && "Koalesce::Neighborhood: these offsets are not in the stencil's shape");
    if (m_queue_size > 0) {
      // Where the plane lies depends on its own offset alone, which lets the compiler work it out once per plane.
      int const at[]       = {int(offset)...};
      int const dim        = m_queue_dim == 0 ? 0 : rank - 1;
      int const slot       = m_queue_slot + at[dim];
      int const turns      = slot < 0 ? 1 : slot >= m_queue_size ? -1 : 0;
      std::ptrdiff_t place = m_point + (at[dim] + turns * m_queue_size) * m_stride[dim];
      for (int d = 0; d < rank; ++d)
        if (d != dim) place += at[d] * m_stride[d];
      return value(place);
    }
    // No loop: values in registers have constant places before loops are unrolled.
    return [&]<int... D>(std::integer_sequence<int, D...>) KOALESCE_INLINE_LAMBDA {
      return value(m_point + ((int(offset) * m_stride[D]) + ...));
    }(std::make_integer_sequence<int, rank>{});
  }

  /// The value at the point itself, which the shape must contain.
  KOKKOS_FORCEINLINE_FUNCTION T operator()() const {
    [[maybe_unused]] constexpr bool contained = []<int... D>(std::integer_sequence<int, D...>) {
      return Shape::contains((0 * D)...);
    }(std::make_integer_sequence<int, rank>{});
    assert(contained && "Koalesce::Neighborhood: the point itself is not in the stencil's shape");
    return value(m_point);
  }

  static constexpr int read_only = -1;  ///< for queue_size

 private:
  KOKKOS_FORCEINLINE_FUNCTION T value(std::ptrdiff_t place) const {
    // Such loads are all sent off before the first value is needed, also ahead of branches.
    KOKKOS_IF_ON_DEVICE((if (m_queue_size == read_only) return Impl::load_read_only(m_base + place);))
    return m_base[place];
  }

  T const* m_base;
  std::ptrdiff_t m_point;
  Kokkos::Array<std::ptrdiff_t, rank> m_stride;
  int m_queue_dim;
  int m_queue_size;
  int m_queue_slot;
};

}  // namespace Koalesce

#endif
