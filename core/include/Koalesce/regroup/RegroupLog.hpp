// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_REGROUP_LOG_HPP
#define KOALESCE_REGROUP_REGROUP_LOG_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/RegroupRegistry.hpp>

#include <string>
#include <vector>

namespace Koalesce {

/// \brief Every decision of Regroup::automatic so far, in order of label, size class and time.
/// \param[in] label  only those of the loops with this label; all, if empty.
inline std::vector<RegroupDecision> regroup_decisions(std::string const& label = "") {
  return Impl::RegroupRegistry::instance().decisions(label);
}

/// \brief Forgets all decisions: every loop is measured again, as if called for the first time.
///
/// Calls that are running meanwhile go on with what they know.
inline void forget_regroup_decisions() { Impl::RegroupRegistry::instance().forget(); }

}  // namespace Koalesce

#endif
