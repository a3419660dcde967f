// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_DECISION_TEXT_HPP
#define KOALESCE_TUNING_IMPL_TUNING_DECISION_TEXT_HPP

#include <Koalesce/tuning/TuningDecision.hpp>
#include <Koalesce/tuning/impl/LogText.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>

namespace Koalesce::Impl {

/// `regroup "events" on Cuda, 2^20 to 2^21 items: grid`, the first line that the log of every pattern has.
inline std::string decision_heading(TuningDecision const& decision) {
  return decision.pattern + " \"" + one_line(decision.label) + "\"" +
         (decision.device.empty() ? "" : " on " + one_line(decision.device)) +
         (decision.extents.empty() ? "" : ", " + one_line(decision.extents)) + ": " +
         (decision.decided ? one_line(decision.choice) : "still measuring") + "\n" +
         (decision.why.empty() ? "" : "  " + one_line(decision.why) + "\n");
}

inline std::string trial_text(TuningTrial const& trial, std::size_t name_width) {
  auto const padded = [](std::string const& text, std::size_t width, bool left) {
    std::string const gap(width > text.size() ? width - text.size() : 0, ' ');
    return left ? text + gap : gap + text;
  };
  std::string text = "  " + padded(trial.choice, name_width, true);
  text += trial.calls > 0
              ? padded(fixed_text(1e3 * trial.seconds, 4), 11, false) + " ms, best of " + std::to_string(trial.calls)
              : padded("-", 11, false) + " not measured";
  return text + (trial.note.empty() ? "" : ", " + trial.note) + (trial.dropped ? ", dropped" : "") + "\n";
}

inline std::string decision_text(TuningDecision const& decision) {
  std::size_t width = 11;
  for (auto const& trial : decision.trials) width = std::max(width, trial.choice.size());
  std::string text = decision_heading(decision);
  for (auto const& trial : decision.trials) text += trial_text(trial, width);
  return text;
}

/// The reason for a choice, in words.
/// \param[in] best  the number of the choice.
inline std::string decision_reason(std::vector<TuningTrial> const& trials, std::size_t best) {
  auto const& name  = trials[best].choice;
  auto const& first = trials[0];
  if (trials.size() == 1) return name + " is the only one allowed";
  if (trials[best].calls == 0) return name + ", because no times could be taken";
  if (best > 0 && first.calls == 0)
    return name + " is the fastest that could be timed (" + first.choice + " could not)";
  if (best > 0)
    return name + " is " + fixed_text(first.seconds / trials[best].seconds, 2) + " times as fast as " + first.choice;
  std::size_t second = 0;
  for (std::size_t i = 1; i < trials.size(); ++i)
    if (trials[i].calls > 0 && (second == 0 || trials[i].seconds < trials[second].seconds)) second = i;
  if (second == 0) return name + " is the only one that could be timed";
  return name + " is as fast as any (" + trials[second].choice + " takes " +
         fixed_text(trials[second].seconds / first.seconds, 2) + " times its time)";
}

}  // namespace Koalesce::Impl

namespace Koalesce {

inline std::ostream& operator<<(std::ostream& out, TuningDecision const& decision) {
  return out << Impl::decision_text(decision);
}

}  // namespace Koalesce

#endif
