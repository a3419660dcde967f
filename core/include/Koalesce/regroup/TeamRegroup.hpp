// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_TEAM_REGROUP_HPP
#define KOALESCE_REGROUP_TEAM_REGROUP_HPP

#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/TeamRegrouping.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace Koalesce {

/// \brief Bytes of level 0 scratch memory that team_regroup() needs. Successive calls in a kernel reuse them.
///
/// \param[in] items      maximum number of items in a call, at most 65536.
/// \param[in] paths      maximum number of paths in a call.
/// \param[in] team_size  the policy's team size; by default, the result is enough for any team size.
KOKKOS_FUNCTION constexpr std::size_t team_regroup_scratch(int items, int paths, int team_size = 1024) {
  return Impl::TeamPathOrder<Impl::SerialWorker>::bytes(items, paths, team_size) + 16;
}

/// \brief A branch inside a team's kernel: body(i, path) for every item i of the team, regrouped so that whole warps
/// take one path.
///
///     policy.set_scratch_size(0, Kokkos::PerTeam(team_regroup_scratch(n, 3)));
///     ...
///     team_regroup(team, n, Paths(3), [&](int i) { return kind(i); },
///                  [&](int i, int path) { if (path == 0) ...; else if (path == 1) ...; else ...; });
///
/// All threads of the team call it, with the same arguments, in uniform control flow; it ends with a barrier, so it can
/// be called several times in a kernel, and the next branch sees what one branch wrote. An item may run on any thread
/// of the team. At most paths - 1 warps per call run more than one path. Items of a path are in ascending order; with
/// two paths, the items of the second one fill the slots from the last one downward.
///
/// \param[in] team    the team's handle.
/// \param[in] items   at most 65536; the same in all threads.
/// \param[in] paths   number of paths, at most 65535. (If there are more than 256, neighboring paths share warps.)
/// \param[in] predict predict(i): the path of item i, in [0, paths), without side effects, called once per item.
///                    If a path is out of range, a message names the item, and the kernel aborts.
/// \param[in] body    body(i, path), once per item.
template <class Member, class Predict, class Body>
KOKKOS_FUNCTION void team_regroup(Member const& team, int items, Paths const& paths, Predict const& predict,
                                  Body const& body) {
  Impl::TeamRegrouping<typename Member::execution_space>::run(team, items, paths.count, predict, body);
}

/// \brief The same for two paths: predict(i) is false or true, body(i, bool).
template <class Member, class Predict, class Body>
KOKKOS_FUNCTION void team_regroup(Member const& team, int items, Predict const& predict, Body const& body) {
  static_assert(std::is_same_v<decltype(predict(0)), bool>,
                "Koalesce::team_regroup: without Paths(n) the predictor must return bool; for other predictors give "
                "the number of paths");
  team_regroup(team, items, Paths(2), predict, [&](int item, int path) { body(item, path != 0); });
}

}  // namespace Koalesce

#endif
