// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_INDEX_ORDER_HPP
#define KOALESCE_STENCIL_IMPL_INDEX_ORDER_HPP

#include <Koalesce/stencil/Neighborhood.hpp>

#include <cstddef>

/// The canonical form of a stencil has three dimensions z, y, x: blocks march along z, and neighbors in x are adjacent
/// in memory. A LayoutRight index (z, y, x) is canonical as it is, a LayoutLeft index is reversed; missing dimensions
/// have extent 1 and radius 0.
namespace Koalesce::Impl {

/// Translates between the caller's indices and the canonical ones.
template <int Rank, bool Reversed>
struct IndexOrder {
  static constexpr int rank = Rank;

  /// The caller's dimension of canonical dimension c (0: z, 1: y, 2: x), or -1 if the caller has none.
  KOKKOS_FUNCTION static constexpr int user_dim(int c) {
    if (Rank == 3) return Reversed ? 2 - c : c;
    if (Rank == 2) return c == 1 ? -1 : ((c == 0) != Reversed ? 0 : 1);
    return c == 2 ? 0 : -1;
  }

  /// The canonical dimension of the caller's dimension d.
  KOKKOS_FUNCTION static constexpr int canonical_dim(int d) { return user_dim(0) == d ? 0 : user_dim(1) == d ? 1 : 2; }

  template <class Shape>
  KOKKOS_FUNCTION static constexpr int radius(int c) {
    return user_dim(c) < 0 ? 0 : Shape::radius(user_dim(c));
  }

  /// Whether the shape has a point at these canonical offsets.
  template <class Shape>
  KOKKOS_FUNCTION static constexpr bool contains(int dz, int dy, int dx) {
    if constexpr (Rank == 3) return Reversed ? Shape::contains(dx, dy, dz) : Shape::contains(dz, dy, dx);
    else if constexpr (Rank == 2) return dy == 0 && (Reversed ? Shape::contains(dx, dz) : Shape::contains(dz, dx));
    else return dz == 0 && dy == 0 && Shape::contains(dx);
  }

  /// Calls f with the offsets in the caller's order of indices.
  template <class F, class I>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr decltype(auto) in_user_order(F&& f, I z, I y, I x) {
    if constexpr (Rank == 3 && Reversed) return f(x, y, z);
    else if constexpr (Rank == 3) return f(z, y, x);
    else if constexpr (Rank == 2 && Reversed) return f(x, z);
    else if constexpr (Rank == 2) return f(z, x);
    else return f(x);
  }

  /// A neighborhood around a point whose planes lie `stride_z` elements apart; with `queue_size` > 0 they rotate in
  /// the plane queue and the point's own plane is in `slot`. The point is `base[point]`.
  template <class Shape, class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto neighborhood(T const* base, std::ptrdiff_t stride_z, std::ptrdiff_t stride_y,
                                                       std::ptrdiff_t stride_x, int queue_size = 0, int slot = 0,
                                                       std::ptrdiff_t point = 0) {
    Kokkos::Array<std::ptrdiff_t, Rank> stride{};
    if constexpr (user_dim(0) >= 0) stride[user_dim(0)] = stride_z;
    if constexpr (user_dim(1) >= 0) stride[user_dim(1)] = stride_y;
    stride[user_dim(2)] = stride_x;
    // A single dimension has no planes that rotate.
    if constexpr (user_dim(0) < 0) return Neighborhood<T, Shape>(base, stride, 0, 0, 0, point);
    else return Neighborhood<T, Shape>(base, stride, user_dim(0), queue_size, slot, point);
  }
};

}  // namespace Koalesce::Impl

#endif
