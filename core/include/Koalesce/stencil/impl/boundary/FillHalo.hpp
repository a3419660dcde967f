// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_FILL_HALO_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_FILL_HALO_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryChecks.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce::Impl {

/// Writes one halo point; only interior points are read, so the order does not matter.
template <class Order, class T, class Faces>
struct FillHalo {
  static constexpr int rank = Order::rank;

  T* origin;  // the first interior point
  HaloPoints points;
  BoundaryValue<T, rank, Faces> value;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Extents3 const at          = points(i);
    auto const point           = user_index<Order>(at[0], at[1], at[2]);
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
  check_extents(where, InteriorPolicy<Exec, rank>{extents});
  check_field(where, InteriorPolicy<Exec, rank>{extents}, field, "the", -1, [](int) { return 0; });
  Extents const widths = halo_widths(field, extents);
  if (widths == Extents{} && !has_no_points(extents))
    fail(where, "the field ", quoted_label(field),
         " has no halo in any dimension, because the interior extents given are its own extents; give the numbers of "
         "interior points, without the halo, or a field that has a halo");
  std::string const name = "the field " + quoted_label(field);
  check_apart(where, memory_of(field), [&]() -> std::string const& { return name; });
  check_boundary<Exec, typename View::value_type>(where, name, extents, widths, conditions);
  if (!has_no_points(extents)) check_faces_have_no_halo(where, name, conditions, field, widths);
}

template <bool Reversed, class Exec, class View, class Extents, class Faces>
void fill_halo_in_order(Exec const& space, View const& view, Extents const& extents, Faces const& faces) {
  constexpr int rank = View::rank();
  using Order        = IndexOrder<rank, Reversed>;
  using T            = typename View::value_type;

  Extents const widths = halo_widths(view, extents);
  T* const origin      = canonical_field<Order, T>(view, InteriorPolicy<Exec, rank>{extents}).origin;
  BoundaryValue<T, rank, Faces> value{origin, {}, extents, faces};
  Extents3 interior{1, 1, 1}, width{0, 0, 0};
  for (int d = 0; d < rank; ++d) {
    value.stride[d]                   = std::ptrdiff_t(view.stride(d));
    interior[Order::canonical_dim(d)] = extents[d];
    width[Order::canonical_dim(d)]    = widths[d];
  }
  HaloPoints const points(interior, width);
  Kokkos::parallel_for("Koalesce::fill_halo", argument_range(space, points.size()),
                       FillHalo<Order, T, Faces>{origin, points, value});
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
