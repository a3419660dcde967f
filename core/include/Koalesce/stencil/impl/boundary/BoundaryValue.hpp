// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_VALUE_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_VALUE_HPP

#include <Koalesce/stencil/impl/boundary/BoundaryFaces.hpp>

namespace Koalesce::Impl {

/// How far inward lies what the k-th point beyond a face of n points reads.
template <class Given, unsigned kinds>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t read_inside(Face<Given, kinds> const& face, std::int64_t k, std::int64_t n) {
  if (face.is(FaceKind::periodic)) return k <= n ? n - k : n - 1 - (k - 1) % n;
  if (face.is(FaceKind::mirror_face)) return k - 1;
  if (face.is(FaceKind::mirror_point)) return k;
  return 0;
}

/// The weight, at the k-th point beyond a face, of the i-th point inward: Lagrange's polynomials.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t extrapolation_weight(int order, int i, std::int64_t k) {
  if (order == 1) return i == 0 ? k + 1 : -k;
  return i == 0 ? (k + 1) * (k + 2) / 2 : i == 1 ? -k * (k + 2) : k * (k + 1) / 2;
}

/// The value of the k-th point beyond a face, in a line of n points across it.
/// \param[in] point, extent  its indices, and the interior points, for what the face gives.
/// \param[in] inward         (i) -> the value that lies `i` points inward of the line's outermost.
template <class T, class Given, unsigned kinds, class Point, class Inward>
KOKKOS_FORCEINLINE_FUNCTION T value_beyond(Face<Given, kinds> const& face, Point const& point, Point const& extent,
                                           std::int64_t k, std::int64_t n, Inward const& inward) {
  if (face.is(FaceKind::dirichlet)) return face.given(point, extent);

  using Weight = typename WeightType<T>::type;
  if constexpr (has_sums<T>) {
    if (face.is(FaceKind::extrapolation)) {
      T sum{};
      for (int i = 0; i <= face.order; ++i)
        sum = multiply_add(Weight(extrapolation_weight(face.order, i, k)), inward(i), sum);
      return sum;
    }
  }
  T const value = inward(read_inside(face, k, n));
  if constexpr (has_sums<T>)
    if (face.is(FaceKind::neumann)) return multiply_add(Weight(k), T(face.given(point, extent)), value);
  return value;
}

/// The value of a field at any point, from its interior and the conditions at its faces. All indices are in the order
/// of the View's, counted from the first interior point; there must be interior points in every dimension.
///
/// The last dimension that the point is outside of decides. The points that its condition reads are inside there, and
/// maybe outside of earlier dimensions: the same bits as if halos were filled dimension after dimension.
///
/// \tparam Faces a pack of FaceSides, one per dimension.
template <class T, int Rank, class Faces>
struct BoundaryValue {
  using Point = PointIndex<Rank>;

  T const* origin;                             // the first interior point
  Kokkos::Array<std::ptrdiff_t, Rank> stride;  // elements from one point to the next
  Point extent;                                // interior points
  Faces faces;

  KOKKOS_FORCEINLINE_FUNCTION T operator()(Point const& point) const { return at<Rank, true, true, true>(point); }

  /// The same of a point that can be outside in dimension `D` alone; -1: in none.
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION T along(Point const& point) const {
    return at<Rank, D == 0, D == 1, D == 2>(point);
  }

  /// The point's place, counted from the first interior point's.
  KOKKOS_FUNCTION std::ptrdiff_t place(Point const& point) const {
    std::ptrdiff_t sum = 0;
    for (int d = 0; d < Rank; ++d) sum += point[d] * stride[d];
    return sum;
  }

 private:
  /// At a point that is inside in the dimensions from D on, and in those that need no look.
  template <int D, bool... look>
  KOKKOS_FORCEINLINE_FUNCTION T at(Point const& point) const {
    if constexpr (D == 0) {
      return origin[place(point)];
    } else {
      constexpr int d        = D - 1;
      constexpr bool looks[] = {look...};
      if (!looks[d] || (point[d] >= 0 && point[d] < extent[d])) return at<d, look...>(point);
      auto const& both = get<d>(faces);
      bool const low   = point[d] < 0;
      if constexpr (std::is_same_v<decltype(both.low), decltype(both.high)>)
        return beyond<d, look...>(low ? both.low : both.high, point, low);
      else return low ? beyond<d, look...>(both.low, point, low) : beyond<d, look...>(both.high, point, low);
    }
  }

  /// At a point beyond a face of dimension D, that is inside in later ones.
  template <int D, bool... look, class Given, unsigned kinds>
  KOKKOS_FORCEINLINE_FUNCTION T beyond(Face<Given, kinds> const& face, Point const& point, bool low) const {
    std::int64_t const n = extent[D];
    return value_beyond<T>(face, point, extent, low ? -point[D] : point[D] - n + 1, n,
                           [&](std::int64_t i) { return inward<D, look...>(point, low, i); });
  }

  /// At the point in the same line along dimension D that is `i` points inward of the outermost interior one.
  template <int D, bool... look>
  KOKKOS_FORCEINLINE_FUNCTION T inward(Point point, bool low, std::int64_t i) const {
    point[D] = low ? i : extent[D] - 1 - i;
    return at<D, look...>(point);
  }
};

}  // namespace Koalesce::Impl

#endif
