// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_STOPWATCH_HPP
#define KOALESCE_TUNING_IMPL_STOPWATCH_HPP

#include <Kokkos_Core.hpp>

#include <optional>

namespace Koalesce::Impl {

/// The time that an execution space instance takes for what it is given between start and stop: waits for it at both
/// ends. A backend that can tell without waiting specializes this, in its folder runtime/.
template <class Exec>
class Stopwatch {
 public:
  explicit Stopwatch(Exec const& exec) {
    exec.fence("Koalesce: a measurement begins");
    m_timer.reset();
  }

  /// Whether what the instance is given now runs now: graphs keep it for later.
  static bool can_measure(Exec const&) { return true; }

  void stop(Exec const& exec) {
    exec.fence("Koalesce: a measurement ends");
    m_seconds = m_timer.seconds();
  }

  /// Nothing, as long as the instance is not there yet.
  std::optional<double> seconds() const { return m_seconds; }

 private:
  Kokkos::Timer m_timer;
  std::optional<double> m_seconds;
};

}  // namespace Koalesce::Impl

#endif
