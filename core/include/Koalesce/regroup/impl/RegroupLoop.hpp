// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_LOOP_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_LOOP_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/common/impl/InstanceMemory.hpp>
#include <Koalesce/regroup/impl/PathSampler.hpp>
#include <Koalesce/regroup/impl/PlanState.hpp>
#include <Koalesce/regroup/impl/RegroupEntry.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>
#include <Koalesce/tuning/impl/TimedCalls.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The state that the calls of one loop share: errors and unfinished measurements.
template <class Exec>
class RegroupLoop {
 public:
  explicit RegroupLoop(std::string label)
      : m_label(std::move(label)),
        m_fault(Kokkos::view_alloc("Koalesce::parallel_regroup (errors)", Kokkos::WithoutInitializing), 1),
        m_sample(Kokkos::view_alloc("Koalesce::parallel_regroup (sample)", Kokkos::WithoutInitializing),
                 PathSampler::reports) {
    m_fault(0) = PathFault::none;
  }

  PathFault fault() const { return PathFault{m_fault.data()}; }

  /// Returns and clears the error that a kernel has reported so far, if any.
  /// \param[in] paths  of the call that begins or ends here.
  std::string take_fault(std::optional<int> paths = {}) {
    std::lock_guard const lock(m_mutex);
    int const earlier_paths = std::exchange(m_paths, paths.value_or(m_paths));
    if (read(m_fault.data()) == PathFault::none) return "";
    return PathFault::text(Kokkos::atomic_exchange(m_fault.data(), +PathFault::none), earlier_paths);
  }

  void throw_fault(std::string const& where, int paths) {
    if (auto const text = take_fault(paths); !text.empty()) fail(where, text);
  }

  std::string const& label() const { return m_label; }

  /// Times run(), which returns whether it ran the variant that was chosen. The tuner gets the time when it is known.
  template <class Run>
  void time(Exec const& exec, std::shared_ptr<RegroupEntry> const& entry, RegroupTuner::Choice const& choice,
            Run const& run) {
    Timed timed;  // local, because run() may call this function again
    timed.time(exec, entry, choice, run);
    std::lock_guard const lock(m_mutex);
    m_timed.take(std::move(timed));
  }

  /// Samples the paths, unless an earlier sample is not finished.
  template <class Work>
  void sample(Exec const& exec, std::string const& label, std::shared_ptr<RegroupEntry> const& entry,
              Work const& work) {
    {
      std::lock_guard const lock(m_mutex);
      if (m_sampled || m_is_sampling) return;
      m_is_sampling                      = true;
      m_sampled_shape                    = PathSampler::shape(work);
      m_sample(PathSampler::reports - 1) = 0;
    }
    // Not locked, because a launch may wait for another thread's kernel, which may wait for this loop.
    try {
      PathSampler::run(exec, label, work, m_sampled_shape, m_sample.data());
    } catch (...) {
      std::lock_guard const lock(m_mutex);
      m_is_sampling = false;
      throw;
    }
    std::lock_guard const lock(m_mutex);
    m_is_sampling = false;
    m_sampled     = entry;  // after the launch: if that throws, there is no report to wait for
  }

  /// Passes the times and samples that have become known to the tuners.
  void poll() {
    std::lock_guard const lock(m_mutex);
    m_timed.poll();
    if (!m_sampled) return;
    std::int64_t report[PathSampler::reports];
    for (int i = 0; i < PathSampler::reports; ++i) report[i] = read(m_sample.data() + i);
    if (report[PathSampler::reports - 1] != PathSampler::check(report)) return;
    m_sampled->observe(PathSampler::read(m_sampled_shape, report));
    m_sampled.reset();
  }

 private:
  using Timed = TimedCalls<Exec, std::shared_ptr<RegroupEntry>, RegroupTuner::Choice>;

  static std::int64_t read(std::int64_t const* report) { return Kokkos::atomic_load(report); }

  std::mutex m_mutex;
  std::string m_label;
  int m_paths = 0;
  ReportView<Exec> m_fault, m_sample;
  std::shared_ptr<RegroupEntry> m_sampled;
  PathSampler::Shape m_sampled_shape;
  bool m_is_sampling = false;
  Timed m_timed;
};

/// All loops of an execution space; a label with functors of other types is another loop.
template <class Exec>
class RegroupLoops {
 public:
  static std::shared_ptr<RegroupLoop<Exec>> find(std::string const& label, std::type_index type) {
    auto& self = instance();
    std::lock_guard const lock(self.m_mutex);
    self.finalize_with_kokkos();
    if (auto const found = self.m_loops.find(std::pair<std::string const&, std::type_index>(label, type));
        found != self.m_loops.end())
      return found->second;
    auto loop = std::make_shared<RegroupLoop<Exec>>(label);  // may throw, and then no entry is made
    self.m_loops.emplace(std::pair(label, type), loop);
    return loop;
  }

  /// For index maps and moved elements.
  static InstanceMemory<Exec>& memory() {
    auto& self = instance();
    std::lock_guard const lock(self.m_mutex);
    self.finalize_with_kokkos();
    return self.m_memory;
  }

  static void check() {
    for (auto const& loop : instance().all())
      if (auto const text = loop->take_fault(); !text.empty()) fail(name_of(*loop), text);
  }

 private:
  static RegroupLoops& instance() {
    static RegroupLoops loops;
    return loops;
  }

  static std::string name_of(RegroupLoop<Exec> const& loop) {
    return "Koalesce::parallel_regroup(\"" + loop.label() + "\")";
  }

  std::vector<std::shared_ptr<RegroupLoop<Exec>>> all() {
    std::lock_guard const lock(m_mutex);
    std::vector<std::shared_ptr<RegroupLoop<Exec>>> loops;
    for (auto const& [key, loop] : m_loops) loops.push_back(loop);
    return loops;
  }

  /// The caller locks.
  void finalize_with_kokkos() {
    if (m_hooked) return;
    push_finalize_hook([] { instance().finalize(); });
    m_hooked = true;
  }

  /// Called when Kokkos is finalized: frees the memory and prints errors that no call has thrown.
  void finalize() {
    Kokkos::fence("Koalesce: errors of regrouped loops");
    for (auto const& loop : all())
      if (auto const text = loop->take_fault(); !text.empty()) std::cerr << name_of(*loop) << ": " << text << '\n';
    std::lock_guard const lock(m_mutex);
    m_loops.clear();
    m_memory.release_all();
    m_hooked = false;
  }

  /// Finds a loop without a copy of its label.
  struct Less {
    using is_transparent = void;

    template <class A, class B>
    bool operator()(A const& a, B const& b) const {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    }
  };

  std::mutex m_mutex;
  InstanceMemory<Exec> m_memory{"Koalesce::parallel_regroup (order)"};
  bool m_hooked = false;
  std::map<std::pair<std::string, std::type_index>, std::shared_ptr<RegroupLoop<Exec>>, Less> m_loops;
};

/// Whether kernels on an instance go into a graph instead of running.
template <class Exec>
bool is_captured(Exec const& exec) {
  return !Stopwatch<Exec>::can_measure(exec);
}

/// Calls action(so many bytes of memory, null if there are 0), which starts kernels that use them; returns false if
/// there is not enough memory. A graph that is captured gets what a call before has left.
template <class Exec, class Action>
bool with_loop_memory(Exec const& exec, std::size_t bytes, Action const& action) {
  if (bytes == 0) return action(nullptr), true;
  auto const graph = Stopwatch<Exec>::graph(exec);
  auto memory      = RegroupLoops<Exec>::memory().take(exec, bytes, graph);
  if (!memory) return false;
  action(memory->bytes.data());
  RegroupLoops<Exec>::memory().give_back(std::move(memory), graph);
  return true;
}

}  // namespace Koalesce::Impl

#endif
