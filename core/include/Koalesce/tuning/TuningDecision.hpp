// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_TUNING_DECISION_HPP
#define KOALESCE_TUNING_TUNING_DECISION_HPP

#include <iosfwd>
#include <string>
#include <vector>

namespace Koalesce {

/// What timing a candidate gave.
struct TuningTrial {
  std::string choice;        ///< the candidate's name
  int calls        = 0;      ///< timed
  double seconds   = 0;      ///< the fastest of them; 0 before the first
  bool dropped     = false;  ///< so much slower than another that it is timed no more
  std::string note = {};     ///< what else the pattern knows of it
};

/// How calls with one label, one kernel and one class of sizes run.
struct TuningDecision {
  /// "stencil", "stencil_steps", "transpose", "regroup", "regroup_until", "placement" or "distributed".
  std::string pattern;
  std::string label;    ///< of the calls
  std::string device;   ///< that they run on
  std::string extents;  ///< the class of sizes
  /// One per candidate; of a remembered choice, none was timed. "distributed" has none.
  std::vector<TuningTrial> trials;
  bool decided    = false;  ///< false: still measuring
  bool remembered = false;  ///< from an earlier call or run
  std::string choice;       ///< what calls run from now on, if decided; it means nothing before
  std::string why;          ///< in words
};

/// \brief Writes a decision as a few lines of text: what was decided, why, the time of every candidate.
std::ostream& operator<<(std::ostream& out, TuningDecision const& decision);

}  // namespace Koalesce

#include <Koalesce/tuning/impl/TuningDecisionText.hpp>

#endif
