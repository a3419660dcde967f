// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_LOG_TEXT_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_LOG_TEXT_HPP

#include <Koalesce/placement/PlacementLog.hpp>
#include <Koalesce/tuning/impl/LogText.hpp>
#include <Koalesce/tuning/impl/TuningDecisionText.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Rows of equally many cells, as columns two spaces apart; the first row is the heading.
class TextTable {
 public:
  /// \param[in] left  for each column, whether its cells are at the left.
  explicit TextTable(std::vector<bool> left) : m_left(std::move(left)) {}

  void row(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<std::size_t> widths(m_left.size(), 0);
    for (auto const& cells : m_rows)
      for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], width(cells[c]));
    std::string all;
    for (auto const& cells : m_rows) {
      std::string line;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        std::string const gap(widths[c] - width(cells[c]), ' ');
        line += "  " + (m_left[c] ? cells[c] + gap : gap + cells[c]);
      }
      all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return all;
  }

 private:
  /// Number of characters in a UTF-8 text.
  static std::size_t width(std::string const& cell) {
    return std::size_t(std::count_if(cell.begin(), cell.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }

  std::vector<bool> m_left;
  std::vector<std::vector<std::string>> m_rows;
};

/// "tile: registers", the arrays that are not in scratch memory; "all in scratch".
inline std::string promoted_text(Placement const& placement, std::vector<PlacementArray> const& arrays) {
  std::vector<PlacementArray> names;
  std::vector<Place> places;
  for (std::size_t a = 0; a < placement.size(); ++a)
    if (placement[a] != Place::scratch) {
      names.push_back({a < arrays.size() ? arrays[a].name : "array " + std::to_string(a)});
      places.push_back(placement[a]);
    }
  return places.empty() ? "all in scratch" : to_string(Placement(places), names);
}

/// What a trial moved: the one array, or all that are not in scratch memory.
inline std::string moved_text(PlacementTrial const& trial, std::vector<PlacementArray> const& arrays) {
  auto const a = trial.array;
  if (!a || *a >= arrays.size()) return promoted_text(trial.placement, arrays);
  return to_string(Placement{trial.placement[*a]}, {arrays[*a]});
}

inline std::string outcome_text(PlacementTrial const& trial) {
  switch (trial.outcome) {
    case PlacementOutcome::first: return "first";
    case PlacementOutcome::kept: return "kept";
    case PlacementOutcome::undone: return "slower, undone";
    case PlacementOutcome::tried: return "tried";
    case PlacementOutcome::impossible: break;
  }
  return trial.measured.why.empty() ? "cannot run" : "cannot run: " + trial.measured.why;
}

inline std::string arrays_text(PlacementLog const& log) {
  // Where nobody counted, a number that was not stated is 0.
  auto const known  = [&](PlacementArray const& array) { return log.counted || array.count != 0; };
  bool const stated = std::any_of(log.arrays.begin(), log.arrays.end(), known);
  TextTable table({true, false, true, true});
  table.row({"array",
             log.counted ? "accesses, counted"
             : stated    ? "accesses, stated"
                         : "accesses",
             "elements of", "length"});
  for (auto const& array : log.arrays)
    table.row({one_line(array.name), known(array) ? fixed_text(array.count, 1) : "-",
               array.threads ? "several threads" : "one thread each", array.constant ? "constant" : "varying"});
  return table.text();
}

inline std::string trials_text(PlacementLog const& log) {
  auto const number = [](std::optional<int> const& n) { return n ? std::to_string(*n) : "-"; };
  auto const first  = log.result.trials.front().measured.seconds;
  TextTable table({false, true, false, false, false, false, false, false, true});
  table.row({"trial", "moved", "time", "of first", "registers", "local B", "shared B", "occupancy", "outcome"});
  for (std::size_t t = 0; t < log.result.trials.size(); ++t) {
    auto const& trial               = log.result.trials[t];
    auto const& [seconds, use, why] = trial.measured;
    table.row({std::to_string(t + 1), one_line(moved_text(trial, log.arrays)), seconds ? seconds_text(*seconds) : "-",
               seconds && first ? fixed_text(*seconds / *first, 3) : "-", number(use.registers),
               number(use.local_bytes), number(use.shared_bytes),
               use.occupancy ? fixed_text(100 * *use.occupancy, 1) + " %" : "-", one_line(outcome_text(trial))});
  }
  return table.text();
}

inline std::string reason_text(PlacementLog const& log) {
  auto const& [placement, seconds, trials] = log.result;
  if (log.source == PlacementSource::measured && !seconds && !trials.empty()) return "no placement could run";
  std::string text = seconds ? seconds_text(*seconds) : "";
  if (seconds && !trials.empty() && trials.front().measured.seconds)
    text += ", " + fixed_text(*trials.front().measured.seconds / *seconds, 2) + " times as fast as all in scratch";
  if (log.source == PlacementSource::remembered)
    text += (text.empty() ? "" : ", ") + std::string("remembered from an earlier call or run");
  return text;
}

/// The heading that logs of all patterns share.
inline TuningDecision tuning_decision(PlacementLog const& log) {
  TuningDecision decision;
  decision.pattern    = "placement";
  decision.label      = log.kernel;
  decision.device     = log.device;
  decision.extents    = std::to_string(log.league) + " x " + std::to_string(log.team_size) + " threads";
  decision.decided    = true;
  decision.remembered = log.source == PlacementSource::remembered;
  decision.choice     = to_string(log.result.placement, log.arrays);
  decision.why        = reason_text(log);
  return decision;
}

inline std::string placement_log_text(PlacementLog const& log) {
  std::string text = decision_heading(tuning_decision(log));
  if (!log.arrays.empty()) text += arrays_text(log);
  if (!log.result.trials.empty()) text += trials_text(log);
  for (auto const& note : log.notes) text += "  " + one_line(note) + "\n";
  return text;
}

}  // namespace Koalesce::Impl

namespace Koalesce {

inline std::ostream& operator<<(std::ostream& out, PlacementLog const& log) {
  return out << Impl::placement_log_text(log);
}

}  // namespace Koalesce

#endif
