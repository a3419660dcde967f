// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_GROUP_HPP
#define KOALESCE_TUNING_IMPL_TUNING_GROUP_HPP

#include <Koalesce/tuning/impl/Stopwatch.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// Choices that several processes make alike. What runs between its calls takes turns through the candidates; from time
/// to time the processes compare their times, and from then on all run the same candidate. Calls with one role share a
/// choice: processes may have different sizes, and candidates.
class TuningGroup {
 public:
  virtual ~TuningGroup() = default;

  /// Before a call. All processes make it.
  virtual void begin() = 0;
  /// How often processes have compared times.
  virtual int comparisons() const = 0;

  /// That of the calls that this thread makes now, if any.
  static TuningGroup* current() { return active(); }

  /// While it lives, calls of this thread belong to a group.
  class Scope {
   public:
    Scope(TuningGroup* group, std::string const& role) : m_before(std::exchange(active(), group)) {
      if (group != nullptr) m_role = std::exchange(group->m_role, role);
    }
    ~Scope() {
      if (active() != nullptr) active()->m_role = m_role;
      active() = m_before;
    }
    Scope(Scope const&)            = delete;
    Scope& operator=(Scope const&) = delete;

   private:
    TuningGroup* m_before;
    std::string m_role;
  };

  /// Calls run(number of a candidate). \param[in] otherwise  if the choice is none of them.
  template <class Exec, class Run>
  void run(Exec const& exec, double size, std::vector<std::string> const& candidates, std::size_t otherwise,
           Run const& run) {
    std::unique_lock lock(m_mutex);
    auto& trials     = m_trials[m_role];
    auto const leave = [&](std::size_t number) {
      lock.unlock();
      run(number);
    };
    if (!trials.chosen.empty()) {
      auto const chosen = std::find(candidates.begin(), candidates.end(), trials.chosen);
      return leave(chosen == candidates.end() ? otherwise : std::size_t(chosen - candidates.begin()));
    }
    if (candidates.size() == 1) return leave(0);
    if (trials.turn >= max_turns * candidates.size()) return leave(otherwise);
    std::size_t const number = trials.turn++ % candidates.size();
    auto const watch         = std::make_shared<Stopwatch<Exec>>(exec);
    leave(number);
    watch->stop(exec);
    lock.lock();
    trials.times.push_back({candidates[number], size, [watch] { return watch->seconds(); }});
  }

 protected:
  struct Time {
    std::string candidate;
    double size;
    std::function<std::optional<double>()> seconds;
  };
  /// What is known of a role.
  struct Trials {
    std::size_t turn = 0;
    std::string chosen;  ///< empty: not yet
    std::vector<Time> times;
  };

  std::mutex m_mutex;  ///< other threads may ask for decisions
  std::map<std::string, Trials> m_trials;

 private:
  static constexpr std::size_t max_turns = 10;  // of a candidate: they wait for a comparison

  static TuningGroup*& active() {
    thread_local TuningGroup* group = nullptr;
    return group;
  }

  std::string m_role;
};

}  // namespace Koalesce::Impl

#endif
