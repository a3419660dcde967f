// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils, ours and plain Kokkos side by side: stencil/<points>/<type>/<nz>x<ny>x<nx>/<impl>. The same over sizes is
// scaling/stencil/... .
// Every name is measured in the same process on the same fields, so that ratios mean something.

#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <string>

#include "Measure.hpp"
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

/// Input and output of one benchmark, with a halo as wide as the radius.
template <class T>
struct Fields {
  using View = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

  Fields(Extents const& n, int halo)
      : in(Kokkos::view_alloc("in", Kokkos::WithoutInitializing), n[0] + 2 * halo, n[1] + 2 * halo, n[2] + 2 * halo),
        out("out", n[0] + 2 * halo, n[1] + 2 * halo, n[2] + 2 * halo) {
    perf::fill(in);
  }

  View in, out;
};

/// What a point takes.
struct Cost {
  std::size_t bytes;
  int flops;
};

void measure(benchmark::State& state, Extents const& n, Cost const& point, std::function<void()> const& kernel) {
  double const points = double(n[0]) * double(n[1]) * double(n[2]);
  perf::measure(state, points * double(point.bytes), kernel);
  state.counters["points"]     = perf::rate(points);
  state.counters["GStencil/s"] = perf::rate(points * 1e-9);
  if (point.flops > 0) state.counters["flops"] = perf::rate(points * point.flops);
}

/// All implementations of one stencil at one size. Fields are made when a benchmark runs, not when it is listed.
template <class T, class Shape>
void add_stencil(std::string const& points, Extents const& n, std::string const& group = "") {
  std::string const base = group + "stencil/" + points + "/" + perf::type_name<T>() + "/" + perf::size_name(n) + "/";
  constexpr int halo     = std::max({Shape::radius(0), Shape::radius(1), Shape::radius(2)});
  constexpr Cost point{2 * sizeof(T), 2 * Shape::size - 1};
  using Sum = WeightedSum<T, Shape>;
  typename StencilPolicy<Exec, Shape>::extents_type const extents{n[0], n[1], n[2]};
  // What all others are compared with is what the unit tests compare with a serial loop.
  auto const error = [=](Fields<T> const& f, auto const& run) {
    typename Fields<T>::View const expected("expected", f.out.layout());
    parallel_stencil("stencil", StencilPolicy<Exec, Shape>(Exec(), extents), f.in, expected, Sum{});
    run();
    return perf::mismatch(n, halo, f.out, expected);
  };
  auto const check_and_measure = [=](benchmark::State& state, Fields<T> const& f, auto const& run) {
    if (auto const wrong = error(f, run); !wrong.empty()) return state.SkipWithError(wrong.c_str());
    measure(state, n, point, run);
  };
  auto const with_fields = [=](auto const& run) {
    return [=](benchmark::State& state) {
      Fields<T> f(n, halo);
      check_and_measure(state, f, [&] { run(f); });
    };
  };

  add(base + "koalesce", with_fields([=](Fields<T>& f) {
        parallel_stencil("stencil", StencilPolicy<Exec, Shape>(Exec(), extents), f.in, f.out, Sum{});
      }));
  add(base + "koalesce_linear", with_fields([=](Fields<T>& f) {
        Sum const sum;
        LinearStencil<T, Shape> const weights(
            [&](int dz, int dy, int dx) { return sum.weight[(dz != 0) + (dy != 0) + (dx != 0)]; });
        parallel_stencil("stencil", StencilPolicy<Exec, Shape>(Exec(), extents), f.in, f.out, weights);
      }));
  add(base + "koalesce_portable", with_fields([=](Fields<T>& f) {
        StencilPolicy<Exec, Shape, Backend::Portable> const policy(Exec(), extents);
        parallel_stencil("stencil", policy, f.in, f.out, Sum{});
      }));
  add(base + "kokkos_mdrange",
      with_fields([=](Fields<T>& f) { perf::mdrange_stencil(n, halo, perf::Tile{}, f.in, f.out, Sum{}); }));
  add(base + "kokkos_mdrange_tuned", [=](benchmark::State& state) {
    Fields<T> f(n, halo);
    auto const best =
        perf::best_tile(n, [&](perf::Tile const& tile) { perf::mdrange_stencil(n, halo, tile, f.in, f.out, Sum{}); });
    state.SetLabel(perf::tile_name(best));
    check_and_measure(state, f, [&] { perf::mdrange_stencil(n, halo, best, f.in, f.out, Sum{}); });
  });
  add(base + "copy", [=](benchmark::State& state) {
    Kokkos::View<T*, Exec> from("from", std::size_t(n[0]) * n[1] * n[2]), to("to", from.extent(0));
    perf::fill(from);
    measure(state, n, {point.bytes, 0}, [&] { perf::copy(to, from); });
  });
}

/// The biharmonic operator, a Laplacian of a Laplacian: one staged sweep against two plain ones.
void add_biharmonic(Extents const& n) {
  using T                = double;
  using Laplacian        = Star<1, 1, 1>;
  std::string const base = "stencil/biharmonic/f64/" + perf::size_name(n) + "/";
  using Sum              = WeightedSum<T, Laplacian>;
  constexpr Cost point{2 * sizeof(T), 2 * (2 * Laplacian::size - 1)};

  auto const staged = [=](Fields<T> const& f, typename Fields<T>::View const& out) {
    StencilPolicy<Exec, Staged<Laplacian, Laplacian>> const policy(Exec(), {n[0], n[1], n[2]});
    parallel_stencil("biharmonic", policy, f.in, out, Sum{}, perf::SecondStage<Sum>{});
  };
  add(base + "koalesce", [=](benchmark::State& state) {
    Fields<T> f(n, 2);
    measure(state, n, point, [&] { staged(f, f.out); });
  });
  auto const two_sweeps = [=](bool tuned) {
    return [=](benchmark::State& state) {
      Fields<T> f(n, 2);
      typename Fields<T>::View const mid("mid", n[0] + 4, n[1] + 4, n[2] + 4);
      Extents const wider{n[0] + 2, n[1] + 2, n[2] + 2};
      auto const run = [&](perf::Tile const& tile) {
        perf::mdrange_stencil(wider, 1, tile, f.in, mid, Sum{});
        perf::mdrange_stencil(n, 2, tile, mid, f.out, Sum{});
      };
      auto const tile = tuned ? perf::best_tile(n, run) : perf::Tile{};
      if (tuned) state.SetLabel(perf::tile_name(tile));
      typename Fields<T>::View const expected("expected", f.out.layout());
      staged(f, expected);
      run(tile);
      if (auto const wrong = perf::mismatch(n, 2, f.out, expected); !wrong.empty())
        return state.SkipWithError(wrong.c_str());
      measure(state, n, point, [&] { run(tile); });
    };
  };
  add(base + "kokkos_mdrange", two_sweeps(false));
  add(base + "kokkos_mdrange_tuned", two_sweeps(true));
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
  for (std::int64_t n = 32; n <= (on_host ? 256 : 1024); n *= 2)
    add_stencil<double, Star<1, 1, 1>>("7pt", {n, n, n}, "scaling/");
}

void add_stencils() {
  for (auto const& n : perf::sizes()) {
    add_type<double>(n);
    add_type<float>(n);
    add_biharmonic(n);
  }
}

}  // namespace

int main(int argc, char** argv) { perf::run(argc, argv, {add_stencils, add_scaling}); }
