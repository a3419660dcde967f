// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_START_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_START_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>

namespace Koalesce::Impl {

template <class Fields>
struct ValuesOfFields;
template <class... Ts, class... Shapes>
struct ValuesOfFields<Pack<Field<Ts, Shapes>...>> {
  using type = Pack<std::remove_const_t<Ts>...>;
};

/// What a sweep of several steps starts from.
/// \tparam Boundary  NoBoundary, or a StepsBoundary.
template <class Work, class Boundary>
struct StepsStart {
  using Order  = typename Work::Order;
  using Values = typename ValuesOfFields<typename Work::Ins>::type;

  Work const& work;
  Boundary const& boundary;

  /// The same point in periodic dimensions, within the interior there.
  KOKKOS_FORCEINLINE_FUNCTION Extents3 in_period(Extents3 p) const {
    static_for<3>([&](auto c) {
      constexpr int d = decltype(c)::value;
      if constexpr (StepsFacesOf<Boundary>::wraps(d)) {
        while (p[d] < 0) p[d] += work.extents[d];
        while (p[d] >= work.extents[d]) p[d] -= work.extents[d];
      }
    });
    return p;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_inside(Extents3 const& p) const {
    auto const& n = work.extents;
    return p[0] >= 0 && p[0] < n[0] && p[1] >= 0 && p[1] < n[1] && p[2] >= 0 && p[2] < n[2];
  }

  /// The fields' values at a point that may lie beyond the interior. Beyond a field's halo they are not needed, and may
  /// be any.
  KOKKOS_FORCEINLINE_FUNCTION Values read(Extents3 const& point) const {
    Extents3 const p = in_period(point);
    Values values;
    for_each(values, [&](auto& value, auto i) {
      auto const& field = get<decltype(i)::value>(work.in);
      using Shape       = typename std::decay_t<decltype(field)>::shape_type;
      if constexpr (has_values) {
        if (is_inside(p)) value = *field.at(p[0], p[1], p[2]);
        else value = get<decltype(i)::value>(boundary.values)(user_index<Order>(p[0], p[1], p[2]));
      } else {
        value = *field.at(in_halo<Shape, 0>(p), in_halo<Shape, 1>(p), in_halo<Shape, 2>(p));
      }
    });
    return values;
  }

 private:
  /// Whether what lies beyond the interior comes from a boundary.
  static constexpr bool has_values = StepsFacesOf<Boundary>::has_values || StepsFacesOf<Boundary>::has_near;

  /// The nearest index in canonical dimension c at which a field exists that is read in this shape.
  template <class Shape, int c>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t in_halo(Extents3 const& p) const {
    constexpr std::int64_t radius = Order::template radius<Shape>(c);
    return Kokkos::max(-radius, Kokkos::min(p[c], work.extents[c] - 1 + radius));
  }
};

}  // namespace Koalesce::Impl

#endif
