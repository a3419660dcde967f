// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_STENCIL_HPP
#define KOALESCE_PORTABLE_STENCIL_STENCIL_HPP

#include <Koalesce/portable/runtime/Machine.hpp>
#include <Koalesce/portable/stencil/CachedStencil.hpp>
#include <Koalesce/portable/stencil/QueuedStencil.hpp>
#include <Koalesce/tuning/impl/RecentTuners.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <cstddef>
#include <string>
#include <typeinfo>
#include <vector>

namespace Koalesce::Impl::PortableBackend {

/// Where a work can read values around a point: what the policy says, or all that there are, to be timed. Where
/// measuring waits for the instance, through the caches: that has been fastest in most cases. A tile is a team that
/// reaches across planes.
class StencilWays {
 public:
  template <class Exec, class Work>
  StencilWays(Exec const& exec, Work const& work) {
    constexpr bool has_tiles = !Backend::on_host<Exec> && Work::Order::rank == 3;
    StencilTaps taps         = can_be_cached<Exec>(work) ? work.taps : StencilTaps::queue;
    if (taps == StencilTaps::tile && !has_tiles) taps = StencilTaps::cache;
    if (taps != StencilTaps::automatic) {
      add(taps);
      return;
    }
    add(StencilTaps::cache);
    if (Stopwatch<Exec>::waits) return;
    if (has_tiles) add(StencilTaps::tile);
    if (queue_tiling(exec, work).scratch_level >= 0) add(StencilTaps::queue);
  }

  int size() const { return m_size; }
  StencilTaps operator[](std::size_t i) const { return m_taps[i]; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(std::size_t(m_size));
    for (int i = 0; i < m_size; ++i)
      names.emplace_back(m_taps[i] == StencilTaps::queue ? "queue" : m_taps[i] == StencilTaps::tile ? "tile" : "cache");
    return names;
  }

 private:
  void add(StencilTaps taps) { m_taps[m_size++] = taps; }

  StencilTaps m_taps[3]{};
  int m_size = 0;
};

template <class Tag, class Exec, class Work>
TuningChoices stencil_choices(Tag, Exec const& exec, std::string const& label, Work const& work,
                              StencilWays const& ways, double points) {
  auto const& n    = work.extents;
  auto const names = ways.names();
  std::string type = typeid(Work).name();
  for (auto const& name : names) type += ' ' + name;
  return {{"stencil", label, type, size_classes_text(n) + " points" + blocks_text(work.domain.blocks()),
           machine_of(Tag{}, exec)},
          {{"planes", n[0]}, {"rows", n[1]}, {"points a row", n[2]}},
          "taps",
          names,
          names.size(),
          points};
}

/// \param[in] run  run(taps).
template <class Tag, class Exec, class Work, class Run>
void run_as_measured(Tag, Exec const& exec, std::string const& label, Work const& work, StencilWays const& ways,
                     Run const& run) {
  auto const blocks   = work.domain.blocks();
  double const points = double(work.extents[0]) * double(work.extents[1]) * double(work.extents[2]) * double(blocks);
  thread_local RecentTuners<Exec> recent;
  auto const choices = [&] { return stencil_choices(Tag{}, exec, label, work, ways, points); };
  auto const tuner   = [&] {
    return recent.get(exec, label, work.extents, ways.size() + 4 * size_class(blocks), choices);
  };
  run_fastest(exec, points, 0, tuner, choices, [&](std::size_t number) { run(ways[number]); });
}

/// As the policy says or as calls turn out to be fastest.
template <RunsPortable Tag, class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  auto const run = [&](StencilTaps taps) {
    if (taps == StencilTaps::queue) run_queued_stencil(Tag{}, exec, label, work);
    else run_cached_stencil(Tag{}, exec, label, work, taps == StencilTaps::tile);
  };
  if constexpr (has_active_points<StencilWork<WorkArgs...>> && !Backend::on_host<Exec>) return run(StencilTaps::cache);
  StencilWays const ways(exec, work);
  if constexpr (!Stopwatch<Exec>::waits) {
    if (ways.size() > 1) return run_as_measured(Tag{}, exec, label, work, ways, run);
  }
  run(ways[0]);
}

template <RunsPortable Tag, class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  run_queued_stencil(Tag{}, exec, label, work);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
