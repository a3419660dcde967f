// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_PLACEMENT_TUNER_HPP
#define KOALESCE_PLACEMENT_IMPL_PLACEMENT_TUNER_HPP

#include <Koalesce/placement/PlacementLog.hpp>
#include <Koalesce/placement/impl/AccessCounting.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// How long a trial takes. It makes many short readings of the clock and keeps the minimum, which nothing has
/// disturbed.
struct TrialLength {
  static constexpr double warm_up = 0.05;    // seconds before the first trial: processors speed up under load
  static constexpr double reading = 0.0001;  // seconds of a reading, if that takes more than one run
  static constexpr int max_runs   = 32;      // of a reading
  static constexpr int readings   = 15;
  static constexpr double most    = 0.25;  // seconds, after which three readings suffice
};

/// The time per run; waits for the instance.
template <class Exec, class Run>
double seconds_of(Exec const& exec, int runs, Run const& run) {
  Stopwatch<Exec> watch(exec);
  for (int i = 0; i < runs; ++i) run();
  watch.stop(exec);
  exec.fence("Koalesce::tune_placement: a trial ends");
  return *watch.seconds() / runs;
}

/// The minimum time of each of some runs. They take turns, so that a temporary slowdown of the machine affects all.
template <class Exec, class... Run>
std::array<double, sizeof...(Run)> min_seconds(Exec const& exec, Run const&... run) {
  std::array<double, sizeof...(Run)> least{seconds_of(exec, 1, run)...};
  std::array<int, sizeof...(Run)> runs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i] = int(std::clamp(TrialLength::reading / std::max(least[i], 1e-9), 1.0, double(TrialLength::max_runs)));
  double spent = 0;
  for (int reading = 0; reading < TrialLength::readings && (reading < 3 || spent < TrialLength::most); ++reading) {
    std::size_t i   = 0;
    auto const read = [&](auto const& one) {
      double const seconds = seconds_of(exec, runs[i], one);
      least[i]             = std::min(least[i], seconds);
      spent += seconds * runs[i++] / sizeof...(Run);
    };
    (read(run), ...);
  }
  return least;
}

/// Runs trials of a call's placements. A placement alternates with the fastest one so far; its time is the ratio of the
/// two, times the fastest one's time in its own trial.
template <class Call, class Tuning>
class PlacementTrialRunner {
 public:
  PlacementTrialRunner(Call const& call, Tuning const& tuning)
      : m_call(call), m_tuning(tuning), m_name(call.kernel_name()) {}

  PlacementMeasurement operator()(Placement const& placement) {
    PlacementMeasurement measured;
    measured.why = m_call.misfit(placement);
    if (!measured.why.empty()) return measured;
    auto const& exec = m_call.policy.space();
    auto const run   = [&] { m_call.launch(m_name, placement); };
    m_tuning.reset();
    run();
    exec.fence("Koalesce::tune_placement: a trial begins");
    compare(placement);
    if (!m_is_warm) {
      for (Kokkos::Timer timer; timer.seconds() < TrialLength::warm_up;) seconds_of(exec, 4, run);
      m_is_warm = true;
    }
    measured.seconds   = seconds(placement);
    measured.resources = m_call.resources(placement);
    return measured;
  }

 private:
  void compare(Placement const& placement) {
    for (auto const& check : m_tuning.m_checks) {
      if (!m_has_run) {
        check.remember();
      } else if (auto const difference = check.difference(); !difference.empty()) {
        fail(m_call.where(), difference, " between the first placement and (",
             to_string(placement, declared_arrays(m_call.declared)),
             "); the kernel reads elements before it writes them, has a race, or is not repeatable; correct it, "
             "restore its data by PlacementTuning::with_reset(), or give with_check() a tolerance");
      }
    }
    m_has_run = true;
  }

  double seconds(Placement const& placement) {
    auto const run = [&] { m_call.launch(m_name, placement); };
    double seconds = 0;
    if (m_fastest.empty()) {
      seconds = min_seconds(m_call.policy.space(), run)[0];
    } else {
      auto const [now, fastest] = min_seconds(m_call.policy.space(), run, [&] { m_call.launch(m_name, m_fastest); });
      seconds                   = m_least * now / std::max(fastest, 1e-9);
    }
    if (m_fastest.empty() || seconds < m_least) {
      m_fastest = placement;
      m_least   = seconds;
    }
    return seconds;
  }

  Call const& m_call;
  Tuning const& m_tuning;
  std::string const m_name;
  Placement m_fastest;
  double m_least = 0;
  bool m_has_run = false, m_is_warm = false;
};

/// The log of a call before anything was tried.
template <class Call>
PlacementLog begin_placement_log(Call const& call) {
  PlacementLog log;
  log.kernel           = call.label;
  log.device           = call.key().machine.device;
  log.league           = call.policy.league_size();
  log.team_size        = call.policy.team_size();
  log.arrays           = declared_arrays(call.declared);
  log.result.placement = Placement(log.arrays.size());
  return log;
}

/// Sets the numbers of accesses: those stated, or counted ones.
template <class Call>
void find_counts(Call const& call, PlacementLog& log) {
  bool stated = true;
  for_each(call.declared.arrays, [&](auto const& array, auto) { stated = stated && array.stated_accesses(); });
  if (stated) return;
  log.counted       = true;
  auto const counts = count_accesses(call);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    log.arrays[i].count = counts[i].accesses_per_team();
    if (log.arrays[i].threads && counts[i].shared_elements == 0 && call.policy.team_size() > 1)
      log.notes.push_back("no element of TeamArray \"" + counts[i].name + "\" was touched by two threads in " +
                          std::to_string(counts[i].teams) +
                          " teams; if that is always so, a ThreadArray can lie in registers");
  }
}

template <class Call, class Tuning>
PlacementLog measure_placement(Call const& call, Tuning const& tuning) {
  auto log = begin_placement_log(call);
  tuning.reset();
  try {
    find_counts(call, log);
    log.result = search_placement(log.arrays, tuning.search(), PlacementTrialRunner<Call, Tuning>(call, tuning));
  } catch (...) {
    try {
      tuning.reset();
    } catch (...) {  // the first error says more
    }
    throw;
  }
  tuning.reset();
  if (!log.result.seconds) call.fail_unplaced(log.result.trials.front().measured.why);
  return log;
}

}  // namespace Koalesce::Impl

#endif
