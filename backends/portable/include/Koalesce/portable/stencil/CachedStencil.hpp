// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_CACHED_STENCIL_HPP
#define KOALESCE_PORTABLE_STENCIL_CACHED_STENCIL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/stencil/TeamReduction.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>
#include <Koalesce/stencil/impl/JoinParts.hpp>
#include <Koalesce/stencil/impl/Row.hpp>
#include <Koalesce/stencil/impl/Tiling.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

/// Without a queue: a device's threads take a point each, a CPU's threads whole rows, and read their taps from the
/// fields through the caches.
namespace Koalesce::Impl::PortableBackend {

/// A thread a point. (In three loops of MDRangePolicy the same takes up to 1.4 times as long on CUDA.)
template <class Work>
struct CachedPoints {
  static constexpr int rank = Work::Order::rank;

  Work work;
  int log_x = 0, log_y = 0, log_z = 0;  // of a team's threads in x, y and z
  Divisor tiles_x = {}, tiles_y = {};   // teams in a row, and rows of them in a plane
  Divisor tiles = {};                   // of a block

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto update   = work.reduction.identity();
    unsigned tile = unsigned(team.league_rank()), number = 0;
    if constexpr (has_blocks<Work>) {
      number = tiles.divide_short(tile);
      tile -= number * unsigned(tiles.divisor());
    }
    auto const& block  = in_block(work, number);
    auto const thread  = unsigned(team.team_rank());
    unsigned const row = tiles_x.divide_short(tile), lane = thread & ((1u << log_x) - 1), line = thread >> log_x;
    unsigned const x = ((tile - row * unsigned(tiles_x.divisor())) << log_x) + lane;
    unsigned y = 0, z = (row << log_z) + line;
    if constexpr (rank == 3) {
      unsigned const plane = tiles_y.divide_short(row);
      y                    = ((row - plane * unsigned(tiles_y.divisor())) << log_y) + (line & ((1u << log_y) - 1));
      z                    = (plane << log_z) + (line >> log_y);
    }
    if (x < unsigned(work.extents[2]) && y < unsigned(work.extents[1]) && z < unsigned(work.extents[0]))
      compute_cached_point(block, int(z), int(y), int(x), update);
    leave_team_part(team, work.reduction, update);
  }
};

/// Tiles that have active points, a team a tile.
template <class Work, class Index>
struct ActivePointsOfTiles {
  using Shape = ActiveTileShape<Work::Order::rank>;

  Work work;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto update           = work.reduction.identity();
    ActiveTile const tile = work.domain.tiles[team.league_rank()];
    for (int i = team.team_rank(); i < Shape::points; i += team.team_size())
      compute_active_point<Index>(work, tile, i / Shape::points_per_word, i % Shape::points_per_word, update);
    leave_team_part(team, work.reduction, update);
  }
};

/// Pieces of rows. It runs on hosts alone.
template <class Work>
struct CachedRows {
  Work work;
  std::int64_t columns;  // of a piece
  std::int64_t pieces;   // of a row

  KOALESCE_FLATTEN void operator()(std::int64_t piece) const {
    auto const x = piece % pieces * columns, row = piece / pieces;
    auto const y = row % work.extents[1], plane = row / work.extents[1], z = plane % work.extents[0];
    auto const& block  = in_block(work, plane / work.extents[0]);
    auto const functor = block.functor;  // a copy that no output can alias
    auto update        = work.reduction.identity();
    for_each_run(block.domain, z, y, x, std::min(columns, work.extents[2] - x),
                 [&](std::int64_t x0, std::int64_t count) KOALESCE_INLINE_LAMBDA {
                   compute_row<typename Work::Order, true>(
                       functor, moved_to(block.in, z, y, x0), moved_to(block.points, z, y, x0),
                       moved_to(block.out, z, y, x0), z, y, x0, count, work.reduction, update);
                 });
    work.reduction.leave(piece, update);
  }
};

/// Points in a piece of a row: a line is cut into enough of them for all threads.
inline constexpr std::int64_t max_columns = 16384;

/// Whether a work can run without the queue: rows are contiguous, and a device's indices have 32 bits.
template <class Exec, class Work>
bool can_be_cached(Work const& work) {
  if constexpr (Backend::on_host<Exec>) {
    return unit_stride(work.in) && unit_stride(work.points) && unit_stride(work.out);
  } else {
    constexpr std::int64_t most = (std::int64_t(1) << 31) - 256;
    auto const& n               = work.extents;
    // Teams are numbered by int; some of their threads may have no point.
    return has_short_strides(work) && n[0] < most && n[1] < most && n[2] < most &&
           double(n[0]) * double(n[1]) * double(n[2]) * double(work.domain.blocks()) < 16. * double(most);
  }
}

/// Threads of a device's team, at most.
inline constexpr int max_cached_threads = 256;

/// Runs CachedPoints on teams with rows of 64 threads in a plane, or deep ones with rows of 32 in several, if the
/// fields are as large. Deep teams read fewer planes from the L2 cache, which pays where more of them are read than it
/// holds. \param[in] kernel  its name for profilers.
template <class Exec, class Work>
void run_cached_points(Exec const& exec, std::string const& label, std::string const& kernel, Work const& work,
                       bool deep) {
  using Policy      = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<max_cached_threads>, FunctorAsArgument>;
  auto const& n     = work.extents;
  auto const log_of = [](std::int64_t extent, int most) {
    int log = 0;
    while (log < most && (std::int64_t(1) << log) < extent) ++log;
    return log;
  };
  auto const count = [](std::int64_t extent, int log) { return (extent + (std::int64_t(1) << log) - 1) >> log; };

  CachedPoints<Work> points{work};
  int const threads = Policy(exec, 1, 1).team_size_max(points, Kokkos::ParallelForTag());
  int const all     = std::bit_width(unsigned(std::min(threads, max_cached_threads))) - 1,
            row     = log_of(n[2], std::min(all, deep ? 5 : 6));
  points.log_y      = log_of(n[1], all - row - (deep ? log_of(n[0], all - row) : 0));
  points.log_z      = log_of(n[0], all - row - points.log_y);
  points.log_x      = log_of(n[2], all - points.log_y - points.log_z);
  points.tiles_x    = Divisor(count(n[2], points.log_x));
  points.tiles_y    = Divisor(count(n[1], points.log_y));
  points.tiles      = Divisor(points.tiles_x.divisor() * points.tiles_y.divisor() * count(n[0], points.log_z));
  auto const tiles  = teams_of_blocks(label, work, points.tiles.divisor());
  Policy const teams(exec, int(tiles), 1 << (points.log_x + points.log_y + points.log_z));
  launch_and_join(exec, kernel, work, tiles, [&](Work const& given) {
    // A functor may have no assignment.
    CachedPoints<Work> const all_points{given,          points.log_x,   points.log_y, points.log_z,
                                        points.tiles_x, points.tiles_y, points.tiles};
    Kokkos::parallel_for(kernel, teams, all_points);
  });
}

template <class Exec, class Work>
void run_active_points(Exec const& exec, std::string const& label, Work const& work) {
  auto const run = [&]<class Index>(Index) {
    launch_and_join(exec, label, work, work.domain.size, [&](Work const& given) {
      ActivePointsOfTiles<Work, Index> const points{given};
      Kokkos::parallel_for(label, team_policy(exec, Teams{work.domain.size, max_cached_threads}, points), points);
    });
  };
  if (can_be_cached<Exec>(work)) run(int());
  else run(std::int64_t());
}

template <RunsPortable Tag, class Exec, class Work>
void run_cached_stencil(Tag, Exec const& exec, std::string const& label, Work const& work, bool deep) {
  auto const& n = work.extents;
  if constexpr (Backend::on_host<Exec>) {
    auto const columns = std::min(max_columns, n[2]), pieces = (n[2] + columns - 1) / columns;
    auto const all           = n[0] * n[1] * pieces * work.domain.blocks();
    std::string const kernel = kernel_label(Tag{}, label);
    launch_and_join(exec, kernel, work, all, [&](Work const& given) {
      Kokkos::parallel_for(kernel, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, all),
                           CachedRows<Work>{given, columns, pieces});
    });
  } else if constexpr (has_active_points<Work>) {
    run_active_points(exec, kernel_label(Tag{}, label), work);
  } else {
    run_cached_points(exec, label, kernel_label(Tag{}, label), work, deep);
  }
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
