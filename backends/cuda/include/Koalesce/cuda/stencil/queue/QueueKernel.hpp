// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_QUEUE_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_QUEUE_KERNEL_HPP

#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/cuda/stencil/queue/BlockPlace.hpp>
#include <Koalesce/cuda/stencil/queue/PlaneReaders.hpp>
#include <Koalesce/cuda/stencil/queue/PointValues.hpp>

namespace Koalesce::Impl::CudaBackend {

/// The plane queue for any functor: the 2 * rz + 1 planes around the point, and those being read, rotate in shared
/// memory. A step waits for one plane, starts reading another into the slot of the oldest, and computes.
template <class WorkT, class TuningT, bool Wide>
struct QueueKernel {
  using Work   = WorkT;
  using Tuning = TuningT;
  using Order  = typename Work::Order;

  static constexpr int slots         = 2 * Work::rz + 1 + Tuning::ahead;
  static constexpr int planes_before = 2 * Work::rz;
  static constexpr int inner_y = 0, inner_x = 0, ry = Work::ry, rx = Work::rx;

  using Readers = PlaneReaders<Order, typename Work::Ins, Wide>;

  static int bytes(int tile_y, int tile_x) { return Readers::bytes(slots, tile_y, tile_x); }

  static __device__ __forceinline__ void run(Work const& all, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    WorkBlock const part(all, dim3(unsigned(grid.blocks())));
    auto const& work = in_block(all, part.number);
    BlockPlace const at(part.place.x, grid, work.extents, Tuning::points);
    auto readers    = Readers::make(work.in, shared, slots, at.z - Work::rz, at.y, at.x, grid, work.extents);
    int const steps = at.planes + planes_before;
    auto const read = [&](int slot, int step) {
      read_planes<typename Work::Ins, Order, Work::rz>(readers, slot, step, steps);
    };
    for (int s = 0; s < planes_before + Tuning::ahead; ++s) {
      if (s < steps) read(s, s);
      commit_copies();
    }

    int const height = at.height(work.extents, Tuning::points);
    int center = Work::rz, free = planes_before + Tuning::ahead;
    PointValues<typename Work::Points, Tuning::points> values;
    auto update = work.reduction.identity();
    PaceKeeper pace(grid.pace, grid.chunk);
    for (int k = 0; k < at.planes; ++k) {
      pace.wait(k);
      values.read(height, work.points, at.z + k, at.y + at.ty, at.x + at.tx);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(k);
      if (k + planes_before + Tuning::ahead < steps) read(free, k + planes_before + Tuning::ahead);
      commit_copies();
      compute_points<Tuning::points>(
          0, height,
          [&](int p, auto all) {
            auto const z = at.z + k, y = at.y + at.ty + p, x = at.x + at.tx;
            auto const around = neighborhoods_in<typename Work::Ins, Order>(readers, slots, center, at.ty, at.tx, p);
            return call_at<Order>(work.functor, around, values.template at<all.value>(p, work.points, z, y, x), z, y, x,
                                  update);
          },
          [&](int p, auto const& result) { store(work.out, result, at.z + k, at.y + at.ty + p, at.x + at.tx); });
      center = next_slot<slots>(center);
      free   = next_slot<slots>(free);
    }
    leave_block_part(work.reduction, update);
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
