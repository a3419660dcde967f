// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_GRID_PLAN_HPP
#define KOALESCE_PORTABLE_REGROUP_GRID_PLAN_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/regroup/KeyOrder.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
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
  int* zone;              // [paths + 2]: slots that change their path's range with the beginnings of earlier ranges,
                          // each counted for every beginning that passes it; at most `items`
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

/// Takes over the paths of items that have been numbered, before the sort by path.
struct KeepPaths {
  GridPlan plan;
  GridKeyOrder order;

  KOKKOS_FUNCTION void operator()(int s) const { plan.path[order.item_at(s)] = std::uint16_t(order.path_at(s)); }
};

/// Takes over an order that was sorted.
struct KeepOrder {
  GridPlan plan;
  GridKeyOrder order;

  KOKKOS_FUNCTION void operator()(int s) const {
    int const i = order.item_at(s), path = order.path_at(s);
    plan.item[s] = i;
    plan.slot[i] = s;
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
  static constexpr int tile    = Backend::on_host<Exec> ? 2048 : threads * at_once;
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

/// Finds the items that changed their paths. Teams take several tiles, because what they find is added to what others
/// found, at a few addresses.
template <class Exec, class Work>
struct FindChanged {
  using Shape     = PlanTeams<Exec>;
  using Predicted = decltype(std::declval<Work const&>().predicted(0));

  Work work;
  GridPlan plan;

  /// What a team has found and not yet written down.
  struct Found {
    int* item;    // [2 * tile]
    int* gained;  // [buckets]
    int* count;
    int* base;  // where their slots go

    KOKKOS_FUNCTION static constexpr std::size_t bytes(int buckets) {
      return (2 * std::size_t(Shape::tile) + std::size_t(buckets) + 2) * sizeof(int);
    }
    KOKKOS_FUNCTION explicit Found(int* memory, int buckets)
        : item(memory), gained(memory + 2 * Shape::tile), count(gained + buckets), base(count + 1) {}
  };

  static std::size_t scratch(int buckets) { return Found::bytes(buckets) + 16; }

  std::int64_t tiles() const { return (std::int64_t(plan.items) + Shape::tile - 1) / Shape::tile; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const buckets = plan.buckets();
    Found const found(static_cast<int*>(team.team_scratch(0).get_shmem_aligned(Found::bytes(buckets), 16)), buckets);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets + 2), [&](int b) { found.gained[b] = 0; });
    team.team_barrier();
    for (std::int64_t first = std::int64_t(team.league_rank()) * Shape::tile; first < plan.items;
         first += std::int64_t(team.league_size()) * Shape::tile) {
      find(team, first, found);
      team.team_barrier();
      int const count = *found.count;
      team.team_barrier();
      if (count > Shape::tile) write(team, found);
    }
    write(team, found);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets), [&](int b) {
      if (found.gained[b] != 0) Kokkos::atomic_add(&plan.gained[b], found.gained[b]);
    });
  }

 private:
  /// The items of a tile.
  template <class Member>
  KOKKOS_FUNCTION void find(Member const& team, std::int64_t first, Found const& found) const {
    int const threads       = team.team_size();
    std::int64_t const last = Kokkos::min(first + Shape::tile, std::int64_t(plan.items));
    for (int begin = 0; begin < Shape::tile; begin += threads * Shape::at_once) {
      // All loads first: a report of a path out of range would keep the later ones waiting.
      Predicted predicted[Shape::at_once];
      int then[Shape::at_once];
      std::int64_t const mine = first + begin + team.team_rank();
      static_for<Shape::at_once>([&](auto k) {
        std::int64_t const i = Kokkos::min(mine + k.value * threads, std::int64_t(plan.items) - 1);
        predicted[k.value]   = work.predicted(work.begin + i);
        then[k.value]        = int(plan.path[i]);
      });
      static_for<Shape::at_once>([&](auto k) {
        std::int64_t const i = mine + k.value * threads;
        if (i >= last) return;  // of a tile: some numbers of threads do not divide it
        int const now = work.checked(predicted[k.value], work.begin + i);
        if (now == then[k.value]) return;
        plan.path[i] = std::uint16_t(now);
        Kokkos::atomic_inc(&found.gained[now]);
        Kokkos::atomic_dec(&found.gained[then[k.value]]);
        found.item[Kokkos::atomic_fetch_add(found.count, 1)] = int(i);
      });
    }
  }

  /// Collective.
  template <class Member>
  KOKKOS_FUNCTION void write(Member const& team, Found const& found) const {
    int const count = *found.count;
    if (count == 0) return;
    Kokkos::single(Kokkos::PerTeam(team), [&] { *found.base = Kokkos::atomic_fetch_add(&plan.counters[0], count); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](int k) { plan.changed[*found.base + k] = plan.slot[found.item[k]]; });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { *found.count = 0; });
    team.team_barrier();
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
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, buckets + 1), [&](int b, std::int64_t& zones, bool is_final) {
      if (is_final) plan.zone[b] = int(Kokkos::min(zones, std::int64_t(plan.items)));
      zones += Kokkos::abs(plan.next_begin[b] - plan.begin[b]);
    });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets),
                         [&](int b) { plan.gained[b] = plan.rooms[b] = plan.waitings[b] = 0; });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      std::int64_t const max_changes = Kokkos::Experimental::finite_max_v<int>;  // a graph may run any number of times
      plan.counters[1]               = int(Kokkos::min(std::int64_t(plan.counters[1]) + plan.counters[0], max_changes));
      *report                        = plan.counters[1];
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
    int const changed        = plan.counters[0];
    std::int64_t const zones = std::int64_t(changed) + plan.zone[buckets];
    bool const few           = zones < plan.items;
    int const all            = few ? int(zones) : plan.items;
    constexpr int each       = Backend::on_host<Exec> ? 64 : 1;
    for (std::int64_t first = std::int64_t(team.league_rank()) * threads * each; first < all;
         first += std::int64_t(team.league_size()) * threads * each) {
      rooms.clear(team, buckets);
      waitings.clear(team, buckets);
      int slot[each], room[each], waiting[each];
      for (int k = 0; k < each; ++k) {
        std::int64_t const number = first + k * threads + team.team_rank();
        slot[k]                   = number < all ? (few ? misfit(int(number), changed) : misfit(int(number))) : -1;
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
  /// A slot, or -1 if its item fits.
  KOKKOS_FUNCTION int misfit(int slot) const {
    return plan.path[plan.item[slot]] == plan.range_of(plan.next_begin, slot) ? -1 : slot;
  }

  /// The slot of a number among the changed ones and the zones, or -1 if its item fits or the slot has another number,
  /// too.
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
    return misfit(slot);
  }
};

/// Puts the items that do not fit into the slots that have room for them. Groups of threads share a path.
struct FillRooms {
  GridPlan plan;
  int group;   // threads
  int groups;  // of a path

  int threads() const { return plan.buckets() * groups * group; }

  KOKKOS_FUNCTION void operator()(int thread) const {
    int const g = thread / group, b = g % plan.buckets(), first = plan.next_begin[b], rooms = plan.rooms[b];
    int const mine = g / plan.buckets() * group + thread % group;
    for (int k = first + mine; k < first + rooms; k += groups * group) {
      plan.item[plan.room[k]]    = plan.waiting[k];
      plan.slot[plan.waiting[k]] = plan.room[k];
    }
    if (mine == 0) plan.begin[b] = first;
    if (thread == 0) plan.counters[0] = 0;
  }
};

/// Moves the items that changed their paths, and those that make room for them.
/// \param[out] report  how many items have changed their paths since the order was made.
template <class Exec, class Named, class Work>
void update_grid_plan(Exec const& exec, Named const& named, Work const& work, GridPlan const& plan,
                      std::int64_t* report) {
  using Shape      = PlanTeams<Exec>;
  int const group  = team_threads<Exec>(Shape::threads);
  int const groups = std::max(1, threads_of(exec) / group);  // that run at a time
  auto const run   = [&](char const* step, std::int64_t most, std::size_t scratch, auto const& kernel) {
    Kokkos::parallel_for(named(step), team_policy(exec, Teams{most, group, 0, scratch}, kernel), kernel);
  };
  FindChanged<Exec, Work> const find{work, plan};
  std::int64_t const teams = std::min<std::int64_t>(find.tiles(), groups);
  run("plan: find", teams, find.scratch(plan.buckets()), find);
  run("plan: ranges", 1, 0, MoveRanges{plan, report});
  run("plan: list", teams, ListMisfits<Exec>::scratch(plan.buckets()), ListMisfits<Exec>{plan});
  FillRooms const fill{plan, group, std::max(1, groups / plan.buckets())};
  Kokkos::parallel_for(named("plan: fill"), argument_range<int>(exec, 0, fill.threads()), fill);
}

/// Makes the order anew. \param[in] sort  sort(order) sorts by the numbers.
template <class Exec, class Named, class Work, class Sort>
void make_grid_plan(Exec const& exec, Named const& named, Work const& work, GridPlan const& plan, GridKeyOrder order,
                    Sort const& sort) {
  auto const all = argument_range<int>(exec, 0, plan.items);
  order_items(exec, named, work, order, sort, [&](GridKeyOrder const& numbered) {
    Kokkos::parallel_for(named("plan: paths"), all, KeepPaths{plan, numbered});
  });
  Kokkos::parallel_for(named("plan: order"), all, KeepOrder{plan, order});
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
