// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_GATHERED_VALUES_HPP
#define KOALESCE_STENCIL_IMPL_GATHERED_VALUES_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/ShapePlaces.hpp>

#include <type_traits>
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

  /// Whether the points are few, and each lies on an axis.
  static constexpr bool on_axes = [] {
    bool all = Shape::size <= 32;
    for_each_in_box<Shape>(
        [&](auto... offset) { all = all && (!Shape::contains(offset...) || (int(offset != 0) + ...) <= 1); });
    return all;
  }();

  /// Reads all values at once, into registers. \param[in] value_at value_at(dz, dy, dx, the dimension of the caller's
  /// in which the offset is not 0, as a constant; -1: none).
  template <class ValueAt>
  KOKKOS_FUNCTION void read_axes(ValueAt const& value_at) {
    static_for<(2 * rz + 1) * (2 * ry + 1) * (2 * rx + 1)>([&](auto point) KOALESCE_INLINE_LAMBDA {
      constexpr int dz = point.value / (2 * rx + 1) / (2 * ry + 1) - rz;
      constexpr int dy = point.value / (2 * rx + 1) % (2 * ry + 1) - ry;
      constexpr int dx = point.value % (2 * rx + 1) - rx;
      constexpr int d  = Order::user_dim(dz != 0 ? 0 : dy != 0 ? 1 : 2);
      if constexpr (Order::template contains<Shape>(dz, dy, dx))
        at(dz, dy, dx) =
            value_at(dz, dy, dx, std::integral_constant < int, dz == 0 && dy == 0 && dx == 0 ? -1 : d > {});
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION T& at(int dz, int dy, int dx) {
    return value[Order::in_user_order([](auto... offset) KOALESCE_INLINE_LAMBDA { return Places::place(offset...); },
                                      dz, dy, dx)];
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
