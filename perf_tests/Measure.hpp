// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_MEASURE_HPP
#define KOALESCE_PERF_MEASURE_HPP

#include <Koalesce/Tuning.hpp>
#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "Copy.hpp"
#include "RunContext.hpp"

/// How the benchmarks measure, and what they compare Koalesce with.
namespace perf {

using Exec = Kokkos::DefaultExecutionSpace;

inline constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

/// Whether benchmarks that are compiled once a number of points, or of paths and bytes, are there for each of them.
#ifdef KOALESCE_PERF_ONE_SIZE
inline constexpr bool has_all_sizes = false;
#else
inline constexpr bool has_all_sizes = true;
#endif

template <std::size_t Rank>
std::string size_name(std::array<std::int64_t, Rank> const& n) {
  std::string name = std::to_string(n[0]);
  for (std::size_t d = 1; d < Rank; ++d) name += "x" + std::to_string(n[d]);
  return name;
}

/// For a tiling of MDRangePolicy; all zeros is Kokkos' own choice.
template <std::size_t Rank>
std::string tile_name(std::array<std::int64_t, Rank> const& tile) {
  return tile == std::array<std::int64_t, Rank>{} ? "default" : "tile " + size_name(tile);
}

/// f64, u8 and so on: what it is and its bits. What is no number of C++ is a Kokkos::complex.
template <class T>
std::string type_name() {
  return (std::is_floating_point_v<T> ? "f" : std::is_unsigned_v<T> ? "u" : "c") + std::to_string(8 * sizeof(T));
}

/// Values without a pattern: zeros can be faster than real data.
template <class T>
KOKKOS_INLINE_FUNCTION T value_at(std::int64_t i) {
  std::int64_t const hash = i * 2654435761u % 1000003;
  if constexpr (std::is_integral_v<T>) return T(hash);
  else if constexpr (std::is_floating_point_v<T>) return T(double(hash) * 1e-6);
  else return T(double(hash) * 1e-6, -double(hash));
}

template <class View>
void fill(View const& view) {
  using T          = typename View::value_type;
  auto* const data = view.data();
  // To the last element: a View's span may count gaps after it.
  std::int64_t elements = view.size() > 0 ? 1 : 0;
  for (int d = 0; d < int(View::rank()); ++d)
    if (elements > 0) elements += std::int64_t(view.extent(d) - 1) * std::int64_t(view.stride(d));
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, elements),
      KOKKOS_LAMBDA(std::int64_t i) { data[i] = value_at<T>(i); });
  Kokkos::fence();
}

/// Fence, time, fence.
template <class Kernel>
double seconds_of(Kernel const& kernel) {
  Exec().fence();
  Kokkos::Timer timer;
  kernel();
  Exec().fence();
  return timer.seconds();
}

/// The candidate that run(candidate) is fastest with.
template <class Candidate, class Run>
Candidate fastest(std::vector<Candidate> const& candidates, Run const& run) {
  Candidate best{};
  double best_seconds = std::numeric_limits<double>::max();
  for (auto const& candidate : candidates) {
    // On GPUs the first run loads the kernel, on CPUs one that is far off says enough.
    if (double const first = seconds_of([&] { run(candidate); }); on_host && first > 3 * best_seconds) continue;
    double seconds = std::numeric_limits<double>::max();
    // One that is far off once is not asked again.
    for (int i = 0; i < 3 && (i == 0 || seconds < 1.3 * best_seconds); ++i)
      seconds = std::min(seconds, seconds_of([&] { run(candidate); }));
    if (seconds < best_seconds) {
      best_seconds = seconds;
      best         = candidate;
    }
  }
  return best;
}

/// The fastest way to copy a field of one dimension, and its name.
template <class View>
Copy fastest_copy(View const& to, View const& from) {
  return fastest(copies(to, from), [](Copy const& copy) { copy.run(); });
}

/// Runs a kernel until its calls try no candidates any more: only then it takes its own time.
inline void settle(std::function<void()> const& kernel) {
  auto const tried = [] {
    int calls = 0;
    for (auto const& decision : Koalesce::tuning_decisions())
      for (auto const& trial : decision.trials) calls += trial.calls;
    return calls;
  };
  // The time of a call is known when the next one comes.
  for (int before = -1, idle = 0; idle < 3;) {
    kernel();
    Exec().fence();
    int const now = tried();
    idle          = now == before ? idle + 1 : 0;
    before        = now;
  }
}

/// A counter of what one iteration does, shown by the second.
inline benchmark::Counter rate(double an_iteration) {
  return benchmark::Counter(an_iteration, benchmark::Counter::kIsIterationInvariantRate);
}

/// Runs a benchmark's kernel until Google Benchmark is content; one iteration is launched and waited for.
/// \param bytes what one iteration reads and writes.
inline void measure(benchmark::State& state, double bytes, std::function<void()> const& kernel) {
  kernel();
  Exec().fence();
  for (auto _ : state) {
    double const seconds = seconds_of(kernel);
    state.SetIterationTime(seconds);
  }
  state.counters["bytes"] = rate(bytes);
}

inline void add(std::string const& name, std::function<void(benchmark::State&)> const& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// A benchmark that is ready to be measured.
struct Prepared {
  std::function<void()> kernel                       = {};  ///< one iteration
  double bytes                                       = 0;   ///< what one iteration reads and writes
  std::vector<std::pair<std::string, double>> counts = {};  ///< what else one iteration does: counters of rates
  std::string label = {}, error = {};
};

/// What the last benchmark prepared: its fields are freed before another one takes memory.
inline std::pair<std::string, Prepared>& last_prepared() {
  static std::pair<std::string, Prepared> last;
  return last;
}

/// Adds a benchmark whose preparation takes longer than what it measures. Google Benchmark calls a benchmark several
/// times, with more and more iterations: all of them measure what the first call prepared.
inline void add_prepared(std::string const& name, std::function<Prepared()> const& prepare) {
  add(name, [=](benchmark::State& state) {
    auto& last = last_prepared();
    if (last.first != name) {
      last        = {};
      last.second = prepare();
      last.first  = name;
    }
    Prepared const& ready = last.second;
    if (!ready.error.empty()) return state.SkipWithError(ready.error.c_str());
    state.SetLabel(ready.label);
    measure(state, ready.bytes, ready.kernel);
    for (auto const& [counter, count] : ready.counts) state.counters[counter] = rate(count);
  });
}

/// main() of a benchmark executable.
/// \param groups functions that add benchmarks.
inline void run(int argc, char** argv, std::vector<std::function<void()>> const& groups) {
  bool const only_lists = std::any_of(argv, argv + argc, [](std::string_view argument) {
    return argument.starts_with("--benchmark_list_tests") && !argument.ends_with("=false");
  });
  Kokkos::ScopeGuard const guard(argc, argv);
  benchmark::Initialize(&argc, argv);
  for (auto const& add_group : groups) add_group();
  if (!only_lists) add_run_context();
  benchmark::RunSpecifiedBenchmarks();
  last_prepared() = {};
}

}  // namespace perf

#endif
