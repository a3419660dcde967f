// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_COLUMN_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_COLUMN_KERNEL_HPP

#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/cuda/stencil/queue/BlockPlace.hpp>
#include <Koalesce/cuda/stencil/queue/PlaneReaders.hpp>
#include <Koalesce/cuda/stencil/queue/PointValues.hpp>
#include <Koalesce/stencil/impl/GatheredValues.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// Whether a shape reads other planes at the point's own y and x alone, as stars do.
template <class Order, class Shape>
inline constexpr bool reads_columns = [] {
  int const rz = Order::template radius<Shape>(0), ry = Order::template radius<Shape>(1),
            rx = Order::template radius<Shape>(2);
  for (int dz = -rz; dz <= rz; ++dz)
    for (int dy = -ry; dy <= ry; ++dy)
      for (int dx = -rx; dx <= rx; ++dx)
        if (dz != 0 && (dy != 0 || dx != 0) && Order::template contains<Shape>(dz, dy, dx)) return false;
  return true;
}();

/// A field's values in the planes before the points' own, in registers: columns of neighboring points in y.
template <class T, class Order, class Shape, int points>
struct Columns {
  static constexpr int rz = Order::template radius<Shape>(0), ry = Order::template radius<Shape>(1),
                       rx = Order::template radius<Shape>(2);

  using value_type = T;

  T before[rz > 0 ? rz : 1][points];  ///< from the lowest plane to the highest

  /// \param[in] height  number of points that there are.
  /// \param[in] z       of the first step's plane.
  __device__ __forceinline__ void start(int height, Field<T const, Shape> const& field, std::int64_t z, std::int64_t y,
                                        std::int64_t x) {
#pragma unroll
    for (int j = 0; j < rz; ++j)
#pragma unroll
      for (int p = 0; p < points; ++p)
        if (p < height) before[j][p] = load_read_only(field.at(z - rz + j, y + p, x));
  }

  /// Goes on to the next plane. \param[in] plane  the first point in its own plane, in shared memory.
  __device__ __forceinline__ void advance(T const* plane, int pitch) {
    if constexpr (rz > 0) {
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int j = 0; j + 1 < rz; ++j) before[j][p] = before[j + 1][p];
        before[rz - 1][p] = plane[p * pitch];
      }
    }
  }

  /// What the shape reads around point p.
  /// \tparam constant   whether p is one; otherwise its column is selected: registers have no addresses.
  /// \param[in] planes  the first point in its own plane and in those after it, in shared memory.
  template <bool constant>
  __device__ __forceinline__ auto around(T const* const (&planes)[rz + 1], int pitch, int p) const {
    GatheredValues<T, Order, Shape> gathered;
    static_for<rz>([&](auto j) KOALESCE_INLINE_LAMBDA {
      constexpr int dz = j.value + 1;
      if constexpr (Order::template contains<Shape>(-dz, 0, 0))
        gathered.at(-dz, 0, 0) = constant ? before[rz - dz][p] : selected(before[rz - dz], p);
      if constexpr (Order::template contains<Shape>(dz, 0, 0)) gathered.at(dz, 0, 0) = planes[dz][p * pitch];
    });
    static_for<(2 * ry + 1) * (2 * rx + 1)>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int dy = i.value / (2 * rx + 1) - ry, dx = i.value % (2 * rx + 1) - rx;
      if constexpr (Order::template contains<Shape>(0, dy, dx))
        gathered.at(0, dy, dx) = planes[0][(p + dy) * pitch + dx];
    });
    return gathered;
  }

 private:
  __device__ __forceinline__ static T selected(T const (&row)[points], int p) {
    T value = row[0];
#pragma unroll
    for (int q = 1; q < points; ++q)
      if (q == p) value = row[q];
    return value;
  }
};

/// Whether a work's queue is one of columns: all its shapes read columns, one of them far enough for that to pay.
template <class Work, class Ins = typename Work::Ins>
inline constexpr bool takes_columns = false;
template <class Work, class... Ts, class... Shapes>
inline constexpr bool takes_columns<Work, Pack<Field<Ts, Shapes>...>> =
    Work::Order::rank == 3 && Work::rz >= min_column_radius && (reads_columns<typename Work::Order, Shapes> && ...);

/// The plane queue for shapes that read columns: a thread's neighbors in z stay in its registers, so that the queue
/// only has the planes from the point's own on, and room for more blocks.
template <class WorkT, class TuningT, bool Wide>
struct ColumnKernel {
  using Work   = WorkT;
  using Tuning = TuningT;
  using Order  = typename Work::Order;
  using Ins    = typename Work::Ins;

  static constexpr int points = Tuning::points, rz = Work::rz;
  static constexpr int slots         = rz + 1 + Tuning::ahead;
  static constexpr int planes_before = 2 * rz;
  static constexpr int inner_y = 0, inner_x = 0, ry = Work::ry, rx = Work::rx;

  using Readers = PlaneReaders<Order, Ins, Wide>;

  template <class>
  struct ColumnsOf;
  template <class... Fields>
  struct ColumnsOf<Pack<Fields...>> {
    using type = Pack<Columns<typename Fields::value_type, Order, typename Fields::shape_type, points>...>;
  };

  static int bytes(int tile_y, int tile_x) { return Readers::bytes(slots, tile_y, tile_x); }

  static __device__ __forceinline__ void run(Work const& all, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    WorkBlock const part(all, dim3(unsigned(grid.blocks())));
    auto const& work = in_block(all, part.number);
    BlockPlace const at(part.place.x, grid, work.extents, points);
    auto readers    = Readers::make(work.in, shared, slots, at.z, at.y, at.x, grid, work.extents);
    int const steps = at.planes + rz;
    auto const read = [&](int slot, int step) {
      for_each(readers, [&](auto& reader, auto i) {
        constexpr int missing = rz - Order::template radius<ShapeAt<Ins, i.value>>(0);
        if (step < steps - missing) reader.read(slot);
      });
    };
    for (int s = 0; s < rz + Tuning::ahead; ++s) {
      if (s < steps) read(s, s);
      commit_copies();
    }

    std::int64_t const y = at.y + at.ty, x = at.x + at.tx;
    int const height = at.height(work.extents, points);
    typename ColumnsOf<Ins>::type columns;
    for_each(columns, [&](auto& column, auto i) { column.start(height, get<i.value>(work.in), at.z, y, x); });

    int center = 0, free = rz + Tuning::ahead;
    PointValues<typename Work::Points, points> values;
    auto update = work.reduction.identity();
    PaceKeeper pace(grid.pace, grid.chunk);
    for (int k = 0; k < at.planes; ++k) {
      std::int64_t const z = at.z + k;
      pace.wait(k);
      values.read(height, work.points, z, y, x);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(k);
      if (k + rz + Tuning::ahead < steps) read(free, k + rz + Tuning::ahead);
      commit_copies();
      compute_points<points>(
          0, height,
          [&](int p, auto all) {
            auto const gathered = transform(columns, [&](auto const& column, auto i) {
              using Column       = std::decay_t<decltype(column)>;
              auto const& reader = get<i.value>(readers);
              typename Column::value_type const* planes[Column::rz + 1];
#pragma unroll
              for (int dz = 0; dz <= Column::rz; ++dz)
                planes[dz] = reader.slots() + turned(center + dz) * reader.plane() + reader.point(at.ty, at.tx);
              return column.template around<all.value>(planes, reader.pitch(), p);
            });
            auto const around = transform(gathered, [](auto const& g, auto) { return g.neighborhood(); });
            return call_at<Order>(work.functor, around, values.template at<all.value>(p, work.points, z, y + p, x), z,
                                  y + p, x, update);
          },
          [&](int p, auto const& result) { store(work.out, result, z, y + p, x); });
      if (height > 0)
        for_each(columns, [&](auto& column, auto i) {
          auto const& reader = get<i.value>(readers);
          column.advance(reader.slots() + center * reader.plane() + reader.point(at.ty, at.tx), reader.pitch());
        });
      center = next_slot<slots>(center);
      free   = next_slot<slots>(free);
    }
    leave_block_part(work.reduction, update);
  }

 private:
  /// A slot, counted on after the last one.
  static __device__ __forceinline__ int turned(int slot) { return slot >= slots ? slot - slots : slot; }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
