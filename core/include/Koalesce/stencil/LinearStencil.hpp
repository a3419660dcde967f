// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_LINEAR_STENCIL_HPP
#define KOALESCE_STENCIL_LINEAR_STENCIL_HPP

#include <Koalesce/common/impl/MultiplyAdd.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/Neighborhood.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/KnownWeights.hpp>
#include <Koalesce/stencil/impl/ShapePlaces.hpp>

namespace Koalesce {

namespace Impl {

/// The weighted sum of the values around a point. Every kernel adds its terms in this one order: by canonical offsets,
/// z the slowest, starting from zero.
template <class Order, class Weights, class T, class Shape>
KOKKOS_FORCEINLINE_FUNCTION auto linear_sum(Weights const& weights, Neighborhood<T, Shape> const& u) {
  constexpr int rz = Order::template radius<Shape>(0);
  constexpr int ry = Order::template radius<Shape>(1);
  constexpr int rx = Order::template radius<Shape>(2);

  decltype(typename Weights::weight_type() * T()) sum{};
  static_for<(2 * rz + 1) * (2 * ry + 1) * (2 * rx + 1)>([&](auto point) KOALESCE_INLINE_LAMBDA {
    constexpr int p  = decltype(point)::value;
    constexpr int dz = p / (2 * rx + 1) / (2 * ry + 1) - rz;
    constexpr int dy = p / (2 * rx + 1) % (2 * ry + 1) - ry;
    constexpr int dx = p % (2 * rx + 1) - rx;
    if constexpr (Order::template contains<Shape>(dz, dy, dx))
      sum = multiply_add(Order::in_user_order(weights, dz, dy, dx), Order::in_user_order(u, dz, dy, dx), sum);
  });
  return sum;
}

}  // namespace Impl

/// \brief A stencil whose weights are known: out(p) = sum over the shape of weight(d) * in(p + d).
///
/// It is a functor of one input for parallel_stencil. Because it is linear, the native backends read each plane once
/// and keep partial sums in registers.
///
/// Terms are added in order of their offsets, the lowest first; the first index varies slowest, or the last one if the
/// first output is LayoutLeft. Each term is one fused multiply-add, or a product and a sum on hosts without that
/// instruction. On one processor the results therefore have the same bits in every run, on every backend, for all
/// extents, from the queue and through the caches, for float, double and Kokkos::complex of them. GPUs agree with hosts
/// that fuse. (Options such as -ffast-math void this.)
///
///     LinearStencil<double, Star<1, 1, 1>> laplace;           // all weights 0
///     laplace(0, 0, 0) = -6;  laplace(0, 0, 1) = 1;  ...
///     LinearStencil<double, Box<1, 1, 1>> mean([](int dz, int dy, int dx) { return 1. / 27; });
///
/// \tparam W     type of the weights.
/// \tparam Shape Box, Star or Offsets.
template <class W, class Shape>
class LinearStencil {
 public:
  using weight_type = W;      ///< type of the weights
  using shape_type  = Shape;  ///< Box, Star or Offsets

  static constexpr int rank = Shape::rank;  ///< number of dimensions

  /// All weights are 0.
  LinearStencil() = default;

  /// \param[in] weight called once for every point of the shape with its offsets; returns the point's weight.
  template <class F>
  explicit LinearStencil(F const& weight) {
    Impl::for_each_in_box<Shape>([&](auto... offset) {
      if (Shape::contains(offset...)) (*this)(offset...) = weight(offset...);
    });
  }

  /// The weight at these offsets, one per dimension, each within the shape.
  template <class... Offset>
    requires(sizeof...(Offset) == rank && (Impl::is_offset<Offset> && ...))
  KOKKOS_FORCEINLINE_FUNCTION W& operator()(Offset... offset) {
    return m_weight[Places::place(offset...)];
  }

  /// The same, to be read.
  template <class... Offset>
    requires(sizeof...(Offset) == rank && (Impl::is_offset<Offset> && ...))
  KOKKOS_FORCEINLINE_FUNCTION W const& operator()(Offset... offset) const {
    return m_weight[Places::place(offset...)];
  }

  /// \brief The weighted sum: what makes it a functor.
  ///
  /// Called by a functor of yours, it adds the terms with the first offset the slowest.
  ///
  /// \param[in] u    the values around the point; after them, values at the point and indices may follow, which do not
  /// count.
  template <class T, class... Ignored>
    requires(Impl::is_point_argument<Ignored> && ...)
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Neighborhood<T, Shape> const& u, Ignored const&...) const {
    return Impl::linear_sum<Impl::IndexOrder<rank, false>>(*this, u);
  }

 private:
  using Places = Impl::ShapePlaces<Shape>;

  Kokkos::Array<W, Places::size> m_weight{};
};

}  // namespace Koalesce

#endif
