// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Items that take steps until they are done: regroup/until/<distribution>/<impl>. Distributions: numbers of steps that
// are distributed geometrically, or by a power law (exponent 2) that is cut at 100 times the mean; means of 32 and 256;
// a step of 20 or 200 flops; and the Mandelbrot set, up to 1000 steps of a pixel.
//
//   koalesce  parallel_regroup_until with init, step and finish, once it has decided; the label says what
//   plain     a Kokkos::parallel_for with a loop over an item's steps
//   expert    persistent warps, each of whose lanes takes the next item when it is done (CUDA), after every step or
//   every
//             eighth, as is faster; Kokkos' dynamic schedule on CPUs
//   ideal     the plain loop with as many steps in all, as many for each item; of the Mandelbrot set, items in order of
//             their steps

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
#include <vector>

#include "Measure.hpp"
#include "Regroup.hpp"
#include "RegroupItems.hpp"
#include "RegroupUntilPeers.hpp"

namespace perf::regroup {
namespace {

enum class Law { geometric, power };

/// Draws numbers of steps.
struct DrawLength {
  Law law;
  double mean;
  Kokkos::View<int*, Exec> length;

  KOKKOS_FUNCTION void operator()(Index i) const {
    double const u = 1 - random_at(i, 60);  // in (0, 1]
    if (law == Law::geometric) {
      length(i) = 1 + int(Kokkos::log(u) / Kokkos::log(1 - 1 / mean));
    } else {
      // The least one, with which the mean is the one asked for.
      double const least = 0.155 * mean, most = 100 * mean;
      length(i) = Kokkos::max(1, int(least / (1 - (1 - u) * (1 - least / most)) + 0.5));
    }
  }
};

/// Chains of multiplications and additions.
template <int Flops>
struct Chains {
  struct State {
    double x;
    int left;
  };

  Kokkos::View<int const*, Exec> length;
  Kokkos::View<double*, Exec> y;

  KOKKOS_FUNCTION State init(Index i) const { return {double(i & 1023) * 1e-3, length(i)}; }
  KOKKOS_FUNCTION bool step(Index, State& s) const {
    Koalesce::Impl::static_for<Flops / 2>([&](auto) KOALESCE_INLINE_LAMBDA { s.x = 0.5 + 0.25 * s.x; });
    return --s.left == 0;
  }
  KOKKOS_FUNCTION void finish(Index i, State const& s) const { y(i) = s.x; }
};

/// z * z + c until |z| > 2, over the whole set; rows in order of memory.
struct Mandelbrot {
  static constexpr int width = on_host ? 600 : 6000, height = on_host ? 400 : 4000, most = 1000;

  struct State {
    double cx, cy, x, y;
    int steps;
  };

  Kokkos::View<double*, Exec> result;
  Kokkos::View<int const*, Exec> order;  // of the items; empty: their own

  KOKKOS_FUNCTION Index pixel(Index i) const { return order.extent(0) > 0 ? order(i) : i; }
  KOKKOS_FUNCTION State init(Index i) const {
    Index const p = pixel(i);
    return {-2 + 3. * double(p % width) / width, -1 + 2. * double(p / width) / height, 0, 0, 0};
  }
  KOKKOS_FUNCTION bool step(Index, State& s) const {
    double const x = s.x * s.x - s.y * s.y + s.cx;
    s.y            = 2 * s.x * s.y + s.cy;
    s.x            = x;
    return ++s.steps == most || s.x * s.x + s.y * s.y > 4;
  }
  KOKKOS_FUNCTION void finish(Index i, State const& s) const { result(pixel(i)) = s.steps; }
};

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

/// \param[in] make  returns a Case.
template <class Make>
void add_distribution(std::string const& name, double flops_per_step, Make const& make) {
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
  add("ideal", false,
      [](Loops const& l, std::string const&, std::string&) -> Kernel { return [=] { plain(l.items, l.ideal); }; });
}

std::vector<int> to_host(Kokkos::View<int*, Exec> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}
Kokkos::View<int*, Exec> to_device(std::vector<int> const& values) {
  Kokkos::View<int*, Exec> const view("numbers", values.size());
  Kokkos::deep_copy(view, Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                              values.data(), values.size()));
  return view;
}

template <int Flops>
void add_law(Law law, int mean) {
  Index const items = on_host ? Index(1) << 16 : Index(1) << 26;
  auto const name   = std::string(law == Law::geometric ? "geometric" : "powerlaw") + std::to_string(mean) + "/" +
                    std::to_string(Flops) + "flops";
  add_distribution(name, Flops, [=] {
    Kokkos::View<int*, Exec> const length("lengths", std::size_t(items));
    Kokkos::parallel_for("lengths", Range(0, items), DrawLength{law, double(mean), length});
    auto lengths     = to_host(length);
    auto const total = std::accumulate(lengths.begin(), lengths.end(), Index(0));
    for (Index i = 0; i < items; ++i) lengths[std::size_t(i)] = int(total / items + (i < total % items));
    Kokkos::View<double*, Exec> const y("y", std::size_t(items));
    using Loop = Chains<Flops>;
    return Case<Loop>{items, Loop{length, y}, Loop{to_device(lengths), y}, y, double(total)};
  });
}

void add_mandelbrot() {
  Index const items = Index(Mandelbrot::width) * Mandelbrot::height;
  add_distribution("mandelbrot", 10, [=] {
    Kokkos::View<double*, Exec> const result("result", std::size_t(items));
    Mandelbrot const loop{result, {}};
    plain(items, loop);
    auto const steps = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
    std::vector<int> order(std::size_t(items), 0);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return steps(a) > steps(b); });
    double const total = std::accumulate(steps.data(), steps.data() + items, 0.);
    return Case<Mandelbrot>{items, loop, Mandelbrot{result, to_device(order)}, result, total};
  });
}

}  // namespace

void add_until() {
  for (auto const law : {Law::geometric, Law::power})
    for (int const mean : {32, 256}) {
      add_law<20>(law, mean);
      add_law<200>(law, mean);
    }
  add_mandelbrot();
}

}  // namespace perf::regroup
