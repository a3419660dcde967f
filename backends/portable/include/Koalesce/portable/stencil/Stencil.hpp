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

namespace Koalesce::Impl::PortableBackend {

template <class Tag, class Exec, class Work>
TuningChoices stencil_choices(Tag, Exec const& exec, std::string const& label, Work const& work, double points) {
  auto const& n = work.extents;
  return {{"stencil", label, typeid(Work).name(), size_classes_text(n) + " points", machine_of(Tag{}, exec)},
          {{"planes", n[0]}, {"rows", n[1]}, {"points a row", n[2]}},
          "taps",
          {"cache", "queue"},
          2,
          points};
}

/// \param[in] run  run(whether from the queue).
template <class Tag, class Exec, class Work, class Run>
void run_as_measured(Tag, Exec const& exec, std::string const& label, Work const& work, Run const& run) {
  if (queue_tiling(exec, work).scratch_level < 0) return run(false);

  double const points = double(work.extents[0]) * double(work.extents[1]) * double(work.extents[2]);
  thread_local RecentTuners<Exec> recent;
  auto const choices = [&] { return stencil_choices(Tag{}, exec, label, work, points); };
  auto const tuner   = [&] { return recent.get(exec, label, work.extents, 0, choices); };
  run_fastest(exec, points, 0, tuner, choices, [&](std::size_t number) { run(number == 1); });
}

/// Through the caches or from the queue, as the policy says or as calls turn out to be fastest. Where measuring waits
/// for the instance, through the caches: that has been fastest wherever it was measured.
template <RunsPortable Tag, class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  auto const run = [&](bool queue) {
    if (queue) run_queued_stencil(Tag{}, exec, label, work);
    else run_cached_stencil(Tag{}, exec, label, work);
  };
  if constexpr (has_active_points<StencilWork<WorkArgs...>> && !Backend::on_host<Exec>) return run(false);
  if (!can_be_cached<Exec>(work)) return run(true);
  if (work.taps != StencilTaps::automatic) return run(work.taps == StencilTaps::queue);
  if constexpr (!Stopwatch<Exec>::waits) return run_as_measured(Tag{}, exec, label, work, run);
  else run(false);
}

template <RunsPortable Tag, class Exec, class... WorkArgs>
void run_stencil(Tag, Exec const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  run_queued_stencil(Tag{}, exec, label, work);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
