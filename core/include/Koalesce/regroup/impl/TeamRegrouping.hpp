// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_TEAM_REGROUPING_HPP
#define KOALESCE_REGROUP_IMPL_TEAM_REGROUPING_HPP

#include <Koalesce/regroup/RegroupPolicy.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Koalesce::Impl {

/// team_regroup(), its items counted and placed by a Worker.
template <class Worker, class Member, class Predict, class Body>
KOKKOS_FORCEINLINE_FUNCTION void regroup_team(Member const& team, int items, int paths, Predict const& predict,
                                              Body const& body) {
  using Order = TeamPathOrder<Worker>;
  // A copy of the scratch space, so that its memory is free again after the call.
  auto scratch       = team.team_scratch(0);
  void* const memory = scratch.get_shmem_aligned(Order::bytes(items, paths, team.team_size()), 16);
  if (memory == nullptr)
    Kokkos::abort(
        "Koalesce::team_regroup: there is not enough scratch memory; the order of the items is kept in it, so add "
        "team_regroup_scratch() bytes to the policy's set_scratch_size(0, Kokkos::PerTeam(...))");
  Order const order(memory, items, paths, team.team_size());
  team.team_barrier();  // earlier code may still use the scratch memory
  order.fill(
      team,
      [&](int item) {
        auto const predicted = predict(item);
        using Path           = std::decay_t<decltype(predicted)>;
        static_assert(is_path_number<Path>,
                      "Koalesce::team_regroup: the predictor must return the path of an item as an integer, an "
                      "enumerator or a bool");
        long long path = 0;
        if constexpr (is_path_number<Path>) path = static_cast<long long>(predicted);
        if (path >= 0 && path < paths) return int(path);
        Kokkos::printf(
            "Koalesce::team_regroup: the predictor gives item %d of team %d the path %lld, but paths are numbered 0 to "
            "%d; make it return one of them for every item\n",
            item, int(team.league_rank()), path, paths - 1);
        Kokkos::abort(
            "Koalesce::team_regroup: a predictor returned a path that does not exist; the message above names the "
            "item");
        return 0;
      },
      [](int, int, int) {});
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items), [&](int slot) {
    int const item = order.item(slot);
    body(item, order.path(item));
  });
  team.team_barrier();
}

/// Chooses the Worker for an execution space's teams. A backend with a better one specializes it.
template <class Exec>
struct TeamRegrouping {
  template <class Member, class Predict, class Body>
  KOKKOS_FUNCTION static void run(Member const& team, int items, int paths, Predict const& predict, Body const& body) {
    regroup_team<SerialWorker>(team, items, paths, predict, body);
  }
};

}  // namespace Koalesce::Impl

#endif
