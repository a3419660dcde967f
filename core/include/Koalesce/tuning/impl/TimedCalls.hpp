// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TIMED_CALLS_HPP
#define KOALESCE_TUNING_IMPL_TIMED_CALLS_HPP

#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Calls whose times are not known yet, and the entries that wait for them by record(turn, seconds) and lost(turn). Not
/// thread-safe. An entry is told of each call once, even if it throws.
template <class Exec, class EntryPointer, class Turn>
class TimedCalls {
 public:
  /// Times run(), which returns whether it ran the candidate that was chosen.
  template <class Run>
  void time(Exec const& exec, EntryPointer const& entry, Turn const& turn, Run const& run) {
    try {
      auto watch = std::make_unique<Stopwatch<Exec>>(exec);
      if (run()) {
        watch->stop(exec);
        m_calls.push_back({entry, turn, std::move(watch)});
        return;
      }
    } catch (...) {
      entry->lost(turn);
      throw;
    }
    entry->lost(turn);
  }

  /// Takes over another object's measurements, or gives them up, if there is no memory for them.
  void take(TimedCalls&& other) {
    try {
      m_calls.reserve(m_calls.size() + other.m_calls.size());
    } catch (...) {
      other.forget();
      throw;
    }
    for (auto& call : other.m_calls) m_calls.push_back(std::move(call));
    other.m_calls.clear();
  }

  /// Gives up all measurements.
  void forget() {
    while (!m_calls.empty()) {
      auto const call = take_out(m_calls.end() - 1);
      call.entry->lost(call.turn);
    }
  }

  /// Passes the times that have become known to the entries.
  void poll() {
    for (std::size_t i = 0; i < m_calls.size();) {
      std::optional<double> seconds;
      try {
        seconds = m_calls[i].watch->seconds();
      } catch (...) {
        auto const call = take_out(m_calls.begin() + std::ptrdiff_t(i));
        call.entry->lost(call.turn);
        throw;
      }
      if (!seconds) {
        ++i;
        continue;
      }
      auto const call = take_out(m_calls.begin() + std::ptrdiff_t(i));
      call.entry->record(call.turn, *seconds);
    }
  }

 private:
  struct Call {
    EntryPointer entry;
    Turn turn;
    std::unique_ptr<Stopwatch<Exec>> watch;
  };

  Call take_out(typename std::vector<Call>::iterator at) {
    Call call = std::move(*at);
    m_calls.erase(at);
    return call;
  }

  std::vector<Call> m_calls;
};

}  // namespace Koalesce::Impl

#endif
