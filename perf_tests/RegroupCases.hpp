// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_CASES_HPP
#define KOALESCE_PERF_REGROUP_CASES_HPP

#include <Koalesce/Regroup.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "Regroup.hpp"
#include "RegroupDecide.hpp"
#include "RegroupItems.hpp"
#include "RegroupPaths.hpp"
#include "RegroupPeers.hpp"

/// The benchmarks of one number of paths and one size of items: what Regroup<paths>.cpp instantiate.
namespace perf::regroup {

/// The data set of the last benchmark, as long as the next one has the same.
template <int Bytes>
class LastItems {
 public:
  static std::shared_ptr<Items<Bytes>> take(Shape const& shape) {
    auto& last     = of(shape.order == Order::by_path);
    auto const key = [](Shape const& s) { return std::tuple(s.paths, s.shares, s.order, s.items); };
    if (!last || key(last->shape) != key(shape)) {
      last.reset();  // not both at a time
      last = std::make_shared<Items<Bytes>>(shape);
    }
    return last;
  }

 private:
  using Pointer = std::shared_ptr<Items<Bytes>>;

  static Pointer& of(bool by_path) {
    static std::array<Pointer, 2> last = [] {
      Kokkos::push_finalize_hook([] { of(false) = of(true) = nullptr; });
      return std::array<Pointer, 2>{};
    }();
    return last[by_path];
  }
};

struct Predict {
  Kinds kind;

  KOKKOS_FORCEINLINE_FUNCTION int operator()(Index i) const { return kind(i); }
};

/// The loop as a user has it without the library.
template <int Paths, Work W, int Bytes>
struct Plain {
  Kinds kind;
  typename Items<Bytes>::Item const* x;
  double* y;

  KOKKOS_FUNCTION void operator()(Index i) const { switch_path<Paths, W>(kind(i), i, x[i], y[i]); }
};

/// Items that have been sorted.
template <int Paths, Work W, int Bytes>
struct Sorted {
  Kokkos::View<std::uint8_t*, Exec> path;
  Indices item;
  typename Items<Bytes>::Item const* x;
  double* y;

  KOKKOS_FUNCTION void operator()(Index slot) const {
    Index const i = item(slot);
    switch_path<Paths, W>(path(slot), i, x[i], y[i]);
  }
};

/// Items of one path.
template <int P, Work W, int Bytes>
struct OfPath {
  Indices item;
  typename Items<Bytes>::Item const* x;
  double* y;

  KOKKOS_FUNCTION void operator()(Index slot) const {
    Index const i = item(slot);
    Path<P, W>()(i, x[i], y[i]);
  }
};

/// What the implementations do with a data set.
template <int Paths, Work W, int Bytes>
struct Loops {
  static constexpr int flops_per_item = flops(W);

  Items<Bytes> const& items;

  auto policy() const {
    using namespace Koalesce;
    return RegroupPolicy(Exec(), 0, items.shape.items).with_payload(one_way(items.x), round_trip(items.y));
  }

  template <class Policy>
  void koalesce(std::string const& label, Policy const& policy) const {
    [&]<int... P>(std::integer_sequence<int, P...>) {
      Koalesce::parallel_regroup(label, policy, Predict{items.kind}, Path<P, W>{}...);
    }(std::make_integer_sequence<int, Paths>{});
  }

  void plain() const {
    Kokkos::parallel_for("plain", Range(0, items.shape.items),
                         Plain<Paths, W, Bytes>{items.kind, items.x.data(), items.y.data()});
  }

  void sorted(SortedItems const& order) const {
    order.sort(items.kind);
    Kokkos::parallel_for("sorted", Range(0, items.shape.items),
                         Sorted<Paths, W, Bytes>{order.path, order.item, items.x.data(), items.y.data()});
  }

  void partitioned(PartitionedItems const& order) const {
    Index const first = order.partition(items.kind);
    Kokkos::parallel_for("first", Range(0, first), OfPath<0, W, Bytes>{order.first, items.x.data(), items.y.data()});
    Kokkos::parallel_for("second", Range(0, items.shape.items - first),
                         OfPath<1, W, Bytes>{order.second, items.x.data(), items.y.data()});
  }
};

/// Measures a kernel whose results are those of the plain loop.
template <class Loops>
void measure(benchmark::State& state, Loops const& loops, std::function<void()> const& kernel) {
  auto const& items = loops.items;
  Kokkos::deep_copy(items.y, 0);
  loops.plain();
  Kokkos::deep_copy(items.expected, items.y);
  Kokkos::deep_copy(items.y, -1);
  kernel();
  Index wrong = 0;
  Kokkos::parallel_reduce("mismatches", Range(0, items.shape.items), Mismatch{items.y, items.expected}, wrong);
  if (wrong != 0) return state.SkipWithError((std::to_string(wrong) + " results are wrong").c_str());
  perf::measure(state, items.bytes(), kernel);
  state.counters["flops"] = rate(double(items.shape.items) * Loops::flops_per_item);
}

template <int Paths, Work W, int Bytes>
void add_work(std::string const& base, Shape const& shape) {
  using Loops = regroup::Loops<Paths, W, Bytes>;
  using namespace Koalesce;
  auto const add = [&](std::string const& impl, Shape const& shape, auto const& run) {
    perf::add(base + impl, [=](benchmark::State& state) {
      auto const items = LastItems<Bytes>::take(shape);
      run(state, Loops{*items});
    });
  };
  auto const add_regrouped = [&](std::string const& impl, RegroupScope scope, RegroupRemap remap) {
    add(impl, shape, [=](benchmark::State& state, Loops const& loops) {
      auto const policy = loops.policy().with_regroup(Regroup::always).with_scope(scope).with_remap(remap);
      measure(state, loops, [&] { loops.koalesce(base + impl, policy); });
    });
  };

  add("koalesce_auto", shape, [=](benchmark::State& state, Loops const& loops) {
    auto const label = base + "koalesce_auto";
    auto const call  = [&] { loops.koalesce(label, loops.policy()); };
    state.SetLabel(decide(label, call));
    measure(state, loops, call);
  });
  add_regrouped("koalesce_team", RegroupScope::team, RegroupRemap::index);
  add_regrouped("koalesce_grid", RegroupScope::grid, RegroupRemap::index);
  if (Bytes == 8) {
    add_regrouped("koalesce_team_moved", RegroupScope::team, RegroupRemap::data);
    add_regrouped("koalesce_grid_moved", RegroupScope::grid, RegroupRemap::data);
  }
  auto const plain = [](benchmark::State& state, Loops const& loops) { measure(state, loops, [&] { loops.plain(); }); };
  add("plain", shape, plain);
  add("sort_by_key", shape, [](benchmark::State& state, Loops const& loops) {
    SortedItems const order(loops.items.shape);
    measure(state, loops, [&] { loops.sorted(order); });
  });
  if constexpr (Paths == 2)
    add("kokkos_partition_copy", shape, [](benchmark::State& state, Loops const& loops) {
      PartitionedItems const order(loops.items.shape);
      measure(state, loops, [&] { loops.partitioned(order); });
    });
  add("ideal", {shape.paths, shape.shares, Order::by_path, shape.items}, plain);
}

/// Four paths of short work over so many items.
template <int Bytes>
void add_scaling_over_items() {
  for (Index items = 1 << 14; items <= (on_host ? 1 << 22 : 1 << 26); items *= 4)
    add_work<4, Work::brief, Bytes>(
        "scaling/regroup/4paths/equal/random/short/" + std::to_string(Bytes) + "B/" + std::to_string(items) + "/",
        {4, Shares::equal, Order::random, items});
}

template <int Paths, int Bytes>
void add_cases() {
  Index const items = on_host && Bytes > 8 ? 1 << 22 : 1 << 24;
  for (auto const shares : {Shares::equal, Shares::first_97})
    for (auto const order : {Order::random, Order::clustered}) {
      Shape const shape{Paths, shares, order, items};
      auto const base = [&](std::string const& work) {
        return "regroup/" + std::to_string(Paths) + "paths/" + (shares == Shares::equal ? "equal/" : "97to3/") +
               (order == Order::random ? "random/" : "clustered/") + work + "/" + std::to_string(Bytes) + "B/";
      };
      add_work<Paths, Work::none, Bytes>(base("none"), shape);
      add_work<Paths, Work::brief, Bytes>(base("short"), shape);
      add_work<Paths, Work::lengthy, Bytes>(base("long"), shape);
    }
}

}  // namespace perf::regroup

#endif
