// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEAM_REGROUP_HPP
#define KOALESCE_TEAM_REGROUP_HPP

#include <Koalesce/RegroupPolicy.hpp>
#include <Koalesce/impl/PathOrder.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <Koalesce/cuda/WarpWorker.hpp>
#endif

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

namespace Impl {

template <class Worker, class Member, class Predict, class Body>
KOKKOS_FORCEINLINE_FUNCTION void regroup_team(Member const& team, int items, int paths, Predict const& predict,
                                              Body const& body) {
  using Order = TeamPathOrder<Worker>;
  // A copy of the scratch space: what is taken from it is free again when the copy is gone.
  auto scratch       = team.team_scratch(0);
  void* const memory = scratch.get_shmem_aligned(Order::bytes(items, paths, team.team_size()), 16);
  if (memory == nullptr)
    Kokkos::abort(
        "Koalesce::team_regroup: there is not enough scratch memory; the order of the items is kept in it, so add "
        "team_regroup_scratch() bytes to the policy's set_scratch_size(0, Kokkos::PerTeam(...))");
  Order const order(memory, items, paths, team.team_size());
  team.team_barrier();  // what came before may still use the scratch memory
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
            "Koalesce::team_regroup: the predictor gives item %d of team %d the path %lld, but paths are "
            "numbered 0 to %d; make it return one of them for every item\n",
            item, int(team.league_rank()), path, paths - 1);
        Kokkos::abort("Koalesce::team_regroup: a predictor is outside its paths");
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

}  // namespace Impl

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
/// of the team. At most paths - 1 warps a call meet two paths. Items of a path are in ascending order; of two paths,
/// the second one's lie downward from the last slot.
///
/// \param[in] team    the team's handle.
/// \param[in] items   at most 65536; the same in all threads.
/// \param[in] paths   how many there are, at most 65535. (More than 256: neighbors share warps.)
/// \param[in] predict predict(i): the path of item i, in [0, paths), without side effects, called once an item.
///                    Outside, a message names the item, and the kernel aborts.
/// \param[in] body    body(i, path), once an item.
template <class Member, class Predict, class Body>
KOKKOS_FUNCTION void team_regroup(Member const& team, int items, Paths const& paths, Predict const& predict,
                                  Body const& body) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<typename Member::execution_space, Kokkos::Cuda>) {
    KOKKOS_IF_ON_DEVICE((if (blockDim.x == 1 && team.team_size() % 32 == 0) return Impl::regroup_team<Impl::WarpWorker>(
                             team, items, paths.count, predict, body);))
  }
#endif
  Impl::regroup_team<Impl::SerialWorker>(team, items, paths.count, predict, body);
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
