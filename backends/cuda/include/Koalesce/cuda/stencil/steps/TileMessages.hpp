// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_TILE_MESSAGES_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_TILE_MESSAGES_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>

namespace Koalesce::Impl::CudaBackend {

/// What neighboring tiles send each other after a step. A message's points are those that the receiver reads beyond its
/// tile in one of 26 directions, row by row.
/// \tparam Ins  Pack of Field, each with the shape in which it is read.
template <class Order, class Ins>
struct TileMessages;
template <class Order, class... Ts, class... Shapes>
struct TileMessages<Order, Pack<Field<Ts, Shapes>...>> {
  static constexpr int directions = 27;  ///< with the one in the middle, which is none

  KOKKOS_FUNCTION static constexpr int opposite(int direction) { return directions - 1 - direction; }

  /// The step to the neighbor, in canonical dimension c.
  KOKKOS_FUNCTION static constexpr int step(int direction, int c) {
    return (c == 0 ? direction / 9 : c == 1 ? direction / 3 % 3 : direction % 3) - 1;
  }

  /// The direction along one dimension.
  KOKKOS_FUNCTION static constexpr int along(int c, bool up) {
    int const one = c == 0 ? 9 : c == 1 ? 3 : 1;
    return directions / 2 + (up ? one : -one);
  }

  KOKKOS_FUNCTION static constexpr int radius(int c) {
    constexpr int r[] = {max_input_radius<Order, 0, Ins>, max_input_radius<Order, 1, Ins>,
                         max_input_radius<Order, 2, Ins>};
    return r[c];
  }

  /// Whether neighbors in this direction exchange points: if a shape reads there, or in the opposite direction. (So a
  /// tile is at most one step ahead of those that it sends to.)
  KOKKOS_FUNCTION static constexpr bool exist(int direction) { return existing >> direction & 1; }

  /// Whether points are read that lie beside a tile in several dimensions.
  KOKKOS_FUNCTION static constexpr bool has_corners() {
    bool found = false;
    for (int d = 0; d < directions; ++d)
      found = found || (exist(d) && (step(d, 0) != 0) + (step(d, 1) != 0) + (step(d, 2) != 0) > 1);
    return found;
  }

  /// Points in dimension c, of a tile of this size.
  KOKKOS_FUNCTION static constexpr int extent(int direction, int c, int size) {
    return step(direction, c) == 0 ? size : radius(c);
  }
  KOKKOS_FUNCTION static constexpr int points(int direction, int const (&size)[3]) {
    return extent(direction, 0, size[0]) * extent(direction, 1, size[1]) * extent(direction, 2, size[2]);
  }

  /// The first point in dimension c, in the sender's tile, whose size this is.
  KOKKOS_FUNCTION static constexpr int first_sent(int to, int c, int size) {
    return step(to, c) > 0 ? size - radius(c) : 0;
  }
  /// The same in the receiver's, in whose halo the points lie.
  KOKKOS_FUNCTION static constexpr int first_received(int from, int c, int size) {
    return step(from, c) > 0 ? size : step(from, c) < 0 ? -radius(c) : 0;
  }

 private:
  using Ins = Pack<Field<Ts, Shapes>...>;

  template <class Shape>
  static constexpr bool reads(int direction) {
    for (int z = -radius(0); z <= radius(0); ++z)
      for (int y = -radius(1); y <= radius(1); ++y)
        for (int x = -radius(2); x <= radius(2); ++x) {
          int const at[] = {z, y, x};
          bool there     = Order::template contains<Shape>(z, y, x);
          for (int c = 0; c < 3; ++c) there = there && (step(direction, c) == 0 || at[c] * step(direction, c) > 0);
          if (there) return true;
        }
    return false;
  }

  static constexpr unsigned existing = [] {
    unsigned found = 0;
    for (int d = 0; d < directions; ++d)
      if (d != directions / 2 && ((reads<Shapes>(d) || reads<Shapes>(opposite(d))) || ...)) found |= 1U << d;
    return found;
  }();
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
