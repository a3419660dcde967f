// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_REGROUP_HPP
#define KOALESCE_PORTABLE_REGROUP_REGROUP_HPP

#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/regroup/RegroupGrid.hpp>
#include <Koalesce/portable/regroup/RegroupTeam.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>

#include <string>

namespace Koalesce::Impl::PortableBackend {

/// The plain loop.
template <class Work>
struct PlainLoop {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    auto const path = work.predicted(item);
    if (!work.run(path, item, update)) work.fault.report(item, path);
  }
};

template <class Exec, class Work, class Result>
void run_plain_loop(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  for_or_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, work.begin, work.end),
                PlainLoop<Work>{work}, result);
}

/// Whether a backend can run a loop by this variant.
template <class Tag, class Work>
bool can_regroup(Tag, Work const& work, RegroupVariant variant) {
  switch (variant) {
    case RegroupVariant::plain: return true;
    case RegroupVariant::team: return TeamPathOrder<SerialWorker>::can_order(work.paths);
    case RegroupVariant::team_moved:
      return TeamPathOrder<SerialWorker>::can_order(work.paths) &&
             Slots<Work>::bytes_per_item * TeamShape::min_items <= TeamShape::max_moved_bytes;
    default: return work.items() <= GridPathOrder::max_items;
  }
}

/// Bytes of memory that a variant needs.
template <class Tag, class Work>
std::size_t regroup_memory(Tag, Work const& work, RegroupVariant variant) {
  if (variant != RegroupVariant::grid && variant != RegroupVariant::grid_moved) return 0;
  return GridPathOrder::bytes(work.items(), work.paths, SerialWorker::tile_items) +
         (variant == RegroupVariant::grid_moved ? Slots<Work>::bytes(std::size_t(work.items())) : 0);
}

/// Bytes that regrouping moves through memory, beside what the loop itself does.
template <class Tag, class Work>
std::int64_t regroup_bytes(Tag, Work const& work, RegroupVariant variant) {
  if (variant != RegroupVariant::grid && variant != RegroupVariant::grid_moved) return 0;
  auto const code = std::int64_t(GridPathOrder::code_bytes(work.paths));
  return work.items() * (3 * code + 2 * std::int64_t(sizeof(int)) +
                         (variant == RegroupVariant::grid_moved ? 2 * std::int64_t(Slots<Work>::bytes_per_item) : 0));
}

template <RunsPortable Tag, class Exec, class Named, class Work, class Result>
void run_regroup(Tag, Exec const& exec, Named const& named, Work const& work, RegroupVariant variant, char* memory,
                 Result& result) {
  constexpr int team_size = TeamShape::team_size<Exec>;
  switch (variant) {
    case RegroupVariant::plain: return run_plain_loop(exec, named(to_string(variant)), work, result);
    case RegroupVariant::team:
      return run_team<SerialWorker, false>(exec, named(to_string(variant)), work, team_size, result);
    case RegroupVariant::team_moved:
      if constexpr (Work::has_payload)
        run_team<SerialWorker, true>(exec, named(to_string(variant)), work, team_size, result);
      return;
    case RegroupVariant::grid:
      return run_grid<SerialWorker, false>(exec, named, work, memory, team_size, team_size, result);
    case RegroupVariant::grid_moved:
      if constexpr (Work::has_payload)
        run_grid<SerialWorker, true>(exec, named, work, memory, team_size, team_size, result);
      return;
  }
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
