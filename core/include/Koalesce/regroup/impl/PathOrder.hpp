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

  /// Whether any thread of the team says so. A barrier for what the threads wrote.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static bool any(Member const& team, bool mine) {
    int count = mine ? 1 : 0;
    team.team_reduce(Kokkos::Max<int>(count));
    team.team_barrier();
    return count != 0;
  }

  /// Whether workers find their slots from all workers' counts as they place: with place_by_counts().
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool adds_up_counts(int) { return false; }
  template <class... Args>
  KOKKOS_FORCEINLINE_FUNCTION static void place_by_counts(Args const&...) {}

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

/// Up to 65536 items and their paths, as an order leaves them in a team's scratch memory.
class OrderedItems {
 public:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int items) {
    return 2 * sizeof(std::uint16_t) * std::size_t(items);
  }

  KOKKOS_FORCEINLINE_FUNCTION OrderedItems(void* memory, int items)
      : m_path(static_cast<std::uint16_t*>(memory)), m_item(m_path + items) {}

  KOKKOS_FORCEINLINE_FUNCTION int item(int slot) const { return m_item[slot]; }
  KOKKOS_FORCEINLINE_FUNCTION int path(int item) const { return m_path[item]; }
  KOKKOS_FORCEINLINE_FUNCTION void set_path(int item, int path) const { m_path[item] = std::uint16_t(path); }

 protected:
  std::uint16_t* m_path;
  std::uint16_t* m_item;
};

/// Puts the items of a team in order.
template <class Worker>
class TeamPathOrder : public OrderedItems {
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
    return OrderedItems::bytes(items) +
           sizeof(int) * std::size_t(Kokkos::min(buckets * Worker::workers(team_size), +max_counts) + 2 * buckets);
  }

  /// \param[in] memory  bytes() of them, aligned as an int; the items come first, whatever the Worker is.
  KOKKOS_FORCEINLINE_FUNCTION TeamPathOrder(void* memory, int items, int paths, int team_size)
      : OrderedItems(memory, items),
        m_items(items),
        m_paths(paths),
        m_workers(workers_of(paths, team_size)),
        m_totals(reinterpret_cast<int*>(m_item + items)),
        m_table(m_totals + buckets_of(paths)) {}

  /// Collective. path_of(item) is called once per item and returns m_paths for an item without a path; placed(item,
  /// slot, path) is called once per item, too. A barrier must follow before other threads read the slots.
  template <class Member, class PathOf, class Placed>
  KOKKOS_FORCEINLINE_FUNCTION void fill(Member const& team, PathOf const& path_of, Placed const& placed) const {
    count<true>(team, path_of);
    team.team_barrier();
    place(team, placed);
  }

  /// Collective. Finds the paths anew, and if any has changed, the order; returns whether. A barrier must follow if so.
  template <class Member, class PathOf>
  KOKKOS_FORCEINLINE_FUNCTION bool renew(Member const& team, PathOf const& path_of) const {
    if (!Worker::any(team, count<false>(team, path_of))) return false;
    place(team, [](int, int, int) {});
    return true;
  }

 private:
  /// The items of a worker.
  struct Share {
    int first, last;
  };
  KOKKOS_FORCEINLINE_FUNCTION Share share_of(int worker) const {
    int const share = (m_items + m_workers - 1) / m_workers;
    int const first = Kokkos::min(worker * share, m_items);
    return {first, Kokkos::min(first + share, m_items)};
  }

  /// Returns whether the path of any of the thread's items is another than before.
  /// \tparam First  whether no path is known yet.
  template <bool First, class Member, class PathOf>
  KOKKOS_FORCEINLINE_FUNCTION bool count(Member const& team, PathOf const& path_of) const {
    int const me = Worker::rank_in(team);
    bool changed = false;
    if (me < m_workers) {
      Share const share = share_of(me);
      Worker::count(share.first, share.last, buckets_of(m_paths), m_table + me, m_workers, [&](int item) {
        int const now = path_of(item);
        if (First || now != path(item)) {
          changed = true;
          set_path(item, now);
        }
        return bucket(now);
      });
    }
    return changed;
  }

  template <class Member, class Placed>
  KOKKOS_FORCEINLINE_FUNCTION void place(Member const& team, Placed const& placed) const {
    int const buckets = buckets_of(m_paths), me = Worker::rank_in(team);
    Share const share    = share_of(me);
    auto const bucket_of = [&](int item) { return bucket(path(item)); };
    auto const put       = [&](int item, int slot) {
      m_item[slot] = std::uint16_t(item);
      placed(item, slot, path(item));
    };
    if (Worker::adds_up_counts(buckets)) {
      if (me < m_workers)
        Worker::place_by_counts(me, m_workers, m_items, share.first, share.last, buckets, m_table, bucket_of, put);
      return;
    }
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
      Worker::place(share.first, share.last, buckets, m_table + me, m_workers, bucket_of, put);
    }
  }

  /// If there are more paths than buckets, neighboring paths share one.
  KOKKOS_FORCEINLINE_FUNCTION int bucket(int path) const {
    if (path >= m_paths) return 0;
    return m_paths <= max_buckets ? path : int(unsigned(path) * unsigned(max_buckets) / unsigned(m_paths));
  }

  int m_items, m_paths, m_workers;
  int* m_totals;
  int* m_table;
};

}  // namespace Koalesce::Impl

#endif
