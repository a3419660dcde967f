// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_KERNEL_RACE_HPP
#define KOALESCE_TUNING_IMPL_KERNEL_RACE_HPP

#include <algorithm>
#include <limits>

namespace Koalesce::Impl {

/// \brief Which of two kernels that do the same work is faster: what the next call runs, and whether it is timed.
///
/// Each runs once to warm up; then they are timed in turn, a few times each, and the one with the fastest call stays.
/// Knows neither clocks nor kernels.
class KernelRace {
 public:
  static constexpr int rounds      = 3;     // of timed calls
  static constexpr double gain     = 0.98;  // of the first kernel's time: what makes the second worth taking
  static constexpr double hopeless = 1.3;   // times the other: no further round

  /// Whether it is decided.
  bool over() const { return m_turns == turns; }

  /// 0 or 1: the faster one as far as is known, at first 0.
  int leader() const { return m_best[1] < gain * m_best[0] ? 1 : 0; }

  /// What the next call should run.
  int next() const { return over() ? leader() : m_turns % 2; }

  /// Whether that call should be timed.
  bool is_timed() const { return m_turns >= 2 && !over(); }

  /// next() was run to warm up.
  void ran() { ++m_turns; }

  /// next() was run and took this long.
  void ran(double seconds) {
    double& best = m_best[m_turns % 2];
    best         = std::min(best, seconds);
    ++m_turns;
    auto const [least, most] = std::minmax(m_best[0], m_best[1]);
    if (m_turns % 2 == 0 && most > hopeless * least) m_turns = turns;
  }

 private:
  static constexpr int turns = 2 * (1 + rounds);

  int m_turns      = 0;
  double m_best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
};

}  // namespace Koalesce::Impl

#endif
