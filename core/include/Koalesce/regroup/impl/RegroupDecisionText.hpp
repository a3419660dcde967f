// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_DECISION_TEXT_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_DECISION_TEXT_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/tuning/impl/LogText.hpp>
#include <Koalesce/tuning/impl/TuningDecisionText.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// The trials in the form that all patterns log.
inline std::vector<TuningTrial> tuning_trials(RegroupDecision const& decision) {
  std::vector<TuningTrial> all;
  for (auto const& trial : decision.trials)
    all.push_back(
        {to_string(trial.variant), trial.calls, trial.seconds, trial.dropped, bytes_text(trial.bytes) + " moved"});
  return all;
}

inline TuningDecision tuning_decision(RegroupDecision const& decision) {
  auto const power = [](int n) { return "2^" + std::to_string(n); };
  return {"regroup",
          decision.label,
          decision.space,
          power(decision.size_class) + " to " + power(decision.size_class + 1) + " items",
          tuning_trials(decision),
          decision.decided,
          decision.remembered,
          to_string(decision.variant),
          decision.why};
}

/// "path 3", or "paths 3-5" where paths share a bucket: path p is in bucket p * buckets / paths.
inline std::string bucket_text(PathSample const& sample, int bucket) {
  if (sample.paths <= PathSample::buckets) return "path " + std::to_string(bucket);
  auto const begin = [&](int b) {
    return (std::int64_t(b) * sample.paths + PathSample::buckets - 1) / PathSample::buckets;
  };
  auto const first = begin(bucket), last = begin(bucket + 1) - 1;
  return first == last ? "path " + std::to_string(first)
                       : "paths " + std::to_string(first) + "-" + std::to_string(last);
}

/// "path 2: 75.0 %, path 0: 25.0 %": the largest first, and those from the ninth on together.
inline std::string histogram_text(PathSample const& sample) {
  constexpr std::size_t most = 8;
  std::vector<int> order(PathSample::buckets);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sample.histogram[a] > sample.histogram[b]; });
  while (!order.empty() && sample.histogram[order.back()] == 0) order.pop_back();
  auto const sum      = std::accumulate(std::begin(sample.histogram), std::end(sample.histogram), std::int64_t(0));
  auto const per_cent = [&](std::int64_t count) { return fixed_text(100. * double(count) / double(sum), 1) + " %"; };
  std::string text;
  std::int64_t others = sum;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    auto const count = sample.histogram[order[i]];
    text += (i == 0 ? "" : ", ") + bucket_text(sample, order[i]) + ": " + per_cent(count);
    others -= count;
  }
  if (order.size() > most) text += ", others: " + per_cent(others);
  return text;
}

inline std::string decision_text(RegroupDecision const& decision) {
  auto const& sample = decision.sample;
  std::string text   = decision_text(tuning_decision(decision));
  if (sample.items > 0)
    text += "  " + std::to_string(sample.paths) + (sample.paths == 1 ? " path, " : " paths, ") +
            fixed_text(sample.paths_per_warp(), 2) + " a warp; " + histogram_text(sample) + "\n";
  return text;
}

}  // namespace Koalesce::Impl

namespace Koalesce {

inline std::ostream& operator<<(std::ostream& out, RegroupDecision const& decision) {
  return out << Impl::decision_text(decision);
}

}  // namespace Koalesce

#endif
