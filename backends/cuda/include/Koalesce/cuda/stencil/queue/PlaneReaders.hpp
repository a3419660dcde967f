// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_PLANE_READERS_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_PLANE_READERS_HPP

#include <Koalesce/cuda/stencil/queue/PlaneReader.hpp>
#include <Koalesce/cuda/stencil/queue/StencilGrid.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// The shape in which a field is read.
template <class Ins, int i>
using ShapeAt = typename std::decay_t<decltype(get<i>(std::declval<Ins const&>()))>::shape_type;

/// The reader of one field, with the halo of its own shape.
template <class Order, class Field, bool Wide>
using ReaderOf = PlaneReader<typename Field::value_type, Order::template radius<typename Field::shape_type>(1),
                             Order::template radius<typename Field::shape_type>(2), Wide>;

/// The readers of all fields that are read around the point, one behind the other in shared memory.
template <class Order, class Ins, bool Wide>
struct PlaneReaders;

template <class Order, class... Fields, bool Wide>
struct PlaneReaders<Order, Pack<Fields...>, Wide> {
  using Ins = Pack<Fields...>;

  __host__ __device__ static constexpr int bytes(int slots, int tile_y, int tile_x) {
    return (ReaderOf<Order, Fields, Wide>::bytes(slots, tile_y, tile_x) + ...);
  }

  static bool can_be_wide(Ins const& in) {
    bool wide = true;
    for_each(in, [&](auto const& field, auto) {
      wide = wide && ReaderOf<Order, std::decay_t<decltype(field)>, Wide>::can_be_wide(field);
    });
    return wide;
  }

  static __device__ __forceinline__ auto make(Ins const& in, unsigned char* shared, int slots, std::int64_t z,
                                              std::int64_t y, std::int64_t x, StencilGrid const& grid,
                                              Extents3 const& extents) {
    return transform(in, [&](auto const& field, auto) {
      using Reader     = ReaderOf<Order, std::decay_t<decltype(field)>, Wide>;
      auto* const here = shared;
      shared += Reader::bytes(slots, grid.tile_y, grid.tile_x);
      return Reader(here, field, z, y, x, grid.tile_y, grid.tile_x, extents[1], extents[2]);
    });
  }
};

/// Starts reading plane `step` of `steps` into a slot. Fields of smaller shapes than the largest, which reaches `rz`
/// planes, need not have the first and the last ones.
template <class Ins, class Order, int rz, class Readers>
__device__ __forceinline__ void read_planes(Readers& readers, int slot, int step, int steps) {
  for_each(readers, [&](auto& reader, auto i) {
    constexpr int missing = rz - Order::template radius<ShapeAt<Ins, i.value>>(0);
    if (missing == 0 || (step >= missing && step < steps - missing)) reader.read(slot);
    else reader.skip();
  });
}

/// The neighborhoods of the p-th point from point (y, x) of the tile on, in all fields: see PlaneReader::around().
template <class Ins, class Order, class Readers>
__device__ __forceinline__ auto neighborhoods_in(Readers const& readers, int slots, int slot, int y, int x, int p) {
  return transform(readers, [&](auto const& reader, auto i) {
    return reader.template around<Order, ShapeAt<Ins, i.value>>(slots, slot, y, x, p);
  });
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
