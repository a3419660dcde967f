// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_GATHERED_VALUES_HPP
#define KOALESCE_STENCIL_IMPL_GATHERED_VALUES_HPP

#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/ShapePlaces.hpp>

#include <utility>

namespace Koalesce::Impl {

/// The values of one field around a point, copied: some of them are not in memory.
template <class T, class Order, class Shape>
struct GatheredValues {
  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  using Places = ShapePlaces<Shape>;

  T value[Places::size];

  /// \param[in] value_at  value_at(dz, dy, dx) is the value at these offsets.
  template <class ValueAt>
  KOKKOS_FUNCTION explicit GatheredValues(ValueAt const& value_at) {
    for_each_offset([&](int dz, int dy, int dx) { at(dz, dy, dx) = value_at(dz, dy, dx); });
  }

  GatheredValues() = default;

  KOKKOS_FUNCTION T& at(int dz, int dy, int dx) {
    return value[Order::in_user_order([](auto... offset) { return Places::place(offset...); }, dz, dy, dx)];
  }

  /// In a loop: a boundary's points are few, and their code is long.
  template <class F>
  KOKKOS_FUNCTION static void for_each_offset(F const& f) {
    for (int dz = -rz; dz <= rz; ++dz)
      for (int dy = -ry; dy <= ry; ++dy)
        for (int dx = -rx; dx <= rx; ++dx)
          if (Order::template contains<Shape>(dz, dy, dx)) f(dz, dy, dx);
  }

  KOKKOS_FUNCTION auto neighborhood() const {
    return [&]<int... D>(std::integer_sequence<int, D...>) {
      return Neighborhood<T, Shape>(value, {Places::template stride<D>...}, 0, 0, 0, Places::center);
    }(std::make_integer_sequence<int, Shape::rank>{});
  }
};

}  // namespace Koalesce::Impl

#endif
