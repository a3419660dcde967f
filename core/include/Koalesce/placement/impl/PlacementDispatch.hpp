// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_DISPATCH_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_DISPATCH_HPP

#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/placement/impl/PlacementChecks.hpp>
#include <Koalesce/placement/impl/PlacementLookup.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The choice of calls without a placement.
template <class Exec>
class PlacementEntry : public Tuner<Exec> {
 public:
  PlacementEntry(TuningChoices choices, std::vector<Placement> placements)
      : Tuner<Exec>(std::move(choices)), m_placements(std::move(placements)) {}

  Placement const& placement(std::size_t candidate) const { return m_placements[candidate]; }

 private:
  std::vector<Placement> const m_placements;
};

template <class Call>
auto make_placement_entry(Call const& call, TuningKey const& key) {
  auto placements         = placement_candidates(call, false);
  std::size_t const tried = placements.size();
  if (auto const known = TuningMemory::instance().find(key))
    if (auto const placement = parse_placement(known->choice, declared_arrays(call.declared)))
      if (std::find(placements.begin(), placements.end(), *placement) == placements.end() &&
          call.misfit(*placement).empty())
        placements.push_back(*placement);
  TuningChoices choices{key, {}, "places", {}, tried, double(call.policy.league_size())};
  for (auto const& placement : placements) choices.candidates.push_back(placement_code(placement));
  return std::make_shared<PlacementEntry<typename Call::Exec>>(std::move(choices), std::move(placements));
}

/// Runs the placement for calls that measure nothing.
template <class Call>
void run_first(Call const& call) {
  thread_local RecentValues<typename Call::Subject, std::vector<Placement>, 8> first;
  call.run(first.get(call.subject(), [&] { return std::vector{first_placement(call)}; }).front(), false);
}

/// Runs the placement that was found, or the next candidate.
template <class Call>
void run_tuned(Call const& call) {
  if (call.policy.league_size() == 0) return run_first(call);
  using Entry       = PlacementEntry<typename Call::Exec>;
  auto& registry    = TuningRegistry::instance();
  auto asked        = call.subject();
  asked.league_size = 1 + size_class(call.policy.league_size());  // 0 stands for any
  asked.changes     = registry.changes();
  thread_local RecentValues<typename Call::Subject, std::shared_ptr<Entry>, 8> recent;
  auto const entry = recent.get(asked, [&] {
    auto const key = call.key();
    return registry.template find<Entry>(key, [&] { return make_placement_entry(call, key); });
  });
  entry->run(call.policy.space(), double(call.policy.league_size()),
             [&](std::size_t candidate) { call.run(entry->placement(candidate), false); });
}

/// Implements parallel_placed() without a placement. If a tuning tool is loaded, it may choose, and measures the time
/// until this returns.
template <class Call>
void run_automatic(Call const& call) {
  if (tuning_mode() == TuningMode::by_extents) return run_first(call);
  bool const captured = !Stopwatch<typename Call::Exec>::can_measure(call.policy.space());
  if (captured || !TuningContext::is_wanted()) return run_tuned(call);
  thread_local RecentValues<typename Call::Subject, std::vector<Placement>, 8> possible;
  auto const& placements = possible.get(call.subject(), [&] { return placement_candidates(call, true); });
  TuningQuestion question{"placement",
                          call.label,
                          {{"league size", call.policy.league_size()}, {"team size", call.policy.team_size()}},
                          "places",
                          {}};
  for (auto const& placement : placements) question.candidates.push_back(placement_code(placement));
  TuningContext const tool(question);
  if (auto const choice = tool.choice()) call.run(placements[*choice], false);
  else run_tuned(call);
  call.policy.space().fence("Koalesce::parallel_placed: a tuning tool takes the time");
}

}  // namespace Koalesce::Impl

#endif
