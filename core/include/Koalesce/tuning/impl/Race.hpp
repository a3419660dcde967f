// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_RACE_HPP
#define KOALESCE_TUNING_IMPL_RACE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace Koalesce::Impl {

/// \brief Finds the fastest of some candidates that do the same work: says what the next call runs and whether it is
/// timed.
///
/// The candidates are timed a few times in turn, and the one with the fastest call wins. The first call of each is a
/// warm-up. Its time counts too, but a later one is usually shorter. The number of a call alone decides what it runs,
/// so times may arrive late, in any order, or never. This class knows neither clocks nor kernels.
class Race {
 public:
  static constexpr std::size_t rounds = 3;
  static constexpr double gain        = 0.98;  // another candidate replaces the first one below this share of its time
  static constexpr double drop_ratio  = 2;     // a candidate this many times slower than the fastest is dropped
  static constexpr double first_drop_ratio = 8;  // the same for first calls, which are mostly warm-up

  /// What a call runs. If it is timed, the caller later calls record() with the time, or lost().
  struct Turn {
    std::size_t candidate;
    bool timed;
    bool first = false;  // of the candidate
  };

  struct Trial {
    int calls      = 0;
    double seconds = 0;      // the fastest call; 0 before the first
    double first   = 0;      // the first call
    bool dropped   = false;  // so much slower than another that it is timed no more
  };

  /// \param[in] candidates  at least 1; the first one wins if no other is faster. A single one wins without a call.
  explicit Race(std::size_t candidates) : m_trials(candidates), m_slot(candidates == 1 ? slots() : 0) {}

  Turn next() {
    skip_dropped();
    if (m_slot == slots()) return {leader(), false};
    ++m_pending;
    std::size_t const slot = m_slot++;
    return {slot % m_trials.size(), true, slot < m_trials.size()};
  }

  /// The time of a timed turn. One that is not a positive number counts as lost.
  void record(Turn const& turn, double seconds) {
    if (!(seconds >= 0) || std::isinf(seconds)) return lost(turn);
    auto& trial        = m_trials[turn.candidate];
    double const above = std::max(seconds, 1e-9);  // the clock may be too coarse
    if (trial.calls == 0) trial.first = above;
    trial.seconds = trial.calls == 0 ? above : std::min(trial.seconds, above);
    ++trial.calls;
    --m_pending;
    drop_slow();
  }

  /// There will be no time for a timed turn.
  void lost(Turn const&) { --m_pending; }

  /// Whether all times are in.
  bool is_over() {
    skip_dropped();
    return m_slot == slots() && m_pending == 0;
  }

  /// Whether a time is awaited.
  bool is_pending() const { return m_pending > 0; }

  /// The candidate that is fastest so far.
  std::size_t leader() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < m_trials.size(); ++i)
      if (m_trials[i].calls > 0 && (m_trials[best].calls == 0 || m_trials[i].seconds < m_trials[best].seconds))
        best = i;
    bool const pays = m_trials[0].calls == 0 || m_trials[best].seconds <= gain * m_trials[0].seconds;
    return pays ? best : 0;
  }

  std::vector<Trial> const& trials() const { return m_trials; }

 private:
  std::size_t slots() const { return rounds * m_trials.size(); }

  void skip_dropped() {
    while (m_slot < slots() && m_trials[m_slot % m_trials.size()].dropped) ++m_slot;
  }

  /// First times include the cost of a kernel's first call, so they are compared only with each other. The very first
  /// one does not count, because it also pays for what all candidates share, such as first touch of memory.
  void drop_slow() {
    double first = 0, best = 0;
    for (auto const& trial : m_trials) {
      if (trial.calls == 0) continue;
      first = first == 0 ? trial.first : std::min(first, trial.first);
      best  = best == 0 ? trial.seconds : std::min(best, trial.seconds);
    }
    for (auto& trial : m_trials) {
      bool const opening = &trial == &m_trials.front();
      if (!opening && trial.calls == 1 && trial.first > first_drop_ratio * first) trial.dropped = true;
      if (trial.calls > 1 && trial.seconds > drop_ratio * best) trial.dropped = true;
    }
  }

  std::vector<Trial> m_trials;
  std::size_t m_slot;  // of the schedule: round * candidates + candidate
  int m_pending = 0;   // timed, but neither recorded nor lost
};

}  // namespace Koalesce::Impl

#endif
