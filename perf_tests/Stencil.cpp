// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils, ours and plain Kokkos side by side: stencil/<points>/<type>/<nz>x<ny>x<nx>/<impl>. The same over sizes is
// scaling/stencil/... .
// Every name is measured in the same process on the same fields, so that ratios mean something.

#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "Measure.hpp"
#include "StencilCases.hpp"
#include "StencilPeers.hpp"

namespace {

using namespace Koalesce;
using perf::add;
using perf::Exec;
using perf::Extents;
using perf::on_host;

/// The weighted sum as an ordinary functor: for parallel_stencil and, over a View, for the peers.
template <class T, class Shape>
struct WeightedSum {
  T weight[4] = {T(0.4), T(0.05), T(0.02), T(0.01)};

  template <class U, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, Index...) const {
    constexpr int a = Shape::radius(0), b = Shape::radius(1), c = Shape::radius(2);
    T sum{};
    Impl::static_for<2 * a + 1>([&](auto i) {
      Impl::static_for<2 * b + 1>([&](auto j) {
        Impl::static_for<2 * c + 1>([&](auto k) {
          constexpr int dz = decltype(i)::value - a, dy = decltype(j)::value - b, dx = decltype(k)::value - c;
          if constexpr (Shape::contains(dz, dy, dx)) sum += weight[(dz != 0) + (dy != 0) + (dx != 0)] * u(dz, dy, dx);
        });
      });
    });
    return sum;
  }
};

/// A functor, the same weights as a LinearStencil, and the peers, at one size.
template <class T, class Shape>
void add_stencil(std::string const& points, Extents const& n, std::string const& group = "") {
  std::string const base = group + "stencil/" + points + "/" + perf::type_name<T>() + "/" + perf::size_name(n) + "/";
  constexpr int halo     = std::max({Shape::radius(0), Shape::radius(1), Shape::radius(2)});
  constexpr perf::Cost point{2 * sizeof(T), 2 * Shape::size - 1};
  using F   = perf::Fields<T>;
  using Sum = WeightedSum<T, Shape>;
  typename StencilPolicy<Exec, Shape>::extents_type const extents{n[0], n[1], n[2]};

  auto const ours = [=](auto backend, StencilTaps taps, F const& f) {
    StencilPolicy<Exec, Shape, decltype(backend)> const policy(Exec(), extents);
    parallel_stencil("stencil", policy.taps(taps), f.ins[0], f.outs[0], Sum{});
  };
  auto const plain = [=](perf::Sweep const& sweep, F const& f) {
    perf::mdrange_stencil(n, halo, sweep, f.ins[0], f.outs[0], Sum{});
  };
  perf::add_sweeps<T, 1>(base, n, halo, point, ours, plain, Sum{});
  add(base + "koalesce_linear", [=](benchmark::State& state) {
    Sum const sum;
    LinearStencil<T, Shape> const weights(
        [&](int dz, int dy, int dx) { return sum.weight[(dz != 0) + (dy != 0) + (dx != 0)]; });
    perf::check_and_measure(
        state, n, point, F(n, halo), [&](F const& f) { ours(Backend::Default<Exec>{}, StencilTaps::automatic, f); },
        [&](F const& f) {
          parallel_stencil("stencil", StencilPolicy<Exec, Shape>(Exec(), extents), f.ins[0], f.outs[0], weights);
        });
  });
}

/// The biharmonic operator, a Laplacian of a Laplacian: one staged sweep against two plain ones.
void add_biharmonic(Extents const& n) {
  using T                = double;
  using Laplacian        = Star<1, 1, 1>;
  std::string const base = "stencil/biharmonic/f64/" + perf::size_name(n) + "/";
  using F                = perf::Fields<T>;
  using Sum              = WeightedSum<T, Laplacian>;
  constexpr perf::Cost point{2 * sizeof(T), 2 * (2 * Laplacian::size - 1)};

  auto const staged = [=](F const& f) {
    StencilPolicy<Exec, Staged<Laplacian, Laplacian>> const policy(Exec(), {n[0], n[1], n[2]});
    parallel_stencil("biharmonic", policy, f.ins[0], f.outs[0], Sum{}, perf::SecondStage<Sum>{});
  };
  add(base + "koalesce", [=](benchmark::State& state) {
    F const f(n, 2);
    perf::measure(state, n, point, [&] { staged(f); });
  });
  auto const two_sweeps = [=](bool tuned) {
    return [=](benchmark::State& state) {
      F const f(n, 2);
      typename F::View const mid("mid", f.outs[0].layout());
      Extents const wider{n[0] + 2, n[1] + 2, n[2] + 2};
      auto const run = [&](perf::Sweep const& sweep, F const& fields) {
        perf::mdrange_stencil(wider, 1, sweep, fields.ins[0], mid, Sum{});
        perf::mdrange_stencil(n, 2, sweep, mid, fields.outs[0], Sum{});
      };
      auto const sweep = tuned ? perf::best_sweep(n, [&](perf::Sweep const& one) { run(one, f); }) : perf::Sweep{};
      if (tuned) state.SetLabel(sweep.name());
      perf::poison(mid);
      perf::check_and_measure(state, n, point, f, staged, [&](F const& fields) { run(sweep, fields); });
    };
  };
  add(base + "kokkos_mdrange", two_sweeps(false));
  add(base + "kokkos_mdrange_tuned", two_sweeps(true));
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!on_host)
    add(base + "cuda", [=](benchmark::State& state) {
      F const f(n, 2);
      std::array<typename F::View, 1> const mid{typename F::View("mid", f.outs[0].layout())};
      auto const run = [=](perf::Tile const& block, F const& g) {
        perf::cuda_sweep({n[0] + 2, n[1] + 2, n[2] + 2}, 1, block, g.ins, mid, Sum{});
        perf::cuda_sweep(n, 2, block, mid, g.outs, Sum{});
      };
      auto const best = perf::fastest(perf::cuda_blocks(), [&](perf::Tile const& block) { run(block, f); });
      state.SetLabel("block " + perf::size_name(best));
      perf::poison(mid[0]);
      perf::check_and_measure(state, n, point, f, staged, [&](F const& fields) { run(best, fields); });
    });
#endif
}

template <class T>
void add_type(Extents const& n) {
  add_stencil<T, Star<1, 1, 1>>("7pt", n);
  add_stencil<T, Star<2, 2, 2>>("13pt", n);
  add_stencil<T, Star<4, 4, 4>>("25pt", n);
  add_stencil<T, Box<1, 1, 1>>("27pt", n);
  add_stencil<T, Box<2, 2, 2>>("125pt", n);
}

/// From where everything fits in a cache to where nothing does.
void add_scaling() {
  for (std::int64_t n = 32; n <= (on_host ? 256 : 1024); n *= 2) {
    add_stencil<double, Star<1, 1, 1>>("7pt", {n, n, n}, "scaling/");
    if (on_host || n > 256) continue;
    add_stencil<double, Box<1, 1, 1>>("27pt", {n, n, n}, "scaling/");
    add_stencil<double, Box<2, 2, 2>>("125pt", {n, n, n}, "scaling/");
  }
}

void add_stencils() {
  for (auto const& n : perf::sizes()) {
    add_type<double>(n);
    add_type<float>(n);
    add_biharmonic(n);
  }
}

}  // namespace

int main(int argc, char** argv) { perf::run(argc, argv, {add_stencils, perf::add_nonlinear_stencils, add_scaling}); }
