// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_STOPWATCH_HPP
#define KOALESCE_TUNING_IMPL_STOPWATCH_HPP

#include <Kokkos_Core.hpp>

#include <optional>

namespace Koalesce::Impl {

/// Measures the work of an instance between start and stop, and waits for the instance at both ends. A backend that can
/// measure without waiting specializes it in its folder runtime/.
template <class Exec>
class Stopwatch {
 public:
  static constexpr bool waits = true;  ///< for the instance

  explicit Stopwatch(Exec const& exec) {
    exec.fence("Koalesce: a measurement begins");
    m_timer.reset();
  }

  /// The graph into which the instance's work is captured, to run later; 0 if it runs when it is launched.
  static unsigned long long graph(Exec const&) { return 0; }
  static bool can_measure(Exec const& exec) { return graph(exec) == 0; }

  void stop(Exec const& exec) {
    exec.fence("Koalesce: a measurement ends");
    m_seconds = m_timer.seconds();
  }

  /// The time, or nothing as long as the work has not finished.
  std::optional<double> seconds() const { return m_seconds; }

 private:
  Kokkos::Timer m_timer;
  std::optional<double> m_seconds;
};

}  // namespace Koalesce::Impl

#endif
