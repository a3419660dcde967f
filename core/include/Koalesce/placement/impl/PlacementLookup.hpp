// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_LOOKUP_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_LOOKUP_HPP

#include <Koalesce/placement/impl/PlacementChecks.hpp>
#include <Koalesce/placement/impl/PlacementTuner.hpp>
#include <Koalesce/tuning/TuningMode.hpp>
#include <Koalesce/tuning/impl/TuningMemory.hpp>
#include <Koalesce/tuning/impl/TuningRegistry.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
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

/// The placement where nothing is measured: everything in scratch memory, unless only another one fits.
template <class Call>
Placement first_placement(Call const& call) {
  return placement_candidates(call, false).front();
}

/// Implements tune_placement(): looks the placement up, or measures and remembers it.
template <class Call, class Tuning>
PlacementLog find_placement(Call const& call, Tuning const& tuning) {
  auto log             = begin_placement_log(call);
  bool const has_teams = call.policy.league_size() > 0;
  if (!has_teams || tuning_mode() == TuningMode::by_extents) {
    log.result.placement = first_placement(call);
    if (auto const why = call.misfit(log.result.placement); !why.empty()) call.fail_unplaced(why);
    log.notes.push_back(has_teams ? "choices go by extents: nothing was measured"
                                  : "the league has no teams, so nothing was measured");
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
  std::string why;
  TuningRegistry::instance().forget(key, [&] {  // calls that are still trying take this placement
    why = memory.put(key, {placement_code(log.result.placement), *log.result.seconds});
  });
  if (!why.empty()) log.notes.push_back("not remembered for the next run: " + why);
  return log;
}

}  // namespace Koalesce::Impl

#endif
