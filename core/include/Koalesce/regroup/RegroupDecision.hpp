// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_REGROUP_DECISION_HPP
#define KOALESCE_REGROUP_REGROUP_DECISION_HPP

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace Koalesce {

/// How a regrouped loop can run: the plain loop; regrouped within teams or over the grid, with an index map or with
/// the payload's elements moved; over the grid and ordered by few, many or all bits of the items' keys; or in the order
/// that a RegroupPlan keeps.
enum class RegroupVariant {
  plain,
  team,
  team_moved,
  grid,
  grid_moved,
  grid_few_bits,
  grid_many_bits,
  grid_exact,
  planned
};

/// All of them.
inline constexpr RegroupVariant regroup_variants[] = {
    RegroupVariant::plain,          RegroupVariant::team,       RegroupVariant::team_moved,
    RegroupVariant::grid,           RegroupVariant::grid_moved, RegroupVariant::grid_few_bits,
    RegroupVariant::grid_many_bits, RegroupVariant::grid_exact, RegroupVariant::planned};

/// The name that kernel labels and logs show.
constexpr char const* to_string(RegroupVariant variant) {
  switch (variant) {
    case RegroupVariant::plain: return "plain";
    case RegroupVariant::team: return "team";
    case RegroupVariant::team_moved: return "team, moved";
    case RegroupVariant::grid: return "grid";
    case RegroupVariant::grid_moved: return "grid, moved";
    case RegroupVariant::grid_few_bits: return "grid, ordered by few bits";
    case RegroupVariant::grid_many_bits: return "grid, ordered by many bits";
    case RegroupVariant::grid_exact: return "grid, ordered exactly";
    case RegroupVariant::planned: return "planned";
  }
  return "";
}

/// What measuring a variant gave.
struct RegroupTrial {
  RegroupVariant variant;      ///< that was measured
  int calls          = 0;      ///< measured
  double seconds     = 0;      ///< the fastest of them; 0 before the first
  std::int64_t bytes = 0;      ///< that regrouping moves through memory, beside what the loop itself does
  bool dropped       = false;  ///< so much slower than another that it is measured no more
};

/// Of the paths that a sample of a loop's items takes.
struct PathSample {
  static constexpr int buckets = 64;  ///< of the histogram

  int paths                  = 0;        ///< of the loop; more than 64 share buckets, neighbors together
  std::int64_t items         = 0;        ///< looked at; 0: none yet
  std::int64_t runs          = 0;        ///< of 32 neighboring items, one warp's in the plain loop
  std::int64_t paths_in_runs = 0;        ///< different paths, added up over the runs; of more than 64 paths,
                                         ///< which are told apart by a hash, up to a fifth too few
  std::int64_t histogram[buckets] = {};  ///< items per bucket

  /// How many paths a warp of the plain loop runs, on average.
  double paths_per_warp() const { return runs > 0 ? double(paths_in_runs) / double(runs) : 0; }
};

/// What is known of the loops with one label, one size class and one path histogram.
struct RegroupDecision {
  std::string label;                               ///< of the loop
  std::string space;                               ///< the execution space's name
  int size_class = 0;                              ///< 2^size_class <= items < 2^(size_class + 1)
  PathSample sample;                               ///< the paths it was made for
  std::vector<RegroupTrial> trials;                ///< one per variant that is in question
  bool decided           = false;                  ///< false: still measuring
  bool remembered        = false;                  ///< from an earlier call or run
  RegroupVariant variant = RegroupVariant::plain;  ///< what calls run from now on, if decided
  std::string why;                                 ///< in words
};

/// \brief Writes a decision as a few lines of text: variant, reason, time of every trial, histogram, bytes moved.
std::ostream& operator<<(std::ostream& out, RegroupDecision const& decision);

}  // namespace Koalesce

#include <Koalesce/regroup/impl/RegroupDecisionText.hpp>

#endif
