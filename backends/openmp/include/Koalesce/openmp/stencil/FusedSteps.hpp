// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_FUSED_STEPS_HPP
#define KOALESCE_OPENMP_STENCIL_FUSED_STEPS_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/openmp/stencil/BoundedTile.hpp>
#include <Koalesce/openmp/stencil/Stencil.hpp>
#include <Koalesce/stencil/impl/steps/StepsFaces.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

/// Several time steps in one pass over memory: a wavefront. All threads go through the planes together; each step
/// follows the one before it so closely that it finds that one's planes in cache, and writes to the other of the two
/// fields, over planes that no step reads any more (G. Wellein, G. Hager, T. Zeiser, M. Wittmann, H. Fehske: "Efficient
/// temporal blocking for stencil computations by multicore-aware wavefront parallelization", COMPSAC 2009). Blocks of
/// rows and columns, taken one after the other, shift against the direction in which they are taken by what a step
/// reads (time skewing, M. Wolfe: "More iteration space tiling", SC 1989), so that nothing is computed twice.
///
/// In a periodic dimension each step begins, and ends, by what a step reads further on than the one before it: there it
/// finds what that one began with, which no later step has overwritten.
namespace Koalesce::Impl::OpenMPBackend {

/// How several steps go through the interior.
struct StepsWave {
  int depth;           ///< steps
  std::int64_t front;  ///< planes that each step computes before the threads wait for each other
  std::int64_t block_y, block_x;

  /// Planes by which a step is behind the one before it: all steps of a front are independent of each other.
  std::int64_t lag(int radius) const { return front + radius; }

  /// What a step computes of a dimension. \param[in] by  the points that the steps before it read beyond its own.
  static Range whole(std::int64_t n, std::int64_t by, bool wraps) { return wraps ? Range{by, n + by} : Range{0, n}; }

  /// What it computes of a block's rows or columns.
  static Range shifted(std::int64_t number, std::int64_t size, std::int64_t n, std::int64_t by, bool wraps) {
    if (size >= n) return {0, n};
    auto const all  = whole(n, by, wraps);
    auto const edge = [&](std::int64_t at) { return at >= n ? all.end : std::max(all.begin, at - by); };
    return {edge(number * size), edge((number + 1) * size)};
  }
};

/// Calls body(part of the range, from 0 to n) for a range whose points repeat after n.
template <class Body>
void for_each_period(Range const& range, std::int64_t n, Body const& body) {
  for (auto at = range.begin; at < range.end;) {
    auto const first = at % n, size = std::min(range.end - at, n - first);
    body(Range{first, first + size});
    at += size;
  }
}

/// The work of a step from 0 on: odd ones read what the one before them wrote, and write to where it read.
template <class Work>
Work work_of_step(Work const& work, int step) {
  auto const functor = later_by(work.functor, step);
  if (step % 2 == 0)
    return {work.in, work.out, work.extents, functor, work.taps, work.points, work.reduction, work.domain};
  // Previous time levels are where outputs are.
  auto const points = transform(work.points, [&](auto const& field, auto) {
    auto there = field;
    for_each(work.out, [&](auto const& written, auto i) {
      auto const& read = get<decltype(i)::value>(work.in);
      if constexpr (std::is_same_v<decltype(read.origin), decltype(field.origin)>)
        if (field.origin == written.origin) there = {read.origin, read.stride};
    });
    return there;
  });
  auto const in     = transform(work.in, [&](auto const& field, auto i) {
    auto const& written = get<decltype(i)::value>(work.out);
    return std::decay_t<decltype(field)>{written.origin, written.stride};
  });
  auto const out    = transform(work.out, [&](auto const& field, auto i) {
    auto const& read = get<decltype(i)::value>(work.in);
    return std::decay_t<decltype(field)>{const_cast<decltype(field.origin)>(read.origin), read.stride};
  });
  return {in, out, work.extents, functor, work.taps, points, work.reduction, work.domain};
}

/// The conditions at the faces of the fields that a step reads.
template <class Values, unsigned wrapped, unsigned near, int rank, class Work>
auto boundary_of_step(StepsBoundary<Values, wrapped, near, rank> boundary, Work const& work) {
  for_each(boundary.values, [&](auto& value, auto i) {
    auto const& field = get<decltype(i)::value>(work.in);
    value.origin      = field.origin;
    for (int c = 0; c < 3; ++c)
      if (int const d = Work::Order::user_dim(c); d >= 0) value.stride[d] = field.stride[c];
  });
  return boundary;
}

/// Computes a tile of one of several steps.
template <bool Unit, class Work, class Boundary>
void compute_tile_of_step(Work const& work, Boundary const&, Tile const& tile) {
  compute_tile<Unit>(work, tile, 0);
}
template <bool Unit, class Work, class Values, unsigned wrapped, unsigned near, int rank>
void compute_tile_of_step(Work const& work, StepsBoundary<Values, wrapped, near, rank> const& boundary,
                          Tile const& tile) {
  auto const of_step = boundary_of_step(boundary, work);
  BoundedSweep<Work, std::remove_const_t<decltype(of_step)>>{work, of_step}.template compute<Unit>(tile, 0);
}

/// A thread's share of a front: of each step's planes some rows, or columns of all rows where those are too few.
template <bool Unit, class Work, class Boundary>
void compute_front(Work const& work, Boundary const& boundary, StepsWave const& wave, std::int64_t front,
                   std::int64_t y, std::int64_t x, int thread, int threads) {
  using Faces   = StepsFacesOf<Boundary>;
  auto const& n = work.extents;
  for (int step = 0; step < wave.depth; ++step) {
    auto const z   = front * wave.front - step * wave.lag(Work::rz);
    auto const all = wave.whole(n[0], step * Work::rz, Faces::wraps(0));
    Range const planes{std::max(all.begin, z), std::min(all.end, z + wave.front)};
    auto rows          = wave.shifted(y, wave.block_y, n[1], step * Work::ry, Faces::wraps(1));
    auto cols          = wave.shifted(x, wave.block_x, n[2], step * Work::rx, Faces::wraps(2));
    auto& shared       = wave.block_y >= threads ? rows : cols;
    shared             = shared.part(thread, threads);
    auto const of_step = work_of_step(work, step);
    for_each_period(planes, n[0], [&](Range const& p) {
      for_each_period(rows, n[1], [&](Range const& r) {
        for_each_period(cols, n[2], [&](Range const& c) {
          compute_tile_of_step<Unit>(of_step, boundary, {p.begin, r.begin, c.begin, p.size(), r.size(), c.size()});
        });
      });
    });
  }
}

/// Blocks whose planes of all steps stay in the threads' caches, and fronts that are worth waiting for.
template <class Work>
StepsWave make_steps_wave(Work const& work, int depth, int threads) {
  namespace tuning = HostTuning;

  auto const& n = work.extents;
  StepsWave wave{depth, 1, 1, std::min(n[2], tuning::longest_row * (n[1] < threads ? threads : 1))};
  auto const planes       = depth * wave.lag(Work::rz) + Work::rz;
  std::size_t const bytes = bytes_of(work.in) + bytes_of(work.points) + bytes_of(work.out);
  auto const rows         = std::int64_t(tuning::wave_bytes * threads / (std::size_t(planes * wave.block_x) * bytes));
  wave.block_y            = even_part(n[1], std::max<std::int64_t>(1, rows));
  while (wave.front < tuning::max_front &&
         wave.front * depth * wave.block_y * wave.block_x < tuning::min_points * threads)
    wave.front *= 2;
  return wave;
}

/// The numbers of steps of a wave: odd, so that the last one writes to `work.out`.
template <class Exec, class Boundary, class... WorkArgs>
std::vector<int> fused_depths(Tag, Exec const&, StencilWork<WorkArgs...> const& work, Boundary const&, int) {
  using Work = StencilWork<WorkArgs...>;
  if (work.extents[0] < 2 || Work::rz == 0) return {};
  return {std::begin(HostTuning::steps_depths), std::end(HostTuning::steps_depths)};
}

/// What a team of all threads does.
template <class Work, class Boundary>
struct StepsWaveKernel {
  Work work;
  Boundary boundary;
  StepsWave wave;
  std::int64_t fronts;
  bool unit;  ///< whether neighbors in a row are neighbors in memory

  StepsWaveKernel(Work const& work_, Boundary const& boundary_, int depth, int threads)
      : work(work_), boundary(boundary_), wave(make_steps_wave(work, depth, threads)), unit(has_unit_stride(work)) {
    auto const last = wave.whole(work.extents[0], (depth - 1) * Work::rz, StepsFacesOf<Boundary>::wraps(0));
    fronts          = (last.end + (depth - 1) * wave.lag(Work::rz) + wave.front - 1) / wave.front;
  }

  template <class Team>
  void operator()(Team const& team) const {
    auto const compute = unit ? &compute_front<true, Work, Boundary> : &compute_front<false, Work, Boundary>;
    for (std::int64_t y = 0; y * wave.block_y < work.extents[1]; ++y)
      for (std::int64_t x = 0; x * wave.block_x < work.extents[2]; ++x)
        for (std::int64_t front = 0; front < fronts; ++front) {
          compute(work, boundary, wave, front, y, x, team.team_rank(), team.team_size());
          team.team_barrier();
        }
  }
};

template <class Exec, class Boundary, class... WorkArgs>
void run_fused_steps(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                     Boundary const& boundary, int depth) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  StepsWaveKernel const kernel(work, boundary, depth, threads_of(exec));
  // Within a parallel region Kokkos counts that region's threads there, of which the instance may have fewer.
  int const threads = std::min(threads_of(exec), Policy(exec, 1, 1).team_size_max(kernel, Kokkos::ParallelForTag()));
  Kokkos::parallel_for(kernel_label(Tag{}, label), Policy(exec, 1, threads), kernel);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
