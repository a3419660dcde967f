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
    using In = std::decay_t<decltype(field)>;
    static_assert(std::is_default_constructible_v<typename In::value_type>,
                  "Koalesce::parallel_stencil: with Backend::Portable elements need a default constructor");
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

/// A queue for every stage: the first holds the inputs' planes, the others those that the stage before computed, halo
/// included.
template <class Work>
struct PortableStaged {
  using Order  = typename Work::Order;
  using Queue  = StageQueue<Work, 0>;
  using Queues = StageQueues<Work, 0>;

  static constexpr int planes_before = 2 * Queue::rz + 2 * Work::template beyond<0>(0);

  Work all;
  PortableTiling tiling;

  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) { return Queues::bytes(tile_y, tile_x); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    run(team, in_block(all, team.league_rank() / tiling.size()));
  }

 private:
  /// \param[in] work  of one block.
  template <class Member>
  KOKKOS_FUNCTION void run(Member const& team, Work const& work) const {
    Tile const tile  = tiling.tile(team.league_rank() % tiling.size(), work.extents);
    Tile const first = tile_of_stage<Work, 0>(tile);
    Queues const queues(team.team_scratch(tiling.scratch_level), tile.rows, tile.cols);

    auto const read_plane = [&](std::int64_t step) {
      queues.template of<0>().fill(team, step, [&](std::int64_t y, std::int64_t x) {
        return load_around<Order, Queue>(work.in, first, step - Queue::rz, y, x);
      });
    };

    auto update       = work.reduction.identity();
    auto const planes = any_active(work.domain, tile.first(), tile.extents()) ? first.planes : 0;
    for (int step = 0; step < 2 * Queue::rz && planes > 0; ++step) read_plane(step);
    for (std::int64_t step = 0; step < planes; ++step) {
      team.team_barrier();
      read_plane(step + 2 * Queue::rz);
      static_for<Work::last>([&](auto i) KOALESCE_INLINE_LAMBDA {
        constexpr int stage      = decltype(i)::value;
        std::int64_t const there = step - 2 * Work::template behind<stage>(0);
        if (there < 0) return;
        team.team_barrier();
        compute_mid<stage>(team, work, queues, tile, there);
      });
      std::int64_t const k = step - 2 * Work::template behind<Work::last>(0);
      if (k < 0) continue;
      team.team_barrier();
      for_each_point(team, tile, [&](int y, int x) {
        std::int64_t const pz = tile.z + k, py = tile.y + y, px = tile.x + x;
        if (!is_active(work.domain, pz, py, px)) return;
        auto const inputs = load(concat(work.in, work.points), pz, py, px);
        auto const& mids  = queues.template of<Work::last>();
        store(work.out,
              call_at<Order>(get<Work::last>(work.functors), mids.around(k + radius<Work::last>, y, x), inputs, pz, py,
                             px, update),
              pz, py, px);
      });
    }
    leave_team_part(team, work.reduction, update);
  }

  template <int stage>
  static constexpr int radius = Work::template radius<stage>(0);

  /// Computes plane `step` of a stage's tile, in the queue of the next one.
  template <int stage, class Member>
  KOKKOS_FORCEINLINE_FUNCTION static void compute_mid(Member const& team, Work const& work, Queues const& queues,
                                                      Tile const& of_last, std::int64_t step) {
    using Next       = StageQueue<Work, stage + 1>;
    Tile const tile  = tile_of_stage<Work, stage>(of_last);
    auto const& from = queues.template of<stage>();
    queues.template of<stage + 1>().fill(team, step, [&](std::int64_t y_of_next, std::int64_t x_of_next) {
      auto const y = y_of_next + Next::ry, x = x_of_next + Next::rx;
      auto const pz = tile.z + step, py = tile.y + y, px = tile.x + x;
      return to_pack(call_at<Order>(get<stage>(work.functors), from.around(step + radius<stage>, y, x),
                                    load(inputs_at_point<stage>(work), pz, py, px), pz, py, px));
    });
  }

  /// The fields whose values at the point a stage receives.
  template <int stage>
  KOKKOS_FORCEINLINE_FUNCTION static auto inputs_at_point(Work const& work) {
    if constexpr (stage == 0) return work.points;
    else return concat(work.in, work.points);
  }
};

/// Runs a kernel with one team per tile, of as many threads as fit.
///
/// A backend that derives from Portable may overload it to give its teams another size.
template <RunsPortable Tag, class Exec, class Kernel>
void run_tile_teams(Tag, Exec const& exec, std::string const& label, Teams const& teams, Kernel const& kernel) {
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
  if (tiling.scratch_level < 0) fail_without_room(Work::Reduction::function, label, exec, Kernel::bytes(1, 1));
  int const max_threads  = team_threads<Exec>(int(std::min<std::int64_t>(tiling.tile_y * tiling.tile_x, 256)));
  std::string const name = kernel_label(Tag{}, label);
  Teams const teams{teams_of_blocks(label, work, tiling.size()), max_threads, tiling.scratch_level,
                    tiling.scratch_bytes};
  launch_and_join(exec, name, work, teams.pieces, [&](Work const& given) {
    run_tile_teams(Tag{}, exec, name, teams, Kernel{given, tiling});
  });
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
