// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_REGROUP_GRID_HPP
#define KOALESCE_PORTABLE_REGROUP_REGROUP_GRID_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

/// Regrouping over the grid: workers count the paths of tiles of items, the tiles' counts are added up, and workers
/// place the items.
namespace Koalesce::Impl::PortableBackend {

/// Arrays in a block of memory begin at multiples of 256 bytes.
constexpr std::size_t padded_bytes(std::int64_t bytes) { return std::size_t(bytes + 255) / 256 * 256; }

/// Behind the last slot of the path at a slot, where an order has to look at every slot.
template <class Order>
KOKKOS_FORCEINLINE_FUNCTION int end_of_path_at(Order const& order, int slot, int last) {
  int const path = order.path_at(slot);
  while (slot < last && order.path_at(slot) == path) ++slot;
  return slot;
}

/// How many items of every tile are in which bucket, in global memory.
struct GridCounts {
  int items, buckets;
  int tile_items, tiles;
  int* table;   // [buckets][tiles]: counts, then first slots
  int* totals;  // of the buckets

  /// \param[in] max_tile_items  items of a worker's tile. If there are many buckets, tiles are larger, so that the
  ///                            table is smaller than the items.
  static int tile_of(int buckets, int max_tile_items) {
    return int(std::clamp<std::int64_t>(std::int64_t(16) * buckets, max_tile_items, std::numeric_limits<int>::max()));
  }

  /// Bytes for tiles of at least `min_tile_items` items.
  static std::size_t bytes(std::int64_t items, int buckets, int min_tile_items) {
    std::int64_t const tile = tile_of(buckets, min_tile_items), tiles = (items + tile - 1) / tile;
    return padded_bytes(tiles * buckets * 4) + padded_bytes(std::int64_t(buckets) * 4);
  }

  static GridCounts in(char* memory, std::int64_t items, int buckets, int min_tile_items) {
    GridCounts counts{int(items), buckets, tile_of(buckets, min_tile_items), 0, nullptr, nullptr};
    counts.tiles  = int((items + counts.tile_items - 1) / counts.tile_items);
    counts.table  = reinterpret_cast<int*>(memory);
    counts.totals = reinterpret_cast<int*>(memory + padded_bytes(std::int64_t(counts.tiles) * buckets * 4));
    return counts;
  }
};

/// The order of all items of a loop, in global memory. Its buckets are the paths.
struct GridPathOrder : GridCounts {
  static constexpr std::int64_t max_items = std::int64_t(1) << 30;
  static constexpr std::int64_t few_paths = std::int64_t(1) << 16;  ///< counting them all takes little; others must be
                                                                    ///< no more than the items

  char* codes;  // the items' paths, one byte each if that suffices
  int* item;    // the item of every slot

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int code_bytes(int paths) { return paths < 255 ? 1 : 4; }

  KOKKOS_FORCEINLINE_FUNCTION int path(int i) const {
    return code_bytes(buckets) == 1 ? int(reinterpret_cast<std::uint8_t const*>(codes)[i])
                                    : reinterpret_cast<int const*>(codes)[i];
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_path(int i, int path) const {
    if (code_bytes(buckets) == 1) reinterpret_cast<std::uint8_t*>(codes)[i] = std::uint8_t(path);
    else reinterpret_cast<int*>(codes)[i] = path;
  }
  KOKKOS_FORCEINLINE_FUNCTION int item_at(int slot) const { return item[slot]; }
  KOKKOS_FORCEINLINE_FUNCTION int path_at(int slot) const { return path(item[slot]); }
  KOKKOS_FORCEINLINE_FUNCTION int end_of_path(int slot, int last) const { return end_of_path_at(*this, slot, last); }
  /// An item without a path is placed as one of path 0.
  KOKKOS_FORCEINLINE_FUNCTION int bucket(int path) const { return path < buckets ? path : 0; }

  static std::size_t bytes(std::int64_t items, int paths, int min_tile_items) {
    return padded_bytes(items * code_bytes(paths)) + padded_bytes(items * 4) +
           GridCounts::bytes(items, paths, min_tile_items);
  }

  static GridPathOrder in(char* memory, std::int64_t items, int paths, int min_tile_items) {
    char* const item   = memory + padded_bytes(items * code_bytes(paths));
    char* const counts = item + padded_bytes(items * 4);
    return {GridCounts::in(counts, items, paths, min_tile_items), memory, reinterpret_cast<int*>(item)};
  }
};

/// Calls action(tile, first item, behind the last one) for a worker's tile.
template <class Worker, class Member, class Action>
KOKKOS_FORCEINLINE_FUNCTION void with_tile(Member const& team, GridCounts const& counts, Action const& action) {
  int const tile = team.league_rank() * Worker::workers(team.team_size()) + Worker::rank_in(team);
  if (tile >= counts.tiles) return;
  int const first = tile * counts.tile_items;
  action(tile, first, Kokkos::min(counts.items - first, counts.tile_items) + first);
}

template <class Worker, class Work>
struct GridCount {
  Work work;
  GridPathOrder order;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    with_tile<Worker>(team, order, [&](int tile, int first, int last) {
      Worker::count(first, last, order.buckets, order.table + tile, order.tiles, [&](int item) {
        int const path = work.path(work.begin + item);
        order.set_path(item, path);
        return order.bucket(path);
      });
    });
  }
};

/// Scans a bucket's counts over the tiles; each thread handles a stretch of tiles.
struct GridScan {
  GridCounts counts;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const bucket = team.league_rank(), tiles = counts.tiles;
    int* const row    = counts.table + std::int64_t(bucket) * tiles;
    int const stretch = (tiles + team.team_size() - 1) / team.team_size();
    int const first = Kokkos::min(team.team_rank() * stretch, tiles), last = Kokkos::min(first + stretch, tiles);
    int count = 0;
    for (int tile = first; tile < last; ++tile) count += row[tile];
    int sum = team.team_scan(count);
    if (team.team_rank() == team.team_size() - 1) counts.totals[bucket] = sum + count;
    for (int tile = first; tile < last; ++tile) {
      int const next = sum + row[tile];
      row[tile]      = sum;
      sum            = next;
    }
  }
};

template <class Worker, class Work, bool Moves>
struct GridPlace {
  Work work;
  GridPathOrder order;
  typename Slots<Work>::Pointers elements;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    with_tile<Worker>(team, order, [&](int tile, int first, int last) {
      int* const slots = order.table + tile;
      Worker::find_slots(order.items, order.buckets, order.totals, slots, order.tiles);
      Worker::place(
          first, last, order.buckets, slots, order.tiles, [&](int item) { return order.bucket(order.path(item)); },
          [&](int item, int slot) {
            order.item[slot] = item;
            if constexpr (Moves) depart(work.payload, work.begin + item, elements, slot);
          });
    });
  }
};

/// Runs the items in order of their slots. \tparam Order  has item_at(slot) and path_at(slot).
template <class Work, class Order, bool Moves>
struct GridLoop {
  Work work;
  Order order;
  typename Slots<Work>::Pointers elements;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t slot, Update& update) const {
    std::int64_t const item = work.begin + order.item_at(int(slot));
    if constexpr (Moves) {
      work.run_moved(order.path_at(int(slot)), item, elements, slot, update);
      come_back(work.payload, item, elements, slot);
    } else {
      work.run(order.path_at(int(slot)), item, update);
    }
  }
};

/// Moves the payload's elements to the slots of their items, or back.
template <class Work, class Order, bool Back>
struct MoveElements {
  Work work;
  Order order;
  typename Slots<Work>::Pointers elements;

  KOKKOS_FUNCTION void operator()(int slot) const {
    std::int64_t const item = work.begin + order.item_at(slot);
    if constexpr (Back) come_back(work.payload, item, elements, slot);
    else depart(work.payload, item, elements, slot);
  }
};

template <bool Back, class Exec, class Work, class Order>
void move_elements(Exec const& exec, std::string const& label, Work const& work, Order const& order,
                   typename Slots<Work>::Pointers const& elements) {
  if constexpr (!Back || some_return<typename Work::Payload>)
    Kokkos::parallel_for(label, argument_range<int>(exec, 0, order.items),
                         MoveElements<Work, Order, Back>{work, order, elements});
}

/// Runs the slots with elements that have been moved, and leaves those there.
template <class Work, class Order>
struct MovedLoop {
  Work work;
  Order order;
  typename Slots<Work>::Pointers elements;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t slot, Update& update) const {
    work.run_moved(order.path_at(int(slot)), work.begin + order.item_at(int(slot)), elements, slot, update);
  }
};

template <class Exec, class Named, class Work, class Order, class Result>
void run_moved_loop(Exec const& exec, Named const& named, Work const& work, Order const& order,
                    typename Slots<Work>::Pointers const& elements, Result& result) {
  move_elements<false>(exec, named("grid: gather"), work, order, elements);
  for_or_reduce(named(to_string(RegroupVariant::grid_moved)), argument_range(exec, work.items()),
                MovedLoop<Work, Order>{work, order, elements}, result);
  move_elements<true>(exec, named("grid: scatter"), work, order, elements);
}

template <bool Moves, class Exec, class Work, class Order, class Result>
void run_grid_loop(Exec const& exec, std::string const& label, Work const& work, Order const& order,
                   typename Slots<Work>::Pointers const& elements, Result& result) {
  for_or_reduce(label, argument_range(exec, work.items()), GridLoop<Work, Order, Moves>{work, order, elements}, result);
}

/// Runs teams whose workers have one tile each.
template <class Worker, class Exec, class Body>
void run_tiles(Exec const& exec, std::string const& label, int tiles, int team_size, Body const& body) {
  int const workers = Worker::workers(team_size);
  Kokkos::parallel_for(
      label, Kokkos::TeamPolicy<Exec, FunctorAsArgument>(exec, (tiles + workers - 1) / workers, team_size), body);
}

template <class Exec, class Named>
void scan_tiles(Exec const& exec, Named const& named, GridCounts const& counts, int team_size) {
  Kokkos::parallel_for(named("grid: scan"),
                       Kokkos::TeamPolicy<Exec, FunctorAsArgument>(exec, counts.buckets, team_size), GridScan{counts});
}

/// Counts, adds up and places.
template <class Worker, bool Moves, class Exec, class Named, class Work>
void make_grid_order(Exec const& exec, Named const& named, Work const& work, GridPathOrder const& order,
                     typename Slots<Work>::Pointers const& elements, int team_size, int scan_team_size) {
  run_tiles<Worker>(exec, named("grid: count"), order.tiles, team_size, GridCount<Worker, Work>{work, order});
  scan_tiles(exec, named, order, scan_team_size);
  run_tiles<Worker>(exec, named("grid: place"), order.tiles, team_size,
                    GridPlace<Worker, Work, Moves>{work, order, elements});
}

template <bool Moves>
inline constexpr char const* grid_name = to_string(Moves ? RegroupVariant::grid_moved : RegroupVariant::grid);

/// The slots of the payload's elements, and where the order begins, in the memory that regroup_memory() counts.
template <bool Moves, class Work>
std::pair<typename Slots<Work>::Pointers, char*> take_elements(Work const& work, char* memory) {
  auto const slots = Moves ? std::size_t(work.items()) : 0;
  return {Slots<Work>::in(memory, slots), memory + padded_bytes(std::int64_t(Slots<Work>::bytes(slots)))};
}

/// The order, and the slots of the payload's elements.
template <class Work>
struct GridMemory {
  GridPathOrder order;
  typename Slots<Work>::Pointers elements;
};
template <bool Moves, class Work>
GridMemory<Work> grid_memory(Work const& work, char* memory, int tile_items) {
  auto const [elements, rest] = take_elements<Moves>(work, memory);
  return {GridPathOrder::in(rest, work.items(), work.paths, tile_items), elements};
}

template <class Worker, bool Moves, class Exec, class Named, class Work, class Result>
void run_grid(Exec const& exec, Named const& named, Work const& work, char* memory, int team_size, int scan_team_size,
              Result& result) {
  auto const grid = grid_memory<Moves>(work, memory, Worker::tile_items);
  make_grid_order<Worker, Moves>(exec, named, work, grid.order, grid.elements, team_size, scan_team_size);
  run_grid_loop<Moves>(exec, named(grid_name<Moves>), work, grid.order, grid.elements, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
