// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_CANONICAL_FIELD_HPP
#define KOALESCE_STENCIL_IMPL_CANONICAL_FIELD_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// Fields as backends see them: in the canonical form of IndexOrder.
namespace Koalesce::Impl {

using Extents3 = Kokkos::Array<std::int64_t, 3>;

/// One field: elements are `origin[z * stride[0] + y * stride[1] + x * stride[2]]`, the interior from (0, 0, 0).
/// \tparam Shape  in which it is read; void: at the point alone, or it is written.
template <class T, class Shape = void>
struct Field {
  using value_type = std::remove_const_t<T>;
  using shape_type = Shape;

  T* origin;
  Extents3 stride;

  KOKKOS_FORCEINLINE_FUNCTION T* at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return origin + z * stride[0] + y * stride[1] + x * stride[2];
  }
};

/// The canonical description of a View.
template <class Order, class T, class Shape = void, class View, class Policy>
Field<T, Shape> canonical_field(View const& view, Policy const& policy) {
  Field<T, Shape> field{view.data(), {}};
  for (int d = 0; d < Policy::rank; ++d)
    field.origin += (std::int64_t(view.extent(d)) - policy.extents()[d]) / 2 * std::int64_t(view.stride(d));
  for (int c = 0; c < 3; ++c) field.stride[c] = Order::user_dim(c) < 0 ? 0 : view.stride(Order::user_dim(c));
  return field;
}

/// Whether the first index of a View has the smallest stride. \param[in] tied  the answer where the last one has the
/// same, as with a single row: both orders are right.
template <class View>
bool is_reversed(View const& view, bool tied = false) {
  using Layout = typename View::array_layout;
  if constexpr (View::rank() == 1 || std::is_same_v<Layout, Kokkos::LayoutRight>) return false;
  else if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) return true;
  else if (view.stride(0) == view.stride(View::rank() - 1)) return tied;
  else return view.stride(0) < view.stride(View::rank() - 1);
}

/// Whether is_reversed() can return this for Views of this type. Kernels for the other case are not compiled.
template <class View, bool Reversed>
constexpr bool can_be_reversed() {
  using Layout = typename View::array_layout;
  if (View::rank() == 1 || std::is_same_v<Layout, Kokkos::LayoutRight>) return !Reversed;
  if (std::is_same_v<Layout, Kokkos::LayoutLeft>) return Reversed;
  return true;
}

}  // namespace Koalesce::Impl

#endif
