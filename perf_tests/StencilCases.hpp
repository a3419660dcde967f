// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_CASES_HPP
#define KOALESCE_PERF_STENCIL_CASES_HPP

#include <Koalesce/Stencil.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "Measure.hpp"
#include "StencilCuda.hpp"
#include "StencilCudaShared.hpp"
#include "StencilCudaSums.hpp"
#include "StencilCudaTiles.hpp"
#include "StencilGrid.hpp"
#include "StencilOpenMP.hpp"
#include "StencilPeers.hpp"

/// The benchmarks that all stencils have.
namespace perf {

/// The sizes measured on this kind of machine: the second and the third fit no tile.
inline std::vector<Extents> sizes() {
  if (on_host) return {{384, 384, 384}, {127, 211, 301}};
  return {{768, 768, 768}, {767, 513, 301}, {2560, 216, 572}};
}

/// A field in a grid with a halo, all 0, as users allocate it or, aligned, by make_field.
template <class T, int Rank, bool Aligned>
auto make_benchmark_field(std::string const& label, Grid const& grid) {
  using Data = std::conditional_t<Rank == 3, T***, std::conditional_t<Rank == 2, T**, T*>>;
  Kokkos::Array<std::int64_t, Rank> n{}, halo{};
  Kokkos::LayoutRight layout;
  for (int d = 0; d < Rank; ++d) {
    n[d]                = grid.n[grid.dimension(d)];
    halo[d]             = grid.halo[grid.dimension(d)];
    layout.dimension[d] = n[d] + 2 * halo[d];
  }
  using Point = std::conditional_t<Rank == 3, Koalesce::Star<0, 0, 0>,
                                   std::conditional_t<Rank == 2, Koalesce::Star<0, 0>, Koalesce::Star<0>>>;
  if constexpr (Aligned) return Koalesce::make_field<T>(label, Koalesce::StencilPolicy<Exec, Point>(Exec(), n), halo);
  else return Kokkos::View<Data, Kokkos::LayoutRight, Exec>(label, layout);
}

/// Inputs and outputs of one benchmark.
template <class T, int Rank = 3, int In = 1, int Out = In, bool Aligned = false>
struct Fields {
  using value_type = T;
  using View       = decltype(make_benchmark_field<T, Rank, Aligned>("", Grid()));

  static constexpr int inputs = In, outputs = Out;

  explicit Fields(Grid const& grid) {
    for (auto& in : ins) fill(in = make(grid));
    for (auto& out : outs) out = make(grid);
  }

  static View make(Grid const& grid) { return make_benchmark_field<T, Rank, Aligned>("field", grid); }

  std::array<View, In> ins;
  std::array<View, Out> outs;
};

/// What a point takes.
struct Cost {
  std::size_t bytes;
  int flops;
};

/// A kernel over a grid, ready to be measured.
inline Prepared prepared(Grid const& grid, Cost const& point, std::function<void()> const& kernel,
                         std::string const& label = "") {
  double const points = double(grid.points());
  Prepared ready{kernel, points * double(point.bytes), {{"points", points}, {"GStencil/s", points * 1e-9}}, label};
  if (point.flops > 0) ready.counts.emplace_back("flops", points * point.flops);
  return ready;
}

/// What points that nobody computes are left with.
template <class View>
void poison(View const& view) {
  Kokkos::deep_copy(view, std::numeric_limits<typename View::value_type>::quiet_NaN());
}

/// run(fields), ready to be measured if it gives what expected(fields) does.
template <class Fields, class Expected, class Run>
Prepared checked(Grid const& grid, Cost const& point, Fields const& fields, Expected const& expected, Run const& run,
                 std::string const& label = "") {
  for (auto const& out : fields.outs) poison(out);
  run(fields);
  {
    Fields right = fields;
    for (auto& out : right.outs) out = Fields::make(grid);
    expected(right);
    for (std::size_t k = 0; k < fields.outs.size(); ++k)
      if (auto const wrong = mismatch(grid, fields.outs[k], right.outs[k]); !wrong.empty()) return {.error = wrong};
  }
  auto const kernel = [=] { run(fields); };
  settle(kernel);
  return prepared(grid, point, kernel, label);
}

/// A copy that reads and writes as many bytes as a sweep must.
template <class T>
void add_copy(std::string const& base, Grid const& grid, Cost const& point) {
  add_prepared(base + "copy", [=] {
    Kokkos::View<T*, Exec> from("from", std::size_t(grid.points()) * point.bytes / (2 * sizeof(T))),
        to("to", from.extent(0));
    fill(from);
    auto const best = fastest_copy(to, from);
    return prepared(
        grid, {point.bytes, 0}, [to, from, run = best.run] { run(); }, best.name);
  });
}

/// The same so many times between two fences.
inline Prepared repeated(Prepared ready, std::int64_t times) {
  ready.bytes *= double(times);
  for (auto& [what, count] : ready.counts) count *= double(times);
  ready.kernel = [once = ready.kernel, times] {
    for (std::int64_t i = 0; i < times; ++i) once();
  };
  return ready;
}

/// A peer that runs a sweep by the fastest of its variants.
/// \param[in] sweeps   between two fences.
/// \param[in] variants variants(sweep) lists those that can run it.
template <class F, class Shape, class Functor, class Native, class Variants>
void add_peer(std::string const& name, Grid const& grid, Cost const& point, Native const& native,
              Functor const& functor, std::int64_t sweeps, Variants const& variants) {
  add_prepared(name, [=]() -> Prepared {
    F const fields(grid);
    auto const sweep = peer_sweep<Shape>(grid, fields, functor);
    auto const all   = variants(sweep);
    if (all.empty()) return {.error = "no variant fits these extents"};
    auto const best  = fastest(all, [&](auto const& variant) { variant.run(sweep); });
    auto const ready = checked(
        grid, point, fields, native, [=](F const& f) { best.run(peer_sweep<Shape>(grid, f, functor)); }, best.name);
    return sweeps > 1 ? repeated(ready, sweeps) : ready;
  });
}

/// Peers without Kokkos: plain CUDA or plain OpenMP.
template <class F, class Shape, class Functor, class Native>
void add_peers(std::string const& base, Grid const& grid, Cost const& point, Native const& native,
               Functor const& functor, std::int64_t sweeps = 1) {
  [[maybe_unused]] auto const add_one = [&](std::string const& name, auto const& variants) {
    add_peer<F, Shape>(base + name, grid, point, native, functor, sweeps, variants);
  };
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!on_host) {
    add_one("cuda", [](auto const& sweep) { return cuda_point_variants(sweep); });
    add_one("cuda_tiles", [](auto const& sweep) { return cuda_tile_variants(sweep); });
    if constexpr (KnownWeights<Functor>)
      add_one("cuda_partial_sums", [](auto const& sweep) { return cuda_sum_variants(sweep); });
    if constexpr (KnownWeights<Functor> && Shape::rank > 1 && Reach<Shape>::box)
      add_one("cuda_symmetric_sums", [](auto const& sweep) { return cuda_sum_variants(sweep, true); });
    if constexpr (Shape::rank > 1)
      add_one("cuda_shared", [](auto const& sweep) { return cuda_shared_variants(sweep); });
  }
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>)
    add_prepared(base + "openmp_simd", [=] {
      auto const ready =
          checked(grid, point, F(grid), native, [=](F const& f) { openmp_sweep(peer_sweep<Shape>(grid, f, functor)); });
      return sweeps > 1 ? repeated(ready, sweeps) : ready;
    });
#endif
}

/// Ours on both backends, Kokkos' MDRangePolicy, peers without Kokkos, and a copy, for fields that are made when a
/// benchmark runs, not when it is listed.
///
/// \param[in] ours    ours(backend, taps, fields) sweeps once. What the others are compared with is this on the native
///                    backend, which the unit tests compare with a serial loop.
/// \param[in] functor of the neighborhoods of all inputs: the same once more, for the peers.
template <class F, class Shape, class Ours, class Functor>
void add_sweeps(std::string const& base, Grid const& grid, Cost const& point, Ours const& ours,
                Functor const& functor) {
  auto const native = [=](F const& f) {
    ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::automatic, f);
  };
  auto const add_one = [=](std::string const& name, auto const& run) {
    add_prepared(base + name, [=] { return checked(grid, point, F(grid), native, run); });
  };
  add_one("koalesce", native);
  add_one("koalesce_portable",
          [=](F const& f) { ours(Koalesce::Backend::Portable{}, Koalesce::StencilTaps::automatic, f); });
  if constexpr (!on_host) {
    add_one("koalesce_queue",
            [=](F const& f) { ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::queue, f); });
    add_one("koalesce_cache",
            [=](F const& f) { ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::cache, f); });
    add_one("koalesce_tile",
            [=](F const& f) { ours(Koalesce::Backend::Default<Exec>{}, Koalesce::StencilTaps::tile, f); });
  }
  auto const plain = [=](Sweep const& sweep, F const& f) { mdrange_stencil(grid, sweep, f.ins, f.outs, functor); };
  add_one("kokkos_mdrange", [=](F const& f) { plain(Sweep{}, f); });
  add_prepared(base + "kokkos_mdrange_tuned", [=] {
    F const f(grid);
    auto const best = best_sweep(grid, [&](Sweep const& sweep) { plain(sweep, f); });
    return checked(
        grid, point, f, native, [=](F const& fields) { plain(best, fields); }, best.name());
  });
  add_peers<F, Shape>(base, grid, point, native, functor);
  add_copy<typename F::value_type>(base, grid, point);
}

/// A policy over a grid's interior.
template <class Shape, class Backend = Koalesce::Backend::Default<Exec>>
auto policy_of(Grid const& grid, Backend = {}) {
  using Policy = Koalesce::StencilPolicy<Exec, Shape, Backend>;
  typename Policy::extents_type extents;
  for (int d = 0; d < Shape::rank; ++d) extents[d] = grid.n[grid.dimension(d)];
  return Policy(Exec(), extents);
}

/// Weighted sums of so many points, at one size.
template <int Points, class T>
void add_points(Extents const& n, std::string const& group = "");

template <class T>
void add_planar_stencils();

// One source each, since they compile for long.
void add_biharmonic();
void add_nonlinear_stencils();
void add_line_stencils();
void add_wave();
void add_boundary();
void add_residual();
void add_blocks();
void add_active();

}  // namespace perf

#endif
