// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_PLACEMENT_HPP
#define KOALESCE_PERF_PLACEMENT_HPP

#include <Koalesce/Placement.hpp>
#include <Koalesce/placement/AccessEstimate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <any>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Measure.hpp"

/// Before a loop over a thread's own elements, which are registers only where every index is known.
#ifdef __CUDA_ARCH__
#define KOALESCE_PERF_UNROLL _Pragma("unroll")
#else
#define KOALESCE_PERF_UNROLL
#endif

/// Before a loop that a host is to vectorize.
#if defined(_OPENMP) && !defined(__CUDACC__)
#define KOALESCE_PERF_SIMD _Pragma("omp simd")
#else
#define KOALESCE_PERF_SIMD
#endif

/// What the benchmarks of team kernels with on-chip arrays share.
namespace perf::placement {

using Index  = std::int64_t;
using Member = Kokkos::TeamPolicy<Exec>::member_type;

/// Sizes to compare with a naive version, and to measure.
enum class Size { small, full };

constexpr Index sized(Size size, Index small, Index on_a_gpu, Index on_a_host) {
  if (size == Size::small) return small;
  return on_host ? on_a_host : on_a_gpu;
}

/// On a host a team is one thread, which then has the elements of all.
constexpr int team_of(int on_a_gpu) { return on_host ? 1 : on_a_gpu; }

/// Kokkos::clamp also checks its bounds, which costs a stack frame.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T clamp(T value, T low, T high) {
  return Kokkos::min(Kokkos::max(value, low), high);
}

constexpr Index up_div(Index a, Index b) { return (a + b - 1) / b; }

template <class T>
using Line = Kokkos::View<T*, Exec>;
template <class T>
using Image = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
template <class T>
using Block = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

template <class View, class... Extents>
View room(Extents... n) {
  return View(Kokkos::view_alloc("", Kokkos::WithoutInitializing), std::size_t(n)...);
}
template <class View, class... Extents>
View filled(Extents... n) {
  auto const view = room<View>(n...);
  fill(view);
  return view;
}

/// A copy, on hosts too.
template <class View>
auto on_the_host(View const& view) {
  auto const copy = Kokkos::create_mirror(Kokkos::HostSpace(), view);
  Kokkos::deep_copy(copy, view);
  return copy;
}

// ---- What kernels written by hand share ----

/// Four neighbors, read or written at once.
template <class T>
struct alignas(16) Four {
  T v[4];
};

/// The four elements from an address that is a multiple of 16 bytes.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Four<T> four_at(T const* from) {
  return *reinterpret_cast<Four<T> const*>(from);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void put_four(T* to, Four<T> const& four) {
  *reinterpret_cast<Four<T>*>(to) = four;
}

/// The four elements of a row from a column on that is a multiple of 4; outside the row those of its ends.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Four<T> four_of_row(T const* row, int columns, int column) {
  if (column >= 0 && column + 3 < columns) return four_at(row + column);
  Four<T> four;
  KOALESCE_PERF_UNROLL
  for (int i = 0; i < 4; ++i) four.v[i] = row[clamp(column + i, 0, columns - 1)];
  return four;
}

/// Uninitialized elements of the team's scratch memory.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* scratch(Member const& team, int elements, int level = 0) {
  return static_cast<T*>(team.team_scratch(level).get_shmem_aligned(sizeof(T) * std::size_t(elements), 16));
}

/// Work's teams have Work::threads threads, as many vector lanes as Work::lanes, and Work::scratch_bytes of scratch
/// memory of Work::level. The compiler has the registers that let Work::resident teams be on an SM at once.
template <class Work>
void run_teams(Index teams, Work const& work) {
  using Bounds = Kokkos::LaunchBounds<unsigned(Work::threads * Work::lanes), unsigned(Work::resident)>;
  Kokkos::TeamPolicy<Exec, Bounds> policy(Exec(), int(teams), Work::threads, Work::lanes);
  if (Work::scratch_bytes > 0) policy.set_scratch_size(Work::level, Kokkos::PerTeam(int(Work::scratch_bytes) + 16));
  Kokkos::parallel_for("placement/expert", policy, work);
}

/// What most of them have; others hide it.
struct ByHand {
  static constexpr int lanes = 1, level = 0, resident = 0;
  static constexpr std::size_t scratch_bytes = 0;
};

// ---- Measuring ----

struct Options {
  bool log         = false;
  bool trip_counts = false;  // only these
  bool remembers   = false;  // in the tuning file; false: every process tunes anew
};
inline Options& options() {
  static Options options;
  return options;
}

/// A kernel has: name, threads (of a team), arrays(), teams(), bytes(), flops() (0: bandwidth is what counts), result
/// (a View), expected() (what a naive version makes of the same input, in the result's order), tolerance, and
/// add_trips(), which adds the trip counts of its loops whose bounds are not constants. An Expert is made of a kernel,
/// and its run() writes the same result.
template <class Kernel, class Expert>
class Session {
 public:
  /// A placement, or none for what the expert wrote; how it was found, and what is wrong with it, if anything is.
  struct Choice {
    std::optional<Koalesce::Placement> placement;
    std::map<std::string, double> counters;
    std::string error;
  };

  Session() : m_kernel(Size::full), m_expert(m_kernel) {}

  Kernel const& kernel() const { return m_kernel; }
  void run(Choice const& choice) const { run(m_kernel, m_expert, choice); }

  /// Is made once: the Session of another kernel may come in between.
  Choice const& choice(std::string const& impl) const {
    static std::map<std::string, Choice> choices;
    auto const [at, is_new] = choices.try_emplace(impl);
    if (is_new) try {
        at->second       = choose(impl);
        at->second.error = error(at->second);
      } catch (std::exception const& e) {
        at->second.error = e.what();
      }
    return at->second;
  }

 private:
  static std::string label() { return std::string("placement/") + Kernel::name; }
  static auto policy(Kernel const& kernel) {
    return Koalesce::PlacementPolicy(Exec(), kernel.teams(), Kernel::threads);
  }
  static void run(Kernel const& kernel, Expert const& expert, Choice const& choice) {
    if (choice.placement)
      Koalesce::parallel_placed(label(), policy(kernel), kernel.arrays(), *choice.placement, kernel);
    else expert.run();
  }

  Choice choose(std::string const& impl) const {
    if (impl == "kokkos_expert") return {};
    auto const arrays = m_kernel.arrays();
    if (impl == "all_scratch") return {Koalesce::scratch_placement(arrays), {}, {}};
    if (impl == "all_promoted") return {Koalesce::promoted_placement(arrays), {}, {}};
    Koalesce::PlacementTuning tuning;
    if (impl != "koalesce_tuned" || !options().remembers) tuning = tuning.without_memory();
    if (impl == "published") tuning = tuning.with_search(Koalesce::PlacementSearch::published);
    if (impl == "exhaustive_best") tuning = tuning.with_search(Koalesce::PlacementSearch::exhaustive);
    auto const tuned = Koalesce::tune_placement(label(), policy(m_kernel), arrays, m_kernel, tuning);
    if (options().log) std::cerr << impl << ": " << tuned.log << '\n';
    return {tuned.placement, counters(tuned.log), {}};
  }

  static std::map<std::string, double> counters(Koalesce::PlacementLog const& log) {
    auto const& result = log.result;
    std::map<std::string, double> counters{{"trials", double(result.trials.size())}};
    for (auto const& trial : result.trials) {
      auto const& use = trial.measured.resources;
      if (trial.placement != result.placement) continue;
      if (use.registers) counters["registers"] = *use.registers;
      if (use.local_bytes) counters["local_bytes"] = *use.local_bytes;
    }
    return counters;
  }

  static std::string error(Choice const& choice) {
    Kernel const small(Size::small);
    Expert const expert(small);
    using Value = typename decltype(small.result)::value_type;
    Kokkos::deep_copy(small.result, Value(-1));
    run(small, expert, choice);
    auto const result   = on_the_host(small.result);
    auto const expected = small.expected();
    std::size_t wrong   = expected.size() == result.size() ? 0 : 1;
    for (std::size_t i = 0; i < expected.size() && i < result.size(); ++i) {
      double const e = double(expected[i]);
      if (!(std::abs(double(result.data()[i]) - e) <= Kernel::tolerance * std::max(1., std::abs(e)))) ++wrong;
    }
    return wrong == 0 ? "" : std::to_string(wrong) + " of " + std::to_string(expected.size()) + " results are wrong";
  }

  Kernel m_kernel;
  Expert m_expert;
};

/// In the order of the arrays.
inline std::string places(Koalesce::Placement const& placement) {
  std::string text;
  for (auto const place : placement) text += (text.empty() ? "" : ", ") + std::string(to_string(place));
  return text;
}

/// The Session of the last benchmark.
inline std::any& last_session() {
  static std::any last = [] {
    Kokkos::push_finalize_hook([] { last_session().reset(); });
    return std::any();
  }();
  return last;
}

/// The last one, if that was the same kernel's.
template <class Session>
Session& session() {
  auto& last = last_session();
  if (auto* const same = std::any_cast<Session>(&last)) return *same;
  last.reset();  // not both at a time
  return last.emplace<Session>();
}

/// Of all kernels.
inline Koalesce::TripCounts& trip_counts() {
  static Koalesce::TripCounts trips;
  return trips;
}

template <class Kernel, class Expert>
void add_kernel() {
  if (options().trip_counts) return Kernel(Size::full).add_trips(trip_counts());
  for (std::string const impl :
       {"koalesce_tuned", "kokkos_expert", "published", "all_scratch", "all_promoted", "exhaustive_best"})
    perf::add(std::string("placement/") + Kernel::name + "/" + impl, [=](benchmark::State& state) {
      auto& session      = placement::session<Session<Kernel, Expert>>();
      auto const& choice = session.choice(impl);
      if (!choice.error.empty()) return state.SkipWithError(choice.error.c_str());
      perf::measure(state, session.kernel().bytes(), [&] { session.run(choice); });
      state.SetLabel(choice.placement ? places(*choice.placement) : "by hand");
      if (double const flops = session.kernel().flops(); flops > 0) state.counters["flops"] = rate(flops);
      for (auto const& [name, value] : choice.counters) state.counters[name] = value;
    });
}

}  // namespace perf::placement

#endif
