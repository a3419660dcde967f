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

/// How a stencil's values are read: through the caches, by teams that are wide or that reach across several planes, or
/// from the queue.
enum class Way { cache, deep, queue };

inline char const* name_of(Way way) {
  switch (way) {
    case Way::cache: return "cache";
    case Way::deep: return "cache, deep";
    default: return "queue";
  }
}

/// The ways that a work can go, of those that the policy allows.
class StencilWays {
 public:
  template <class Exec, class Work>
  StencilWays(Exec const& exec, Work const& work) {
    bool const cached = can_be_cached<Exec>(work) && work.taps != StencilTaps::queue;
    if (cached) add(Way::cache);
    if (cached && !Backend::on_host<Exec> && Work::Order::rank == 3) add(Way::deep);
    if (!cached || (work.taps == StencilTaps::automatic && queue_tiling(exec, work).scratch_level >= 0))
      add(Way::queue);
  }

  int size() const { return m_size; }
  Way operator[](std::size_t i) const { return m_way[i]; }
  Way last() const { return m_way[m_size - 1]; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (int i = 0; i < m_size; ++i) names.emplace_back(name_of(m_way[i]));
    return names;
  }

 private:
  void add(Way way) { m_way[m_size++] = way; }

  Way m_way[3]{};
  int m_size = 0;
};

template <class Tag, class Exec, class Work>
TuningChoices stencil_choices(Tag, Exec const& exec, std::string const& label, Work const& work,
                              StencilWays const& ways, double points) {
  auto const& n    = work.extents;
  auto const names = ways.names();
  return {{"stencil", label, typeid(Work).name(), size_classes_text(n) + " points", machine_of(Tag{}, exec)},
          {{"planes", n[0]}, {"rows", n[1]}, {"points a row", n[2]}},
          "taps",
          names,
          names.size(),
          points};
}

/// \param[in] run  run(way).
template <class Tag, class Exec, class Work, class Run>
void run_as_measured(Tag, Exec const& exec, std::string const& label, Work const& work, StencilWays const& ways,
                     Run const& run) {
  double const points = double(work.extents[0]) * double(work.extents[1]) * double(work.extents[2]);
  thread_local RecentTuners<Exec> recent;
  auto const choices = [&] { return stencil_choices(Tag{}, exec, label, work, ways, points); };
  auto const tuner   = [&] { return recent.get(exec, label, work.extents, int(ways.last()), choices); };
  run_fastest(exec, points, 0, tuner, choices, [&](std::size_t number) { run(ways[number]); });
}

/// As the policy says or as calls turn out to be fastest. Where measuring waits for the instance, through the caches by
/// wide teams: that has been fastest in most cases.
template <RunsPortable Tag, class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  auto const run = [&](Way way) {
    if (way == Way::queue) run_queued_stencil(Tag{}, exec, label, work);
    else run_cached_stencil(Tag{}, exec, label, work, way == Way::deep);
  };
  if constexpr (has_active_points<StencilWork<WorkArgs...>> && !Backend::on_host<Exec>) return run(Way::cache);
  StencilWays const ways(exec, work);
  if constexpr (!Stopwatch<Exec>::waits)
    if (ways.size() > 1) return run_as_measured(Tag{}, exec, label, work, ways, run);
  run(ways[0]);
}

template <RunsPortable Tag, class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  run_queued_stencil(Tag{}, exec, label, work);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
