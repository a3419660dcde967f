// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_DECIDE_HPP
#define KOALESCE_PERF_REGROUP_DECIDE_HPP

#include <Koalesce/Regroup.hpp>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "Measure.hpp"

/// The warm-up of what decides by itself.
namespace perf::regroup {

/// Calls until the library has made up its mind.
/// \returns what it decided; environment variable KOALESCE_PERF_DECISIONS=1 shows why.
inline std::string decide(std::string const& label, std::function<void()> const& call) {
  constexpr int max_calls = 60;
  for (int k = 0; k < max_calls; ++k) {
    auto const decisions = Koalesce::regroup_decisions(label);
    if (!decisions.empty() && decisions.back().decided) {
      if (k > 0 && std::getenv("KOALESCE_PERF_DECISIONS")) std::cerr << decisions.back() << '\n';
      return to_string(decisions.back().variant);
    }
    call();
    Exec().fence();
    if (Koalesce::regroup_decisions(label).empty()) return "";  // there is no choice
  }
  return "undecided";
}

}  // namespace perf::regroup

#endif
