// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_TILE_VALUES_HPP
#define KOALESCE_CUDA_STENCIL_TILE_TILE_VALUES_HPP

#include <Koalesce/cuda/runtime/VectorAccess.hpp>
#include <Koalesce/cuda/stencil/tile/TilePlace.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <cstring>
#include <type_traits>

/// What a tile in registers reads and writes at its points alone.
namespace Koalesce::Impl::CudaBackend {

/// Where a tile's first point lies in each field.
template <class... Fields>
__device__ __forceinline__ auto first_points(Pack<Fields...> const& fields, TilePlace const& at) {
  return transform(fields, [&](auto const& field, auto) { return field.at(at.z, at.y, 0) + at.x; });
}

/// Reads neighboring points, which threads may write later on.
/// \param[in] whole  all of them are in the field's row, and can be read at once. Else the nearest ones stand in for
///                   those beyond.
template <int width, class T>
__device__ __forceinline__ void load_row(T* to, T const* from, TilePlace const& at, bool whole) {
  if constexpr (width > 1 && is_vector_size<width * sizeof(T)>) {
    if (whole) {
      using Vector   = typename CudaVector<width* int(sizeof(T))>::type;
      Vector const v = *reinterpret_cast<Vector const*>(from);
      memcpy(to, &v, sizeof(v));
      return;
    }
  }
#pragma unroll
  for (int c = 0; c < width; ++c) to[c] = from[at.inner(c)];
}

/// Writes the results of a tile's plane.
/// \param[in] to  the tile's first point in each output.
/// \param[in] which  of its points; the others keep what they have.
template <class Outs, class To, class Results, int rows, int width, class Which>
__device__ __forceinline__ void store_plane(Outs const& out, To const& to, int plane,
                                            Results const (&results)[rows][width], Which const& which) {
  for_each(to, [&](auto const& place, auto i) {
    using Out          = std::remove_pointer_t<std::decay_t<decltype(place)>>;
    auto const& stride = get<i.value>(out).stride;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto* const first = place + plane * stride[0] + r * stride[1];
      Out row[width];
#pragma unroll
      for (int c = 0; c < width; ++c) row[c] = get<i.value>(results[r][c]);
      if constexpr (width > 1 && is_vector_size<width * sizeof(Out)>) {
        if (which.stores_row(plane, r)) store_vector_at_once<width>(first, row);
#pragma unroll
        for (int c = 0; c < width; ++c)
          if (which.stores_point(plane, r, c)) first[c] = row[c];
      } else {
#pragma unroll
        for (int c = 0; c < width; ++c)
          if (which.stores_row(plane, r) || which.stores_point(plane, r, c)) first[c] = row[c];
      }
    }
  });
}

/// The values, of a tile's plane, of the fields that are read at the point alone. An output may be one of them, so the
/// read-only cache is not for them.
template <class Fields, int width, int rows>
struct TileValues {
  template <class>
  struct ArraysOf;
  template <class... Fs>
  struct ArraysOf<Pack<Fs...>> {
    using type = Pack<Kokkos::Array<typename Fs::value_type, rows * width>...>;
  };
  typename ArraysOf<Fields>::type values;

  /// \param[in] from  the tile's first point in each field.
  /// \param[in] whole  whether rows of the tile are in the field, and can be read at once.
  template <class From>
  __device__ __forceinline__ void read(Fields const& fields, From const& from, int plane, TilePlace const& at,
                                       bool whole) {
    for_each(values, [&](auto& value, auto i) {
      auto const& stride = get<i.value>(fields).stride;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        load_row<width>(&value[r * width], get<i.value>(from) + plane * stride[0] + r * stride[1], at, whole);
    });
  }

  __device__ __forceinline__ auto at(int row, int column) const {
    return transform(values, [&](auto const& value, auto) { return value[row * width + column]; });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
