// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_UNTIL_CASES_HPP
#define KOALESCE_PERF_REGROUP_UNTIL_CASES_HPP

#include <Koalesce/Regroup.hpp>
#include <Koalesce/Tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "Measure.hpp"
#include "RegroupItems.hpp"
#include "RegroupUntilPeers.hpp"

/// How loops whose items take steps until they are done are measured.
namespace perf::regroup {

/// The three functors of a loop, as users write them.
template <class Loop>
struct Init {
  Loop loop;

  KOKKOS_FUNCTION auto operator()(Index i) const { return loop.init(i); }
};
template <class Loop>
struct Step {
  Loop loop;

  KOKKOS_FUNCTION bool operator()(Index i, typename Loop::State& state) const { return loop.step(i, state); }
};
template <class Loop>
struct Finish {
  Loop loop;

  KOKKOS_FUNCTION void operator()(Index i, typename Loop::State const& state) const { loop.finish(i, state); }
};

/// What users write without the library.
template <class Loop>
struct PlainUntil {
  Loop loop;

  KOKKOS_FUNCTION void operator()(Index i) const {
    auto state = loop.init(i);
    while (!loop.step(i, state)) continue;
    loop.finish(i, state);
  }
};

/// Calls until the choice is made.
template <class Call>
std::string decide_until(std::string const& label, Call const& call) {
  for (int k = 0; k < 60; ++k) {
    auto const decisions = Koalesce::tuning_decisions(label);
    if (!decisions.empty() && decisions.back().decided) {
      if (k > 0 && std::getenv("KOALESCE_PERF_DECISIONS")) std::cerr << decisions.back() << '\n';
      return decisions.back().choice;
    }
    call();
    Exec().fence();
  }
  return "plain";  // there was nothing to choose
}

template <class Loop>
void koalesce(std::string const& label, Index items, Loop const& loop) {
  Koalesce::parallel_regroup_until(label, Koalesce::RegroupPolicy(Exec(), 0, items), Init<Loop>{loop}, Step<Loop>{loop},
                                   Finish<Loop>{loop});
}
template <class Loop>
void plain(Index items, Loop const& loop) {
  Kokkos::parallel_for("plain", Range(0, items), PlainUntil<Loop>{loop});
}

/// What is prepared: a loop, one that has the same steps in all but no divergence, and where both write.
template <class LoopType>
struct Case {
  using Loop = LoopType;

  Index items;
  Loop loop, ideal;
  Kokkos::View<double*, Exec> result;
  double steps;  // of all items
};

/// \param[in] make       returns a Case.
/// \param[in] has_ideal  whether there is a loop without divergence that reads memory alike.
template <class Make>
void add_distribution(std::string const& name, double flops_per_step, bool has_ideal, Make const& make) {
  auto const base = "regroup/until/" + name + "/";
  using Loops     = decltype(make());
  auto const add  = [&](std::string const& impl, bool checked, auto const& kernel_of) {
    perf::add_prepared(base + impl, [=] {
      Loops const loops = make();
      Prepared ready;
      ready.kernel = kernel_of(loops, base + impl, ready.label);
      if (checked) {
        plain(loops.items, loops.loop);
        Kokkos::View<double*, Exec> const expected("expected", std::size_t(loops.items));
        Kokkos::deep_copy(expected, loops.result);
        Kokkos::deep_copy(loops.result, -1);
        ready.kernel();
        Index wrong = 0;
        Kokkos::parallel_reduce("mismatches", Range(0, loops.items), Mismatch{loops.result, expected}, wrong);
        if (wrong != 0) ready.error = std::to_string(wrong) + " results are wrong";
      }
      ready.counts = {{"flops", loops.steps * flops_per_step}, {"steps", loops.steps}};
      return ready;
    });
  };
  using Kernel = std::function<void()>;
  add("koalesce", true, [](Loops const& l, std::string const& label, std::string& choice) -> Kernel {
    auto const call = [=] { koalesce(label, l.items, l.loop); };
    choice          = decide_until(label, call);
    return call;
  });
  add("plain", true,
      [](Loops const& l, std::string const&, std::string&) -> Kernel { return [=] { plain(l.items, l.loop); }; });
  add("expert", true, [](Loops const& l, std::string const&, std::string& choice) -> Kernel {
    using Loop        = typename Loops::Loop;
    auto const peer   = std::make_shared<PersistentPeer<Loop> const>(l.items, l.loop);
    int const fastest = perf::fastest(peer->candidates(), [&](int steps) { peer->run(steps); });
    choice            = std::to_string(fastest) + " steps";
    return [=] { peer->run(fastest); };
  });
  if (!has_ideal) return;
  add("ideal", false,
      [](Loops const& l, std::string const&, std::string&) -> Kernel { return [=] { plain(l.items, l.ideal); }; });
}

inline std::vector<int> to_host(Kokkos::View<int*, Exec> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}
inline Kokkos::View<int*, Exec> to_device(std::vector<int> const& values) {
  Kokkos::View<int*, Exec> const view("numbers", values.size());
  Kokkos::deep_copy(view, Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              values.data(), values.size()));
  return view;
}

/// The items with most steps first, and the steps of all.
inline std::pair<Kokkos::View<int*, Exec>, double> in_order_of_steps(Kokkos::View<double*, Exec> const& of_each) {
  auto const steps = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_each);
  std::vector<int> order(steps.extent(0), 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return steps(a) > steps(b); });
  return {to_device(order), std::accumulate(steps.data(), steps.data() + steps.extent(0), 0.)};
}

}  // namespace perf::regroup

#endif
