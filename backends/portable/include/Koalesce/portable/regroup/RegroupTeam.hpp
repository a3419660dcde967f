// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_REGROUP_TEAM_HPP
#define KOALESCE_PORTABLE_REGROUP_REGROUP_TEAM_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// Regrouping within teams: each orders its items by path in scratch memory.
namespace Koalesce::Impl::PortableBackend {

/// Sizes of the teams.
struct TeamShape {
  static constexpr int min_items       = 256;
  static constexpr int max_items       = 8192;
  static constexpr int max_bytes       = 36 * 1024;  // of scratch memory
  static constexpr int max_moved_bytes = 24 * 1024;  // of these, for the payload's elements

  /// Of a loop: more may not have teams enough, if groups are small.
  static constexpr std::int64_t max_loop_items = std::int64_t(max_league) * min_items;

  /// The portable backend's team: a single CPU thread, or so many threads that counting and placing in parallel pays.
  template <class Exec>
  static constexpr int team_size = Backend::on_host<Exec> ? 1 : 64;
};

template <class Worker, class Work, bool Moves>
struct TeamLoop {
  using Order    = TeamPathOrder<Worker>;
  using Elements = Slots<Work>;

  Work work;
  int group;  // items per team

  KOKKOS_FUNCTION static constexpr std::size_t bytes(int items, int paths, int team_size) {
    std::size_t const order = Elements::padded(Order::bytes(items, paths, team_size));
    if constexpr (Moves) return order + Elements::padded(items * sizeof(std::uint16_t)) + Elements::bytes(items);
    else return order;
  }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    std::int64_t const begin = work.begin + std::int64_t(team.league_rank()) * group;
    int const items          = int(Kokkos::min<std::int64_t>(group, work.end - begin));
    int const team_size      = team.team_size();
    auto* const memory       = static_cast<char*>(
        team.team_scratch(0).get_shmem_aligned(bytes(group, work.paths, team_size), Elements::alignment));
    Order const order(memory, items, work.paths, team_size);
    auto const path_of = [&](int item) { return work.path(begin + item); };
    if constexpr (Moves) {
      auto* const place_of =
          reinterpret_cast<std::uint16_t*>(memory + Elements::padded(Order::bytes(items, work.paths, team_size)));
      auto const elements =
          Elements::in(reinterpret_cast<char*>(place_of) + Elements::padded(items * sizeof(std::uint16_t)), items);
      order.fill(team, path_of, [&](int item, int slot, int) {
        place_of[item] = std::uint16_t(slot);
        depart(work.payload, begin + item, elements, slot);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items), [&](int slot) {
        int const item = order.item(slot);
        work.run_moved(order.path(item), begin + item, elements, slot, update);
      });
      team.team_barrier();
      // In order of the items, so that elements are written back coalesced.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items),
                           [&](int item) { come_back(work.payload, begin + item, elements, place_of[item]); });
    } else {
      order.fill(team, path_of, [](int, int, int) {});
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, items), [&](int slot) {
        int const item = order.item(slot);
        work.run(order.path(item), begin + item, update);
      });
    }
    team.team_barrier();  // before the next group uses the scratch memory
  }

  /// As many items as fit into scratch memory, but so few that every thread of the device gets some.
  static int group_of(Work const& work, int team_size, std::int64_t threads, std::size_t max_bytes) {
    std::int64_t const fair = work.items() * team_size / std::max<std::int64_t>(2 * threads, 1);
    int group = int(std::clamp<std::int64_t>((fair + 255) / 256 * 256, TeamShape::min_items, TeamShape::max_items));
    while (group > TeamShape::min_items && bytes(group, work.paths, team_size) > max_bytes) group -= 256;
    return group;
  }
};

/// Runs one team per group of items.
template <class Worker, bool Moves, class Exec, class Work>
int team_group(Exec const& exec, Work const& work, int team_size) {
  std::size_t const most =
      std::min<std::size_t>(TeamShape::max_bytes, Kokkos::TeamPolicy<Exec>(exec, 1, 1).scratch_size_max(0)) -
      Slots<Work>::alignment;
  return TeamLoop<Worker, Work, Moves>::group_of(work, team_size, threads_of(exec), most);
}

template <class Worker, bool Moves, class Exec, class Work, class Result>
void run_team(Exec const& exec, std::string const& label, Work const& work, int team_size, Result& result) {
  using Body                = TeamLoop<Worker, Work, Moves>;
  int const group           = team_group<Worker, Moves>(exec, work, team_size);
  std::int64_t const league = (work.items() + group - 1) / group;
  Kokkos::TeamPolicy<Exec, FunctorAsArgument> policy(exec, int(league), team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Body::bytes(group, work.paths, team_size) + Slots<Work>::alignment));
  for_or_reduce(label, policy, Body{work, group}, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
