// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_LINEAR_STENCIL_HPP
#define KOALESCE_LINEAR_STENCIL_HPP

#include <Koalesce/Neighborhood.hpp>
#include <Koalesce/impl/Pack.hpp>

namespace Koalesce {

/// \brief A stencil whose weights are known: out(p) = sum over the shape of weight(d) * in(p + d).
///
/// It is a functor for parallel_stencil like any other. Knowing that it is linear, the native backends read each
/// plane once and keep partial sums in registers, so the terms are added plane by plane along the slowest
/// dimension: results agree with another order of summation to rounding.
///
///     LinearStencil<double, Star<1, 1, 1>> laplace;           // all weights 0
///     laplace(0, 0, 0) = -6;  laplace(0, 0, 1) = 1;  ...
///     LinearStencil<double, Box<1, 1, 1>> mean([](int dz, int dy, int dx) { return 1. / 27; });
///
/// \tparam W     type of the weights.
/// \tparam Shape Box or Star.
template <class W, class Shape>
class LinearStencil {
 public:
  using weight_type = W;      ///< type of the weights
  using shape_type  = Shape;  ///< Box or Star

  static constexpr int rank = Shape::rank;  ///< number of dimensions

  /// All weights are 0.
  LinearStencil() = default;

  /// \param[in] weight called once for every point of the shape with its offsets; returns the point's weight.
  template <class F>
  explicit LinearStencil(F const& weight) {
    Kokkos::Array<int, 3> r{};
    for (int d = 0; d < rank; ++d) r[d] = Shape::radius(d);
    for (int a = -r[0]; a <= r[0]; ++a)
      for (int b = -r[1]; b <= r[1]; ++b)
        for (int c = -r[2]; c <= r[2]; ++c) {
          if constexpr (rank == 3) {
            if (Shape::contains(a, b, c)) (*this)(a, b, c) = weight(a, b, c);
          } else if constexpr (rank == 2) {
            if (Shape::contains(a, b)) (*this)(a, b) = weight(a, b);
          } else {
            (*this)(a) = weight(a);
          }
        }
  }

  /// The weight at these offsets, one a dimension.
  template <class... Offset>
    requires(sizeof...(Offset) == rank && (std::is_convertible_v<Offset, int> && ...))
  KOKKOS_FORCEINLINE_FUNCTION W& operator()(Offset... offset) { return m_weight[index(int(offset)...)]; }

  /// The same, to be read.
  template <class... Offset>
    requires(sizeof...(Offset) == rank && (std::is_convertible_v<Offset, int> && ...))
  KOKKOS_FORCEINLINE_FUNCTION W const& operator()(Offset... offset) const { return m_weight[index(int(offset)...)]; }

  /// The weighted sum: what makes it a functor.
  template <class T, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Neighborhood<T, Shape> const& u, Index...) const {
    using Sum = decltype(W() * T());
    Sum sum{};
    Impl::static_for<box_points()>([&](auto point) KOALESCE_INLINE_LAMBDA {
      constexpr int p = decltype(point)::value;
      if constexpr (rank == 3) {
        constexpr int a = digit<0>(p), b = digit<1>(p), c = digit<2>(p);
        if constexpr (Shape::contains(a, b, c)) sum += (*this)(a, b, c) * u(a, b, c);
      } else if constexpr (rank == 2) {
        constexpr int a = digit<0>(p), b = digit<1>(p);
        if constexpr (Shape::contains(a, b)) sum += (*this)(a, b) * u(a, b);
      } else {
        sum += (*this)(digit<0>(p)) * u(digit<0>(p));
      }
    });
    return sum;
  }

 private:
  KOKKOS_FUNCTION static constexpr int box_points() {
    int n = 1;
    for (int d = 0; d < rank; ++d) n *= 2 * Shape::radius(d) + 1;
    return n;
  }

  /// Offset in dimension D of the p-th point of the enclosing box.
  template <int D>
  KOKKOS_FUNCTION static constexpr int digit(int p) {
    for (int d = rank - 1; d > D; --d) p /= 2 * Shape::radius(d) + 1;
    return p % (2 * Shape::radius(D) + 1) - Shape::radius(D);
  }

  /// Where a weight lies. Weights of the whole box are kept, zero outside a star: the index is then cheap, and
  /// a kernel that unrolls its loops reads none of the zeros.
  template <class... Offset>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int index(Offset... offset) {
    int const at[] = {offset...};
    int i          = 0;
    for (int d = 0; d < rank; ++d) i = i * (2 * Shape::radius(d) + 1) + at[d] + Shape::radius(d);
    return i;
  }

  Kokkos::Array<W, box_points()> m_weight{};
};

namespace Impl {

template <class F>
inline constexpr bool is_linear = false;
template <class W, class Shape>
inline constexpr bool is_linear<LinearStencil<W, Shape>> = true;

}  // namespace Impl
}  // namespace Koalesce

#endif
