// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_FILL_HALO_HPP
#define KOALESCE_STENCIL_IMPL_FILL_HALO_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/stencil/impl/BoundaryChecks.hpp>
#include <Koalesce/stencil/impl/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce::Impl {

/// The part of a StencilPolicy that check_field and canonical_field use.
template <class Exec, int Rank>
struct HaloPolicy {
  using execution_space     = Exec;
  static constexpr int rank = Rank;

  PointIndex<Rank> m_extents;

  auto const& extents() const { return m_extents; }
};

/// The points of a halo, numbered from 0. They form three slabs (canonical dimensions: z, y, x): whole planes before
/// and after the interior in z, whole rows between them, and the ends of the rows that remain. Within a slab neighbors
/// in x have neighboring numbers.
class HaloPoints {
 public:
  /// \param[in] interior, width per canonical dimension; missing dimensions have 1 and 0.
  HaloPoints(Extents3 const& interior, Extents3 const& width) : m_interior(interior), m_width(width) {
    std::int64_t end = 0;
    for (int slab = 0; slab < 3; ++slab) {
      Extents3 count{};
      for (int c = 0; c < 3; ++c)
        count[c] = c < slab ? interior[c] : c == slab ? 2 * width[c] : interior[c] + 2 * width[c];
      m_end[slab]  = end += count[0] * count[1] * count[2];
      m_rows[slab] = Divisor(count[1]);
      m_row[slab]  = Divisor(count[2]);
    }
  }

  std::int64_t size() const { return m_end[2]; }

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
    return at - m_width[c] + (c == slab && at >= m_width[c] ? m_interior[c] : 0);
  }

  Extents3 m_interior, m_width, m_end{};
  Kokkos::Array<Divisor, 3> m_rows, m_row;  // of a slab: rows per plane, points per row
};

/// Writes one halo point; only interior points are read, so the order does not matter.
template <class Order, class T, class Faces>
struct FillHalo {
  static constexpr int rank = Order::rank;

  T* origin;  // the first interior point
  HaloPoints points;
  BoundaryValue<T, rank, Faces> value;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Extents3 const at = points(i);
    PointIndex<rank> point{};
    if constexpr (Order::user_dim(0) >= 0) point[Order::user_dim(0)] = at[0];
    if constexpr (Order::user_dim(1) >= 0) point[Order::user_dim(1)] = at[1];
    point[Order::user_dim(2)]  = at[2];
    origin[value.place(point)] = value(point);
  }
};

template <class View, class Extents>
Extents halo_widths(View const& view, Extents const& extents) {
  Extents widths{};
  for (int d = 0; d < int(View::rank()); ++d) widths[d] = (std::int64_t(view.extent(d)) - extents[d]) / 2;
  return widths;
}

template <class Exec, class View, class Extents, class Conditions>
void check_halo(View const& field, Extents const& extents, Conditions const& conditions) {
  std::string const where = "Koalesce::fill_halo";
  constexpr int rank      = View::rank();
  check_extents(where, HaloPolicy<Exec, rank>{extents});
  check_field(where, HaloPolicy<Exec, rank>{extents}, field, "the", -1, [](int) { return 0; });
  Extents const widths = halo_widths(field, extents);
  if (widths == Extents{} && !has_no_points(extents))
    fail(where, "the field ", quoted_label(field),
         " has no halo in any dimension, because the interior extents given are its own extents; give the numbers of "
         "interior points, without the halo, or a field that has a halo");
  check_boundary<Exec, typename View::value_type>(where, "the field " + quoted_label(field), extents, widths,
                                                  conditions);
}

template <bool Reversed, class Exec, class View, class Extents, class Faces>
void fill_halo_in_order(Exec const& space, View const& view, Extents const& extents, Faces const& faces) {
  constexpr int rank = View::rank();
  using Order        = IndexOrder<rank, Reversed>;
  using T            = typename View::value_type;

  Extents const widths = halo_widths(view, extents);
  T* const origin      = canonical_field<Order, T>(view, HaloPolicy<Exec, rank>{extents}).origin;
  BoundaryValue<T, rank, Faces> value{origin, {}, extents, faces};
  Extents3 interior{1, 1, 1}, width{0, 0, 0};
  for (int d = 0; d < rank; ++d) {
    value.stride[d]                   = std::ptrdiff_t(view.stride(d));
    interior[Order::canonical_dim(d)] = extents[d];
    width[Order::canonical_dim(d)]    = widths[d];
  }
  HaloPoints const points(interior, width);
  // As arguments of the launch: Kokkos waits before it copies larger functors to the GPU, which graphs cannot capture.
  auto const policy =
      Kokkos::Experimental::require(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(space, 0, points.size()),
                                    Kokkos::Experimental::WorkItemProperty::HintLightWeight);
  Kokkos::parallel_for("Koalesce::fill_halo", policy, FillHalo<Order, T, Faces>{origin, points, value});
}

template <class Exec, class View, class Extents, class Conditions>
void run_fill_halo(Exec const& space, View const& view, Extents const& extents, Conditions const& conditions) {
  if (has_no_points(extents)) return;

  Kokkos::Profiling::ScopedRegion const region("Koalesce::fill_halo");
  auto const faces = make_faces<typename View::value_type, int(View::rank())>(conditions);
  if (is_reversed(view)) {
    if constexpr (can_be_reversed<View, true>()) fill_halo_in_order<true>(space, view, extents, faces);
  } else {
    if constexpr (can_be_reversed<View, false>()) fill_halo_in_order<false>(space, view, extents, faces);
  }
}

}  // namespace Koalesce::Impl

#endif
