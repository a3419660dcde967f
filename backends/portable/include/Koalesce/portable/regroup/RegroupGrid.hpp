// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_REGROUP_GRID_HPP
#define KOALESCE_PORTABLE_REGROUP_REGROUP_GRID_HPP

#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/PathOrder.hpp>
#include <Koalesce/regroup/impl/RegroupWork.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

/// Regrouping over the grid: workers count the paths of tiles of items, the tiles' counts are added up, and workers
/// place the items.
namespace Koalesce::Impl::PortableBackend {

/// The order of all items of a loop, in global memory. Its buckets are the paths.
struct GridPathOrder {
  static constexpr std::int64_t max_items = std::int64_t(1) << 30;

  int items, paths;
  int tile_items, tiles;
  char* codes;  // the items' paths, one byte each if that suffices
  int* item;    // the item of every slot
  int* table;   // [paths][tiles]: counts, then first slots
  int* totals;  // of the paths

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int code_bytes(int paths) { return paths < 255 ? 1 : 4; }

  KOKKOS_FORCEINLINE_FUNCTION int path(int i) const {
    return code_bytes(paths) == 1 ? int(reinterpret_cast<std::uint8_t const*>(codes)[i])
                                  : reinterpret_cast<int const*>(codes)[i];
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_path(int i, int path) const {
    if (code_bytes(paths) == 1) reinterpret_cast<std::uint8_t*>(codes)[i] = std::uint8_t(path);
    else reinterpret_cast<int*>(codes)[i] = path;
  }
  /// An item without a path is placed as one of path 0.
  KOKKOS_FORCEINLINE_FUNCTION int bucket(int path) const { return path < paths ? path : 0; }

  /// \param[in] max_tile_items  items of a worker's tile. If there are many paths, tiles are larger, so that the table
  ///                            is smaller than the items.
  static int tile_of(int paths, int max_tile_items) { return std::max(max_tile_items, 16 * paths); }

  /// Bytes for tiles of at least `min_tile_items` items.
  static std::size_t bytes(std::int64_t items, int paths, int min_tile_items) {
    std::int64_t const tile = tile_of(paths, min_tile_items), tiles = (items + tile - 1) / tile;
    return padded(items * code_bytes(paths)) + padded(items * 4) + padded(tiles * paths * 4) +
           padded(std::int64_t(paths) * 4);
  }

  static GridPathOrder in(char* memory, std::int64_t items, int paths, int min_tile_items) {
    GridPathOrder order{int(items), paths, tile_of(paths, min_tile_items), 0, memory, nullptr, nullptr, nullptr};
    order.tiles = int((items + order.tile_items - 1) / order.tile_items);
    memory += padded(items * code_bytes(paths));
    order.item = reinterpret_cast<int*>(memory);
    memory += padded(items * 4);
    order.table = reinterpret_cast<int*>(memory);
    memory += padded(std::int64_t(order.tiles) * paths * 4);
    order.totals = reinterpret_cast<int*>(memory);
    return order;
  }

 private:
  static constexpr std::size_t padded(std::int64_t bytes) { return std::size_t(bytes + 255) / 256 * 256; }
};

/// Counts the items' paths, one worker per tile.
template <class Worker>
struct GridTiles {
  GridPathOrder order;

  template <class Member, class Action>
  KOKKOS_FORCEINLINE_FUNCTION void with_tile(Member const& team, Action const& action) const {
    int const tile = team.league_rank() * Worker::workers(team.team_size()) + Worker::rank_in(team);
    if (tile >= order.tiles) return;
    int const first = tile * order.tile_items;
    action(tile, first, Kokkos::min(order.items - first, order.tile_items) + first);
  }
};

template <class Worker, class Work>
struct GridCount {
  Work work;
  GridTiles<Worker> tiles;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    tiles.with_tile(team, [&](int tile, int first, int last) {
      auto const& order = tiles.order;
      Worker::count(first, last, order.paths, order.table + tile, order.tiles, [&](int item) {
        int const path = work.path(work.begin + item);
        order.set_path(item, path);
        return order.bucket(path);
      });
    });
  }
};

/// Scans a path's counts over the tiles; each thread handles a stretch of tiles.
struct GridScan {
  GridPathOrder order;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const path = team.league_rank(), tiles = order.tiles;
    int* const row    = order.table + std::int64_t(path) * tiles;
    int const stretch = (tiles + team.team_size() - 1) / team.team_size();
    int const first = Kokkos::min(team.team_rank() * stretch, tiles), last = Kokkos::min(first + stretch, tiles);
    int count = 0;
    for (int tile = first; tile < last; ++tile) count += row[tile];
    int sum = team.team_scan(count);
    if (team.team_rank() == team.team_size() - 1) order.totals[path] = sum + count;
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
  GridTiles<Worker> tiles;
  typename Slots<Work>::Pointers elements;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    tiles.with_tile(team, [&](int tile, int first, int last) {
      auto const& order = tiles.order;
      int* const slots  = order.table + tile;
      Worker::find_slots(order.items, order.paths, order.totals, slots, order.tiles);
      Worker::place(
          first, last, order.paths, slots, order.tiles, [&](int item) { return order.bucket(order.path(item)); },
          [&](int item, int slot) {
            order.item[slot] = item;
            if constexpr (Moves) work.depart(work.begin + item, elements, slot);
          });
    });
  }
};

/// Runs the items in order of their slots.
template <class Work, bool Moves>
struct GridLoop {
  Work work;
  GridPathOrder order;
  typename Slots<Work>::Pointers elements;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t slot, Update& update) const {
    int const i             = order.item[slot];
    std::int64_t const item = work.begin + i;
    if constexpr (Moves) {
      work.run_moved(order.path(i), item, elements, slot, update);
      work.come_back(item, elements, slot);
    } else {
      work.run(order.path(i), item, update);
    }
  }
};

/// Runs teams whose workers have one tile each.
template <class Worker, class Exec, class Body>
void run_tiles(Exec const& exec, std::string const& label, int tiles, int team_size, Body const& body) {
  int const workers = Worker::workers(team_size);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, (tiles + workers - 1) / workers, team_size), body);
}

/// Counts, adds up and places.
template <class Worker, bool Moves, class Exec, class Named, class Work>
void make_grid_order(Exec const& exec, Named const& named, Work const& work, GridPathOrder const& order,
                     typename Slots<Work>::Pointers const& elements, int team_size, int scan_team_size) {
  GridTiles<Worker> const tiles{order};
  run_tiles<Worker>(exec, named("grid: count"), order.tiles, team_size, GridCount<Worker, Work>{work, tiles});
  Kokkos::parallel_for(named("grid: scan"), Kokkos::TeamPolicy<Exec>(exec, order.paths, scan_team_size),
                       GridScan{order});
  run_tiles<Worker>(exec, named("grid: place"), order.tiles, team_size,
                    GridPlace<Worker, Work, Moves>{work, tiles, elements});
}

template <bool Moves>
inline constexpr char const* grid_name = to_string(Moves ? RegroupVariant::grid_moved : RegroupVariant::grid);

/// The order, and the slots of the payload's elements, in the memory that regroup_memory() counts.
template <class Work>
struct GridMemory {
  GridPathOrder order;
  typename Slots<Work>::Pointers elements;
};
template <bool Moves, class Work>
GridMemory<Work> grid_memory(Work const& work, char* memory, int tile_items) {
  auto const slots    = Moves ? std::size_t(work.items()) : 0;
  auto const elements = Slots<Work>::in(memory, slots);
  return {GridPathOrder::in(memory + Slots<Work>::bytes(slots), work.items(), work.paths, tile_items), elements};
}

template <class Worker, bool Moves, class Exec, class Named, class Work, class Result>
void run_grid(Exec const& exec, Named const& named, Work const& work, char* memory, int team_size, int scan_team_size,
              Result& result) {
  auto const grid = grid_memory<Moves>(work, memory, Worker::tile_items);
  make_grid_order<Worker, Moves>(exec, named, work, grid.order, grid.elements, team_size, scan_team_size);
  for_or_reduce(named(grid_name<Moves>),
                Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, work.items()),
                GridLoop<Work, Moves>{work, grid.order, grid.elements}, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
