// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_SYMMETRIC_STENCIL_HPP
#define KOALESCE_STENCIL_SYMMETRIC_STENCIL_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/MultiplyAdd.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/KnownWeights.hpp>
#include <Koalesce/stencil/impl/ShapePlaces.hpp>

#include <string>

namespace Koalesce {
namespace Impl {

/// The distance that an offset goes, to either side.
KOKKOS_FORCEINLINE_FUNCTION constexpr int distance_of(int offset) { return offset < 0 ? -offset : offset; }

/// Whether a shape has the mirror images of its points, in every dimension.
template <class Shape>
constexpr bool is_symmetric_shape() {
  bool is = true;
  for_each_in_box<Shape>(
      [&](auto... offset) { is = is && Shape::contains(offset...) == Shape::contains(distance_of(offset)...); });
  return is;
}

template <class... Offset>
std::string offsets_text(int first, Offset... more) {
  return "(" + std::to_string(first) + ((", " + std::to_string(more)) + ... + std::string()) + ")";
}

/// Points of a shape in its plane a that are on no side but the first.
template <class Order, class Shape>
KOKKOS_FUNCTION constexpr int symmetric_terms(int a) {
  int terms = 0;
  for (int b = 0; b <= Order::template radius<Shape>(1); ++b)
    for (int c = 0; c <= Order::template radius<Shape>(2); ++c) terms += Order::template contains<Shape>(a, b, c);
  return terms;
}

/// Adds the terms of a plane, a planes away, to sums. Values with one weight are added first, those of a row before
/// those of two rows; then the products, starting from zero; their sum is what is added. A single product is added to
/// the sums at once.
/// \param[in] at    at(y, x): the plane's value at these offsets.
/// \param[in,out] sums  one, or those of the two points that are as far away.
template <class Order, int a, class W, class Shape, class At, class Sum, class... Sums>
KOKKOS_FORCEINLINE_FUNCTION void add_symmetric_plane(SymmetricStencil<W, Shape> const& weights, At const& at, Sum& sum,
                                                     Sums&... sums) {
  constexpr int columns = Order::template radius<Shape>(2) + 1, terms = symmetric_terms<Order, Shape>(a);
  Sum part{};
  static_for<(Order::template radius<Shape>(1) + 1) * columns>([&](auto place) KOALESCE_INLINE_LAMBDA {
    constexpr int b = decltype(place)::value / columns, c = decltype(place)::value % columns;
    if constexpr (Order::template contains<Shape>(a, b, c)) {
      auto const in_row = [&](int y) KOALESCE_INLINE_LAMBDA {
        if constexpr (c == 0) return Sum(at(y, 0));
        else return Sum(at(y, -c)) + Sum(at(y, c));
      };
      auto const value = [&]() KOALESCE_INLINE_LAMBDA {
        if constexpr (b == 0) return Sum(in_row(0));
        else return Sum(in_row(-b) + in_row(b));
      }();
      auto const& weight = Order::in_user_order(weights, a, b, c);
      if constexpr (terms == 1) {
        sum = multiply_add(weight, value, sum);
        ((sums = multiply_add(weight, value, sums)), ...);
      } else {
        part = multiply_add(weight, value, part);
      }
    }
  });
  if constexpr (terms > 1) {
    sum += part;
    ((sums += part), ...);
  }
}

/// Adds a plane to the sums of all points that read it. \param[in] sum_at  sum_at(dz): that of the point from which the
/// plane is at offset dz, a constant.
template <class Order, class W, class Shape, class At, class SumAt>
KOKKOS_FORCEINLINE_FUNCTION void add_symmetric_plane_to_all(SymmetricStencil<W, Shape> const& weights, At const& at,
                                                            SumAt const& sum_at) {
  static_for<Order::template radius<Shape>(0) + 1>([&](auto distance) KOALESCE_INLINE_LAMBDA {
    constexpr int a = decltype(distance)::value;
    if constexpr (a == 0) add_symmetric_plane<Order, 0>(weights, at, sum_at(0));
    else add_symmetric_plane<Order, a>(weights, at, sum_at(-a), sum_at(a));
  });
}

/// The weighted sum of the values around a point. Every kernel adds plane by plane, the lowest canonical z first, as
/// add_symmetric_plane says, starting from zero.
template <class Order, class W, class T, class Shape>
KOKKOS_FORCEINLINE_FUNCTION auto symmetric_sum(SymmetricStencil<W, Shape> const& weights,
                                               Neighborhood<T, Shape> const& u) {
  constexpr int rz = Order::template radius<Shape>(0);
  decltype(W() * T()) sum{};
  static_for<2 * rz + 1>([&](auto plane) KOALESCE_INLINE_LAMBDA {
    constexpr int dz = decltype(plane)::value - rz;
    auto const at    = [&](int y, int x) KOALESCE_INLINE_LAMBDA { return Order::in_user_order(u, dz, y, x); };
    add_symmetric_plane<Order, distance_of(dz)>(weights, at, sum);
  });
  return sum;
}

}  // namespace Impl

/// \brief A LinearStencil whose weights are the same on both sides of the point, in every dimension: they depend on the
/// distances |d| alone.
///
/// Most stencils of physics and image processing are: Laplacians, averages, Gaussian filters. It takes the place of a
/// LinearStencil, also before a functor of the sum. Of shapes with points off the axes it is computed with fewer
/// operations: values with one weight are added before they are multiplied, and what a plane gives to the points before
/// it and behind it is computed once. A box of 125 points takes some 45 operations a point instead of 125, and has 27
/// weights.
///
/// Their planes are added in order, the lowest first (the first index varies slowest, or the last one if the first
/// output is LayoutLeft). In a plane, values in a row are added before those of two rows; then come the products, one
/// for every weight, starting from zero; a plane's only product is added to the sum at once. As with LinearStencil the
/// results have the same bits in every run, on every backend, for all extents. They differ in the last bits from those
/// of a LinearStencil with the same weights, as another order of a sum does; of stars and lines they are the same.
///
///     SymmetricStencil<double, Star<1, 1, 1>> laplace;
///     laplace(0, 0, 0) = -6;
///     laplace(1, 0, 0) = laplace(0, 1, 0) = laplace(0, 0, 1) = 1;  // on both sides
///
/// \tparam W     type of the weights.
/// \tparam Shape Box, Star, or Offsets with the mirror images of all its points.
template <class W, class Shape>
class SymmetricStencil {
  static_assert(Impl::is_symmetric_shape<Shape>(),
                "Koalesce::SymmetricStencil: the shape needs the mirror images of its points in every dimension; take "
                "a LinearStencil");

 public:
  using weight_type = W;      ///< type of the weights
  using shape_type  = Shape;  ///< Box, Star or Offsets

  static constexpr int rank = Shape::rank;  ///< number of dimensions

  /// All weights are 0.
  SymmetricStencil() = default;

  /// \param[in] weight called once for every point of the shape none of whose offsets is negative, with these; returns
  /// the weight of the point and of its mirror images.
  template <class F>
  explicit SymmetricStencil(F const& weight) {
    Impl::for_each_in_box<Shape>([&](auto... offset) {
      if (((offset >= 0) && ...) && Shape::contains(offset...)) (*this)(offset...) = weight(offset...);
    });
  }

  /// The same weights.
  /// \throws Error if they are not the same on both sides.
  template <class V>
  explicit SymmetricStencil(LinearStencil<V, Shape> const& weights) {
    Impl::for_each_in_box<Shape>([&](auto... offset) {
      if (!Shape::contains(offset...)) return;
      V const weight     = weights(Impl::distance_of(offset)...);
      (*this)(offset...) = W(weight);
      if (weight == weights(offset...)) return;
      Impl::fail("Koalesce::SymmetricStencil", "the weights at ", Impl::offsets_text(offset...), " and ",
                 Impl::offsets_text(Impl::distance_of(offset)...),
                 " are not equal, but those on both sides of the point must be; call the pattern with the "
                 "LinearStencil itself");
    });
  }

  /// The weight at these distances, one per dimension, on either side; within the shape.
  template <class... Offset>
    requires(sizeof...(Offset) == rank && (Impl::is_offset<Offset> && ...))
  KOKKOS_FORCEINLINE_FUNCTION W& operator()(Offset... offset) {
    return m_weight[place(offset...)];
  }

  /// The same, to be read.
  template <class... Offset>
    requires(sizeof...(Offset) == rank && (Impl::is_offset<Offset> && ...))
  KOKKOS_FORCEINLINE_FUNCTION W const& operator()(Offset... offset) const {
    return m_weight[place(offset...)];
  }

  /// \brief The weighted sum: what makes it a functor.
  ///
  /// Called by a functor of yours, it adds planes with the first offset the slowest.
  ///
  /// \param[in] u    the values around the point; after them, values at the point and indices may follow, which do not
  /// count.
  template <class T, class... Ignored>
    requires(Impl::is_point_argument<Ignored> && ...)
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Neighborhood<T, Shape> const& u, Ignored const&...) const {
    using Order = Impl::IndexOrder<rank, false>;
    if constexpr (Impl::adds_pairs<SymmetricStencil>) return Impl::symmetric_sum<Order>(*this, u);
    else return Impl::linear_sum<Order>(*this, u);
  }

 private:
  using Places = Impl::ShapePlaces<Shape>;

  template <class... Offset>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(Offset... offset) {
    return Places::place(Impl::distance_of(int(offset))...) - Places::center;
  }

  Kokkos::Array<W, Places::center + 1> m_weight{};
};

}  // namespace Koalesce

#endif
