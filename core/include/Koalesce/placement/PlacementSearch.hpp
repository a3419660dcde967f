// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_PLACEMENT_SEARCH_HPP
#define KOALESCE_PLACEMENT_PLACEMENT_SEARCH_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/placement/Place.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce {

/// What a backend can tell of a compiled kernel; empty where it cannot.
struct KernelResources {
  std::optional<int> registers;     ///< of a thread
  std::optional<int> local_bytes;   ///< of a thread: spilled registers and arrays on the stack
  std::optional<int> shared_bytes;  ///< of a team
  std::optional<double> occupancy;  ///< resident threads, divided by the device's maximum: 0 to 1
};

/// What a trial gave.
struct PlacementMeasurement {
  std::optional<double> seconds;   ///< none: it could not run
  KernelResources resources = {};  ///< as the backend tells them
  std::string why           = {};  ///< it could not run
};

/// What became of a trial.
enum class PlacementOutcome {
  first,       ///< everything in scratch memory
  kept,        ///< no slower than the best before it
  undone,      ///< slower
  impossible,  ///< it could not run, or its time could not be taken
  tried        ///< one of an exhaustive search
};

/// One measurement of a search.
struct PlacementTrial {
  Placement placement;               ///< that was measured
  std::optional<std::size_t> array;  ///< the one that was moved
  PlacementMeasurement measured;     ///< time and resources
  PlacementOutcome outcome;          ///< whether the placement stayed
};

/// What a search found.
struct PlacementResult {
  Placement placement;                 ///< the fastest one found
  std::optional<double> seconds;       ///< its time; none, if no placement could run
  std::vector<PlacementTrial> trials;  ///< in order of time
};

/// How search_placement() goes on.
enum class PlacementSearch {
  published,  ///< undoes the first move that makes the kernel slower, and stops there
  greedy,     ///< undoes every move that makes the kernel slower, and goes on with the next array
  grouped,    ///< the same, but moves the arrays that no threads share together first
  exhaustive  ///< tries every combination of scratch memory and promoted place: 2^k trials for k arrays
};

/// The name that logs show.
constexpr char const* to_string(PlacementSearch how) {
  switch (how) {
    case PlacementSearch::published: return "published";
    case PlacementSearch::greedy: return "greedy";
    case PlacementSearch::grouped: return "grouped";
    case PlacementSearch::exhaustive: return "exhaustive";
  }
  return "";
}

namespace Impl {

/// The arrays' numbers by count, the largest first; equal ones as declared.
inline std::vector<std::size_t> placement_order(std::vector<PlacementArray> const& arrays) {
  std::vector<std::size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  auto const count = [&](std::size_t a) {  // sorting by what is not a number is undefined
    return std::isnan(arrays[a].count) ? -std::numeric_limits<double>::infinity() : arrays[a].count;
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return count(a) > count(b); });
  return order;
}

/// Runs trials and writes them down.
template <class Trial>
struct PlacementTrials {
  Trial& trial;
  std::vector<PlacementTrial>& all;

  /// The time, or none; the outcome is `impossible` or the given one.
  std::optional<double> operator()(Placement const& placement, std::optional<std::size_t> array,
                                   PlacementOutcome outcome) {
    PlacementMeasurement measured = trial(placement);
    if (measured.seconds && !(*measured.seconds > 0 && std::isfinite(*measured.seconds))) {
      measured.seconds.reset();
      if (measured.why.empty()) measured.why = "the measured time is not a positive number";
    }
    auto const seconds = measured.seconds;
    all.push_back({placement, array, std::move(measured), seconds ? outcome : PlacementOutcome::impossible});
    return seconds;
  }
};

}  // namespace Impl

/// \brief Searches where the arrays of a kernel lie best: starts with all in scratch memory, and moves them out.
///
/// All but `exhaustive` need at most one trial more than there are arrays. `published` and `greedy` move one array at a
/// time, the most accessed first, starting from the best placement so far. `grouped` first moves all arrays together
/// whose elements threads do not share, because they often pay only together; then the shared ones, one at a time; then
/// it takes arrays of the group back one by one, or moves them alone if the group was slower.
///
/// A move that makes the kernel slower is undone; one that changes nothing stays. A move after which the kernel cannot
/// run is undone too, and never ends the search. As long as no placement could run, moves stay, because together they
/// may make the kernel fit.
///
/// \param[in] arrays  in the order of their declaration.
/// \param[in] how     which moves to try, and when to stop.
/// \param[in] trial   `PlacementMeasurement trial(Placement const&)` runs the kernel and takes its time. Exceptions
///                    pass through. A time that is no positive number counts as one that could not be taken.
/// \return the fastest placement found, never slower than all in scratch memory, and every trial. If none could run,
///         there is no time, and the placement is that in scratch memory.
/// \throws Error if an exhaustive search has more than 16 arrays.
template <class Trial>
PlacementResult search_placement(std::vector<PlacementArray> const& arrays, PlacementSearch how, Trial&& trial) {
  constexpr std::size_t most = 16;
  if (how == PlacementSearch::exhaustive && arrays.size() > most)
    Impl::fail("Koalesce::search_placement()", "there are ", arrays.size(),
               " arrays; an exhaustive search tries all 2^", arrays.size(), " placements and takes at most ", most,
               " arrays, so use PlacementSearch::greedy");

  auto const order = Impl::placement_order(arrays);
  PlacementResult result{Placement(arrays.size()), {}, {}};
  Impl::PlacementTrials<Trial> run{trial, result.trials};
  result.seconds = run(result.placement, {}, PlacementOutcome::first);

  if (how == PlacementSearch::exhaustive) {
    for (std::size_t moved = 1; moved < std::size_t(1) << order.size(); ++moved) {
      Placement next(arrays.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        if (moved >> i & 1) next[order[i]] = promoted_place(arrays[order[i]]);
      auto const seconds = run(next, {}, PlacementOutcome::tried);
      if (!seconds || (result.seconds && *seconds >= *result.seconds)) continue;
      result.placement = next;
      result.seconds   = seconds;
    }
    return result;
  }

  // Whether the next placement is better than what is known; ties go to those that free scratch memory.
  auto const consider = [&](Placement const& next, std::optional<std::size_t> array, bool frees) {
    auto const seconds = run(next, array, PlacementOutcome::kept);
    bool const slower = seconds && result.seconds && (frees ? *seconds > *result.seconds : *seconds >= *result.seconds);
    if (slower) result.trials.back().outcome = PlacementOutcome::undone;
    if (slower || (!seconds && result.seconds)) return false;
    result.placement = next;
    result.seconds   = seconds;
    return true;
  };
  auto const turn = [&](std::size_t a) {
    Placement next   = result.placement;
    bool const frees = next[a] == Place::scratch;
    next[a]          = frees ? promoted_place(arrays[a]) : Place::scratch;
    return (frees || result.seconds) && consider(next, a, frees);
  };

  if (how == PlacementSearch::grouped) {
    std::vector<std::size_t> shared, own;
    for (auto const a : order) (arrays[a].threads ? shared : own).push_back(a);
    Placement together(arrays.size());
    for (auto const a : own) together[a] = promoted_place(arrays[a]);
    bool const moved = !own.empty() && consider(together, {}, true);
    for (auto const a : shared) turn(a);
    if (moved) std::reverse(own.begin(), own.end());  // the least accessed gains least
    for (std::size_t i = 0; i + 1 < own.size(); ++i) turn(own[i]);
  } else {
    for (auto const a : order) {
      turn(a);
      if (how == PlacementSearch::published && result.trials.back().outcome == PlacementOutcome::undone) break;
    }
  }
  if (!result.seconds) result.placement = Placement(arrays.size());
  return result;
}

}  // namespace Koalesce

#endif
