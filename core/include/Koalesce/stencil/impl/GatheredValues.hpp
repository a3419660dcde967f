// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_GATHERED_VALUES_HPP
#define KOALESCE_STENCIL_IMPL_GATHERED_VALUES_HPP

#include <Koalesce/stencil/impl/IndexOrder.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// The values of one field around a point, copied: some of them are not in memory.
template <class T, class Order, class Shape>
struct GatheredValues {
  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  /// Whether no two points of planes |dz| <= planes have the same place with these strides.
  static constexpr bool apart(int planes, int stride_z, int stride_y) {
    bool taken[(2 * rz + 1) * (2 * ry + 1) * (2 * rx + 1)] = {};
    for (int dz = -planes; dz <= planes; ++dz)
      for (int dy = -ry; dy <= ry; ++dy)
        for (int dx = -rx; dx <= rx; ++dx) {
          if (!Order::template contains<Shape>(dz, dy, dx)) continue;
          bool& here = taken[(dz + planes) * stride_z + (dy + ry) * stride_y + dx + rx];
          if (here) return false;
          here = true;
        }
    return true;
  }

  /// Rows, and planes, of stars fit into each other.
  static constexpr int stride_y = [] {
    int stride = 1;
    while (stride < 2 * rx + 1 && !apart(0, 0, stride)) ++stride;
    return stride;
  }();
  static constexpr int stride_z = [] {
    int stride = 1;
    while (stride < (2 * ry + 1) * (2 * rx + 1) && !apart(rz, stride, stride_y)) ++stride;
    return stride;
  }();
  static constexpr int center = rz * stride_z + ry * stride_y + rx;

  T value[2 * center + 1];

  /// \param[in] value_at  value_at(dz, dy, dx) is the value at these offsets.
  template <class ValueAt>
  KOKKOS_FUNCTION explicit GatheredValues(ValueAt const& value_at) {
    for_each_offset([&](int dz, int dy, int dx) { at(dz, dy, dx) = value_at(dz, dy, dx); });
  }

  GatheredValues() = default;

  KOKKOS_FUNCTION T& at(int dz, int dy, int dx) { return value[center + dz * stride_z + dy * stride_y + dx]; }

  /// In a loop: a boundary's points are few, and their code is long.
  template <class F>
  KOKKOS_FUNCTION static void for_each_offset(F const& f) {
    for (int dz = -rz; dz <= rz; ++dz)
      for (int dy = -ry; dy <= ry; ++dy)
        for (int dx = -rx; dx <= rx; ++dx)
          if (Order::template contains<Shape>(dz, dy, dx)) f(dz, dy, dx);
  }

  KOKKOS_FUNCTION auto neighborhood() const {
    return Order::template neighborhood<Shape>(static_cast<T const*>(value), stride_z, stride_y, 1, 0, 0, center);
  }
};

}  // namespace Koalesce::Impl

#endif
