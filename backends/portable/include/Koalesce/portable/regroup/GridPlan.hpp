// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_GRID_PLAN_HPP
#define KOALESCE_PORTABLE_REGROUP_GRID_PLAN_HPP

#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/regroup/KeyOrder.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

/// An order over the grid that is kept. Every path has a range of slots. When items change their paths, the ranges
/// change their sizes, and then as many slots of a range hold an item of another path as items of its path lie outside:
/// those items go to those slots, and all others stay.
namespace Koalesce::Impl::PortableBackend {

/// The order, in global memory. Items without a path are those of one path more.
struct GridPlan {
  static constexpr int max_paths = 1023;

  int items, paths;
  std::uint16_t* path;  // of every item
  int* item;            // of every slot
  int* slot;            // of every item
  int* begin;           // [paths + 2]: first slots
  // What an update needs:
  int* changed;           // slots whose items changed their paths, in any order
  int *room, *waiting;    // slots and items of a path, from its first slot on, that do not fit
  int* next_begin;        // [paths + 2]
  int* zone;              // [paths + 2]: slots that change their path's range with the beginnings of earlier ranges
  int* gained;            // [paths + 1]: items; negative where more were lost
  int *rooms, *waitings;  // [paths + 1]: how many
  int* counters;          // [2]: how many are `changed`, and how many have moved since the order was made

  KOKKOS_FORCEINLINE_FUNCTION int buckets() const { return paths + 1; }
  KOKKOS_FORCEINLINE_FUNCTION int item_at(int s) const { return item[s]; }
  KOKKOS_FORCEINLINE_FUNCTION int path_at(int s) const { return range_of(begin, s); }
  /// Behind the last slot of slot s' path.
  KOKKOS_FORCEINLINE_FUNCTION int end_of_path(int s, int last) const {
    return Kokkos::min(begin[path_at(s) + 1], last);
  }

  /// The last range that begins at or before a slot; of `first`, the beginnings of all ranges.
  KOKKOS_FORCEINLINE_FUNCTION int range_of(int const* first, int s) const {
    int low = 0, high = buckets();
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      if (first[middle] <= s) low = middle;
      else high = middle;
    }
    return low;
  }

  static std::size_t bytes(std::int64_t items, int paths) {
    return padded_bytes(items * 2) + 5 * padded_bytes(items * 4) + 7 * padded_bytes((paths + 2) * 4);
  }

  static GridPlan in(char* memory, std::int64_t items, int paths) {
    auto const take = [&](std::int64_t count) {
      return reinterpret_cast<int*>(std::exchange(memory, memory + padded_bytes(count * 4)));
    };
    GridPlan p{};
    p.items      = int(items);
    p.paths      = paths;
    p.path       = reinterpret_cast<std::uint16_t*>(std::exchange(memory, memory + padded_bytes(items * 2)));
    p.item       = take(items);
    p.slot       = take(items);
    p.changed    = take(items);
    p.room       = take(items);
    p.waiting    = take(items);
    p.begin      = take(paths + 2);
    p.next_begin = take(paths + 2);
    p.zone       = take(paths + 2);
    p.gained     = take(paths + 2);
    p.rooms      = take(paths + 2);
    p.waitings   = take(paths + 2);
    p.counters   = take(paths + 2);
    return p;
  }
};

/// Takes over an order that was sorted.
struct KeepOrder {
  GridPlan plan;
  GridKeyOrder order;

  KOKKOS_FUNCTION void operator()(int s) const {
    int const i = order.item_at(s), path = order.path_at(s);
    plan.item[s] = i;
    plan.slot[i] = s;
    plan.path[i] = std::uint16_t(path);
    // The ranges that begin here, and those behind the last slot.
    int const before = s == 0 ? -1 : order.path_at(s - 1);
    for (int p = before + 1; p <= path; ++p) plan.begin[p] = s;
    if (s == plan.items - 1)
      for (int p = path + 1; p <= plan.buckets(); ++p) plan.begin[p] = plan.items;
    if (s != 0) return;
    for (int p = 0; p < plan.buckets(); ++p) plan.gained[p] = plan.rooms[p] = plan.waitings[p] = 0;
    plan.counters[0] = plan.counters[1] = 0;
  }
};

/// The sizes of an update's kernels.
template <class Exec>
struct PlanTeams {
  static constexpr int at_once = Backend::on_host<Exec> ? 1 : 8;
  static constexpr int threads = 256;  // on a device
  static constexpr int tile    = Backend::on_host<Exec> ? 4096 : threads * at_once;
};

/// A team's counts of the paths of its items, which are added to those of all.
struct TeamCounts {
  int* count;
  int* base;

  KOKKOS_FUNCTION static constexpr std::size_t bytes(int buckets) { return 2 * std::size_t(buckets) * sizeof(int); }

  KOKKOS_FORCEINLINE_FUNCTION TeamCounts(int* memory, int buckets) : count(memory), base(memory + buckets) {}

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void clear(Member const& team, int buckets) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets), [&](int b) { count[b] = 0; });
    team.team_barrier();
  }
  /// base[b]: where the team's items of a bucket begin. Collective; ends without a barrier.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void reserve(Member const& team, int buckets, int* all) const {
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets), [&](int b) {
      if (count[b] != 0) base[b] = Kokkos::atomic_fetch_add(&all[b], count[b]);
    });
  }
};

/// Finds the items that changed their paths.
template <class Exec, class Work>
struct FindChanged {
  using Shape = PlanTeams<Exec>;

  Work work;
  GridPlan plan;

  static std::size_t scratch(int buckets) { return (Shape::tile + std::size_t(buckets) + 2) * sizeof(int) + 16; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const buckets = plan.buckets(), threads = team.team_size();
    int* const memory = static_cast<int*>(
        team.team_scratch(0).get_shmem_aligned((Shape::tile + std::size_t(buckets) + 2) * sizeof(int), 16));
    int *const found = memory, *const gained = memory + Shape::tile, *const count = gained + buckets;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets + 2), [&](int b) { gained[b] = 0; });
    team.team_barrier();
    std::int64_t const first = std::int64_t(team.league_rank()) * Shape::tile;
    for (int begin = 0; begin < Shape::tile; begin += threads * Shape::at_once) {
      int now[Shape::at_once], then[Shape::at_once];
      std::int64_t const mine = first + begin + team.team_rank();
      static_for<Shape::at_once>([&](auto k) {
        std::int64_t const i = mine + k.value * threads;
        now[k.value]         = i < plan.items ? work.path(work.begin + i) : 0;
        then[k.value]        = i < plan.items ? int(plan.path[i]) : 0;
      });
      static_for<Shape::at_once>([&](auto k) {
        if (now[k.value] == then[k.value]) return;
        auto const i = int(mine + k.value * threads);
        plan.path[i] = std::uint16_t(now[k.value]);
        Kokkos::atomic_inc(&gained[now[k.value]]);
        Kokkos::atomic_dec(&gained[then[k.value]]);
        found[Kokkos::atomic_fetch_add(&count[0], 1)] = plan.slot[i];
      });
    }
    team.team_barrier();
    if (count[0] == 0) return;
    Kokkos::single(Kokkos::PerTeam(team), [&] { count[1] = Kokkos::atomic_fetch_add(&plan.counters[0], count[0]); });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets), [&](int b) {
      if (gained[b] != 0) Kokkos::atomic_add(&plan.gained[b], gained[b]);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count[0]),
                         [&](int k) { plan.changed[count[1] + k] = found[k]; });
  }
};

/// Where the ranges begin next, and how many slots that moves from one to another. One team.
struct MoveRanges {
  GridPlan plan;
  std::int64_t* report;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const buckets = plan.buckets();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, buckets + 1), [&](int b, int& next, bool is_final) {
      if (is_final) plan.next_begin[b] = next;
      if (b < buckets) next += plan.begin[b + 1] - plan.begin[b] + plan.gained[b];
    });
    team.team_barrier();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, buckets + 1), [&](int b, int& zones, bool is_final) {
      if (is_final) plan.zone[b] = zones;
      zones += Kokkos::abs(plan.next_begin[b] - plan.begin[b]);
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets),
                         [&](int b) { plan.gained[b] = plan.rooms[b] = plan.waitings[b] = 0; });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      plan.counters[1] += plan.counters[0];
      *report = plan.counters[1];
    });
  }
};

/// Lists the slots that hold an item of another path than theirs, and the items: by path.
template <class Exec>
struct ListMisfits {
  using Shape = PlanTeams<Exec>;

  GridPlan plan;

  static std::size_t scratch(int buckets) { return 2 * TeamCounts::bytes(buckets) + 16; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const buckets = plan.buckets(), threads = team.team_size();
    int* const memory = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(2 * TeamCounts::bytes(buckets), 16));
    TeamCounts const rooms(memory, buckets), waitings(memory + 2 * buckets, buckets);
    int const changed = plan.counters[0], all = changed + plan.zone[buckets];
    constexpr int each = Backend::on_host<Exec> ? 64 : Shape::at_once;
    for (int first = team.league_rank() * threads * each; first < all; first += team.league_size() * threads * each) {
      rooms.clear(team, buckets);
      waitings.clear(team, buckets);
      int slot[each], room[each], waiting[each];
      for (int k = 0; k < each; ++k) {
        int const number = first + k * threads + team.team_rank();
        slot[k]          = number < all ? misfit(number, changed) : -1;
        if (slot[k] < 0) continue;
        room[k]    = Kokkos::atomic_fetch_add(&rooms.count[plan.range_of(plan.next_begin, slot[k])], 1);
        waiting[k] = Kokkos::atomic_fetch_add(&waitings.count[plan.path[plan.item[slot[k]]]], 1);
      }
      rooms.reserve(team, buckets, plan.rooms);
      waitings.reserve(team, buckets, plan.waitings);
      team.team_barrier();
      for (int k = 0; k < each; ++k) {
        if (slot[k] < 0) continue;
        int const i = plan.item[slot[k]], range = plan.range_of(plan.next_begin, slot[k]), path = plan.path[i];
        plan.room[plan.next_begin[range] + rooms.base[range] + room[k]]        = slot[k];
        plan.waiting[plan.next_begin[path] + waitings.base[path] + waiting[k]] = i;
      }
      team.team_barrier();
    }
  }

 private:
  /// The slot of a number, or -1 if its item fits or the slot has another number, too.
  KOKKOS_FUNCTION int misfit(int number, int changed) const {
    bool const is_changed = number < changed;
    int slot = 0, border = 0;
    if (is_changed) {
      slot = plan.changed[number];
    } else {
      int const place = number - changed;
      border          = plan.range_of(plan.zone, place);
      slot            = Kokkos::min(plan.begin[border], plan.next_begin[border]) + place - plan.zone[border];
    }
    int const then = plan.path_at(slot), now = plan.range_of(plan.next_begin, slot);
    // All slots that change ranges are in zones; those that pass several borders, in the zone of each.
    if (is_changed ? then != now : border != Kokkos::min(then, now) + 1) return -1;
    return plan.path[plan.item[slot]] == now ? -1 : slot;
  }
};

/// Puts the items that do not fit into the slots that have room for them.
struct FillRooms {
  GridPlan plan;
  int threads;

  KOKKOS_FUNCTION void operator()(int thread) const {
    for (int b = 0; b < plan.buckets(); ++b) {
      int const first = plan.next_begin[b];
      for (int k = first + thread; k < first + plan.rooms[b]; k += threads) {
        plan.item[plan.room[k]]    = plan.waiting[k];
        plan.slot[plan.waiting[k]] = plan.room[k];
      }
    }
    for (int b = thread; b <= plan.buckets(); b += threads) plan.begin[b] = plan.next_begin[b];
    if (thread == 0) plan.counters[0] = 0;
  }
};

/// Moves the items that changed their paths, and those that make room for them.
/// \param[out] report  how many items have changed their paths since the order was made.
template <class Exec, class Named, class Work>
void update_grid_plan(Exec const& exec, Named const& named, Work const& work, GridPlan const& plan,
                      std::int64_t* report) {
  using Shape              = PlanTeams<Exec>;
  std::int64_t const tiles = (std::int64_t(plan.items) + Shape::tile - 1) / Shape::tile;
  int const most           = int(std::max<std::int64_t>(1, exec.concurrency() / (2 * Shape::threads)));
  auto const teams         = [&](std::int64_t pieces, std::size_t scratch, auto const& kernel) {
    return team_policy(exec, Teams{pieces, team_threads<Exec>(Shape::threads), 0, scratch}, kernel);
  };
  FindChanged<Exec, Work> const find{work, plan};
  Kokkos::parallel_for(named("plan: find"), teams(tiles, find.scratch(plan.buckets()), find), find);
  MoveRanges const move{plan, report};
  Kokkos::parallel_for(named("plan: ranges"), teams(1, 0, move), move);
  ListMisfits<Exec> const list{plan};
  Kokkos::parallel_for(named("plan: list"),
                       teams(std::min<std::int64_t>(tiles, most), list.scratch(plan.buckets()), list), list);
  int const threads = int(std::min<std::int64_t>(plan.items, exec.concurrency()));
  Kokkos::parallel_for(named("plan: fill"), Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, threads),
                       FillRooms{plan, threads});
}

/// Takes over an order.
template <class Exec, class Named>
void keep_order(Exec const& exec, Named const& named, GridPlan const& plan, GridKeyOrder const& order) {
  Kokkos::parallel_for(named("plan: keep"), Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, plan.items),
                       KeepOrder{plan, order});
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
