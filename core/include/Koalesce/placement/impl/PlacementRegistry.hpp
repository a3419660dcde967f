// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_REGISTRY_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_REGISTRY_HPP

#include <Koalesce/common/impl/RecentValues.hpp>
#include <Koalesce/placement/impl/PlacementCache.hpp>
#include <Koalesce/placement/impl/PlacementTuner.hpp>
#include <Koalesce/tuning/impl/TuningContext.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The placements that the process knows: found by it, or read from the cache file, once a kernel.
class PlacementRegistry {
 public:
  using Found = std::optional<RememberedPlacement>;

  static PlacementRegistry& instance() {
    static PlacementRegistry registry;
    return registry;
  }

  /// What is known; the default file is read when a key is asked for first.
  Found find(PlacementKey const& key) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    auto name = text(key);
    if (auto const known = m_known.find(name); known != m_known.end()) return known->second;
    auto const file  = PlacementCache::default_file();
    auto const found = file ? PlacementCache(*file).find(key) : Found();
    return m_known.emplace(std::move(name), found).first->second;
  }

  void put(PlacementKey const& key, RememberedPlacement const& found) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    m_known[text(key)] = found;
    ++m_changes;
  }

  /// How often what is known changed: what find() gave before the last time may not hold.
  std::int64_t changes() const { return m_changes; }

  void forget() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    m_known.clear();
    ++m_changes;
  }

 private:
  static std::string text(PlacementKey const& key) {
    return key.device + '\n' + key.driver + '\n' + key.kernel + '\n' + key.arrays + '\n' + key.shape;
  }

  std::mutex m_mutex;
  std::map<std::string, Found> m_known;
  std::atomic<std::int64_t> m_changes{0};
};

/// Whether a placement from a file is one that the call can take.
template <class Call>
bool is_usable(Call const& call, RememberedPlacement const& known) {
  auto const arrays = declared_arrays(call.declared);
  if (known.placement.size() != arrays.size()) return false;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (known.placement[i] != Place::scratch && known.placement[i] != promoted_place(arrays[i])) return false;
  return true;
}

/// What tune_placement() does: looks the placement up, or measures it and writes it down.
template <class Call, class Tuning>
PlacementLog find_placement(Call const& call, Tuning const& tuning) {
  if (!tuning.remembers()) return measure_placement(call, tuning);
  auto const key  = call.key();
  auto const file = tuning.cache() ? tuning.cache() : PlacementCache::default_file();
  auto const known =
      tuning.cache() ? PlacementCache(*tuning.cache()).find(key) : PlacementRegistry::instance().find(key);
  if (known && is_usable(call, *known)) {
    auto log             = begin_placement_log(call);
    log.source           = PlacementSource::remembered;
    log.result.placement = known->placement;
    log.result.seconds   = known->seconds;
    PlacementRegistry::instance().put(key, *known);
    return log;
  }
  auto log = measure_placement(call, tuning);
  if (!log.result.seconds) return log;
  RememberedPlacement const found{log.result.placement, *log.result.seconds};
  PlacementRegistry::instance().put(key, found);
  auto const why =
      file ? PlacementCache(*file).remember(key, found) : "there is no folder for it: set KOALESCE_CACHE_DIR to one";
  if (!why.empty()) log.notes.push_back("not remembered for the next run: " + why);
  return log;
}

/// The places of a placement, a letter each: tools' texts are short.
inline std::string placement_code(Placement const& placement) {
  std::string code;
  for (Place const place : placement) code += to_string(place)[0];
  return code;
}

/// Every placement that fits.
template <class Call>
std::vector<Placement> possible_placements(Call const& call) {
  call.check();
  auto const arrays = declared_arrays(call.declared);
  std::vector<Placement> all;
  for (std::size_t moved = 0; moved < std::size_t(1) << arrays.size(); ++moved) {
    Placement placement(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (moved >> i & 1) placement[i] = promoted_place(arrays[i]);
    if (call.misfit(placement).empty()) all.push_back(placement);
  }
  return all;
}

/// The placement that the process knows, or everything in scratch memory.
template <class Call>
Placement known_placement(Call const& call) {
  call.check();
  auto const known = PlacementRegistry::instance().find(call.key());
  return known && is_usable(call, *known) ? known->placement : Placement(std::size_t(Call::arrays));
}

/// Runs with what is known. Where an outside tuner looks on, it may decide, and takes the time until this returns.
template <class Call>
void run_remembered(Call const& call) {
  using Subject        = typename Call::Subject;
  auto const run_known = [&] {
    thread_local RecentValues<Subject, Placement, 8> known;
    auto asked        = call.subject();
    asked.league_size = call.policy.league_size();
    asked.changes     = PlacementRegistry::instance().changes();
    call.run(known.get(asked, [&] { return known_placement(call); }));
  };
  if (!TuningContext::is_wanted()) return run_known();
  thread_local RecentValues<Subject, std::vector<Placement>, 8> possible;
  auto const& placements = possible.get(call.subject(), [&] { return possible_placements(call); });
  TuningQuestion question{"placement",
                          call.label,
                          {{"league size", call.policy.league_size()}, {"team size", call.policy.team_size()}},
                          "places",
                          {}};
  for (auto const& placement : placements) question.candidates.push_back(placement_code(placement));
  TuningContext const tool(question);
  if (auto const choice = tool.choice()) call.run(placements[*choice]);
  else run_known();
  call.policy.space().fence("Koalesce::parallel_placed: a tuning tool takes the time");
}

}  // namespace Koalesce::Impl

#endif
