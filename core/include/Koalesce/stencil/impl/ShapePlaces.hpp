// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_SHAPE_PLACES_HPP
#define KOALESCE_STENCIL_IMPL_SHAPE_PLACES_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/StencilShape.hpp>

#include <utility>

namespace Koalesce::Impl {

/// An array with a place for every point of a shape: place(offsets...) = center + sum of offset * stride. Boxes are
/// dense. The lines of stars fit into each other: a kernel's arguments could not hold the box around a star of
/// radius 8.
template <class Shape>
struct ShapePlaces {
  static constexpr int rank = Shape::rank;

  struct Layout {
    int stride[3] = {1, 1, 1};
    int center    = 0;
  };

  static constexpr Layout make_layout() {
    constexpr int points = Shape::size;
    int at[points][3]    = {};
    int n                = 0;
    for_each_in_box<Shape>([&](auto... offset) {
      if (!Shape::contains(offset...)) return;
      int d = 0;
      ((at[n][d++] = offset), ...);
      ++n;
    });

    Layout made;
    int box = 1;  // places of the box in the dimensions after d
    for (int d = rank - 1; d >= 0; --d) {
      // Whether two points that differ in these dimensions alone have one place.
      auto const clash = [&](int i, int j) {
        int distance = 0;
        for (int e = 0; e < d; ++e)
          if (at[i][e] != at[j][e]) return false;
        for (int e = d; e < rank; ++e) distance += (at[i][e] - at[j][e]) * made.stride[e];
        return distance == 0;
      };
      auto const clashes = [&] {
        for (int i = 0; i < points; ++i)
          for (int j = 0; j < i; ++j)
            if (clash(i, j)) return true;
        return false;
      };
      made.stride[d] = is_box ? box : 1;
      while (made.stride[d] < box && clashes()) ++made.stride[d];
      made.center += Shape::radius(d) * made.stride[d];
      box *= 2 * Shape::radius(d) + 1;
    }
    return made;
  }

  static constexpr bool is_box = [] {
    int points = 1;
    for (int d = 0; d < rank; ++d) points *= 2 * Shape::radius(d) + 1;
    return points == Shape::size;
  }();
  static constexpr Layout layout = make_layout();

  template <int d>
  static constexpr int stride = layout.stride[d];

  static constexpr int center = layout.center, size = 2 * center + 1;

  template <class... Offset>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(Offset... offset) {
    return [&]<int... D>(std::integer_sequence<int, D...>) KOALESCE_INLINE_LAMBDA {
      return center + ((int(offset) * stride<D>)+...);
    }(std::make_integer_sequence<int, rank>{});
  }
};

}  // namespace Koalesce::Impl

#endif
