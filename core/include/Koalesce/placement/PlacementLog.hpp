// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_PLACEMENT_LOG_HPP
#define KOALESCE_PLACEMENT_PLACEMENT_LOG_HPP

#include <Koalesce/placement/PlacementSearch.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace Koalesce {

/// Where a placement comes from.
enum class PlacementSource {
  measured,   ///< by the trials in the log
  remembered  ///< an earlier call or run measured it
};

/// Everything that is known of how a kernel's arrays were placed.
struct PlacementLog {
  std::string kernel,                  ///< its label
      device;                          ///< in words
  std::int64_t league = 0;             ///< teams
  int team_size       = 0;             ///< threads per team
  std::vector<PlacementArray> arrays;  ///< with their accesses
  bool counted = false;                ///< whether they were counted; false: stated, or 0 where nobody has stated them
  std::vector<std::string> notes;      ///< in words
  PlacementSource source = PlacementSource::measured;  ///< of the result
  PlacementResult result;                              ///< trials and choice
};

/// \brief Writes a log: the choice, why, the arrays, a line per trial, the notes. Unknown figures are "-".
std::ostream& operator<<(std::ostream& out, PlacementLog const& log);

}  // namespace Koalesce

#include <Koalesce/placement/impl/PlacementLogText.hpp>

#endif
