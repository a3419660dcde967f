// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_SHADOW_LINES_DEVICE_LINES_HPP
#define KOALESCE_PORTABLE_SHADOW_LINES_DEVICE_LINES_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/portable/runtime/Teams.hpp>
#include <Koalesce/shadow/impl/LineReductionWork.hpp>
#include <Koalesce/tuning/impl/PartialResults.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// Reductions of lines on a device. Walkers share a line: with W of them, walker w takes the positions w, w + W, ...
/// Neighboring threads are neighboring lines or walkers, whichever lie next to each other in memory.
namespace Koalesce::Impl::PortableBackend {

/// The numbers of these kernels.
struct DeviceLineTuning {
  static constexpr int threads                  = 256;   ///< of a team
  static constexpr int join_threads             = 1024;  ///< of a team that joins parts
  static constexpr int join_lines               = 8;     ///< of such a team: its threads should have few parts each
  static constexpr int team_lines               = 128;   ///< more neighboring lines than these need no teams
  static constexpr int slots                    = 8;     ///< walkers of contiguous lines that a thread is in turn
  static constexpr int scratch_bytes            = 32 * 1024;
  static constexpr int threads_resident         = 2;   ///< this many times the threads that the device holds at once
  static constexpr std::int64_t least_positions = 32;  ///< of a walker, if there are several teams of them
  static constexpr std::int64_t team_positions  = 8;   ///< of a walker within a team
};

/// Calls take(position, load(position)) for first, first + step, ... before end, with several loads under way.
template <int AtOnce, class T, class Load, class Take>
KOKKOS_FORCEINLINE_FUNCTION void walk_positions(std::int64_t first, std::int64_t step, std::int64_t end,
                                                Load const& load, Take const& take) {
  T value[AtOnce]{};
  // Of walks as short as these there are many, and tests of all positions would take longer than the loads.
  if (first + 3 * step >= end) {
    bool const two = first + step < end;
    if (two) {
      static_for<2>([&](auto k) { value[decltype(k)::value] = load(first + decltype(k)::value * step); });
      static_for<2>([&](auto k) { take(first + decltype(k)::value * step, value[decltype(k)::value]); });
    }
    if (std::int64_t const last = two ? first + 2 * step : first; last < end) take(last, load(last));
    return;
  }
  std::int64_t position = first;
  for (; position + (AtOnce - 1) * step < end; position += AtOnce * step) {
    static_for<AtOnce>([&](auto k) { value[decltype(k)::value] = load(position + decltype(k)::value * step); });
    static_for<AtOnce>([&](auto k) { take(position + decltype(k)::value * step, value[decltype(k)::value]); });
  }
  static_for<AtOnce>([&](auto k) {
    if (position + decltype(k)::value * step < end)
      value[decltype(k)::value] = load(position + decltype(k)::value * step);
  });
  static_for<AtOnce>([&](auto k) {
    if (position + decltype(k)::value * step < end)
      take(position + decltype(k)::value * step, value[decltype(k)::value]);
  });
}

/// The elements of a line as what is to be joined.
template <class WorkT>
struct LineElements {
  using Work = WorkT;
  using T    = typename Work::value_type;

  static constexpr int at_once = sizeof(T) <= 8 ? 8 : 4;

  Work work;

  KOKKOS_FUNCTION std::int64_t length() const { return work.length; }

  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t b, std::int64_t line, std::int64_t first, std::int64_t step,
                                        typename Work::Update& update) const {
    T const* const from = work.element(b, line, 0);
    walk_positions<at_once, T>(
        first, step, work.length,
        [&](std::int64_t position) { return load_read_only(from + position * work.at.along); },
        [&](std::int64_t position, T const& value) { work.consume(b, line, position, value, update); });
  }

  KOKKOS_FORCEINLINE_FUNCTION void leave(std::int64_t b, std::int64_t part, std::int64_t line,
                                         typename Work::Update const& update) const {
    work.leave(b, part, line, update);
  }
};

/// The parts of a line as what is to be joined.
template <class WorkT>
struct LineParts {
  using Work   = WorkT;
  using Update = typename Work::Update;

  static constexpr int at_once = sizeof(Update) <= 8 ? 8 : sizeof(Update) <= 16 ? 4 : 2;

  Work work;

  KOKKOS_FUNCTION std::int64_t length() const { return work.parts_per_line; }

  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t b, std::int64_t line, std::int64_t first, std::int64_t step,
                                        Update& update) const {
    walk_positions<at_once, Update>(
        first, step, work.parts_per_line,
        [&](std::int64_t part) { return work.parts[work.part_number(b, part, line)]; },
        [&](std::int64_t, Update const& part) { work.join(update, part); });
  }

  KOKKOS_FORCEINLINE_FUNCTION void leave(std::int64_t b, std::int64_t, std::int64_t line, Update const& update) const {
    work.deliver(b, line, update);
  }
};

/// Many neighboring lines, or short ones: an item is a walker of a line, and leaves a part.
template <class Work>
struct WalkLines {
  LineElements<Work> elements;
  Divisor lines, walkers;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    Work const& work       = elements.work;
    std::int64_t const row = work.parts == nullptr && work.batch == 1 ? 0 : item / lines;
    std::int64_t const b = work.batch == 1 ? 0 : row / walkers, walker = row - b * walkers.divisor();
    std::int64_t const line = item - row * lines.divisor();
    auto update             = work.identity();
    elements.walk(b, line, walker, walkers.divisor(), update);
    work.leave(b, walker, line, update);
  }
};

/// Short lines: an item is a line, whose elements are all loaded before the first one is joined.
template <class Work>
struct ShortLines {
  using T = typename Work::value_type;

  static constexpr int longest = LineElements<Work>::at_once;

  Work work;
  Divisor lines;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const b = work.batch == 1 ? 0 : item / lines, line = item - b * lines.divisor();
    if (work.length <= longest / 2) reduce<longest / 2>(b, line, int(work.length));
    else reduce<longest>(b, line, int(work.length));
  }

  template <int Most>
  KOKKOS_FORCEINLINE_FUNCTION void reduce(std::int64_t b, std::int64_t line, int length) const {
    T const* const from = work.element(b, line, 0);
    T value[Most]{};
    static_for<Most>([&](auto k) {
      constexpr int at = decltype(k)::value;
      if (at < length) value[at] = load_read_only(from + at * work.at.along);
    });
    auto update = work.identity();
    static_for<Most>([&](auto k) {
      constexpr int at = decltype(k)::value;
      if (at < length) work.consume(b, line, at, value[at], update);
    });
    work.deliver(b, line, update);
  }
};

/// A team's walkers of a few lines join what they find in scratch memory, and leave one part per line.
template <class Source>
struct TeamLines {
  using Work   = typename Source::Work;
  using Update = typename Work::Update;

  Source source;
  int lines, walkers;          ///< of a team
  std::int64_t blocks, parts;  ///< blocks of lines; teams that share one
  bool lines_are_neighbors;    ///< in memory; else a line's positions are

  KOKKOS_FUNCTION std::size_t scratch_bytes() const {
    return std::size_t(lines) * walkers * sizeof(Update) + alignof(Update);
  }
  KOKKOS_FUNCTION std::int64_t pieces() const { return source.work.batch * blocks * parts; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, NoUpdate&) const {
    auto* const updates = static_cast<Update*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t(lines) * walkers * sizeof(Update), alignof(Update)));
    for_each_piece(team, pieces(), [&](std::int64_t piece) { reduce(team, piece, updates); });
  }

  template <class Member>
  KOKKOS_FUNCTION void reduce(Member const& team, std::int64_t piece, Update* updates) const {
    std::int64_t const part = piece % parts, block = piece / parts % blocks, b = piece / parts / blocks;
    std::int64_t const line = block * lines;
    int const count         = int(Kokkos::min<std::int64_t>(lines, source.work.lines - line));
    for_each_in_team(team, lines * walkers, [&](int slot) {
      // A line's walkers are `lines` slots apart, or neighbors.
      int const l = lines_are_neighbors ? slot % lines : slot / walkers;
      int const w = lines_are_neighbors ? slot / lines : slot % walkers;
      auto update = source.work.identity();
      if (l < count) source.walk(b, line + l, part * walkers + w, parts * walkers, update);
      updates[slot] = update;
    });
    team.team_barrier();
    int const to_walker = lines_are_neighbors ? lines : 1, to_line = lines_are_neighbors ? 1 : walkers;
    int left = walkers;
    while (left > 1) {
      int const half = (left + 1) / 2, joins = left - half;
      for_each_in_team(team, lines * joins, [&](int i) {
        int const l = lines_are_neighbors ? i % lines : i / joins, w = lines_are_neighbors ? i / lines : i % joins;
        Update* const update = updates + l * to_line + w * to_walker;
        source.work.join(*update, update[half * to_walker]);
      });
      team.team_barrier();
      left = half;
    }
    for_each_in_team(team, count, [&](int l) { source.leave(b, part, line + l, updates[l * to_line]); });
    team.team_barrier();  // before the next piece uses the scratch memory
  }
};

/// The threads that a team's updates leave room for, up to `most`.
template <class Update>
constexpr int line_threads(int most) {
  return std::clamp(DeviceLineTuning::scratch_bytes / int(sizeof(Update)), 1, most);
}

template <class Tag, class Exec, class Body>
void run_line_teams(Tag, Exec const& exec, std::string const& label, Body const& body, int most_threads) {
  NoResult none;
  int const threads = std::min(most_threads, body.lines * body.walkers);
  Teams const teams{body.pieces(), team_threads<Exec>(threads), 0, body.scratch_bytes()};
  if constexpr (RunsPortable<Tag>) run_teams(Tag{}, exec, label, teams, body, none);
  else run_teams(Backend::Portable{}, exec, label, teams, body, none);
}

/// Calls launch(work) with memory for the parts, and joins them.
template <class Tag, class Exec, class Work, class Launch>
void launch_parts(Tag, Exec const& exec, std::string const& label, Work work, std::int64_t parts_per_line,
                  Launch const& launch) {
  using Tuning        = DeviceLineTuning;
  using Update        = typename Work::Update;
  work.parts_per_line = parts_per_line;
  if (parts_per_line == 1) return launch(work);
  PartialResults<Exec, Update> const parts(exec, work.function(), label, work.batch * work.lines * parts_per_line);
  work.parts = parts.data();
  launch(work);
  int const threads = line_threads<Update>(Tuning::join_threads);
  int const lines   = int(std::min<std::int64_t>({work.lines, Tuning::join_lines, threads}));
  int const walkers = int(std::min<std::int64_t>(threads / lines, parts_per_line));
  run_line_teams(Tag{}, exec, label + " [join]",
                 TeamLines<LineParts<Work>>{{work}, lines, walkers, (work.lines + lines - 1) / lines, 1, true},
                 Tuning::join_threads);
}

/// \param[in] threads  as many as keep the device busy.
template <class Tag, class Exec, class Work>
void reduce_lines_on_device(Tag, Exec const& exec, std::string const& label, Work const& work, std::int64_t threads) {
  using Tuning             = DeviceLineTuning;
  using Update             = typename Work::Update;
  bool const neighbors     = work.at.line <= work.at.along;
  int const most           = line_threads<Update>(Tuning::threads);
  std::int64_t const lines = work.batch * work.lines;

  // How many teams, or walkers, of `lines_each` lines share these.
  auto const parts_of = [&](std::int64_t walkers_each) {
    return std::max<std::int64_t>(
        1, std::min(threads / (lines * walkers_each), work.length / (Tuning::least_positions * walkers_each)));
  };
  int team_lines, walkers;
  if (neighbors) {
    team_lines = int(std::min<std::int64_t>(work.lines, most));
    walkers    = int(std::min<std::int64_t>(most / team_lines, work.length / Tuning::team_positions));
  } else {
    for (walkers = 1; 2 * walkers <= most && 2 * walkers * Tuning::team_positions <= work.length;) walkers *= 2;
    std::int64_t const busy = std::clamp<std::int64_t>(lines * walkers / threads, 1, Tuning::slots);
    int const slots         = line_threads<Update>(Tuning::threads * int(busy));
    team_lines              = int(std::min<std::int64_t>(slots / walkers, work.lines));
  }
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  if (work.length <= ShortLines<Work>::longest)
    return Kokkos::parallel_for(label, Range(exec, 0, lines), ShortLines<Work>{work, Divisor(work.lines)});
  if (walkers <= 1 || (neighbors && work.lines > Tuning::team_lines)) {
    std::int64_t parts = parts_of(1);
    if (parts > 32) parts -= parts % 32;  // a multiple of what a cache line holds, so that warps begin at one
    return launch_parts(Tag{}, exec, label, work, parts, [&](Work const& w) {
      Kokkos::parallel_for(label, Range(exec, 0, lines * parts),
                           WalkLines<Work>{{w}, Divisor(w.lines), Divisor(parts)});
    });
  }
  std::int64_t const parts = parts_of(walkers);
  launch_parts(Tag{}, exec, label, work, parts, [&](Work const& w) {
    run_line_teams(Tag{}, exec, label,
                   TeamLines<LineElements<Work>>{
                       {w}, team_lines, walkers, (w.lines + team_lines - 1) / team_lines, parts, neighbors},
                   Tuning::threads);
  });
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
