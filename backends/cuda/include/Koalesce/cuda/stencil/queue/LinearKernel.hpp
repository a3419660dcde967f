// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_LINEAR_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_LINEAR_KERNEL_HPP

#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/cuda/stencil/queue/BlockPlace.hpp>
#include <Koalesce/cuda/stencil/queue/PlaneReaders.hpp>
#include <Koalesce/cuda/stencil/queue/PointValues.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/SymmetricStencil.hpp>

#include <type_traits>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// Known weights: each plane is read from shared memory once and added to the partial sums, in registers, of the 2 * rz
/// + 1 output planes that it belongs to; the queue holds only planes that are being loaded. The terms of each point are
/// added in the order of linear_sum, or of symmetric_sum.
template <class WorkT, class TuningT, bool Wide>
struct LinearKernel {
  using Work   = WorkT;
  using Tuning = TuningT;
  using Order  = typename Work::Order;
  using Shape  = typename Work::Functor::shape_type;
  using Value  = std::remove_const_t<std::remove_pointer_t<decltype(get<0>(std::declval<Work const&>().in).origin)>>;
  using Weight = typename Work::Functor::weight_type;
  using Sum    = decltype(Weight() * Value());

  static constexpr int slots         = 1 + Tuning::ahead;
  static constexpr int planes_before = 2 * Work::rz;
  static constexpr int inner_y = 0, inner_x = 0, ry = Work::ry, rx = Work::rx;

  using Readers = PlaneReaders<Order, typename Work::Ins, Wide>;

  static int bytes(int tile_y, int tile_x) { return Readers::bytes(slots, tile_y, tile_x); }

  static __device__ __forceinline__ void run(Work const& all, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    WorkBlock const part(all, dim3(unsigned(grid.blocks())));
    auto const& work = in_block(all, part.number);
    constexpr int rz = Work::rz, points = Tuning::points;
    BlockPlace const at(part.place.x, grid, work.extents, points);
    auto readers = Readers::make(work.in, shared, slots, at.z - rz, at.y, at.x, grid, work.extents);
    auto& reader = get<0>(readers);

    int const steps = at.planes + planes_before;
    for (int s = 0; s < Tuning::ahead; ++s) {
      if (s < steps) reader.read(s);
      commit_copies();
    }

    auto to = transform(
        work.out, [&](auto const& out, auto) { return out.at(at.z - planes_before, at.y + at.ty, at.x + at.tx); });
    int const height = at.height(work.extents, points);

    Sums sums = {};
    int slot = 0, free = Tuning::ahead;
    PointValues<typename Work::Points, points> values;
    auto update = work.reduction.identity();
    PaceKeeper pace(grid.pace, grid.chunk + planes_before);
    for (int s = 0; s < steps; ++s) {
      pace.wait(s);
      std::int64_t const z = at.z + s - planes_before, y = at.y + at.ty, x = at.x + at.tx;
      if (s >= planes_before) values.read(height, work.points, z, y, x);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(s);
      if (s + Tuning::ahead < steps) reader.read(free);
      commit_copies();

      if (at.active) {
        Value const* const point = reader.slots() + slot * reader.plane() + reader.point(at.ty, at.tx);
        if constexpr (adds_pairs<typename Work::Functor>)
          add_pairs(sums, weights_of(work.functor), point, reader.pitch());
        else add_terms(sums, weights_of(work.functor), point, reader.pitch());
      }

      if (s >= planes_before) {
#pragma unroll
        for (int p = 0; p < points; ++p) {
          if (p >= height) continue;
          auto const result =
              to_pack(finish_sum<Order>(work.functor, sums[2 * rz][p], values.value[p], z, y + p, x, update));
          for_each(to,
                   [&](auto* place, auto i) { place[p * get<i.value>(work.out).stride[1]] = get<i.value>(result); });
        }
      }
      for_each(to, [&](auto*& place, auto i) { place += get<i.value>(work.out).stride[0]; });
#pragma unroll
      for (int p = 0; p < points; ++p) {
#pragma unroll
        for (int j = 2 * rz; j > 0; --j) sums[j][p] = sums[j - 1][p];
        sums[0][p] = Sum{};
      }
      slot = next_slot<slots>(slot);
      free = next_slot<slots>(free);
    }
    leave_block_part(work.reduction, update);
  }

 private:
  /// sums[dz + rz][p] belongs to the output plane from which the current plane is at offset dz.
  using Sums = Sum[2 * Work::rz + 1][Tuning::points];

  /// Adds the plane around a thread's first point to the sums of all points that read it.
  template <class Weights>
  static __device__ __forceinline__ void add_pairs(Sums& sums, Weights const& weights, Value const* point, int pitch) {
    static_for<Tuning::points>([&](auto p) {
      add_symmetric_plane_to_all<Order>(
          weights, [&](int dy, int dx) { return point[(p.value + dy) * pitch + dx]; },
          [&](int dz) -> Sum& { return sums[dz + Work::rz][p.value]; });
    });
  }
  template <class Weights>
  static __device__ __forceinline__ void add_terms(Sums& sums, Weights const& weights, Value const* point, int pitch) {
    static_for<Tuning::points + 2 * ry>([&](auto row) {
      constexpr int line     = decltype(row)::value - ry;
      Value const* const tap = point + line * pitch;
      static_for<2 * rx + 1>([&](auto col) {
        constexpr int dx = decltype(col)::value - rx;
        if constexpr (is_used(line, dx)) {
          Value const v = tap[dx];
          static_for<Tuning::points>([&](auto neighbor) {
            constexpr int p = decltype(neighbor)::value, dy = line - p;
            if constexpr (dy >= -ry && dy <= ry)
              static_for<2 * Work::rz + 1>([&](auto plane) {
                constexpr int dz = decltype(plane)::value - Work::rz;
                if constexpr (Order::template contains<Shape>(dz, dy, dx))
                  sums[dz + Work::rz][p] =
                      multiply_add(Order::in_user_order(weights, dz, dy, dx), v, sums[dz + Work::rz][p]);
              });
          });
        }
      });
    });
  }

  /// Whether a thread's points need the value in row y and at offset dx.
  KOKKOS_FUNCTION static constexpr bool is_used(int y, int dx) {
    for (int p = 0; p < Tuning::points; ++p)
      for (int dz = -Work::rz; dz <= Work::rz; ++dz)
        if (y - p >= -ry && y - p <= ry && Order::template contains<Shape>(dz, y - p, dx)) return true;
    return false;
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
