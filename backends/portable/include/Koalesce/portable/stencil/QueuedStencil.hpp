// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_QUEUED_STENCIL_HPP
#define KOALESCE_PORTABLE_STENCIL_QUEUED_STENCIL_HPP

#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/stencil/TeamReduction.hpp>
#include <Koalesce/portable/stencil/Tiling.hpp>
#include <Koalesce/stencil/impl/JoinParts.hpp>
#include <Koalesce/stencil/impl/PlaneQueue.hpp>

#include <algorithm>
#include <string>
#include <utility>

/// The plane queue as published, with TeamPolicy and scratch memory alone.
namespace Koalesce::Impl::PortableBackend {

/// Calls body(y, x) for the points of a tile, which the team's threads share.
template <class Member, class Body>
KOKKOS_FUNCTION void for_each_point(Member const& team, Tile const& tile, Body const& body) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int(tile.rows * tile.cols)),
                       [&](int i) { body(i / int(tile.cols), i % int(tile.cols)); });
}

/// The fields' values at a point, counted from a tile's first one, of the halo that the largest shape reads. Those of
/// smaller shapes need not exist.
/// \tparam Queue  the queue of these fields.
template <class Order, class Queue, class... Ts, class... Shapes>
KOKKOS_FUNCTION auto load_around(Pack<Field<Ts, Shapes>...> const& in, Tile const& tile, std::int64_t z, std::int64_t y,
                                 std::int64_t x) {
  return transform(in, [&](auto const& field, auto) {
    using In           = std::decay_t<decltype(field)>;
    constexpr int rz   = Order::template radius<typename In::shape_type>(0);
    constexpr int ry   = Order::template radius<typename In::shape_type>(1);
    constexpr int rx   = Order::template radius<typename In::shape_type>(2);
    constexpr bool all = rz == Queue::rz && ry == Queue::ry && rx == Queue::rx;
    bool const exists =
        all || (z >= -rz && z < tile.planes + rz && y >= -ry && y < tile.rows + ry && x >= -rx && x < tile.cols + rx);
    return exists ? *field.at(tile.z + z, tile.y + y, tile.x + x) : typename In::value_type{};
  });
}

template <class Work>
struct PortableStencil {
  using Order = typename Work::Order;
  using Queue = PlaneQueue<Order, typename Work::Ins>;

  static constexpr int planes_before = 2 * Queue::rz;

  Work all;
  PortableTiling tiling;

  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) { return Queue::bytes(tile_y, tile_x); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    run(team, in_block(all, team.league_rank() / tiling.size()));
  }

 private:
  /// \param[in] work  of one block.
  template <class Member>
  KOKKOS_FUNCTION void run(Member const& team, Work const& work) const {
    Tile const tile = tiling.tile(team.league_rank() % tiling.size(), work.extents);
    Queue const queue(team.team_scratch(tiling.scratch_level), tile.rows, tile.cols);

    auto const read_plane = [&](std::int64_t step) {
      queue.fill(team, step, [&](std::int64_t y, std::int64_t x) {
        return load_around<Order, Queue>(work.in, tile, step - Queue::rz, y, x);
      });
    };

    auto update       = work.reduction.identity();
    auto const planes = any_active(work.domain, tile.first(), tile.extents()) ? tile.planes : 0;
    for (int step = 0; step < planes_before && planes > 0; ++step) read_plane(step);
    for (std::int64_t k = 0; k < planes; ++k) {
      team.team_barrier();
      read_plane(k + planes_before);
      team.team_barrier();
      for_each_point(team, tile, [&](int y, int x) {
        std::int64_t const pz = tile.z + k, py = tile.y + y, px = tile.x + x;
        if (!is_active(work.domain, pz, py, px)) return;
        auto const values = load(work.points, pz, py, px);
        store(work.out, call_at<Order>(work.functor, queue.around(k + Queue::rz, y, x), values, pz, py, px, update), pz,
              py, px);
      });
    }
    leave_team_part(team, work.reduction, update);
  }
};

/// Two queues: the second holds the planes that the first stage computed, halo included.
template <class Work>
struct PortableStaged {
  using Order      = typename Work::Order;
  using FirstQueue = PlaneQueue<Order, typename Work::Ins>;
  using MidQueue   = Impl::MidQueue<Work>;

  static constexpr int planes_before = 2 * FirstQueue::rz + 2 * MidQueue::rz;

  Work all;
  PortableTiling tiling;

  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) {
    return FirstQueue::bytes(tile_y + 2 * MidQueue::ry, tile_x + 2 * MidQueue::rx) + MidQueue::bytes(tile_y, tile_x);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    run(team, in_block(all, team.league_rank() / tiling.size()));
  }

 private:
  /// \param[in] work  of one block.
  template <class Member>
  KOKKOS_FUNCTION void run(Member const& team, Work const& work) const {
    Tile const tile     = tiling.tile(team.league_rank() % tiling.size(), work.extents);
    auto const& scratch = team.team_scratch(tiling.scratch_level);
    FirstQueue const queue(scratch, tile.rows + 2 * MidQueue::ry, tile.cols + 2 * MidQueue::rx);
    MidQueue const mids(scratch, tile.rows, tile.cols);

    // Step s of the first queue is input plane z - rz1 - rz2 + s; step s of the second is its plane z - rz2 + s.
    Tile const first{tile.z - MidQueue::rz,          tile.y - MidQueue::ry,        tile.x - MidQueue::rx,
                     tile.planes + 2 * MidQueue::rz, tile.rows + 2 * MidQueue::ry, tile.cols + 2 * MidQueue::rx};
    auto const read_plane = [&](std::int64_t step) {
      queue.fill(team, step, [&](std::int64_t y, std::int64_t x) {
        return load_around<Order, FirstQueue>(work.in, first, step - FirstQueue::rz, y, x);
      });
    };
    auto const compute_mid = [&](std::int64_t step) {
      mids.fill(team, step, [&](std::int64_t y, std::int64_t x) {
        auto const pz = tile.z + step - MidQueue::rz, py = tile.y + y, px = tile.x + x;
        auto const around = queue.around(step + FirstQueue::rz, y + MidQueue::ry, x + MidQueue::rx);
        return to_pack(call_at<Order>(work.first, around, load(work.points, pz, py, px), pz, py, px));
      });
    };

    auto update      = work.reduction.identity();
    auto const steps = any_active(work.domain, tile.first(), tile.extents()) ? tile.planes + 2 * MidQueue::rz : 0;
    for (int step = 0; step < 2 * FirstQueue::rz && steps > 0; ++step) read_plane(step);
    for (std::int64_t step = 0; step < steps; ++step) {
      team.team_barrier();
      read_plane(step + 2 * FirstQueue::rz);
      team.team_barrier();
      compute_mid(step);
      std::int64_t const k = step - 2 * MidQueue::rz;
      if (k < 0) continue;
      team.team_barrier();
      for_each_point(team, tile, [&](int y, int x) {
        std::int64_t const pz = tile.z + k, py = tile.y + y, px = tile.x + x;
        if (!is_active(work.domain, pz, py, px)) return;
        auto const inputs = load(concat(work.in, work.points), pz, py, px);
        store(work.out, call_at<Order>(work.second, mids.around(k + MidQueue::rz, y, x), inputs, pz, py, px, update),
              pz, py, px);
      });
    }
    leave_team_part(team, work.reduction, update);
  }
};

/// Runs a kernel with one team per tile, of as many threads as fit, up to `max_threads`.
///
/// A backend that derives from Portable may overload it to give its teams another size.
template <RunsPortable Tag, class Exec, class Kernel>
void run_tile_teams(Tag, Exec const& exec, std::string const& label, PortableTiling const& tiling, int max_threads,
                    Kernel const& kernel) {
  Teams const teams{tiling.size() * kernel.all.domain.blocks(), max_threads, tiling.scratch_level, tiling.scratch_bytes};
  Kokkos::parallel_for(label, team_policy(exec, teams, kernel), kernel);
}

template <class... WorkArgs>
PortableStencil<StencilWork<WorkArgs...>> queue_kernel(StencilWork<WorkArgs...> const&);
template <class... WorkArgs>
PortableStaged<StagedWork<WorkArgs...>> queue_kernel(StagedWork<WorkArgs...> const&);

/// The kernel of a sweep, or of a composite.
template <class Work>
using QueueKernel = decltype(queue_kernel(std::declval<Work const&>()));

/// The tiles of a work; scratch_level < 0 if the smallest one's queue does not fit.
template <class Exec, class Work>
PortableTiling queue_tiling(Exec const& exec, Work const& work) {
  using Kernel = QueueKernel<Work>;
  return choose_tiling(exec, work.extents, Kernel::planes_before, Kernel::bytes);
}

/// One thread per point on a device, one thread per tile on a CPU.
template <class Tag, class Exec, class Work>
void run_queued_stencil(Tag, Exec const& exec, std::string const& label, Work const& work) {
  using Kernel      = QueueKernel<Work>;
  auto const tiling = queue_tiling(exec, work);
  if (tiling.scratch_level < 0) fail_without_room(label, exec, Kernel::bytes(1, 1));
  int const max_threads  = team_threads<Exec>(int(std::min<std::int64_t>(tiling.tile_y * tiling.tile_x, 256)));
  std::string const name = kernel_label(Tag{}, label);
  launch_and_join(exec, name, work, tiling.size() * work.domain.blocks(), [&](Work const& given) {
    run_tile_teams(Tag{}, exec, name, tiling, max_threads, Kernel{given, tiling});
  });
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
