// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_STAGED_KERNEL_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_STAGED_KERNEL_HPP

#include <Koalesce/cuda/stencil/BlockReduction.hpp>
#include <Koalesce/cuda/stencil/WorkBlock.hpp>
#include <Koalesce/cuda/stencil/queue/BlockPlace.hpp>
#include <Koalesce/cuda/stencil/queue/PlaneReaders.hpp>

#include <type_traits>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// A queue in shared memory for every stage: the input's planes, and the planes that the stage before computed, halo
/// included. The threads compute the first stage in the whole tile, and each later one inside the halo that it reads.
template <class WorkT, class TuningT, bool Wide>
struct StagedKernel {
  using Work   = WorkT;
  using Tuning = TuningT;
  using Order  = typename Work::Order;

  static constexpr int rz = Work::template radius<0>(0), ry = Work::template radius<0>(1);
  static constexpr int rx = Work::template radius<0>(2);
  // How far beyond the interior the first stage computes.
  static constexpr int bz = Work::template beyond<0>(0), by = Work::template beyond<0>(1);
  static constexpr int bx = Work::template beyond<0>(2);

  // Later stages also read the inputs at their own point, so their planes stay in the queue until the last one has:
  // from global memory they would arrive late, because nothing reads them ahead.
  static constexpr int kept          = rz >= bz ? 2 * rz + 1 : rz + bz + 1;
  static constexpr int slots         = kept + Tuning::ahead;
  static constexpr int planes_before = 2 * rz + 2 * bz;
  static constexpr int inner_y = 2 * by, inner_x = 2 * bx;

  using Readers = PlaneReaders<Order, typename Work::Ins, Wide>;

  static int bytes(int tile_y, int tile_x) {
    return Readers::bytes(slots, tile_y, tile_x) + bytes_of_mids(LaterStages(), tile_y, tile_x);
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
    std::int64_t const y0 = at.y - by, x0 = at.x - bx;
    Extents3 const wide{work.extents[0], work.extents[1] + by, work.extents[2] + bx};
    auto readers    = Readers::make(work.in, shared, slots, at.z - rz - bz, y0, x0, grid, wide);
    int const steps = at.planes + planes_before;
    auto const read = [&](int slot, int step) {
      read_planes<typename Work::Ins, Order, rz>(readers, slot, step, steps);
    };

    int const mid_plane = grid.tile_y * grid.tile_x, place = at.ty * grid.tile_x + at.tx;
    auto* mid_shared = shared + Readers::bytes(slots, grid.tile_y, grid.tile_x);
    auto const mids  = make_mids(LaterStages(), mid_shared, grid);

    for (int s = 0; s < 2 * rz + Tuning::ahead; ++s) {
      if (s < steps) read(s, s);
      commit_copies();
    }

    // The thread's rows of the first stage that later stages can need.
    std::int64_t const rows = work.extents[1] + by - y0 - at.ty;
    bool const in_column    = at.active && x0 + at.tx < work.extents[2] + bx;
    int const mid_height    = !in_column || rows <= 0 ? 0 : rows < points ? int(rows) : points;
    // Those of later stages.
    int first[Work::stages], last[Work::stages];
    static_for<Work::last>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int stage  = decltype(i)::value + 1;
      constexpr int edge_y = Work::template behind<stage>(1), edge_x = Work::template behind<stage>(2);
      constexpr int beyond_y = Work::template beyond<stage>(1), beyond_x = Work::template beyond<stage>(2);
      bool const inside =
          in_column && at.tx >= edge_x && at.tx < grid.tile_x - edge_x && x0 + at.tx < work.extents[2] + beyond_x;
      int const end = int(min(std::int64_t(grid.tile_y - edge_y), work.extents[1] + beyond_y - y0)) - at.ty;
      first[stage]  = max(edge_y - at.ty, 0);
      last[stage]   = inside ? min(end, points) : 0;
    });

    int center = rz, free = 2 * rz + Tuning::ahead;
    int mid[Work::stages]{};  // the slot of the newest plane that a stage reads; that of the first is `center`
    auto update = work.reduction.identity();
    PaceKeeper pace(grid.pace, grid.chunk + 2 * bz);
    for (int s = 0; s < at.planes + 2 * bz; ++s) {
      pace.wait(s);
      wait_for_copies<Tuning::ahead - 1>();
      __syncthreads();
      pace.advance(s);
      if (s + 2 * rz + Tuning::ahead < steps) read(free, s + 2 * rz + Tuning::ahead);
      commit_copies();
      int const mid_point = mid[1] * mid_plane + place;
      compute_points<points>(
          0, mid_height,
          [&](int p, auto) {
            auto const z = at.z - bz + s, y = y0 + at.ty + p, x = x0 + at.tx;
            auto const around = neighborhoods_in<typename Work::Ins, Order>(readers, slots, center, at.ty, at.tx, p);
            return to_pack(call_at<Order>(get<0>(work.functors), around, load(work.points, z, y, x), z, y, x));
          },
          [&](int p, auto const& result) { keep(get<0>(mids), mid_point + p * grid.tile_x, result); });

      static_for<Work::last>([&](auto i) KOALESCE_INLINE_LAMBDA {
        constexpr int stage = decltype(i)::value + 1, behind = Work::template behind<stage>(0);
        int const k = s - 2 * behind;
        if (k < 0) return;
        __syncthreads();
        // The middle plane of those that the stage reads, and the input plane at the same z.
        constexpr int radius = Work::template radius<stage>(0);
        int const mid_center = mid[stage] >= radius ? mid[stage] - radius : mid[stage] - radius + mid_slots<stage>;
        int const in_center  = center >= behind ? center - behind : center - behind + slots;
        auto const z         = at.z - Work::template beyond<stage>(0) + k;
        auto const value     = [&](int p, auto& reduced) {
          int const row     = at.ty + p;
          auto const around = transform(get<stage - 1>(mids), [&](auto* m, auto) {
            using T     = std::remove_pointer_t<decltype(m)>;
            using Shape = StageShape<typename Work::Shape, stage>;
            return Order::template neighborhood<Shape>(static_cast<T const*>(m), mid_plane, grid.tile_x, 1,
                                                       mid_slots<stage>, mid_center,
                                                       mid_center * mid_plane + row * grid.tile_x + at.tx);
          });
          auto const y = y0 + row, x = x0 + at.tx;
          auto const inputs = transform(readers, [&](auto const& reader, auto) {
            return reader.slots()[in_center * reader.plane() + reader.point(row, at.tx)];
          });
          return call_at<Order>(get<stage>(work.functors), around, concat(inputs, load(work.points, z, y, x)), z, y, x,
                                reduced);
        };
        if constexpr (stage == Work::last) {
          compute_points<points>(
              first[stage], last[stage],
              [&](int p, auto) {
                auto with_point   = update;
                auto const result = value(p, with_point);
                if (is_active(work.domain, z, y0 + at.ty + p, x0 + at.tx)) update = with_point;
                return result;
              },
              [&](int p, auto const& result) {
                auto const y = y0 + at.ty + p, x = x0 + at.tx;
                if (is_active(work.domain, z, y, x)) store(work.out, result, z, y, x);
              });
        } else {
          int const next = mid[stage + 1] * mid_plane + place;
          Pack<> none;
          compute_points<points>(
              first[stage], last[stage], [&](int p, auto) { return to_pack(value(p, none)); },
              [&](int p, auto const& result) { keep(get<stage>(mids), next + p * grid.tile_x, result); });
        }
      });
      center = next_slot<slots>(center);
      free   = next_slot<slots>(free);
      static_for<Work::last>([&](auto i) KOALESCE_INLINE_LAMBDA {
        constexpr int stage = decltype(i)::value + 1;
        mid[stage]          = next_slot<mid_slots<stage>>(mid[stage]);
      });
    }
    leave_block_part(work.reduction, update);
  }

 private:
  using LaterStages = std::make_integer_sequence<int, Work::last>;  // counted from the second

  template <int stage>
  static constexpr int mid_slots = 2 * Work::template radius<stage>(0) + 1;

  template <int stage, class T>
  __host__ __device__ static constexpr int mid_bytes(int tile_y, int tile_x) {
    return (mid_slots<stage> * tile_y * tile_x * int(sizeof(T)) + 15) / 16 * 16;
  }

  template <int stage, class... Fields>
  static int bytes_of_stage(Pack<Fields...> const&, int tile_y, int tile_x) {
    return (mid_bytes<stage, typename Fields::value_type>(tile_y, tile_x) + ...);
  }
  template <int... Later>
  static int bytes_of_mids(std::integer_sequence<int, Later...>, int tile_y, int tile_x) {
    return (bytes_of_stage<Later + 1>(typename Work::template Fields<Later + 1>{}, tile_y, tile_x) + ...);
  }

  /// Where the slots of the fields that a stage reads begin.
  template <int stage>
  static __device__ __forceinline__ auto mids_of(unsigned char*& shared, StencilGrid const& grid) {
    return transform(typename Work::template Fields<stage>{}, [&](auto const& none, auto) {
      using T    = typename std::decay_t<decltype(none)>::value_type;
      T* const m = reinterpret_cast<T*>(shared);
      shared += mid_bytes<stage, T>(grid.tile_y, grid.tile_x);
      return m;
    });
  }
  template <int... Later>
  static __device__ __forceinline__ auto make_mids(std::integer_sequence<int, Later...>, unsigned char* shared,
                                                   StencilGrid const& grid) {
    return Pack<decltype(mids_of<Later + 1>(shared, grid))...>(mids_of<Later + 1>(shared, grid)...);
  }

  /// Writes a stage's results at one point, for the next stage.
  template <class Mids, class Results>
  static __device__ __forceinline__ void keep(Mids const& mids, int place, Results const& results) {
    for_each(mids, [&](auto* m, auto i) { m[place] = get<decltype(i)::value>(results); });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
