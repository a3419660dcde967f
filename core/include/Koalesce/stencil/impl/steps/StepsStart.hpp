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

  /// A field's value at a point that may lie beyond the interior. Beyond the field's halo it is not needed, and may be
  /// any; a user's functor is not asked for it.
  template <int input>
  KOKKOS_FORCEINLINE_FUNCTION auto value(Extents3 const& point) const {
    auto const& field = get<input>(work.in);
    using In          = std::decay_t<decltype(field)>;
    using Value       = std::remove_const_t<typename In::value_type>;
    Extents3 const p  = in_halo<typename In::shape_type>(in_period(point));
    if constexpr (has_values)
      return is_inside(p) ? Value(*field.at(p[0], p[1], p[2]))
                          : Value(get<input>(boundary.values)(user_index<Order>(p[0], p[1], p[2])));
    else return Value(*field.at(p[0], p[1], p[2]));
  }

  /// The same of a point that can lie beyond the interior in canonical dimension c alone, where there is a boundary.
  template <int input, int c>
  KOKKOS_FORCEINLINE_FUNCTION auto value_along(Extents3 const& point) const {
    if constexpr (StepsFacesOf<Boundary>::wraps(c)) return value<input>(point);
    else
      return get<input>(boundary.values)
          .template along<Order::user_dim(c)>(user_index<Order>(point[0], point[1], point[2]));
  }

  /// The same of all fields.
  KOKKOS_FORCEINLINE_FUNCTION Values read(Extents3 const& point) const {
    Values values;
    for_each(values, [&](auto& of_field, auto i) { of_field = value<decltype(i)::value>(point); });
    return values;
  }

 private:
  /// Whether what lies beyond the interior comes from a boundary.
  static constexpr bool has_values = StepsFacesOf<Boundary>::has_values || StepsFacesOf<Boundary>::has_near;

  /// The nearest point at which a field exists that is read in this shape.
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION Extents3 in_halo(Extents3 p) const {
    static_for<3>([&](auto c) {
      constexpr int d = decltype(c)::value;
      if constexpr (!StepsFacesOf<Boundary>::wraps(d)) {
        constexpr std::int64_t radius = Order::template radius<Shape>(d);
        p[d]                          = Kokkos::max(-radius, Kokkos::min(p[d], work.extents[d] - 1 + radius));
      }
    });
    return p;
  }
};

}  // namespace Koalesce::Impl

#endif
