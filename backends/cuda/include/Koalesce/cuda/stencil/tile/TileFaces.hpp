// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_FACES_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_FACES_HPP

#include <Koalesce/cuda/stencil/tile/TilePlace.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// Tiles that reach the faces of fields without halos, beyond which lie copies of points inside, or constants. In a
/// kernel of their own the ends of rows would each be a cache line that is read, and another that is written, once
/// more.
namespace Koalesce::Impl::CudaBackend {

/// At an index is a copy of what is at factor * index + offset.
struct CopiedPoint {
  int factor, offset;
};

/// What an input has beyond its faces, per canonical dimension: before the field, in it, and behind it. Only copies.
struct CopiesAtFaces {
  static constexpr bool has_constants = false;

  Kokkos::Array<Kokkos::Array<CopiedPoint, 3>, 3> copies;
};

/// The same, where some faces have a constant.
template <class T>
struct ValuesAtFaces : CopiesAtFaces {
  static constexpr bool has_constants = true;

  Kokkos::Array<Kokkos::Array<bool, 3>, 3> is_constant;
  Kokkos::Array<Kokkos::Array<T, 3>, 3> constants;
};

/// Of works that reach faces. \tparam Inputs  CopiesAtFaces or ValuesAtFaces of each.
template <class... Inputs>
struct WithinFaces : WholeDomain {
  Kokkos::Array<int, 3> begin, end;  ///< of the fields, from the work's first point
  Pack<Inputs...> inputs;

  /// 0, 1 or 2: before the fields, in them, or behind them in a dimension.
  __device__ __forceinline__ int side(int c, int index) const { return (index >= begin[c]) + (index >= end[c]); }

  /// Whether a range of points goes beyond the fields in a dimension.
  __device__ __forceinline__ bool is_beyond(int c, int first, int last) const {
    return first < begin[c] || last > end[c];
  }

  /// The index in the fields of what an input has at an index that is maybe beyond.
  template <int input>
  __device__ __forceinline__ int inside(int c, int index) const {
    CopiedPoint const copy = get<input>(inputs).copies[c][side(c, index)];
    int const copied       = copy.factor * index + copy.offset;
    // Of points that are not the tile's own, any will do.
    return min(max(copied, begin[c]), end[c] - 1);
  }

  /// Takes the constant that an input has at such an index, if it has one.
  template <int input, class T>
  __device__ __forceinline__ void take_constant(int c, int index, T& value) const {
    auto const& values = get<input>(inputs);
    int const at       = side(c, index);
    if (values.is_constant[c][at]) value = values.constants[c][at];
  }
};

template <class Work>
inline constexpr bool reaches_faces = false;
template <class Order, class Ins, class Points, class Outs, class F, class R, class... Inputs>
inline constexpr bool reaches_faces<StencilWork<Order, Ins, Points, Outs, F, R, WithinFaces<Inputs...>>> = true;

/// Where a tile's neighbors lie that are maybe beyond: in x, and, if `everywhere`, in all dimensions.
template <class Order, bool everywhere, int input, int width, int rx, class Faces>
class PlacesAtFaces : public PlacesAround {
 public:
  static constexpr bool copies = true;

  __device__ __forceinline__ PlacesAtFaces(Faces const& faces, TilePlace const& at) : m_faces(faces), m_at(at) {
#pragma unroll
    for (int c = -rx; c < width + rx; ++c) m_column[c + rx] = faces.template inside<input>(2, at.x + c) - at.x;
  }

  template <class T>
  __device__ __forceinline__ T const* row(T const* from, int z, int y, std::int64_t plane, std::int64_t row) const {
    if constexpr (!everywhere) return PlacesAround::row(from, z, y, plane, row);
    else
      return PlacesAround::row(from, m_faces.template inside<input>(0, m_at.z + z) - m_at.z,
                               m_faces.template inside<input>(1, m_at.y + y) - m_at.y, plane, row);
  }

  /// A column's place in a row.
  __device__ __forceinline__ int column(int c) const { return m_column[c + rx]; }

  /// What is there: the value that has been read, or a constant. The last of the caller's dimensions decides.
  template <class T>
  __device__ __forceinline__ T value(int z, int y, int c, T value) const {
    if constexpr (has_constants) {
      int const index[] = {m_at.z + z, m_at.y + y, m_at.x + c};
      static_for<Order::rank>([&](auto d) KOALESCE_INLINE_LAMBDA {
        constexpr int dim = Order::canonical_dim(d.value);
        if constexpr (everywhere || dim == 2) m_faces.template take_constant<input>(dim, index[dim], value);
      });
    }
    return value;
  }

 private:
  static constexpr bool has_constants =
      std::decay_t<decltype(get<input>(std::declval<Faces const&>().inputs))>::has_constants;

  Faces const& m_faces;
  TilePlace const m_at;
  int m_column[width + 2 * rx];
};

/// A tile's points where it reads what may be beyond the faces.
template <class Order, bool everywhere, int width, int rows, int planes, class Faces>
struct PointsAtFaces : OwnPoints<width, rows, planes> {
  Faces const& faces;

  __device__ __forceinline__ PointsAtFaces(OwnPoints<width, rows, planes> const& own, Faces const& of_work)
      : OwnPoints<width, rows, planes>(own), faces(of_work) {}

  template <int input, int rx>
  __device__ __forceinline__ auto places(TilePlace const& at) const {
    return PlacesAtFaces<Order, everywhere, input, width, rx, Faces>(faces, at);
  }
};
template <class Order, bool everywhere, int width, int rows, int planes, class Faces>
__device__ __forceinline__ auto points_at_faces(OwnPoints<width, rows, planes> const& own, Faces const& faces) {
  return PointsAtFaces<Order, everywhere, width, rows, planes, Faces>(own, faces);
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
