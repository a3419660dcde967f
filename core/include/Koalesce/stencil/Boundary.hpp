// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_BOUNDARY_HPP
#define KOALESCE_STENCIL_BOUNDARY_HPP

#include <Kokkos_Core.hpp>

// What lies beyond the faces of a field. Calls take one condition for all dimensions, or one per dimension in the order
// of the View's indices.
namespace Koalesce {

namespace Impl {
struct ZeroGradient {};
}  // namespace Impl

/// \brief The field repeats: points hold the value of the interior point that lies a whole number of periods away.
///
/// The period is the number of interior points. It joins both faces of a dimension.
struct Periodic {};

/// \brief Points hold a given value.
///
///     Dirichlet(1.)        // on the whole face
///     Dirichlet(wall)      // entry by entry
///     Dirichlet(functor)   // point by point
///
/// A View of the face has one dimension less than the field (rank 0 for a field of rank 1), the field's element type,
/// any layout, and the interior extents of the other dimensions, in the order of the field's indices. Beyond the
/// face's edges its nearest entry counts. Its elements must be neither halo points of the field nor in an output.
///
/// A functor is const and runs on the device. It is called with the indices of the point, one std::int64_t per
/// dimension, counted from the first interior point (so the point next to the low face has index -1), and returns
/// what converts to the field's elements. Points beyond edges and corners may be asked for that no stencil reads.
///
/// \tparam V type of the value, the View or the functor.
template <class V>
struct Dirichlet {
  V value;  ///< a value, a View of the face, or a functor of the point

  /// \param[in] v  a value, a View of the face, or a functor of the point.
  explicit Dirichlet(V const& v) : value(v) {}
};

/// \brief Points hold the nearest interior value plus a given difference per point along the outward normal.
///
/// The k-th point beyond the face (k = 1, 2, ...) holds u(nearest interior point) + k * gradient. `Neumann()` has
/// gradient 0. Elements are numbers, Kokkos::complex, or structs for which `a += 2. * b` compiles; `Neumann()` takes
/// any.
///
/// \tparam V type of the value, of the View or of the functor, as for Dirichlet.
template <class V = Impl::ZeroGradient>
struct Neumann {
  V gradient;  ///< a difference per point, a View of the face, or a functor of the point

  /// \param[in] g  a difference per point, a View of the face, or a functor of the point.
  explicit Neumann(V const& g = V()) : gradient(g) {}
};

/// \brief The plane of a mirror lies at the face, half-way between two points.
struct AboutFace {};
/// \brief The plane of a mirror lies at the outermost interior point.
struct AboutPoint {};
/// \brief `Mirror(about_face)`, which is `Mirror()`.
inline constexpr AboutFace about_face{};
/// \brief `Mirror(about_point)`.
inline constexpr AboutPoint about_point{};

/// \brief The field is mirrored: u(-k) = u(k - 1) about the face, u(-k) = u(k) about the point.
///
/// There must be as many interior points as points beyond the face, and one more about the point.
///
/// \tparam About  AboutFace or AboutPoint.
template <class About = AboutFace>
struct Mirror {
  /// Where the mirror's plane lies: `Mirror()`, `Mirror(about_point)`.
  explicit Mirror(About = About()) {}
};

/// \brief Points lie on the polynomial through the nearest `order + 1` interior points.
///
/// Orders 1 and 2 need elements as Neumann does. Integers are extrapolated as integers.
struct Extrapolation {
  int order;  ///< 0: constant, 1: linear, 2: quadratic

  /// \param[in] n  the polynomial's order, 0 to 2.
  explicit Extrapolation(int n) : order(n) {}
};

/// \brief The conditions at the two faces of a dimension, as sides() returns them.
template <class Low, class High>
struct Sides {
  Low low;    ///< at the lowest index
  High high;  ///< at the highest index
};

/// \brief Different conditions at the two faces of a dimension: `sides(Dirichlet(1.), Neumann())`.
///
/// \param[in] low  the condition at the lowest index.
/// \param[in] high the condition at the highest index.
template <class Low, class High>
Sides<Low, High> sides(Low const& low, High const& high) {
  return {low, high};
}

}  // namespace Koalesce

#endif
