// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop whose items change their paths from call to call, a share of them each time:
// regroup/plan/<n>paths/<work>/<share>/<impl>, items of 8 bytes, paths in equal shares and random order.
//
//   koalesce        parallel_regroup with_plan, always planned; it is made anew when a quarter of the items has moved
//   koalesce_anew   parallel_regroup without a plan, once it has decided; the label says what
//   plain           a Kokkos::parallel_for with a switch
//   expert          predicts, sorts the items' numbers by path with CUB, and runs them in that order
//   ideal           the loop alone, in the order of a plan that holds

#include <Koalesce/Regroup.hpp>

#include <memory>
#include <string>
#include <utility>

#include "RegroupCases.hpp"

namespace perf::regroup {
namespace {

/// Gives a share of the items other paths.
struct Change {
  Kinds from, to;
  int paths;
  double share;

  KOKKOS_FUNCTION void operator()(Index i) const {
    bool const changes = random_at(i, 50) < share;
    to(i)              = changes ? (from(i) + 1 + int(random_at(i, 51) * (paths - 1))) % paths : from(i);
  }
};

/// Items, and two states of their paths that calls find in turn.
template <int Paths, Work W>
struct Changing {
  using Items = regroup::Items<8>;

  explicit Changing(double share)
      : items({Paths, Shares::equal, Order::random, on_host ? Index(1) << 22 : Index(1) << 24}),
        other("other paths", items.shape.items),
        order(items.shape) {
    Kokkos::parallel_for("change", range(), Change{items.kind, other, Paths, share});
  }

  Range range() const { return Range(0, items.shape.items); }
  Kinds const& kinds() const { return calls % 2 == 0 ? items.kind : other; }

  void plain() const {
    Kokkos::parallel_for("plain", range(), Plain<Paths, W, 8>{kinds(), items.x.data(), items.y.data()});
  }
  template <class Policy>
  void koalesce(std::string const& label, Policy const& policy) const {
    [&]<int... P>(std::integer_sequence<int, P...>) {
      Koalesce::parallel_regroup(label, policy, Predict{kinds()}, Path<P, W>{}...);
    }(std::make_integer_sequence<int, Paths>{});
  }
  auto policy() const {
    return Koalesce::RegroupPolicy(Exec(), 0, items.shape.items)
        .with_payload(Koalesce::one_way(items.x), Koalesce::round_trip(items.y))
        .with_remap(Koalesce::RegroupRemap::index);
  }
  void expert() const {
    order.sort(kinds());
    Kokkos::parallel_for("sorted", range(),
                         Sorted<Paths, W, 8>{order.path, order.item, items.x.data(), items.y.data()});
  }

  Items items;
  Kinds other;
  SortedItems order;
  Koalesce::RegroupPlan<Exec> plan;
  Index calls = 0;
};

template <int Paths, Work W>
void add_changes(std::string const& work, std::string const& name, double share) {
  using Loop      = Changing<Paths, W>;
  auto const base = "regroup/plan/" + std::to_string(Paths) + "paths/" + work + "/" + name + "/";
  auto const add  = [&](std::string const& impl, auto const& call, bool decides) {
    perf::add_prepared(base + impl, [=] {
      auto const loop  = std::make_shared<Loop>(share);
      auto const label = base + impl;
      Prepared ready;
      if (decides) ready.label = decide(label, [=] { call(*loop, label); });
      // As often as the plan is made anew, and the next call.
      for (int k = 0; k < 8 && ready.error.empty(); ++k, ++loop->calls) {
        Kokkos::deep_copy(loop->items.y, 0);
        loop->plain();
        Kokkos::deep_copy(loop->items.expected, loop->items.y);
        Kokkos::deep_copy(loop->items.y, -1);
        call(*loop, label);
        Index wrong = 0;
        Kokkos::parallel_reduce("mismatches", loop->range(), Mismatch{loop->items.y, loop->items.expected}, wrong);
        if (wrong != 0) ready.error = std::to_string(wrong) + " results are wrong";
      }
      ready.kernel = [=] {
        ++loop->calls;
        call(*loop, label);
      };
      ready.bytes  = loop->items.bytes();
      ready.counts = {{"flops", double(loop->items.shape.items) * flops(W)}};
      return ready;
    });
  };
  using namespace Koalesce;
  auto const planned = [](Loop const& loop, PlanCheck check) {
    return loop.policy().with_plan(loop.plan, check).with_regroup(Regroup::always).with_scope(RegroupScope::grid);
  };
  add(
      "koalesce",
      [=](Loop const& loop, std::string const& label) { loop.koalesce(label, planned(loop, PlanCheck::every_item)); },
      false);
  add(
      "koalesce_anew", [](Loop const& loop, std::string const& label) { loop.koalesce(label, loop.policy()); }, true);
  add(
      "plain", [](Loop const& loop, std::string const&) { loop.plain(); }, false);
  add(
      "expert", [](Loop const& loop, std::string const&) { loop.expert(); }, false);
  if (share == 0)
    add(
        "ideal",
        [=](Loop const& loop, std::string const& label) { loop.koalesce(label, planned(loop, PlanCheck::none)); },
        false);
}

template <int Paths>
void add_shares() {
  for (auto const& [name, share] : {std::pair("unchanged", 0.), std::pair("0.1percent", 0.001),
                                    std::pair("1percent", 0.01), std::pair("10percent", 0.1)}) {
    add_changes<Paths, Work::brief>("short", name, share);
    add_changes<Paths, Work::lengthy>("long", name, share);
  }
}

}  // namespace

void add_plans() { add_shares<8>(); }

}  // namespace perf::regroup
