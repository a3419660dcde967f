// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_KNOWN_WEIGHTS_HPP
#define KOALESCE_STENCIL_IMPL_KNOWN_WEIGHTS_HPP

#include <Koalesce/stencil/Neighborhood.hpp>

/// What a stencil of known weights is to the backends: the weights alone, or with a functor of their sum.
namespace Koalesce {

template <class W, class Shape>
class LinearStencil;
template <class W, class Shape>
class SymmetricStencil;

namespace Impl {

template <class F>
inline constexpr bool is_weights = false;
template <class W, class Shape>
inline constexpr bool is_weights<LinearStencil<W, Shape>> = true;
template <class W, class Shape>
inline constexpr bool is_weights<SymmetricStencil<W, Shape>> = true;

/// Known weights on the one input that is read around the point, and a functor of their sum.
template <class Weights, class Then>
struct LinearThen {
  using weight_type = typename Weights::weight_type;
  using shape_type  = typename Weights::shape_type;

  Weights weights;
  Then then;
};

template <class F>
inline constexpr bool is_linear_then = false;
template <class Weights, class Then>
inline constexpr bool is_linear_then<LinearThen<Weights, Then>> = true;

template <class F>
inline constexpr bool is_linear = is_weights<F> || is_linear_then<F>;

/// Whether a shape has points off the axes.
template <class Shape>
constexpr bool has_diagonals() {
  bool has = false;
  for_each_in_box<Shape>(
      [&](auto... offset) { has = has || (Shape::contains(offset...) && (int(offset != 0) + ...) > 1); });
  return has;
}

/// Whether a weighted sum is that of symmetric_sum, and not of linear_sum. On the axes alone, adding values before they
/// are multiplied saves nothing.
template <class F>
inline constexpr bool adds_pairs = false;
template <class W, class Shape>
inline constexpr bool adds_pairs<SymmetricStencil<W, Shape>> = has_diagonals<Shape>();
template <class Weights, class Then>
inline constexpr bool adds_pairs<LinearThen<Weights, Then>> = adds_pairs<Weights>;

template <class Weights>
KOKKOS_FORCEINLINE_FUNCTION Weights const& weights_of(Weights const& f) {
  return f;
}
template <class Weights, class Then>
KOKKOS_FORCEINLINE_FUNCTION Weights const& weights_of(LinearThen<Weights, Then> const& f) {
  return f.weights;
}

/// Whether known weights may ignore an argument after the neighborhood: a value at the point, or an index.
template <class T>
inline constexpr bool is_point_argument = true;
template <class T, class Shape>
inline constexpr bool is_point_argument<Neighborhood<T, Shape>> = false;

}  // namespace Impl
}  // namespace Koalesce

#endif
