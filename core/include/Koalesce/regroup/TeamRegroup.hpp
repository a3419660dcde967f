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

/// \brief Bytes of level 0 scratch memory that team_regroup() needs; one after the other, calls use the same ones.
///
/// \param[in] items      of the largest call, at most 65536.
/// \param[in] paths      of the call with most.
/// \param[in] team_size  of the policy; without it, enough for any.
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
/// be called several times in a kernel, and what one branch writes is there at the next. An item may run on any thread
/// of the team. At most paths - 1 warps per call meet two paths. Items of a path are in ascending order; of two paths,
/// the second one's lie downward from the last slot.
///
/// \param[in] team    the team's handle.
/// \param[in] items   at most 65536; the same in all threads.
/// \param[in] paths   how many there are, at most 65535. (More than 256: neighbors share warps.)
/// \param[in] predict predict(i): the path of item i, in [0, paths), without side effects, called once per item.
///                    Outside, a message names the item, and the kernel aborts.
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
                "Koalesce::team_regroup: without Paths(n) the predictor returns bool; give the number of paths");
  team_regroup(team, items, Paths(2), predict, [&](int item, int path) { body(item, path != 0); });
}

}  // namespace Koalesce

#endif
