// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANK_TUNING_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANK_TUNING_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/Ranks.hpp>
#include <Koalesce/tuning/impl/TuningGroup.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>
#include <Koalesce/tuning/impl/TuningMemory.hpp>
#include <Koalesce/tuning/impl/TuningRegistry.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The choices of the calls of a domain that share a label. The number of the call says when processes compare times:
/// the slowest counts, all decide from the same times, and rank 0 alone reads and writes the tuning file.
class RankTuning : public TuningGroup, public TuningEntry {
 public:
  /// Collective.
  RankTuning(Ranks const& ranks, TuningKey key) : m_ranks(&ranks), m_key(std::move(key)) {
    std::string known;
    if (ranks.rank() == 0)
      if (auto const found = TuningMemory::instance().find(m_key)) known = found->choice;
    std::istringstream lines(ranks.texts(known, m_key.label)[0]);
    for (std::string role, choice; std::getline(lines, role, '=') && std::getline(lines, choice, ';');) {
      m_trials[role].chosen = choice;
      m_remembered          = true;
    }
  }

  int comparisons() const override { return m_comparisons + m_remembered; }

  /// After 25, 50, 100, 200... calls times are compared.
  void begin() override {
    std::lock_guard const lock(m_mutex);
    if (++m_calls < m_next) return;
    compare();
    ++m_comparisons;
    m_next *= 2;
  }

  void finish() override {
    std::lock_guard const lock(m_mutex);
    for (auto& [role, trials] : m_trials) trials.times.clear();
  }

  std::vector<TuningDecision> decisions() override {
    std::lock_guard const lock(m_mutex);
    std::vector<TuningDecision> all;
    for (auto const& [role, trials] : m_trials) {
      TuningDecision& decision = all.emplace_back();
      decision.pattern         = m_key.pattern;
      decision.label           = m_key.label;
      decision.device          = m_key.machine.device;
      decision.extents         = role + ", " + m_key.extents;
      decision.decided         = !trials.chosen.empty();
      decision.remembered      = m_remembered && decision.decided;
      decision.choice          = trials.chosen;
      if (decision.decided)
        decision.why =
            decision.remembered ? "remembered from an earlier call or run" : "shortest on the slowest process";
    }
    return all;
  }

 private:
  static constexpr int period = 25;  // calls, in which a few candidates have some turns each

  /// By role and candidate, seconds for a unit of size.
  using Times = std::map<std::string, std::map<std::string, double>>;

  static void take(Times& times, std::string const& role, std::string const& candidate, double seconds, bool largest) {
    auto const [found, first] = times[role].emplace(candidate, seconds);
    if (!first) found->second = largest ? std::max(found->second, seconds) : std::min(found->second, seconds);
  }

  /// A line for each candidate that this process has timed.
  std::string own_times() {
    Times times;
    for (auto& [role, trials] : m_trials) {
      for (auto const& time : trials.times) {
        auto seconds = time.seconds();
        for (; !seconds; seconds = time.seconds()) std::this_thread::yield();
        take(times, role, time.candidate, *seconds / time.size, false);
      }
      trials.times.clear();
    }
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(std::numeric_limits<double>::max_digits10);
    for (auto const& [role, candidates] : times)
      for (auto const& [candidate, seconds] : candidates) text << role << '=' << candidate << '=' << seconds << ';';
    return text.str();
  }

  void compare() {
    Times slowest;
    std::map<std::string, std::map<std::string, int>> processes;  // that have timed it
    std::map<std::string, int> most;
    for (auto const& text : m_ranks->texts(own_times(), m_key.label)) {
      std::istringstream lines(text);
      std::string role, candidate, seconds;
      while (std::getline(lines, role, '=') && std::getline(lines, candidate, '=') &&
             std::getline(lines, seconds, ';')) {
        std::istringstream number(seconds);
        number.imbue(std::locale::classic());
        double slow = 0;
        number >> slow;
        take(slowest, role, candidate, slow, true);
        most[role] = std::max(most[role], ++processes[role][candidate]);
      }
    }
    double sum_of_times = 0;  // the file takes no entry without a time
    for (auto const& [role, candidates] : slowest) {
      // One that not all of them have is not compared.
      double best = std::numeric_limits<double>::infinity();
      for (auto const& [candidate, seconds] : candidates)
        if (processes[role][candidate] == most[role] && seconds < best) {
          best                  = seconds;
          m_trials[role].chosen = candidate;
        }
      if (std::isfinite(best)) sum_of_times += best;
    }
    std::string all;
    for (auto const& [role, trials] : m_trials)
      if (!trials.chosen.empty()) all += role + "=" + trials.chosen + ";";
    if (m_ranks->rank() == 0 && !slowest.empty())
      TuningMemory::instance().put_of(*this, m_key, {all, std::max(sum_of_times, 1e-9)});
  }

  Ranks const* m_ranks;  // which holds this
  TuningKey m_key;
  bool m_remembered    = false;
  std::int64_t m_calls = 0, m_next = period;
  int m_comparisons = 0;
};

/// That of the calls with a label. Collective. \param[in] machine  returns the TuningMachine.
template <int Rank, class Machine>
std::shared_ptr<RankTuning> rank_tuning(Domain<Rank> const& domain, std::string const& label, std::string const& kernel,
                                        Machine const& machine) {
  auto& ranks = *domain.state();
  std::string extents;
  for (int d = 0; d < Rank; ++d)
    extents +=
        (d ? " x " : "") + std::to_string(domain.global_extents()[d]) + " over " + std::to_string(domain.ranks()[d]);
  return ranks.template plan<RankTuning>("tuning " + label + "; " + kernel, [&] {
    TuningKey const key{"distributed", label, kernel, extents, machine()};
    auto const tuning = std::make_shared<RankTuning>(ranks, key);
    TuningRegistry::instance().forget(key);  // an earlier domain's
    TuningRegistry::instance().find<RankTuning>(key, [&] { return tuning; });
    return tuning;
  });
}

}  // namespace Koalesce::Impl

#endif
