// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TIMED_CALLS_HPP
#define KOALESCE_TUNING_IMPL_TIMED_CALLS_HPP

#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Calls whose times are not known yet, and the entries that wait for them by record(turn, seconds) and lost(turn). Not
/// thread-safe.
template <class Exec, class EntryPointer, class Turn>
class TimedCalls {
 public:
  /// Times run(), which returns whether it ran the candidate that was chosen.
  template <class Run>
  void time(Exec const& exec, EntryPointer const& entry, Turn const& turn, Run const& run) {
    try {
      auto watch = std::make_unique<Stopwatch<Exec>>(exec);
      if (!run()) return entry->lost(turn);
      watch->stop(exec);
      m_calls.push_back({entry, turn, std::move(watch)});
    } catch (...) {
      entry->lost(turn);
      throw;
    }
  }

  /// Takes over another object's measurements.
  void take(TimedCalls&& other) {
    for (auto& call : other.m_calls) m_calls.push_back(std::move(call));
    other.m_calls.clear();
  }

  /// Gives up all measurements.
  void forget() {
    for (auto const& call : m_calls) call.entry->lost(call.turn);
    m_calls.clear();
  }

  /// Passes the times that have become known to the entries.
  void poll() {
    for (auto call = m_calls.begin(); call != m_calls.end();) {
      std::optional<double> seconds;
      try {
        seconds = call->watch->seconds();
      } catch (...) {
        call->entry->lost(call->turn);
        m_calls.erase(call);  // also if reading the time throws
        throw;
      }
      if (!seconds) {
        ++call;
        continue;
      }
      call->entry->record(call->turn, *seconds);
      call = m_calls.erase(call);
    }
  }

 private:
  struct Call {
    EntryPointer entry;
    Turn turn;
    std::unique_ptr<Stopwatch<Exec>> watch;
  };

  std::vector<Call> m_calls;
};

}  // namespace Koalesce::Impl

#endif
