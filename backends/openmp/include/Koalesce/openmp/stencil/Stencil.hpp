// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_STENCIL_HPP
#define KOALESCE_OPENMP_STENCIL_STENCIL_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/stencil/LinearRows.hpp>
#include <Koalesce/openmp/stencil/Tiling.hpp>
#include <Koalesce/stencil/impl/JoinParts.hpp>
#include <Koalesce/stencil/impl/PlaneQueue.hpp>
#include <Koalesce/stencil/impl/Row.hpp>

#include <string>

/// Stencils on CPU threads: fields are read directly, the loop over x vectorizes, and tiles are so small that the
/// planes around them stay in cache while a thread marches along z.
namespace Koalesce::Impl::OpenMPBackend {

/// Bytes of one point in all fields.
template <class... Fields>
constexpr std::size_t bytes_of(Pack<Fields...> const&) {
  return (sizeof(typename Fields::value_type) + ... + 0);
}

/// The threads that share a block: where there are as many blocks as threads, one.
template <class Exec, class Work>
int threads_per_block(Exec const& exec, Work const& work) {
  return int(std::max<std::int64_t>(1, threads_of(exec) / std::max<std::int64_t>(1, work.domain.blocks())));
}

/// Computes a tile's points. \param[in,out] update  what the reductions have been given so far.
template <bool Unit, class Work>
KOALESCE_FLATTEN void compute_points(Work const& work, Tile const& tile, typename Work::Reduction::Update& update) {
  using Order        = typename Work::Order;
  auto const functor = work.functor;  // copies that no output can alias
  auto of_tile       = update;

  auto const end = any_active(work.domain, tile.first(), tile.extents()) ? tile.z + tile.planes : tile.z;
  for (auto z = tile.z; z < end; ++z) {
    auto y = tile.y;
    if constexpr (Unit && is_linear<typename Work::Functor> && !has_active_points<Work>) {
      using Rows = typename LinearPlan<Order, typename Work::Functor>::type;
      for (; y + Rows::rows <= tile.y + tile.rows; y += Rows::rows)
        Rows::compute(functor, get<0>(moved_to(work.in, z, y, tile.x)), moved_to(work.points, z, y, tile.x),
                      moved_to(work.out, z, y, tile.x), z, y, tile.x, tile.cols, work.reduction, of_tile);
    }
    for (; y < tile.y + tile.rows; ++y)
      for_each_run(work.domain, z, y, tile.x, tile.cols, [&](std::int64_t x, std::int64_t cols) KOALESCE_INLINE_LAMBDA {
        compute_row<Order, Unit>(functor, moved_to(work.in, z, y, x), moved_to(work.points, z, y, x),
                                 moved_to(work.out, z, y, x), z, y, x, cols, work.reduction, of_tile);
      });
  }
  update = of_tile;
}

template <bool Unit, class Work>
void compute_tile(Work const& work, Tile const& tile, std::int64_t number) {
  auto update = work.reduction.identity();
  compute_points<Unit>(work, tile, update);
  work.reduction.leave(number, update);
}

/// Tiles take about as long as each other, unless some have no points to compute.
template <class Work>
using ScheduleOf = Kokkos::Schedule<std::conditional_t<has_active_points<Work>, Kokkos::Dynamic, Kokkos::Static>>;

/// Calls compute(work, tile, number) for all tiles of a work.
template <class Exec, class Work, class Compute>
void for_each_tile(Exec const& exec, std::string const& label, Work const& work, Compute const& compute) {
  auto const tiling =
      choose_host_tiling(work.extents, threads_per_block(exec, work), 2 * Work::rz + 1, HostTuning::tile_bytes,
                         (2 * Work::rz + 1) * bytes_of(work.in) + bytes_of(work.points) + bytes_of(work.out));
  std::string const kernel = kernel_label(Tag{}, label);
  std::int64_t const tiles = tiling.size(), all = tiles * work.domain.blocks();
  launch_and_join(exec, kernel, work, all, [&](Work const& given) {
    Kokkos::parallel_for(
        kernel, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>, ScheduleOf<Work>>(exec, 0, all),
        [=](std::int64_t i) { compute(in_block(given, i / tiles), tiling.tile(i % tiles, given.extents), i); });
  });
}

/// Whether neighbors in a row are neighbors in memory, in all fields.
template <class Work>
bool has_unit_stride(Work const& work) {
  return unit_stride(work.in) && unit_stride(work.points) && unit_stride(work.out);
}

template <class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  bool const unit = has_unit_stride(work);
  for_each_tile(exec, label, work, [=](auto const& block, Tile const& tile, std::int64_t number) {
    unit ? compute_tile<true>(block, tile, number) : compute_tile<false>(block, tile, number);
  });
}

/// Part of a row of a stage after the first. \param[in] step, row, first, cols  of the stage's tile.
template <int stage, bool Unit, class Work, class Functor, class Queues, class Outs, class Reduction>
KOKKOS_FORCEINLINE_FUNCTION void compute_later_row(Work const& work, Functor const& functor, Queues const& queues,
                                                   Tile const& tile, std::int64_t step, std::int64_t row,
                                                   std::int64_t first, std::int64_t cols, Outs const& out,
                                                   Reduction const& reduction, typename Reduction::Update& update) {
  using Order  = typename Work::Order;
  auto const z = tile.z + step, y = tile.y + row, x0 = tile.x + first;
  auto const in    = concat(moved_to(work.in, z, y, x0), moved_to(work.points, z, y, x0));
  auto const& mids = queues.template of<stage>();
  for_each_in_row(cols, reduction, update, [&](std::int64_t x, auto& at_x) KOALESCE_INLINE_LAMBDA {
    // No variable holds the neighborhoods: GCC would keep it in memory, and not vectorize the loop.
    store_in_row<Unit>(out,
                       call_at<Order>(functor, mids.around(step + Work::template radius<stage>(0), row, first + x),
                                      values_at<Unit>(in, x), z, y, x0 + x, at_x),
                       x);
  });
}

/// One plane of a stage. \param[in] step  of the stage's tile.
template <int stage, bool Unit, class Work, class Functors, class Queues, class Update>
KOKKOS_FORCEINLINE_FUNCTION void compute_stage(Work const& work, Functors const& functors, Queues const& queues,
                                               Tile const& of_last, std::int64_t step, Update& update) {
  using Order         = typename Work::Order;
  auto const tile     = tile_of_stage<Work, stage>(of_last);
  auto const& functor = get<stage>(functors);
  Pack<> none;
  for (std::int64_t row = 0; row < tile.rows; ++row) {
    auto const z = tile.z + step, y = tile.y + row;
    if constexpr (stage == Work::last) {
      for_each_run(work.domain, z, y, tile.x, tile.cols, [&](std::int64_t x, std::int64_t cols) KOALESCE_INLINE_LAMBDA {
        compute_later_row<stage, Unit>(work, functor, queues, tile, step, row, x - tile.x, cols,
                                       moved_to(work.out, z, y, x), work.reduction, update);
      });
    } else {
      using Queue    = StageQueue<Work, stage + 1>;
      auto const out = queues.template of<stage + 1>().at(step, row - Queue::ry, -Queue::rx);
      if constexpr (stage == 0)
        compute_row<Order, Unit>(functor, moved_to(work.in, z, y, tile.x), moved_to(work.points, z, y, tile.x), out, z,
                                 y, tile.x, tile.cols, NoReduction(), none);
      else
        compute_later_row<stage, Unit>(work, functor, queues, tile, step, row, 0, tile.cols, out, NoReduction(), none);
    }
  }
}

template <bool Unit, class Work, class Scratch>
KOALESCE_FLATTEN void compute_staged_tile(Work const& work, Tile const& tile, std::int64_t number,
                                          Scratch const& scratch) {
  auto const functors = work.functors;  // a copy that no output can alias
  auto update         = work.reduction.identity();
  StageQueues<Work, 1> const queues(scratch, tile.rows, tile.cols);

  auto const planes = tile.planes + 2 * Work::template beyond<0>(0);
  auto const steps  = any_active(work.domain, tile.first(), tile.extents()) ? planes : 0;
  for (std::int64_t step = 0; step < steps; ++step)
    static_for<Work::stages>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int stage      = decltype(i)::value;
      std::int64_t const there = step - 2 * Work::template behind<stage>(0);
      if (there >= 0) compute_stage<stage, Unit>(work, functors, queues, tile, there, update);
    });
  work.reduction.leave(number, update);
}

/// Level 0 of the threads' scratch memory if the queue fits, else level 1, else a smaller tile.
template <class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  using Work   = StagedWork<WorkArgs...>;
  using Queues = StageQueues<Work, 1>;
  using Policy = Kokkos::TeamPolicy<Exec, ScheduleOf<Work>>;

  Policy const probe(exec, 1, 1);
  std::size_t const room[]    = {std::size_t(probe.scratch_size_max(0)), std::size_t(probe.scratch_size_max(1))};
  std::size_t const mid_bytes = Queues::bytes(64, 64) / (64 * 64);

  // A chunk computes additional planes of earlier stages, 2 * beyond<0> of the first one, before its first result.
  auto tiling = choose_host_tiling(work.extents, threads_per_block(exec, work), 8 * Work::template beyond<0>(0) + 1,
                                   HostTuning::staged_tile_bytes,
                                   (2 * Work::template radius<0>(0) + 1) * bytes_of(work.in) + bytes_of(work.points) +
                                       mid_bytes + bytes_of(work.out));
  auto const bytes = [&] { return Queues::bytes(tiling.tile_y, tiling.tile_x); };
  while (bytes() > std::max(room[0], room[1])) {
    auto const y = tiling.tile_y, x = tiling.tile_x;
    if (x * y == 1)
      fail(call_text(Work::Reduction::function, label), "the plane queues between the stages need ", bytes(),
           " bytes of scratch memory for a tile of one point, but ", Exec::name(), " has ", room[0],
           " bytes at level 0 and ", room[1], " at level 1; use a smaller radius, smaller elements or fewer fields");
    tiling = Tiling(work.extents, tiling.chunk, y > 1 ? (y + 1) / 2 : 1, y > 1 ? x : (x + 1) / 2);
  }

  int const level  = bytes() <= room[0] ? 0 : 1;
  bool const unit  = has_unit_stride(work);
  auto const tiles = tiling.size(), all = teams_of_blocks(label, work, tiles);
  Policy policy(exec, int(all), 1);
  policy.set_scratch_size(level, Kokkos::PerTeam(int(bytes())));
  std::string const kernel = kernel_label(Tag{}, label);
  launch_and_join(exec, kernel, work, all, [&](Work const& given) {
    Kokkos::parallel_for(kernel, policy, [=](typename Policy::member_type const& team) {
      auto const number  = team.league_rank();
      auto const tile    = tiling.tile(number % tiles, given.extents);
      auto const& block  = in_block(given, number / tiles);
      auto const scratch = team.team_scratch(level);
      unit ? compute_staged_tile<true>(block, tile, number, scratch)
           : compute_staged_tile<false>(block, tile, number, scratch);
    });
  });
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
