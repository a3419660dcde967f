// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_INPUTS_HPP
#define KOALESCE_STENCIL_INPUTS_HPP

#include <Koalesce/stencil/impl/boundary/BoundaryFaces.hpp>

namespace Koalesce {

/// \brief An input that is read at the point alone, as at_point() marks it.
template <class View>
struct AtPoint {
  View view;  ///< the field
};

/// \brief An input that is read in a shape of its own, as around() marks it.
template <class Shape, class View, class Boundary = Impl::NoBoundary>
struct Around {
  View view;            ///< the field
  Boundary boundary{};  ///< what lies beyond its faces, as with_boundary() sets it

  /// \brief A copy with conditions of its own, instead of those of the policy.
  ///
  /// \param[in] conditions one for all dimensions, or one per dimension, as for StencilPolicy::with_boundary().
  template <class... Conditions>
  auto with_boundary(Conditions const&... conditions) const {
    auto const all_sides = Impl::boundary_sides<Shape::rank>(conditions...);
    return Around<Shape, View, std::decay_t<decltype(all_sides)>>{view, all_sides};
  }
};

/// \brief Marks an input of parallel_stencil that is read at the point alone: the functor receives its value there.
///
/// Such a field needs no halo and no room on chip. An output may be the identical View (not in a Staged stencil):
///
///     parallel_stencil("wave", policy, fields(u, at_point(previous), at_point(speed)), previous, leapfrog);
template <class View>
AtPoint<View> at_point(View const& view) {
  return {view};
}

/// \brief Marks an input of parallel_stencil that is read in a shape of its own instead of the policy's: the functor
/// receives a Neighborhood<T, Shape>. Fields of staggered grids are read in such shapes.
///
///     parallel_stencil("divergence", policy, fields(around(Offsets<At<0, 0>, At<1, 0>>{}, vy),
///                                                   around(Offsets<At<0, 0>, At<0, 1>>{}, vx)), p, functor);
template <class Shape, class View>
Around<Shape, View> around(Shape const&, View const& view) {
  return {view, {}};
}

}  // namespace Koalesce

#endif
