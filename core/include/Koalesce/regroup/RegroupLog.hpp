// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_REGROUP_LOG_HPP
#define KOALESCE_REGROUP_REGROUP_LOG_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/RegroupEntry.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace Koalesce {

/// \brief Every decision of Regroup::automatic so far, with the paths that it was made for.
///
/// The order is by label, size class and time. tuning_decisions() has the decisions of all patterns; forget_tuning()
/// forgets them.
///
/// \param[in] label  only decisions for loops with this label; all decisions, if empty.
inline std::vector<RegroupDecision> regroup_decisions(std::string const& label = "") {
  std::vector<RegroupDecision> all;
  for (auto const& entry : Impl::TuningRegistry::instance().entries<Impl::RegroupEntry>(label))
    for (auto& decision : entry->regroup_decisions()) all.push_back(std::move(decision));
  std::stable_sort(all.begin(), all.end(), [](RegroupDecision const& a, RegroupDecision const& b) {
    return std::tie(a.label, a.size_class) < std::tie(b.label, b.size_class);
  });
  return all;
}

}  // namespace Koalesce

#endif
