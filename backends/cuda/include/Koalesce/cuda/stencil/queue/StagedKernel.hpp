// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_STAGED_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_STAGED_KERNEL_HPP

#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/cuda/stencil/queue/BlockPlace.hpp>
#include <Koalesce/cuda/stencil/queue/PlaneReaders.hpp>

#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// Two queues in shared memory: the input's planes, and the planes that the first stage computed, halo included. The
/// threads compute the first stage in the whole tile and the second stage inside its halo.
template <class WorkT, class TuningT, bool Wide>
struct StagedKernel {
  using Work        = WorkT;
  using Tuning      = TuningT;
  using Order       = typename Work::Order;
  using SecondShape = typename Work::SecondShape;

  static constexpr int rz1 = Work::rz1, rz2 = Order::template radius<SecondShape>(0);
  static constexpr int ry2 = Order::template radius<SecondShape>(1), rx2 = Order::template radius<SecondShape>(2);

  // The second stage also reads the inputs at its own point, so their planes stay in the queue until then.
  static constexpr int kept          = rz1 >= rz2 ? 2 * rz1 + 1 : rz1 + rz2 + 1;
  static constexpr int slots         = kept + Tuning::ahead;
  static constexpr int mid_slots     = 2 * rz2 + 1;
  static constexpr int planes_before = 2 * rz1 + 2 * rz2;
  static constexpr int inner_y = 2 * ry2, inner_x = 2 * rx2;
  static constexpr int ry = Work::ry1, rx = Work::rx1;

  using Readers = PlaneReaders<Order, typename Work::Ins, Wide>;

  template <class T>
  __host__ __device__ static constexpr int mid_bytes(int tile_y, int tile_x) {
    return (mid_slots * tile_y * tile_x * int(sizeof(T)) + 15) / 16 * 16;
  }

  static int bytes(int tile_y, int tile_x) {
    return Readers::bytes(slots, tile_y, tile_x) + bytes_of_mids(typename Work::Mids{}, tile_y, tile_x);
  }

  static __device__ __forceinline__ void run(Work const& all, StencilGrid const& grid) {
    extern __shared__ __align__(16) unsigned char shared[];
    WorkBlock const part(all, dim3(unsigned(grid.blocks())));
    auto const& work     = in_block(all, part.number);
    constexpr int points = Tuning::points;
    BlockPlace const at(part.place.x, grid, work.extents, points);
    if (!any_active(work.domain, {at.z, at.y, at.x}, {at.planes, grid.tile_y - inner_y, grid.tile_x - inner_x}))
      return leave_block_part(work.reduction, work.reduction.identity());
    // The tile's first point, in the halo: the first stage starts there.
    std::int64_t const y0 = at.y - ry2, x0 = at.x - rx2;
    Extents3 const wide{work.extents[0], work.extents[1] + ry2, work.extents[2] + rx2};
    auto readers    = Readers::make(work.in, shared, slots, at.z - rz1 - rz2, y0, x0, grid, wide);
    int const steps = at.planes + planes_before;
    auto const read = [&](int slot, int step) {
      read_planes<typename Work::Ins, Order, rz1>(readers, slot, step, steps);
    };

    int const mid_plane = grid.tile_y * grid.tile_x;
    auto* mid_shared    = shared + Readers::bytes(slots, grid.tile_y, grid.tile_x);
    auto const mids     = transform(typename Work::Mids{}, [&](auto const& none, auto) {
      using T    = std::decay_t<decltype(none)>;
      T* const m = reinterpret_cast<T*>(mid_shared);
      mid_shared += mid_bytes<T>(grid.tile_y, grid.tile_x);
      return m;
    });

    for (int s = 0; s < 2 * rz1 + Tuning::ahead; ++s) {
      if (s < steps) read(s, s);
      commit_copies();
    }

    // The thread's rows of the first stage that the second stage can need.
    std::int64_t const rows = work.extents[1] + ry2 - y0 - at.ty;
    bool const in_column    = at.active && x0 + at.tx < work.extents[2] + rx2;
    int const mid_height    = !in_column || rows <= 0 ? 0 : rows < points ? int(rows) : points;
    // Whether the thread has points of the second stage.
    bool const inside = in_column && at.tx >= rx2 && at.tx < grid.tile_x - rx2 && x0 + at.tx < work.extents[2];
    int const end     = int(min(std::int64_t(grid.tile_y - ry2), work.extents[1] - y0)) - at.ty;
    int const first = max(ry2 - at.ty, 0), last = inside ? min(end, points) : 0;

    int center = rz1, free = 2 * rz1 + Tuning::ahead, mid = 0;
    auto update = work.reduction.identity();
    PaceKeeper pace(grid.pace, grid.chunk + 2 * rz2);
    for (int s = 0; s < at.planes + 2 * rz2; ++s) {
      pace.wait(s);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(s);
      if (s + 2 * rz1 + Tuning::ahead < steps) read(free, s + 2 * rz1 + Tuning::ahead);
      commit_copies();
      int const mid_point = mid * mid_plane + at.ty * grid.tile_x + at.tx;
      compute_points<points>(
          0, mid_height,
          [&](int p, auto) {
            auto const z = at.z - rz2 + s, y = y0 + at.ty + p, x = x0 + at.tx;
            auto const around = neighborhoods_in<typename Work::Ins, Order>(readers, slots, center, at.ty, at.tx, p);
            return to_pack(call_at<Order>(work.first, around, load(work.points, z, y, x), z, y, x));
          },
          [&](int p, auto const& result) {
            for_each(mids, [&](auto* m, auto i) { m[mid_point + p * grid.tile_x] = get<decltype(i)::value>(result); });
          });

      int const k = s - 2 * rz2;
      if (k >= 0) {
        __syncthreads();
        // The middle plane between the stages, and the input plane at the same z.
        int const mid_center = mid >= rz2 ? mid - rz2 : mid - rz2 + mid_slots;
        int const in_center  = center >= rz2 ? center - rz2 : center - rz2 + slots;
        compute_points<points>(
            first, last,
            [&](int p, auto) {
              int const row     = at.ty + p;
              auto const around = transform(mids, [&](auto* m, auto) {
                using T = std::remove_pointer_t<decltype(m)>;
                return Order::template neighborhood<SecondShape>(static_cast<T const*>(m), mid_plane, grid.tile_x, 1,
                                                                 mid_slots, mid_center,
                                                                 mid_center * mid_plane + row * grid.tile_x + at.tx);
              });
              auto const z = at.z + k, y = y0 + row, x = x0 + at.tx;
              auto const inputs = transform(readers, [&](auto const& reader, auto) {
                return reader.slots()[in_center * reader.plane() + reader.point(row, at.tx)];
              });
              auto with_point   = update;
              auto const result = call_at<Order>(work.second, around, concat(inputs, load(work.points, z, y, x)), z, y,
                                                 x, with_point);
              if (is_active(work.domain, z, y, x)) update = with_point;
              return result;
            },
            [&](int p, auto const& result) {
              auto const z = at.z + k, y = y0 + at.ty + p, x = x0 + at.tx;
              if (is_active(work.domain, z, y, x)) store(work.out, result, z, y, x);
            });
      }
      center = next_slot<slots>(center);
      free   = next_slot<slots>(free);
      mid    = next_slot<mid_slots>(mid);
    }
    leave_block_part(work.reduction, update);
  }

 private:
  template <class... Ts>
  static int bytes_of_mids(Pack<Ts...> const&, int tile_y, int tile_x) {
    return (mid_bytes<Ts>(tile_y, tile_x) + ...);
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
