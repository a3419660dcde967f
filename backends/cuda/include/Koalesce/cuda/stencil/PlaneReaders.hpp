// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_PLANE_READERS_HPP
#define KOALESCE_CUDA_STENCIL_PLANE_READERS_HPP

#include <Koalesce/cuda/stencil/PlaneReader.hpp>
#include <Koalesce/cuda/stencil/StencilGrid.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// The readers of all input fields, one behind the other in shared memory.
template <class Ins, int RadiusY, int RadiusX, bool Wide>
struct PlaneReaders;

template <class... Ts, int RadiusY, int RadiusX, bool Wide>
struct PlaneReaders<Pack<Field<Ts>...>, RadiusY, RadiusX, Wide> {
  using Ins = Pack<Field<Ts>...>;

  __host__ __device__ static constexpr int bytes(int slots, int tile_y, int tile_x) {
    return (PlaneReader<std::remove_const_t<Ts>, RadiusY, RadiusX, Wide>::bytes(slots, tile_y, tile_x) + ...);
  }

  static bool can_be_wide(Ins const& in) {
    bool wide = true;
    for_each(in, [&](auto const& field, auto) {
      using T = typename std::decay_t<decltype(field)>::value_type;
      wide    = wide && PlaneReader<T, RadiusY, RadiusX, Wide>::can_be_wide(field);
    });
    return wide;
  }

  static __device__ __forceinline__ auto make(Ins const& in, unsigned char* shared, int slots, std::int64_t z,
                                              std::int64_t y, std::int64_t x, StencilGrid const& grid,
                                              Extents3 const& extents) {
    return transform(in, [&](auto const& field, auto) {
      using Reader     = PlaneReader<typename std::decay_t<decltype(field)>::value_type, RadiusY, RadiusX, Wide>;
      auto* const here = shared;
      shared += Reader::bytes(slots, grid.tile_y, grid.tile_x);
      return Reader(here, field, z, y, x, grid.tile_y, grid.tile_x, extents[1], extents[2]);
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
