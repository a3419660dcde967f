// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_REGROUP_KEY_ORDER_HPP
#define KOALESCE_PORTABLE_REGROUP_KEY_ORDER_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/portable/regroup/RegroupGrid.hpp>
#include <Koalesce/regroup/impl/SortKey.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

/// Regrouping over the grid in order of keys: every item gets a number made of its path and its key, and the numbers
/// are sorted, by a radix sort that counts and places digits as GridPathOrder does paths.
namespace Koalesce::Impl::PortableBackend {

/// The order of all items by path and key, in global memory.
struct GridKeyOrder {
  int items;
  SortBits bits;
  std::uint32_t *number, *next_number;  // of every slot; sorts go from one to the other
  int *item, *next_item;
  std::uint64_t* range;  // the lowest and the highest of the keys' ranks
  char* scratch;         // of what sorts

  KOKKOS_FORCEINLINE_FUNCTION int item_at(int slot) const { return item[slot]; }
  KOKKOS_FORCEINLINE_FUNCTION int path_at(int slot) const { return bits.path_of(number[slot]); }
  KOKKOS_FORCEINLINE_FUNCTION int end_of_path(int slot, int last) const { return end_of_path_at(*this, slot, last); }

  /// \param[in] scratch  bytes for what sorts.
  static std::size_t bytes(std::int64_t items, std::size_t scratch) {
    return 4 * padded_bytes(items * 4) + padded_bytes(2 * sizeof(std::uint64_t)) + scratch;
  }

  static GridKeyOrder in(char* memory, std::int64_t items, SortBits bits) {
    auto const take = [&](std::int64_t bytes) { return std::exchange(memory, memory + padded_bytes(bytes)); };
    GridKeyOrder order{int(items), bits, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    order.number      = reinterpret_cast<std::uint32_t*>(take(items * 4));
    order.next_number = reinterpret_cast<std::uint32_t*>(take(items * 4));
    order.item        = reinterpret_cast<int*>(take(items * 4));
    order.next_item   = reinterpret_cast<int*>(take(items * 4));
    order.range       = reinterpret_cast<std::uint64_t*>(take(2 * sizeof(std::uint64_t)));
    order.scratch     = memory;
    return order;
  }

  void swap() {
    std::swap(number, next_number);
    std::swap(item, next_item);
  }
};

/// Finds the range of the keys.
template <class Work>
struct KeyRange {
  using value_type = Kokkos::MinMaxScalar<std::uint64_t>;

  Work work;

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& range) const {
    auto const key = work.key(item);
    if (!is_finite_key(key)) return;
    auto const rank = rank_of_key(key);
    range.min_val   = Kokkos::min(range.min_val, rank);
    range.max_val   = Kokkos::max(range.max_val, rank);
  }
};

/// Writes the numbers of the slots' items, which are in their own order unless they were sorted before.
template <class Work>
struct NumberItems {
  Work work;
  GridKeyOrder order;

  KOKKOS_FUNCTION void operator()(int s) const {
    if (!order.bits.exact) order.item[s] = s;
    std::int64_t const item = work.begin + order.item[s];
    std::uint64_t rank = 0, first = 0, last = 0;
    if constexpr (Work::has_key)
      if (!order.bits.exact) {
        rank  = rank_of_key(work.key(item));
        first = order.range[0];
        last  = order.range[1];
      }
    order.number[s] = order.bits.number(work.path(item), rank, first, last);
  }
};

/// Writes 32 bits of the keys of the slots' items, which are in their own order for the lowest bits.
template <class Work>
struct NumberKeys {
  Work work;
  GridKeyOrder order;
  int low;  // the first of the bits

  KOKKOS_FUNCTION void operator()(int s) const {
    if (low == 0) order.item[s] = s;
    auto const rank = rank_of_key(work.key(work.begin + order.item[s]));
    order.number[s] = std::uint32_t(place_in_range(rank, order.range[0], order.range[1]) >> low);
  }
};

template <class Exec, class Work>
void find_range(Exec const& exec, std::string const& label, Work const& work, GridKeyOrder const& order) {
  using Range = Kokkos::MinMaxScalar<std::uint64_t>;
  static_assert(sizeof(Range) == 2 * sizeof(std::uint64_t));
  Kokkos::View<Range, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const range(
      reinterpret_cast<Range*>(order.range));
  Kokkos::parallel_reduce(label, argument_range<std::int64_t>(exec, work.begin, work.end), KeyRange<Work>{work},
                          Kokkos::MinMax<std::uint64_t, typename Exec::memory_space>(range));
}

/// Puts the items in order.
/// \param[in] sort      sort(order) sorts by order.bits.total bits of the numbers; equal ones stay in order.
/// \param[in] numbered  numbered(order) is called when the paths are in the numbers, before the last sort.
template <class Exec, class Named, class Work, class Sort, class Numbered>
void order_items(Exec const& exec, Named const& named, Work const& work, GridKeyOrder& order, Sort const& sort,
                 Numbered const& numbered) {
  auto const slots = argument_range<int>(exec, 0, order.items);
  if constexpr (Work::has_key) {
    find_range(exec, named("grid: range"), work, order);
    constexpr int key_bits = 8 * int(sizeof(typename Work::KeyValue));
    if (order.bits.exact) {
      auto const bits = std::exchange(order.bits, SortBits{0, 32});
      for (int low = 0; low < key_bits; low += 32) {
        Kokkos::parallel_for(named("grid: number"), slots, NumberKeys<Work>{work, order, low});
        sort(order);
      }
      order.bits = bits;
    }
  }
  Kokkos::parallel_for(named("grid: number"), slots, NumberItems<Work>{work, order});
  numbered(order);
  sort(order);
}
template <class Exec, class Named, class Work, class Sort>
void order_items(Exec const& exec, Named const& named, Work const& work, GridKeyOrder& order, Sort const& sort) {
  order_items(exec, named, work, order, sort, [](GridKeyOrder const&) {});
}

/// What sorts by one digit: the digits are the buckets.
struct DigitSort {
  static constexpr int digits = 1 << SortBits::digit;

  GridCounts counts;
  GridKeyOrder keys;
  int shift;

  KOKKOS_FORCEINLINE_FUNCTION int digit(int slot) const { return int(keys.number[slot] >> shift) & (digits - 1); }
};

template <class Worker>
struct CountDigits {
  DigitSort sort;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const& counts = sort.counts;
    with_tile<Worker>(team, counts, [&](int tile, int first, int last) {
      Worker::count(first, last, sort.digits, counts.table + tile, counts.tiles, [&](int s) { return sort.digit(s); });
    });
  }
};

template <class Worker>
struct PlaceDigits {
  DigitSort sort;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const& counts = sort.counts;
    with_tile<Worker>(team, counts, [&](int tile, int first, int last) {
      int* const slots = counts.table + tile;
      Worker::find_slots(counts.items, sort.digits, counts.totals, slots, counts.tiles);
      Worker::place(
          first, last, sort.digits, slots, counts.tiles, [&](int s) { return sort.digit(s); },
          [&](int s, int slot) {
            sort.keys.next_number[slot] = sort.keys.number[s];
            sort.keys.next_item[slot]   = sort.keys.item[s];
          });
    });
  }
};

/// Bytes that sort_digits() needs.
template <class Worker>
std::size_t sort_scratch(std::int64_t items) {
  return GridCounts::bytes(items, DigitSort::digits, Worker::tile_items);
}

/// Sorts from the lowest digit on.
template <class Worker, class Exec, class Named>
void sort_digits(Exec const& exec, Named const& named, GridKeyOrder& keys, int team_size, int scan_team_size) {
  auto const counts = GridCounts::in(keys.scratch, keys.items, DigitSort::digits, Worker::tile_items);
  for (int shift = 0; shift < keys.bits.total; shift += SortBits::digit) {
    DigitSort const sort{counts, keys, shift};
    run_tiles<Worker>(exec, named("grid: count"), counts.tiles, team_size, CountDigits<Worker>{sort});
    scan_tiles(exec, named, counts, scan_team_size);
    run_tiles<Worker>(exec, named("grid: place"), counts.tiles, team_size, PlaceDigits<Worker>{sort});
    keys.swap();
  }
}

/// The items of a loop in order of their paths and, if they have any, keys.
template <class Worker, class Exec, class Named, class Work>
GridKeyOrder order_by_number(Exec const& exec, Named const& named, Work const& work, SortBits bits, char* memory,
                             int team_size, int scan_team_size) {
  auto order = GridKeyOrder::in(memory, work.items(), bits);
  order_items(exec, named, work, order,
              [&](GridKeyOrder& keys) { sort_digits<Worker>(exec, named, keys, team_size, scan_team_size); });
  return order;
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
