// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_PATH_ORDER_HPP
#define KOALESCE_REGROUP_IMPL_PATH_ORDER_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// A group's items in order of their paths: an n-way counting partition. Workers count the paths of their items, what
/// they counted is added up to the slots where each begins, and the items are placed. Items of one path stay in order;
/// of two paths the second one's slots run downward from the last.
namespace Koalesce::Impl {

/// What predictors return.
template <class Path>
inline constexpr bool is_path_number = std::is_integral_v<Path> || std::is_enum_v<Path>;

/// Whether a bucket's slots run upward or downward.
KOKKOS_FORCEINLINE_FUNCTION constexpr int slot_step(int buckets, int bucket) {
  return buckets == 2 && bucket == 1 ? -1 : 1;
}

/// The first slot of a bucket's items, `before` of which lie with earlier workers, and `below` in earlier buckets.
KOKKOS_FORCEINLINE_FUNCTION constexpr int first_slot(int buckets, int bucket, int items, int below, int before) {
  return slot_step(buckets, bucket) < 0 ? items - 1 - before : below + before;
}

/// A thread that counts and places by itself.
struct SerialWorker {
  static constexpr int tile_items = 256;  // over the grid

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int workers(int team_size) { return team_size; }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int rank_in(Member const& team) {
    return team.team_rank();
  }

  /// Turns what earlier workers counted into first slots, given all items' counts.
  KOKKOS_FORCEINLINE_FUNCTION static void find_slots(int items, int buckets, int const* totals, int* slots,
                                                     int stride) {
    int below = 0;
    for (int b = 0; b < buckets; ++b) {
      slots[std::int64_t(b) * stride] = first_slot(buckets, b, items, below, slots[std::int64_t(b) * stride]);
      below += totals[b];
    }
  }

  /// Sets counts[std::int64_t(b) * stride] to the number of items in [first, last) with bucket_of(item) == b.
  template <class BucketOf>
  KOKKOS_FORCEINLINE_FUNCTION static void count(int first, int last, int buckets, int* counts, int stride,
                                                BucketOf const& bucket_of) {
    for (int b = 0; b < buckets; ++b) counts[std::int64_t(b) * stride] = 0;
    for (int item = first; item < last; ++item) ++counts[std::int64_t(bucket_of(item)) * stride];
  }

  /// put(item, slot) for the items in [first, last), bucket b's from slots[std::int64_t(b) * stride] on.
  template <class BucketOf, class Put>
  KOKKOS_FORCEINLINE_FUNCTION static void place(int first, int last, int buckets, int* slots, int stride,
                                                BucketOf const& bucket_of, Put const& put) {
    for (int item = first; item < last; ++item) {
      int const bucket = bucket_of(item);
      int& slot        = slots[std::int64_t(bucket) * stride];
      put(item, slot);
      slot += slot_step(buckets, bucket);
    }
  }
};

/// The order of up to 65536 items, in a team's scratch memory.
template <class Worker>
class TeamPathOrder {
 public:
  static constexpr int max_items   = 65536;
  static constexpr int max_paths   = 65535;
  static constexpr int max_buckets = 256;
  static constexpr int max_counts  = 2048;

  static constexpr bool can_order(int paths) { return paths <= max_paths; }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int buckets_of(int paths) { return Kokkos::min(paths, +max_buckets); }

  /// Each has its counts in scratch memory: more buckets, fewer workers.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int workers_of(int paths, int team_size) {
    return Kokkos::max(1, Kokkos::min(Worker::workers(team_size), max_counts / buckets_of(paths)));
  }

  /// Of the table and the totals; more items, paths or threads never need less.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int items, int paths, int team_size) {
    int const buckets = buckets_of(paths);
    return sizeof(int) * std::size_t(Kokkos::min(buckets * Worker::workers(team_size), +max_counts) + 2 * buckets) +
           2 * sizeof(std::uint16_t) * std::size_t(items);
  }

  /// \param[in] memory  bytes() of them, aligned as an int.
  KOKKOS_FORCEINLINE_FUNCTION TeamPathOrder(void* memory, int items, int paths, int team_size)
      : m_items(items),
        m_paths(paths),
        m_workers(workers_of(paths, team_size)),
        m_totals(static_cast<int*>(memory)),
        m_table(m_totals + buckets_of(paths)),
        m_path(reinterpret_cast<std::uint16_t*>(m_table + buckets_of(paths) * m_workers)),
        m_item(m_path + items) {}

  /// Collective. path_of(item) is called once per item and may be m_paths: none. placed(item, slot, path), too.
  /// A barrier must come before what other threads read.
  template <class Member, class PathOf, class Placed>
  KOKKOS_FORCEINLINE_FUNCTION void fill(Member const& team, PathOf const& path_of, Placed const& placed) const {
    int const buckets = buckets_of(m_paths), me = Worker::rank_in(team);
    int const share = (m_items + m_workers - 1) / m_workers;
    int const first = Kokkos::min(me * share, m_items), last = Kokkos::min(first + share, m_items);
    if (me < m_workers)
      Worker::count(first, last, buckets, m_table + me, m_workers, [&](int item) {
        int const path = path_of(item);
        m_path[item]   = std::uint16_t(path);
        return bucket(path);
      });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, buckets), [&](int b) {
      int sum = 0;
      for (int w = 0; w < m_workers; ++w) {
        int& count     = m_table[b * m_workers + w];
        int const mine = count;
        count          = sum;
        sum += mine;
      }
      m_totals[b] = sum;
    });
    team.team_barrier();
    if (me < m_workers) {
      Worker::find_slots(m_items, buckets, m_totals, m_table + me, m_workers);
      Worker::place(
          first, last, buckets, m_table + me, m_workers, [&](int item) { return bucket(m_path[item]); },
          [&](int item, int slot) {
            m_item[slot] = std::uint16_t(item);
            placed(item, slot, int(m_path[item]));
          });
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int item(int slot) const { return m_item[slot]; }
  KOKKOS_FORCEINLINE_FUNCTION int path(int item) const { return m_path[item]; }

 private:
  /// More paths than buckets: neighbors share one.
  KOKKOS_FORCEINLINE_FUNCTION int bucket(int path) const {
    if (path >= m_paths) return 0;
    return m_paths <= max_buckets ? path : int(std::int64_t(path) * max_buckets / m_paths);
  }

  int m_items, m_paths, m_workers;
  int* m_totals;
  int* m_table;
  std::uint16_t* m_path;
  std::uint16_t* m_item;
};

}  // namespace Koalesce::Impl

#endif
