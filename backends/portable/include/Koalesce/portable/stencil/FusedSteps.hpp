// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_FUSED_STEPS_HPP
#define KOALESCE_PORTABLE_STENCIL_FUSED_STEPS_HPP

#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/stencil/QueuedStencil.hpp>
#include <Koalesce/portable/stencil/Tiling.hpp>
#include <Koalesce/stencil/impl/PlaneQueue.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>
#include <Koalesce/stencil/impl/steps/StepsStart.hpp>
#include <Koalesce/stencil/impl/steps/StepsState.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Several time steps in one sweep: a plane queue in scratch memory for each of them. Tiles overlap by what later steps
/// read around them.
namespace Koalesce::Impl::PortableBackend {

/// A team marches through the planes of a tile. For every plane that it reads, each step computes one, `2 * rz` planes
/// behind the step before it.
/// \tparam Boundary  NoBoundary, or a StepsBoundary.
template <class Work, class Boundary, int depth>
struct PortableSteps {
  using Order = typename Work::Order;
  using Queue = PlaneQueue<Order, typename Work::Ins>;

  static constexpr int rz = Work::rz, ry = Work::ry, rx = Work::rx;
  static constexpr int planes_before = 2 * depth * rz;

  Work work;
  Boundary boundary;
  PortableTiling tiling;

  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) {
    std::size_t sum = 0;
    for (int step = 0; step < depth; ++step) {
      Tile const tile = tile_of_step(step, {0, 0, 0, 1, tile_y, tile_x});
      sum += Queue::bytes(tile.rows, tile.cols);
    }
    return sum;
  }

  /// Whether the first step computes at most twice as many points of a plane as the last one.
  static bool is_wide_enough(PortableTiling const& tiling, Extents3 const& extents) {
    Tile const first = tile_of_step(0, {0, 0, 0, 1, tiling.tile_y, tiling.tile_x});
    return std::min(first.rows, extents[1]) * std::min(first.cols, extents[2]) <= 2 * tiling.tile_y * tiling.tile_x;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile = tiling.tile(team.league_rank(), work.extents), first = tile_of_step(0, tile);
    auto const queues     = make_queues(team.team_scratch(tiling.scratch_level), tile);
    auto const read_plane = [&](std::int64_t k) {
      queues[0].fill(team, k, [&](std::int64_t y, std::int64_t x) {
        return start().read({first.z + k - rz, first.y + y, first.x + x});
      });
    };

    for (int k = 0; k < 2 * rz; ++k) read_plane(k);
    for (std::int64_t plane = 0; plane < first.planes; ++plane) {
      // No thread reads this queue any more: there is a barrier before every step after the first.
      read_plane(plane + 2 * rz);
      static_for<depth>([&](auto step) {
        team.team_barrier();
        std::int64_t const k = plane - 2 * rz * decltype(step)::value;
        if (k >= 0) compute_plane<decltype(step)::value>(team, queues, tile, k);
      });
    }
  }

 private:
  using Queues = Kokkos::Array<Queue, depth>;

  using Start  = StepsStart<Work, Boundary>;
  using Values = typename Start::Values;

  KOKKOS_FORCEINLINE_FUNCTION Start start() const { return {work, boundary}; }

  /// The points that a step computes for a tile of the last one.
  KOKKOS_FUNCTION static Tile tile_of_step(int step, Tile const& last) {
    std::int64_t const after = depth - 1 - step;
    return {last.z - after * rz,          last.y - after * ry,        last.x - after * rx,
            last.planes + 2 * after * rz, last.rows + 2 * after * ry, last.cols + 2 * after * rx};
  }

  template <class Scratch>
  KOKKOS_FUNCTION static Queues make_queues(Scratch const& scratch, Tile const& last) {
    auto const make = [&](int step) {
      Tile const tile = tile_of_step(step, last);
      return Queue(scratch, tile.rows, tile.cols);
    };
    return [&]<int... Step>(std::integer_sequence<int, Step...>) {
      return Queues{{make(Step)...}};
    }(std::make_integer_sequence<int, depth>{});
  }

  /// Computes plane k of a step's tile: the last one to the outputs, the others to the queue of the next one.
  template <int step, class Member>
  KOKKOS_FORCEINLINE_FUNCTION void compute_plane(Member const& team, Queues const& queues, Tile const& last,
                                                 std::int64_t k) const {
    Tile const tile     = tile_of_step(step, last);
    auto const& functor = later_by(work.functor, step);
    auto const& from    = queues[step];
    if constexpr (step + 1 < depth) {
      queues[step + 1].fill(team, k, [&](std::int64_t y_of_next, std::int64_t x_of_next) {
        std::int64_t const y = y_of_next + ry, x = x_of_next + rx;
        return step_from(functor, from, k, y, x, {tile.z + k, tile.y + y, tile.x + x});
      });
    } else {
      for_each_point(team, tile, [&](int y, int x) {
        Extents3 const p{tile.z + k, tile.y + y, tile.x + x};
        store(work.out, call(functor, from, k, y, x, p), p[0], p[1], p[2]);
      });
    }
  }

  /// The functor's result at point p, which is (k, y, x) of a tile and has its neighbors in a queue.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION auto call(F const& functor, Queue const& from, std::int64_t k, std::int64_t y,
                                        std::int64_t x, Extents3 const& p) const {
    return call_at<Order>(functor, from.around(k + rz, y, x), load(work.points, p[0], p[1], p[2]), p[0], p[1], p[2]);
  }

  /// The fields' values after a step at a point that may lie beyond the interior, where they stay.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION Values step_from(F const& functor, Queue const& from, std::int64_t k, std::int64_t y,
                                               std::int64_t x, Extents3 const& point) const {
    Values values;
    if (Extents3 const p = start().in_period(point); start().is_inside(p)) {
      auto const result = to_pack(call(functor, from, k, y, x, p));
      for_each(values, [&](auto& value, auto i) { value = get<decltype(i)::value>(result); });
    } else {
      auto const before = from.at(k + rz, y, x);
      for_each(values, [&](auto& value, auto i) { value = *get<decltype(i)::value>(before).origin; });
    }
    return values;
  }
};

/// Previous time levels are not queued, nor is what follows from other points after every step.
template <class Boundary>
concept MovesInQueues = !std::is_same_v<Boundary, StepsInPlace> && !StepsFacesOf<Boundary>::has_near;

/// Steps that share a sweep. (More of them leave only small tiles in scratch memory, which overlap too much.)
inline constexpr int fused_steps = 2;

/// The tiles of a fused sweep; scratch_level < 0 if the queues of none fit in scratch.
template <class Kernel, class Exec>
PortableTiling steps_tiling(Exec const& exec, Extents3 const& extents) {
  return choose_tiling(exec, extents, Kernel::planes_before, Kernel::bytes);
}

/// On hosts only where they are asked for: single sweeps are faster there, because their rows vectorize.
template <RunsPortable Tag, class Exec, class... WorkArgs, MovesInQueues Boundary>
std::vector<int> fused_depths(Tag, Exec const& exec, StencilWork<WorkArgs...> const& work, Boundary const&,
                              int wanted) {
  if (wanted == 0 && Backend::on_host<Exec>) return {};
  using Kernel      = PortableSteps<StencilWork<WorkArgs...>, Boundary, fused_steps>;
  auto const tiling = steps_tiling<Kernel>(exec, work.extents);
  if (tiling.scratch_level != 0 || !Kernel::is_wide_enough(tiling, work.extents)) return {};
  return {fused_steps};
}

/// Over processes a work has points around the interior, with which tiles may be less wide than those asked about.
template <RunsPortable Tag, class Exec, class... WorkArgs, MovesInQueues Boundary>
void run_fused_steps(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                     Boundary const& boundary, int) {
  using Kernel          = PortableSteps<StencilWork<WorkArgs...>, Boundary, fused_steps>;
  auto const tiling     = steps_tiling<Kernel>(exec, work.extents);
  int const max_threads = team_threads<Exec>(int(std::min<std::int64_t>(tiling.tile_y * tiling.tile_x, 256)));
  run_tile_teams(Tag{}, exec, kernel_label(Tag{}, label),
                 Teams{tiling.size(), max_threads, tiling.scratch_level, tiling.scratch_bytes},
                 Kernel{work, boundary, tiling});
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
