// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_LOOKUP_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_LOOKUP_HPP

#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/placement/impl/PlacementTuner.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/Tuner.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// A placement as one letter per array, for the tuning file and for tools, whose texts are short.
inline std::string placement_code(Placement const& placement) {
  std::string code;
  for (Place const place : placement) code += to_string(place)[0];
  return code;
}

/// The placement of such a code; nothing, if it is not one for these arrays: the file may have been edited.
inline std::optional<Placement> parse_placement(std::string const& code, std::vector<PlacementArray> const& arrays) {
  Placement placement(arrays.size());
  if (code.size() != arrays.size()) return {};
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (code[i] != to_string(Place::scratch)[0]) placement[i] = promoted_place(arrays[i]);
  return placement_code(placement) == code ? std::optional(placement) : std::nullopt;
}

/// The candidates that fit: everything in scratch memory; one array moved out; all that no threads share moved out; all
/// moved out; and, if asked for, every other combination.
template <class Call>
std::vector<Placement> placement_candidates(Call const& call, bool every) {
  call.check();
  auto const arrays       = declared_arrays(call.declared);
  std::size_t const masks = std::size_t(1) << arrays.size();
  std::size_t own         = 0;
  std::vector<std::size_t> moved{0};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    moved.push_back(std::size_t(1) << i);
    if (!arrays[i].threads) own |= std::size_t(1) << i;
  }
  moved.insert(moved.end(), {own, masks - 1});
  for (std::size_t mask = 0; every && mask < masks; ++mask) moved.push_back(mask);

  std::vector<Placement> all;
  for (auto const mask : moved) {
    Placement placement(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (mask >> i & 1) placement[i] = promoted_place(arrays[i]);
    if (std::find(all.begin(), all.end(), placement) == all.end() && call.misfit(placement).empty())
      all.push_back(placement);
  }
  if (all.empty()) all.emplace_back(arrays.size());  // so that the call reports why it does not fit
  return all;
}

/// The placement for TuningMode::by_extents: everything in scratch memory, unless only another one fits.
template <class Call>
Placement first_placement(Call const& call) {
  return placement_candidates(call, false).front();
}

/// Implements tune_placement(): looks the placement up, or measures and remembers it.
template <class Call, class Tuning>
PlacementLog find_placement(Call const& call, Tuning const& tuning) {
  auto log = begin_placement_log(call);
  if (tuning_mode() == TuningMode::by_extents) {
    log.result.placement = first_placement(call);
    log.notes.push_back("choices go by extents: nothing was measured");
    return log;
  }
  if (!tuning.remembers()) return measure_placement(call, tuning);
  auto& memory   = TuningMemory::instance();
  auto const key = call.key();
  if (auto const known = memory.find(key))
    if (auto const placement = parse_placement(known->choice, log.arrays);
        placement && call.misfit(*placement).empty()) {
      log.source           = PlacementSource::remembered;
      log.result.placement = *placement;
      log.result.seconds   = known->seconds;
      return log;
    }
  log = measure_placement(call, tuning);
  if (!log.result.seconds) return log;
  auto const why = memory.put(key, {placement_code(log.result.placement), *log.result.seconds});
  if (!why.empty()) log.notes.push_back("not remembered for the next run: " + why);
  TuningRegistry::instance().forget(key);  // calls that are still trying take this placement
  return log;
}

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

/// Runs the placement that was found, or the next candidate.
template <class Call>
void run_tuned(Call const& call) {
  using Entry       = PlacementEntry<typename Call::Exec>;
  auto& registry    = TuningRegistry::instance();
  auto asked        = call.subject();
  asked.league_size = 1 + size_class(call.policy.league_size());  // 0 stands for any
  asked.changes     = registry.changes();
  if (call.policy.league_size() == 0) return call.run(Placement(std::size_t(Call::arrays)));
  thread_local RecentValues<typename Call::Subject, std::shared_ptr<Entry>, 8> recent;
  auto const entry = recent.get(asked, [&] {
    auto const key = call.key();
    return registry.template find<Entry>(key, [&] { return make_placement_entry(call, key); });
  });
  entry->run(call.policy.space(), double(call.policy.league_size()),
             [&](std::size_t candidate) { call.run(entry->placement(candidate)); });
}

/// Implements parallel_placed() without a placement. If a tuning tool is loaded, it may choose, and measures the time
/// until this returns.
template <class Call>
void run_automatic(Call const& call) {
  using Placements = RecentValues<typename Call::Subject, std::vector<Placement>, 8>;
  if (tuning_mode() == TuningMode::by_extents) {
    thread_local Placements first;
    return call.run(first.get(call.subject(), [&] { return std::vector{first_placement(call)}; }).front());
  }
  bool const captured = !Stopwatch<typename Call::Exec>::can_measure(call.policy.space());
  if (captured || !TuningContext::is_wanted()) return run_tuned(call);
  thread_local Placements possible;
  auto const& placements = possible.get(call.subject(), [&] { return placement_candidates(call, true); });
  TuningQuestion question{"placement",
                          call.label,
                          {{"league size", call.policy.league_size()}, {"team size", call.policy.team_size()}},
                          "places",
                          {}};
  for (auto const& placement : placements) question.candidates.push_back(placement_code(placement));
  TuningContext const tool(question);
  if (auto const choice = tool.choice()) call.run(placements[*choice]);
  else run_tuned(call);
  call.policy.space().fence("Koalesce::parallel_placed: a tuning tool takes the time");
}

}  // namespace Koalesce::Impl

#endif
