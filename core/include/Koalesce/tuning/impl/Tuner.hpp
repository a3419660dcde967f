// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNER_HPP
#define KOALESCE_TUNING_IMPL_TUNER_HPP

#include <Koalesce/Version.hpp>
#include <Koalesce/tuning/TuningMode.hpp>
#include <Koalesce/tuning/impl/Race.hpp>
#include <Koalesce/tuning/impl/TimedCalls.hpp>
#include <Koalesce/tuning/impl/TuningBackend.hpp>
#include <Koalesce/tuning/impl/TuningContext.hpp>
#include <Koalesce/tuning/impl/TuningDecisionText.hpp>
#include <Koalesce/tuning/impl/TuningGroup.hpp>
#include <Koalesce/tuning/impl/TuningMemory.hpp>
#include <Koalesce/tuning/impl/TuningRegistry.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The machine and software, this library's version included, for which measured times hold.
template <class Tag, class Exec>
TuningMachine machine_of(Tag tag, Exec const& exec) {
  static_assert(TuningBackend<Tag, Exec>,
                "Koalesce: the execution space's backend was not included, or lacks what TuningBackend asks for; "
                "include <Koalesce/Koalesce.hpp>, or write it");
  auto machine     = tuning_machine(tag, exec);
  machine.software = "Koalesce " KOALESCE_VERSION_STRING ", " + machine.software;
  return machine;
}

/// A choice among candidates: kernels that do the same work.
struct TuningChoices {
  TuningKey key;
  std::vector<TuningInput> inputs;      ///< what a tuning tool is told
  std::string output;                   ///< what it is asked for
  std::vector<std::string> candidates;  ///< at least one; the first one runs if none is faster
  std::size_t tried;                    ///< how many of them are timed, the first ones; tools and memory know all
  double size;                          ///< of the work, in any unit: times of calls with one key are compared by it

  TuningQuestion question() const { return {key.pattern, key.label, inputs, output, candidates}; }

  std::optional<std::size_t> number_of(std::string const& choice) const {
    auto const found = std::find(candidates.begin(), candidates.end(), choice);
    return found != candidates.end() ? std::optional(std::size_t(found - candidates.begin())) : std::nullopt;
  }
};

/// The choice of the calls on an execution space that share a key, for any number of host threads.
template <class Exec>
class Tuner : public TuningEntry {
 public:
  explicit Tuner(TuningChoices choices) : m_choices(std::move(choices)), m_race(m_choices.tried) {
    if (m_choices.candidates.size() == 1) m_chosen = 0;
    else if (auto const known = TuningMemory::instance().find(m_choices.key)) {
      if (auto const number = m_choices.number_of(known->choice)) {
        m_remembered = true;
        m_chosen     = int(*number);
      }
    }
  }

  /// Calls run(number of a candidate), and times it if the tuner wants that.
  template <class Run>
  void run(Exec const& exec, double size, Run const& run) {
    if (int const chosen = m_chosen; chosen >= 0) return run(std::size_t(chosen));
    if (!Stopwatch<Exec>::can_measure(exec)) return run(leader());
    poll();
    auto const turn = next();
    if (!turn.timed) return run(turn.candidate);
    TimedCalls<Exec, Tuner*, SizedTurn> call;  // local, because run() may call this function again
    call.time(exec, this, {turn, size}, [&] { return run(turn.candidate), true; });
    {
      std::lock_guard const lock(m_calls_mutex);
      m_calls.take(std::move(call));
    }
    poll();
  }

  /// The number of the candidate that runs from now on, once it is chosen.
  std::optional<std::size_t> chosen() const {
    int const chosen = m_chosen;
    return chosen >= 0 ? std::optional(std::size_t(chosen)) : std::nullopt;
  }

  struct SizedTurn {
    Race::Turn turn;
    double size;
  };

  void record(SizedTurn const& call, double seconds) {
    std::lock_guard const lock(m_mutex);
    m_race.record(call.turn, seconds * m_choices.size / call.size);
    decide();
  }

  void lost(SizedTurn const& call) {
    std::lock_guard const lock(m_mutex);
    m_race.lost(call.turn);
    decide();
  }

  void finish() override {
    std::lock_guard const lock(m_calls_mutex);
    m_calls.forget();
  }

  std::vector<TuningDecision> decisions() override {
    std::lock_guard const lock(m_mutex);
    TuningDecision decision;
    decision.pattern    = m_choices.key.pattern;
    decision.label      = m_choices.key.label;
    decision.device     = m_choices.key.machine.device;
    decision.extents    = m_choices.key.extents;
    decision.trials     = trials();
    decision.remembered = m_remembered;
    if (int const chosen = m_chosen; chosen >= 0) {
      decision.decided = true;
      decision.choice  = m_choices.candidates[std::size_t(chosen)];
      decision.why     = m_remembered ? "remembered from an earlier call or run"
                                      : decision_reason(decision.trials, std::size_t(chosen));
    }
    return {decision};
  }

 private:
  std::size_t leader() {
    std::lock_guard const lock(m_mutex);
    return m_race.leader();
  }

  Race::Turn next() {
    std::lock_guard const lock(m_mutex);
    return m_race.next();
  }

  void poll() {
    std::lock_guard const lock(m_calls_mutex);
    m_calls.poll();
  }

  std::vector<TuningTrial> trials() const {
    std::vector<TuningTrial> all;
    for (std::size_t i = 0; i < m_choices.tried; ++i) {
      auto const& trial = m_race.trials()[i];
      all.push_back({m_choices.candidates[i], trial.calls, trial.seconds, trial.dropped});
    }
    return all;
  }

  void decide() {
    if (m_chosen >= 0 || !m_race.is_over()) return;
    auto const leader = m_race.leader();
    m_chosen          = int(leader);  // even if keeping it throws
    if (double const seconds = m_race.trials()[leader].seconds; seconds > 0)
      TuningMemory::instance().put_of(*this, m_choices.key, {m_choices.candidates[leader], seconds});
  }

  TuningChoices const m_choices;
  std::mutex m_mutex, m_calls_mutex;  // the second one may be held when the first one is taken
  Race m_race;
  TimedCalls<Exec, Tuner*, SizedTurn> m_calls;
  bool m_remembered = false;
  std::atomic<int> m_chosen{-1};
};

/// The tuner of the calls with these choices, made where there is none.
template <class Exec>
std::shared_ptr<Tuner<Exec>> find_tuner(TuningChoices const& choices) {
  return TuningRegistry::instance().find<Tuner<Exec>>(choices.key,
                                                      [&] { return std::make_shared<Tuner<Exec>>(choices); });
}

/// \brief Runs the fastest of the candidates, which the first calls find out.
///
/// Where processes choose together, their TuningGroup does. If a tuning tool is loaded, it may choose, and measures the
/// time until this returns. In TuningMode::by_extents the candidate `by_extents` runs.
///
/// \param[in] size        of the work.
/// \param[in] by_extents  number of a candidate.
/// \param[in] tuner       returns the result of find_tuner(), as RecentTuners have it.
/// \param[in] choices     returns the TuningChoices, for a tool.
/// \param[in] run         run(number of a candidate).
template <class Exec, class FindTuner, class MakeChoices, class Run>
void run_fastest(Exec const& exec, double size, std::size_t by_extents, FindTuner const& tuner,
                 MakeChoices const& choices, Run const& run) {
  if (tuning_mode() == TuningMode::by_extents) return run(by_extents);
  auto const by_time = [&] {
    if (auto* const group = TuningGroup::current(); group == nullptr) tuner()->run(exec, size, run);
    else group->run(exec, size, choices().candidates, by_extents, run);
  };
  if (!TuningContext::is_wanted() || !Stopwatch<Exec>::can_measure(exec)) return by_time();
  TuningContext const tool(choices().question());
  if (auto const choice = tool.choice()) run(*choice);
  else by_time();
  exec.fence("Koalesce: a tuning tool takes the time");
}

}  // namespace Koalesce::Impl

#endif
