// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_DECISION_TEXT_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_DECISION_TEXT_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/tuning/impl/LogText.hpp>

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <locale>
#include <numeric>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace Koalesce::Impl {

inline std::string trial_text(RegroupTrial const& trial) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "  " << std::left << std::setw(11) << to_string(trial.way) << std::right;
  if (trial.calls > 0)
    text << std::setw(11) << fixed_text(1e3 * trial.seconds, 4) << " ms, best of " << trial.calls << ", ";
  else
    text << std::setw(11) << "-"
         << " not measured, ";
  text << bytes_text(trial.bytes) << " moved" << (trial.out_of_race ? ", out of the race" : "");
  return text.str();
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

/// "path 2: 75.0 %, path 0: 25.0 %": the largest first, those of the ninth and on together.
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
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "\"" << decision.label << "\"" << (decision.space.empty() ? "" : " on " + decision.space) << ", 2^"
       << decision.size_class << " to 2^" << decision.size_class + 1
       << " items: " << (decision.decided ? to_string(decision.way) : "still measuring") << "\n";
  if (!decision.why.empty()) text << "  " << decision.why << "\n";
  for (auto const& trial : decision.trials) text << trial_text(trial) << "\n";
  auto const& sample = decision.sample;
  if (sample.items > 0)
    text << "  " << sample.paths << (sample.paths == 1 ? " path, " : " paths, ")
         << fixed_text(sample.paths_per_warp(), 2) << " a warp; " << histogram_text(sample) << "\n";
  return text.str();
}

}  // namespace Koalesce::Impl

namespace Koalesce {

inline std::ostream& operator<<(std::ostream& out, RegroupDecision const& decision) {
  return out << Impl::decision_text(decision);
}

}  // namespace Koalesce

#endif
