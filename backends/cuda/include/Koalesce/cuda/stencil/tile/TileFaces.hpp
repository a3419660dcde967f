// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_FACES_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_FACES_HPP

#include <Koalesce/cuda/stencil/tile/TilePlace.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstdint>

/// Tiles that reach the faces of fields without halos, beyond which lie copies of points inside. In a kernel of their
/// own the ends of rows would each be a cache line that is read, and another that is written, once more.
namespace Koalesce::Impl::CudaBackend {

/// At an index is a copy of what is at factor * index + offset.
struct CopiedPoint {
  int factor, offset;
};

/// Of works that reach faces.
template <int inputs>
struct WithinFaces : WholeDomain {
  /// Before the field, in it, and behind it.
  using Line = Kokkos::Array<CopiedPoint, 3>;

  Kokkos::Array<int, 3> begin, end;                      ///< of the fields, from the work's first point
  Kokkos::Array<Kokkos::Array<Line, 3>, inputs> copies;  ///< of each input, per canonical dimension

  /// Whether a range of points goes beyond the fields in a dimension.
  __device__ __forceinline__ bool is_beyond(int c, int first, int last) const {
    return first < begin[c] || last > end[c];
  }

  /// The index in the fields of what an input has at an index that is maybe beyond.
  __device__ __forceinline__ int inside(int input, int c, int index) const {
    CopiedPoint const copy = copies[input][c][(index >= begin[c]) + (index >= end[c])];
    int const copied       = copy.factor * index + copy.offset;
    // Of points that are not the tile's own, any will do.
    return min(max(copied, begin[c]), end[c] - 1);
  }
};

template <class Work>
inline constexpr bool reaches_faces = false;
template <class Order, class Ins, class Points, class Outs, class F, class R, int inputs>
inline constexpr bool reaches_faces<StencilWork<Order, Ins, Points, Outs, F, R, WithinFaces<inputs>>> = true;

/// Where a tile's neighbors lie that may be copies: in x, and, if `everywhere`, in all dimensions.
template <bool everywhere, int input, int width, int rx, class Faces>
class CopiedPlaces : public PlacesAround {
 public:
  static constexpr bool copies = true;

  __device__ __forceinline__ CopiedPlaces(Faces const& faces, TilePlace const& at)
      : m_faces(faces), m_z(at.z), m_y(at.y) {
#pragma unroll
    for (int c = -rx; c < width + rx; ++c) m_column[c + rx] = faces.inside(input, 2, at.x + c) - at.x;
  }

  __device__ __forceinline__ std::int64_t row(int z, int y, std::int64_t plane, std::int64_t row) const {
    if constexpr (!everywhere) return PlacesAround::row(z, y, plane, row);
    else
      return PlacesAround::row(m_faces.inside(input, 0, m_z + z) - m_z, m_faces.inside(input, 1, m_y + y) - m_y, plane,
                               row);
  }

  /// A column's place in a row.
  __device__ __forceinline__ int column(int c) const { return m_column[c + rx]; }

 private:
  Faces const& m_faces;
  int m_z, m_y;
  int m_column[width + 2 * rx];
};

/// A tile's points where it reads what may be copies.
template <bool everywhere, int width, int rows, int planes, class Faces>
struct PointsAtFaces : OwnPoints<width, rows, planes> {
  Faces const& faces;

  __device__ __forceinline__ PointsAtFaces(OwnPoints<width, rows, planes> const& own, Faces const& of_work)
      : OwnPoints<width, rows, planes>(own), faces(of_work) {}

  template <int input, int rx>
  __device__ __forceinline__ auto places(TilePlace const& at) const {
    return CopiedPlaces<everywhere, input, width, rx, Faces>(faces, at);
  }
};
template <bool everywhere, int width, int rows, int planes, class Faces>
__device__ __forceinline__ auto points_at_faces(OwnPoints<width, rows, planes> const& own, Faces const& faces) {
  return PointsAtFaces<everywhere, width, rows, planes, Faces>(own, faces);
}

/// The same where it does not.
template <int width, int rows, int planes>
struct PointsInside : OwnPoints<width, rows, planes> {
  __device__ __forceinline__ explicit PointsInside(OwnPoints<width, rows, planes> const& own)
      : OwnPoints<width, rows, planes>(own) {}

  template <int input, int rx>
  __device__ static constexpr PlacesAround places(TilePlace const&) {
    return {};
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
