// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_REGROUP_REGROUP_HPP
#define KOALESCE_OPENMP_REGROUP_REGROUP_HPP

#include <Koalesce/common/impl/Simd.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/regroup/OrderedReduce.hpp>
#include <Koalesce/portable/regroup/Regroup.hpp>

#include <algorithm>
#include <string>
#include <utility>

// All of this runs on the host, which nvcc cannot know: it would warn about calls of host functions.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20013, 20014, 20015
#endif

/// Regrouping on CPU threads: the items of a path become one loop, which vectorizes where its functor does.
namespace Koalesce::Impl::OpenMPBackend {

using PortableBackend::can_regroup;
using PortableBackend::plan_memory;
using PortableBackend::regroup_bytes;
using PortableBackend::regroup_memory;
using PortableBackend::sample_plan;
using PortableBackend::update_plan;

/// Whether items depend on no other's. Where atomics and ScatterViews are plain memory, items that share an element do.
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
template <class>
inline constexpr bool has_independent_items = false;
#else
template <class Exec>
inline constexpr bool has_independent_items = true;
#ifdef KOKKOS_ENABLE_SERIAL
template <>
inline constexpr bool has_independent_items<Kokkos::Serial> = false;
#endif
#endif

/// Calls body(slot) for begin <= slot < end. If items are independent, the loop may vectorize unless it reduces.
template <class Exec, class Update, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_slot(int begin, int end, Body const& body) {
  if constexpr (has_independent_items<Exec> && std::is_same_v<Update, NoUpdate>) {
    KOALESCE_SIMD
    for (int slot = begin; slot < end; ++slot) body(slot);
  } else {
    for (int slot = begin; slot < end; ++slot) body(slot);
  }
}

/// Runs the slots [begin, end), all of one path, with the elements in their Views; item_of(slot) is the item.
template <class Exec, class Work, class ItemOf, class Update>
KOKKOS_FORCEINLINE_FUNCTION void run_path(Work const& work, int path, int begin, int end, ItemOf const& item_of,
                                          Update& update) {
  work.body.select(path, [&](auto const& functor) KOALESCE_INLINE_LAMBDA {
    for_each_slot<Exec, Update>(begin, end, [&](int slot) KOALESCE_INLINE_LAMBDA {
      std::int64_t const item = item_of(slot);
      work.call(functor, item, update,
                [&](auto const& part, auto) KOALESCE_INLINE_LAMBDA -> decltype(auto) { return part.view(item); });
    });
  });
}

/// The same with the elements moved into the slots.
template <class Exec, class Work, class ItemOf, class Elements, class Update>
KOKKOS_FORCEINLINE_FUNCTION void run_moved_path(Work const& work, int path, int begin, int end, ItemOf const& item_of,
                                                Elements const& elements, Update& update) {
  work.body.select(path, [&](auto const& functor) KOALESCE_INLINE_LAMBDA {
    for_each_slot<Exec, Update>(begin, end, [&](int slot) KOALESCE_INLINE_LAMBDA {
      work.call(functor, item_of(slot), update, [&](auto const& part, auto i) KOALESCE_INLINE_LAMBDA -> decltype(auto) {
        using Element = typename std::decay_t<decltype(part)>::View::value_type;
        return static_cast<Element&>(get<std::size_t(i.value)>(elements)[slot]);
      });
    });
  });
}

/// The plain loop, in blocks, so that results are joined in order of blocks and the loop's data stays in registers.
template <class Work, std::int64_t Block>
struct OpenMPPlainLoop {
  Work work;

  template <class Update>
  KOALESCE_FLATTEN void operator()(std::int64_t b, Update& update) const {
    Work const mine        = work;  // a local copy: functors cannot write to it, so it stays in registers
    std::int64_t const end = std::min(mine.begin + (b + 1) * Block, mine.end);
    for (std::int64_t item = mine.begin + b * Block; item < end; ++item) {
      auto const path = mine.predicted(item);
      if (!mine.run(path, item, update)) mine.fault.report(item, path);
    }
  }
};

/// A thread orders a group of items by path on its stack, small enough for its first-level cache.
template <class Exec, class Work, bool Moves>
struct OpenMPTeamLoop {
  static constexpr std::size_t item_bytes = Moves ? Slots<Work>::bytes_per_item : 0;
  static constexpr std::size_t cache      = 16 * 1024;
  static constexpr int group              = int(std::clamp<std::size_t>(cache / (item_bytes + 4), 32, 1024));
  static constexpr int max_paths          = 256;
  static constexpr int shares             = 4;  // parts of a group's items, counted separately

  Work work;

  struct Order {
    std::uint16_t path[group], item[group];
    int begin[max_paths + 1], end[max_paths + 1];  // slots of each path; the last entry is for items without a path
    int next[shares][max_paths + 1];               // next slot of each share and path
  };

  template <class Update>
  KOALESCE_FLATTEN void operator()(std::int64_t g, Update& update) const {
    std::int64_t const first = work.begin + g * group;
    int const items          = int(std::min<std::int64_t>(group, work.end - first));
    Order order;
    if (int const path = find_paths(first, items, order); path != several) {
      auto const item_at = [&](int slot) KOALESCE_INLINE_LAMBDA { return first + slot; };
      return run_path<Exec>(work, path, 0, items, item_at, update);
    }
    auto const item_of = [&](int slot) KOALESCE_INLINE_LAMBDA { return first + order.item[slot]; };
    if constexpr (Moves) {
      alignas(64) char memory[Slots<Work>::bytes(group)];
      auto const elements = Slots<Work>::in(memory, group);
      place(items, order);
      for (int slot = 0; slot < items; ++slot) depart(work.payload, item_of(slot), elements, slot);
      for_each_path(order, [&](int path, int begin, int end) {
        run_moved_path<Exec>(work, path, begin, end, item_of, elements, update);
      });
      for (int slot = 0; slot < items; ++slot) come_back(work.payload, item_of(slot), elements, slot);
    } else {
      place(items, order);
      for_each_path(order,
                    [&](int path, int begin, int end) { run_path<Exec>(work, path, begin, end, item_of, update); });
    }
  }

 private:
  static constexpr int several = -1;

  template <class Action>
  void for_each_path(Order const& order, Action const& action) const {
    for (int path = 0; path < work.paths; ++path)
      if (order.begin[path] < order.end[path]) action(path, order.begin[path], order.end[path]);
  }

  /// Finds the items' paths. Returns the path if all items take the same one. No branch, so that it vectorizes.
  int find_paths(std::int64_t first, int items, Order& order) const {
    bool faulty = false;
    for (int item = 0; item < items; ++item) {
      auto const path  = work.predicted(first + item);
      bool const valid = work.is_path(path);
      order.path[item] = std::uint16_t(valid ? int(path) : work.paths);
      faulty |= !valid;
    }
    if (faulty)
      for (int item = 0; item < items; ++item) work.path(first + item);  // again: this time it reports the fault
    int const path = items > 0 ? order.path[0] : several;
    int other      = 0;
    for (int item = 0; item < items; ++item) other |= order.path[item] ^ path;
    return other == 0 ? path : several;
  }

  /// Calls action(share, item), with the shares in turn, so that a counter is not read right after it was written.
  template <class Action>
  KOKKOS_FORCEINLINE_FUNCTION static void walk(int items, Action const& action) {
    int const size = items / shares;
    for (int i = 0; i < size; ++i)
      static_for<shares>([&](auto share) KOALESCE_INLINE_LAMBDA { action(share.value, share.value * size + i); });
    for (int item = shares * size; item < items; ++item) action(shares - 1, item);
  }

  /// Puts the items into slots, in order of their paths.
  void place(int items, Order& order) const {
    int const buckets = work.paths + 1;
    for (auto& next : order.next) std::fill_n(next, buckets, 0);
    walk(items, [&](int share, int item) KOALESCE_INLINE_LAMBDA { ++order.next[share][order.path[item]]; });
    int sum = 0;
    for (int p = 0; p < buckets; ++p) {
      order.begin[p] = sum;
      for (auto& next : order.next) sum += std::exchange(next[p], sum);
      order.end[p] = sum;
    }
    walk(items, [&](int share, int item) KOALESCE_INLINE_LAMBDA {
      order.item[order.next[share][order.path[item]]++] = std::uint16_t(item);
    });
  }
};

/// The same for too many paths to count on the stack: sorts the items by path.
template <class Exec, class Work, bool Moves>
struct OpenMPSortingTeamLoop {
  static constexpr int group = OpenMPTeamLoop<Exec, Work, Moves>::group;

  Work work;

  template <class Update>
  void operator()(std::int64_t g, Update& update) const {
    std::int64_t const first = work.begin + g * group;
    int const items          = int(std::min<std::int64_t>(group, work.end - first));
    std::int64_t order[group];  // path and item
    for (int item = 0; item < items; ++item) order[item] = std::int64_t(work.path(first + item)) * group + item;
    std::sort(order, order + items);
    auto const item_of = [&](int slot) { return first + order[slot] % group; };
    alignas(64) [[maybe_unused]] char memory[Slots<Work>::bytes(group) + 1];
    auto const elements = Slots<Work>::in(memory, group);
    for (int begin = 0, end; begin < items; begin = end) {
      std::int64_t const path = order[begin] / group;
      for (end = begin; end < items && order[end] / group == path; ++end)
        if constexpr (Moves) depart(work.payload, item_of(end), elements, end);
      if constexpr (Moves) {
        run_moved_path<Exec>(work, int(path), begin, end, item_of, elements, update);
        for (int slot = begin; slot < end; ++slot) come_back(work.payload, item_of(slot), elements, slot);
      } else {
        run_path<Exec>(work, int(path), begin, end, item_of, update);
      }
    }
  }
};

/// Blocks of the grid's slots. Neighboring slots mostly have the same path.
template <class Exec, class Work, class Order, bool Moves>
struct OpenMPGridLoop {
  static constexpr int block = 4096;

  Work work;
  Order order;
  typename Slots<Work>::Pointers elements;

  template <class Update>
  KOALESCE_FLATTEN void operator()(std::int64_t b, Update& update) const {
    int const last     = int(std::min<std::int64_t>((b + 1) * block, order.items));
    auto const item_of = [&](int slot) KOALESCE_INLINE_LAMBDA { return work.begin + order.item_at(slot); };
    for (int begin = int(b * block), end; begin < last; begin = end) {
      int const path = order.path_at(begin);
      end            = order.end_of_path(begin, last);
      if constexpr (Moves) {
        run_moved_path<Exec>(work, path, begin, end, item_of, elements, update);
        for (int slot = begin; slot < end; ++slot) come_back(work.payload, item_of(slot), elements, slot);
      } else {
        run_path<Exec>(work, path, begin, end, item_of, update);
      }
    }
  }
};

/// Counts in a local array if that is small, because neighboring tiles' counts share cache lines (false sharing).
struct ThreadWorker : SerialWorker {
  static constexpr int tile_items = 8192;
  static constexpr int max_local  = 256;

  template <class BucketOf>
  static void count(int first, int last, int buckets, int* counts, int stride, BucketOf const& bucket_of) {
    if (buckets > max_local) return SerialWorker::count(first, last, buckets, counts, stride, bucket_of);
    int local[max_local];
    SerialWorker::count(first, last, buckets, local, 1, bucket_of);
    for (int b = 0; b < buckets; ++b) counts[std::int64_t(b) * stride] = local[b];
  }

  template <class BucketOf, class Put>
  static void place(int first, int last, int buckets, int* slots, int stride, BucketOf const& bucket_of,
                    Put const& put) {
    if (buckets > max_local) return SerialWorker::place(first, last, buckets, slots, stride, bucket_of, put);
    int local[max_local];
    for (int b = 0; b < buckets; ++b) local[b] = slots[std::int64_t(b) * stride];
    SerialWorker::place(first, last, buckets, local, 1, bucket_of, put);
  }
};

/// Blocks have a size known at compile time, for which loops are optimized best. Small loops have smaller blocks, so
/// that every thread gets some. The size does not depend on the number of threads, and so results do not.
template <class Exec, class Work, class Result>
void run_openmp_plain(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  constexpr std::int64_t large = 4096, small = 64;
  auto const run = [&]<std::int64_t Block>(std::integral_constant<std::int64_t, Block>) {
    run_blocks(label, exec, (work.items() + Block - 1) / Block, OpenMPPlainLoop<Work, Block>{work}, result);
  };
  if (work.items() >= 256 * large) run(std::integral_constant<std::int64_t, large>());
  else run(std::integral_constant<std::int64_t, small>());
}

template <bool Moves, class Exec, class Work, class Result>
void run_openmp_team(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  using Body                = OpenMPTeamLoop<Exec, Work, Moves>;
  std::int64_t const groups = (work.items() + Body::group - 1) / Body::group;
  if (work.paths <= Body::max_paths) run_blocks(label, exec, groups, Body{work}, result);
  else run_blocks(label, exec, groups, OpenMPSortingTeamLoop<Exec, Work, Moves>{work}, result);
}

template <bool Moves, class Exec, class Work, class Order, class Result>
void run_openmp_grid_loop(Exec const& exec, std::string const& label, Work const& work, Order const& order,
                          typename Slots<Work>::Pointers const& elements, Result& result) {
  using Body = OpenMPGridLoop<Exec, Work, Order, Moves>;
  run_blocks(label, exec, (work.items() + Body::block - 1) / Body::block, Body{work, order, elements}, result);
}

template <bool Moves, class Exec, class Named, class Work, class Result>
void run_openmp_grid(Exec const& exec, Named const& named, Work const& work, char* memory, Result& result) {
  auto const grid = PortableBackend::grid_memory<Moves>(work, memory, ThreadWorker::tile_items);
  PortableBackend::make_grid_order<ThreadWorker, Moves>(exec, named, work, grid.order, grid.elements, 1, 1);
  run_openmp_grid_loop<Moves>(exec, named(PortableBackend::grid_name<Moves>), work, grid.order, grid.elements, result);
}

template <bool Moves, class Exec, class Named, class Work, class Result>
void run_openmp_ordered(Exec const& exec, Named const& named, Work const& work, RegroupVariant variant, char* memory,
                        Result& result) {
  if constexpr (Work::has_key) {
    auto const [elements, rest] = PortableBackend::take_elements<Moves>(work, memory);
    auto const order            = PortableBackend::order_by_number<ThreadWorker>(
        exec, named, work, PortableBackend::sort_bits(work, variant), rest, 1, 1);
    if constexpr (Moves) PortableBackend::move_elements<false>(exec, named("grid: gather"), work, order, elements);
    run_openmp_grid_loop<Moves>(exec, named(to_string(variant)), work, order, elements, result);
  }
}

template <class Exec, class Named, class Work>
void make_plan(Tag, Exec const& exec, Named const& named, Work const& work, SortBits bits, char* plan, char* memory) {
  using namespace PortableBackend;
  make_grid_plan(exec, named, work, GridPlan::in(plan, work.items(), work.paths),
                 GridKeyOrder::in(memory, work.items(), bits),
                 [&](GridKeyOrder& order) { sort_digits<ThreadWorker>(exec, named, order, 1, 1); });
}

template <class Exec, class Named, class Work, class Result>
void run_planned(Tag, Exec const& exec, Named const& named, Work const& work, char* plan, Result& result) {
  run_openmp_grid_loop<false>(exec, named(to_string(RegroupVariant::planned)), work,
                              PortableBackend::GridPlan::in(plan, work.items(), work.paths), {}, result);
}

template <class Exec, class Named, class Work, class Result>
void run_regroup(Tag, Exec const& exec, Named const& named, Work const& work, RegroupVariant variant, char* memory,
                 Result& result) {
  switch (variant) {
    case RegroupVariant::plain: return run_openmp_plain(exec, named(to_string(variant)), work, result);
    case RegroupVariant::team: return run_openmp_team<false>(exec, named(to_string(variant)), work, result);
    case RegroupVariant::team_moved:
      if constexpr (Work::has_payload) run_openmp_team<true>(exec, named(to_string(variant)), work, result);
      return;
    case RegroupVariant::grid: return run_openmp_grid<false>(exec, named, work, memory, result);
    case RegroupVariant::grid_moved:
      if constexpr (Work::has_payload && Work::has_key)
        run_openmp_ordered<true>(exec, named, work, variant, memory, result);
      else if constexpr (Work::has_payload) run_openmp_grid<true>(exec, named, work, memory, result);
      return;
    case RegroupVariant::grid_few_bits:
    case RegroupVariant::grid_many_bits:
    case RegroupVariant::grid_exact: return run_openmp_ordered<false>(exec, named, work, variant, memory, result);
    case RegroupVariant::planned: return;  // run_planned() does
  }
}

}  // namespace Koalesce::Impl::OpenMPBackend

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif
