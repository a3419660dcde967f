// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_ACCESS_COUNTS_HPP
#define KOALESCE_PLACEMENT_ACCESS_COUNTS_HPP

#include <cstdint>
#include <string>

namespace Koalesce {

/// What an instrumented run of a kernel saw of one of its arrays.
struct AccessCount {
  std::string name;           ///< of the array, as declared
  int teams             = 0;  ///< that were looked at
  std::int64_t accesses = 0;  ///< of all of them: uses of the call operator; one that reads and writes counts once
  std::int64_t shared_elements = 0;  ///< that more than one thread touched, added up over the teams

  /// The mean over the teams that were looked at; 0 if there were none.
  double accesses_per_team() const { return teams > 0 ? double(accesses) / teams : 0; }
};

}  // namespace Koalesce

#endif
