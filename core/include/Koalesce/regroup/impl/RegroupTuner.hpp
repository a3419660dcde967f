// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_TUNER_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_TUNER_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/RegroupDecisionText.hpp>
#include <Koalesce/tuning/impl/Race.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The total variation distance of the samples' histograms, from 0 to 1.
inline double path_distance(PathSample const& a, PathSample const& b) {
  double distance = 0;
  for (int i = 0; i < PathSample::buckets; ++i)
    distance += std::abs(double(a.histogram[i]) / double(a.items) - double(b.histogram[i]) / double(b.items)) / 2;
  return distance;
}

/// Whether the items take other paths than before, beyond the noise of sampling.
///
/// Neighboring items may all take one path, so a sample is only as good as its number of runs. For two samples of r1
/// and r2 runs from one loop, with s = sqrt(1/r1 + 1/r2), the distance's mean is below 0.4 s * sum(sqrt(share of
/// bucket)), since |N(0, 1)| is 0.8 on average, and its standard deviation at most s/2. The paths have moved if the
/// distance exceeds the mean by two standard deviations and a tenth of the items.
inline bool paths_moved(PathSample const& then, PathSample const& now) {
  double const s =
      std::sqrt(1 / double(std::max<std::int64_t>(then.runs, 1)) + 1 / double(std::max<std::int64_t>(now.runs, 1)));
  double roots = 0;
  for (int i = 0; i < PathSample::buckets; ++i)
    roots += std::sqrt(double(then.histogram[i] + now.histogram[i]) / double(then.items + now.items));
  if (path_distance(then, now) > 0.1 + s * (1 + 0.4 * roots)) return true;
  double const change = std::abs(now.paths_per_warp() - then.paths_per_warp());
  return change > 0.25 && change > (0.25 + s) * then.paths_per_warp();
}

/// \brief Decides how the loops with one label and one size class run: what the next call runs, whether it is timed.
///
/// The winner of a Race stays until a sample shows that the paths moved. This class knows neither clocks nor Kokkos;
/// the caller locks.
class RegroupTuner {
 public:
  /// What a call runs. If it is timed, the caller later calls record() with the time, or lost().
  struct Choice {
    RegroupVariant variant;
    bool timed;
    std::uint64_t epoch = 0;  ///< the measurement that it belongs to
    Race::Turn turn     = {};
    double size         = 1;  ///< of the work: times are compared by it
  };

  static constexpr int max_decisions         = 8;     // of different paths
  static constexpr int max_restarts          = 2;     // of a measurement during which the paths move
  static constexpr std::uint64_t sample_each = 16;    // calls; twice as many after each sample without a move,
  static constexpr std::uint64_t sample_most = 128;   // but no more
  static constexpr std::uint64_t patience    = 64;    // calls from one new measurement to the next, at first
  static constexpr std::uint64_t quiet       = 1024;  // calls without a move, after which patience is short again

  /// \param[in] label, size_class  for the log.
  /// \param[in] candidates         at least one, with the bytes they move; the first one runs if none is faster.
  RegroupTuner(std::string label, int size_class, std::vector<RegroupTrial> candidates)
      : m_label(std::move(label)), m_size_class(size_class), m_candidates(std::move(candidates)), m_race(1) {
    start(PathSample());
  }

  /// Takes over an earlier process's decision; returns false if that variant is not a candidate.
  bool remember(RegroupVariant variant, PathSample const& sample) {
    auto& decision = m_known[m_current].decision;
    if (std::none_of(m_candidates.begin(), m_candidates.end(), [&](auto const& c) { return c.variant == variant; }))
      return false;
    decision.sample     = sample;
    decision.variant    = variant;
    decision.why        = "remembered from an earlier call or run";
    decision.decided    = true;
    decision.remembered = true;
    return true;
  }

  /// Whether the next call should also sample the paths.
  bool wants_sample() const {
    if (m_candidates.size() == 1) return m_sample_due && current().sample.items == 0;
    return m_sample_due || m_since_sample >= m_sample_each;
  }

  /// What the next call runs, if it samples the paths whenever wants_sample() says so.
  Choice next() { return next(wants_sample()); }

  /// \param[in] samples  whether the call samples the paths: what wants_sample() said before.
  Choice next(bool samples) {
    if (samples) {
      m_sample_due   = false;
      m_since_sample = 0;
    }
    ++m_since_sample;
    ++m_calls;
    auto const& decision = current();
    if (decision.decided) return {decision.variant, false, m_epoch};
    auto const turn = m_race.next();
    return {decision.trials[turn.candidate].variant, turn.timed, m_epoch, turn};
  }

  /// The variant that is fastest so far.
  RegroupVariant leader() const {
    return current().decided ? current().variant : current().trials[m_race.leader()].variant;
  }

  /// The time of a timed choice.
  void record(Choice const& choice, double seconds) {
    if (!is_awaited(choice)) return;
    m_race.record(choice.turn, seconds / choice.size);
    auto& trials = m_known[m_current].decision.trials;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].calls   = m_race.trials()[i].calls;
      trials[i].seconds = m_race.trials()[i].seconds;
      trials[i].dropped = m_race.trials()[i].dropped;
    }
    settle();
  }

  /// There will be no time for a timed choice.
  void lost(Choice const& choice) {
    if (!is_awaited(choice)) return;
    m_race.lost(choice.turn);
    settle();
  }

  /// A sample of the paths, of this call or an earlier one.
  void observe(PathSample const& sample) {
    if (sample.items == 0) return;
    auto& decision = m_known[m_current].decision;
    if (decision.sample.items == 0) {
      decision.sample = sample;
      return;
    }
    if (m_candidates.size() == 1) return;
    if (!paths_moved(decision.sample, sample)) {
      if (decision.decided) m_sample_each = std::min(2 * m_sample_each, sample_most);
      return;
    }
    m_sample_each = sample_each;
    if (m_calls - m_last_move >= quiet) {
      m_patience   = patience;
      m_not_before = 0;
    }
    m_last_move = m_calls;
    if (take_up_earlier(sample)) return;
    if (!decision.decided) {
      if (m_restarts < max_restarts) {
        ++m_restarts;
        restart(sample);
      }
    } else if (m_calls >= m_not_before) {
      m_not_before = m_calls + m_patience;
      m_patience *= 2;
      start(sample);
    }
  }

  /// All decisions, in chronological order. At most one is still measuring.
  std::vector<RegroupDecision> decisions() const {
    std::vector<RegroupDecision> all;
    for (auto const& known : m_known) all.push_back(known.decision);
    return all;
  }

  /// The decision that next() follows.
  RegroupDecision const& current() const { return m_known[m_current].decision; }

 private:
  struct Known {
    RegroupDecision decision;
    std::uint64_t last_used;  // the call at which another decision replaced it
  };

  bool is_awaited(Choice const& choice) const { return choice.timed && choice.epoch == m_epoch && m_race.is_pending(); }

  /// Starts a new decision, which has to be measured.
  void start(PathSample const& sample) {
    if (!m_known.empty()) m_known[m_current].last_used = m_calls;
    if (m_known.size() == max_decisions)
      m_known.erase(std::min_element(m_known.begin(), m_known.end(),
                                     [](Known const& a, Known const& b) { return a.last_used < b.last_used; }));
    m_known.push_back({RegroupDecision(), m_calls});
    m_current  = m_known.size() - 1;
    m_restarts = 0;
    restart(sample);
  }

  /// Measures the current decision from the beginning; late times of the previous measurement are ignored.
  void restart(PathSample const& sample) {
    auto& decision      = m_known[m_current].decision;
    decision            = RegroupDecision();
    decision.label      = m_label;
    decision.size_class = m_size_class;
    decision.sample     = sample;
    decision.trials     = m_candidates;
    m_race              = Race(m_candidates.size());
    m_sample_due        = true;
    ++m_epoch;
    settle();
  }

  /// Returns to an earlier decision for such paths, if there is one.
  bool take_up_earlier(PathSample const& sample) {
    std::size_t found = m_known.size();
    for (std::size_t i = 0; i < m_known.size(); ++i) {
      auto const& decision = m_known[i].decision;
      if (i == m_current || !decision.decided || decision.sample.items == 0 || paths_moved(decision.sample, sample))
        continue;
      if (found == m_known.size() ||
          path_distance(decision.sample, sample) < path_distance(m_known[found].decision.sample, sample))
        found = i;
    }
    if (found == m_known.size()) return false;
    m_known[m_current].last_used = m_calls;
    if (!current().decided) {
      m_known.pop_back();  // the decision that start() added
      ++m_epoch;
    }
    m_current = found;
    return true;
  }

  /// Decides, if all times are known.
  void settle() {
    auto& decision = m_known[m_current].decision;
    if (decision.decided || !m_race.is_over()) return;
    std::size_t const best = m_race.leader();
    decision.variant       = decision.trials[best].variant;
    decision.why           = decision_reason(tuning_trials(decision), best);
    decision.decided       = true;
    m_sample_due           = true;
  }

  std::string m_label;
  int m_size_class;
  std::vector<RegroupTrial> m_candidates;

  std::vector<Known> m_known;  // in order of time
  std::size_t m_current = 0;

  Race m_race;  // of the current decision, until it is made
  std::uint64_t m_epoch = 0;
  int m_restarts        = 0;

  std::uint64_t m_calls        = 0;
  std::uint64_t m_since_sample = 0;
  std::uint64_t m_sample_each  = sample_each;
  bool m_sample_due            = true;
  std::uint64_t m_last_move    = 0;
  std::uint64_t m_not_before   = 0;  // no new measurement begins before this call
  std::uint64_t m_patience     = patience;
};

}  // namespace Koalesce::Impl

#endif
