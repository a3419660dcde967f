// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_PATH_ORDER_HPP
#define KOALESCE_REGROUP_IMPL_PATH_ORDER_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// A group's items in order of their paths: an n-way counting partition. Workers count the paths of their items, a scan
/// of the counts gives the first slot of each worker and path, and the workers place their items. Items of one path
/// stay in order. If there are two paths, the slots of the second one run downward from the last slot.
namespace Koalesce::Impl {

/// The types that predictors may return.
template <class Path>
inline constexpr bool is_path_number = std::is_integral_v<Path> || std::is_enum_v<Path>;

/// Whether a bucket's slots run upward or downward.
KOKKOS_FORCEINLINE_FUNCTION constexpr int slot_step(int buckets, int bucket) {
  return buckets == 2 && bucket == 1 ? -1 : 1;
}

/// The first slot of a worker's items in a bucket: earlier workers have `before` items of the bucket, and earlier
/// buckets have `below` items.
KOKKOS_FORCEINLINE_FUNCTION constexpr int first_slot(int buckets, int bucket, int items, int below, int before) {
  return slot_step(buckets, bucket) < 0 ? items - 1 - before : below + before;
}

/// A thread that counts and places by itself.
struct SerialWorker {
  static constexpr int tile_items = 256;  // of a worker, over the grid

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int workers(int team_size) { return team_size; }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int rank_in(Member const& team) {
    return team.team_rank();
  }

  /// Turns the counts of earlier workers into first slots, given the total counts.
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

  /// Calls put(item, slot) for the items in [first, last); those of bucket b get slots from slots[std::int64_t(b) *
  /// stride] on.
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

  /// Every worker has counts in scratch memory, so many buckets mean few workers.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int workers_of(int paths, int team_size) {
    return Kokkos::max(1, Kokkos::min(Worker::workers(team_size), max_counts / buckets_of(paths)));
  }

  /// Bytes of the table and the totals. It never decreases with more items, paths or threads.
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

  /// Collective. path_of(item) is called once per item and returns m_paths for an item without a path; placed(item,
  /// slot, path) is called once per item, too. A barrier must follow before other threads read the slots.
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
  /// If there are more paths than buckets, neighboring paths share one.
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
