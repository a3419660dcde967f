// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CASES_HPP
#define KOALESCE_PERF_STENCIL_CASES_HPP

#include <Koalesce/Stencil.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "Measure.hpp"
#include "StencilCuda.hpp"
#include "StencilPeers.hpp"

/// The benchmarks that all stencils have.
namespace perf {

/// Input and output of one benchmark, with a halo as wide as the radius.
template <class T, int Count = 1>
struct Fields {
  using View = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

  Fields(Extents const& n, int halo_) : halo(halo_) {
    auto const field = [&](char const* label) {
      return View(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), n[0] + 2 * halo, n[1] + 2 * halo,
                  n[2] + 2 * halo);
    };
    for (int k = 0; k < Count; ++k) {
      ins[k]  = field("in");
      outs[k] = field("out");
      fill(ins[k]);
      Kokkos::deep_copy(outs[k], T(0));
    }
  }

  int halo;
  std::array<View, Count> ins, outs;
};

/// What a point takes.
struct Cost {
  std::size_t bytes;
  int flops;
};

inline void measure(benchmark::State& state, Extents const& n, Cost const& point, std::function<void()> const& kernel) {
  double const points = double(n[0]) * double(n[1]) * double(n[2]);
  measure(state, points * double(point.bytes), kernel);
  state.counters["points"]     = rate(points);
  state.counters["GStencil/s"] = rate(points * 1e-9);
  if (point.flops > 0) state.counters["flops"] = rate(points * point.flops);
}

/// What points that nobody computes are left with.
template <class View>
void poison(View const& view) {
  Kokkos::deep_copy(view, std::numeric_limits<typename View::value_type>::quiet_NaN());
}

/// Measures run(fields), if it gives what expected(fields) does.
template <class Fields, class Expected, class Run>
void check_and_measure(benchmark::State& state, Extents const& n, Cost const& point, Fields const& fields,
                       Expected const& expected, Run const& run) {
  Fields right = fields;
  for (auto& out : right.outs) out = typename Fields::View("expected", out.layout());
  expected(right);
  for (auto const& out : fields.outs) poison(out);
  run(fields);
  for (std::size_t k = 0; k < fields.outs.size(); ++k)
    if (auto const wrong = mismatch(n, fields.halo, fields.outs[k], right.outs[k]); !wrong.empty())
      return state.SkipWithError(wrong.c_str());
  right = fields;
  measure(state, n, point, [&] { run(fields); });
}

/// A copy that reads and writes as many bytes as a sweep must.
template <class T>
void add_copy(std::string const& base, Extents const& n, Cost const& point) {
  add(base + "copy", [=](benchmark::State& state) {
    std::size_t const points = std::size_t(n[0]) * n[1] * n[2];
    Kokkos::View<T*, Exec> from("from", points * point.bytes / (2 * sizeof(T))), to("to", from.extent(0));
    fill(from);
    measure(state, n, {point.bytes, 0}, [&] { copy(to, from); });
  });
}

/// Ours on both backends, Kokkos' MDRangePolicy, plain CUDA where there is, and a copy, for fields that are made when a
/// benchmark runs, not when it is listed.
///
/// \param[in] ours  ours(backend, taps, fields) sweeps once. What the others are compared with is this on the native
///                  backend, which the unit tests compare with a serial loop.
/// \param[in] plain plain(sweep, fields) does the same with MDRangePolicy.
/// \param[in] functor of the neighborhoods of all inputs: the same once more, for plain CUDA.
template <class T, int Count, class Ours, class Plain, class Functor>
void add_sweeps(std::string const& base, Extents const& n, int halo, Cost const& point, Ours const& ours,
                Plain const& plain, [[maybe_unused]] Functor const& functor) {
  using F           = Fields<T, Count>;
  auto const native = [=](F const& f) {
    ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::automatic, f);
  };
  auto const add_one = [=](std::string const& name, auto const& run) {
    add(base + name, [=](benchmark::State& state) { check_and_measure(state, n, point, F(n, halo), native, run); });
  };
  add_one("koalesce", native);
  add_one("koalesce_portable",
          [=](F const& f) { ours(Koalesce::Backend::Portable{}, Koalesce::StencilTaps::automatic, f); });
  if constexpr (!on_host) {
    add_one("koalesce_queue",
            [=](F const& f) { ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::queue, f); });
    add_one("koalesce_cache",
            [=](F const& f) { ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::cache, f); });
  }
  add_one("kokkos_mdrange", [=](F const& f) { plain(Sweep{}, f); });
  add(base + "kokkos_mdrange_tuned", [=](benchmark::State& state) {
    F const f(n, halo);
    auto const best = best_sweep(n, [&](Sweep const& sweep) { plain(sweep, f); });
    state.SetLabel(best.name());
    check_and_measure(state, n, point, f, native, [&](F const& fields) { plain(best, fields); });
  });
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!on_host)
    add(base + "cuda", [=](benchmark::State& state) {
      F const f(n, halo);
      auto const run  = [=](Tile const& block, F const& g) { cuda_sweep(n, halo, block, g.ins, g.outs, functor); };
      auto const best = fastest(cuda_blocks(), [&](Tile const& block) { run(block, f); });
      state.SetLabel("block " + size_name(best));
      check_and_measure(state, n, point, f, native, [&](F const& fields) { run(best, fields); });
    });
#endif
  add_copy<T>(base, n, point);
}

/// Stencils whose functors are no weighted sums.
void add_nonlinear_stencils();

}  // namespace perf

#endif
