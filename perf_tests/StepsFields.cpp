// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time steps of stencils that are no weighted sums; Steps.cpp says what is measured.

#include <Koalesce/Stencil.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include "StencilFunctors.hpp"
#include "StepsCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

/// Makes random speeds such that the wave is stable, which it is up to 4 / 19.5.
template <class View>
void slow_down(View const& speed) {
  using T = typename View::value_type;
  Kokkos::parallel_for(
      "slow down",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(
          {0, 0, 0}, {std::int64_t(speed.extent(0)), std::int64_t(speed.extent(1)), std::int64_t(speed.extent(2))}),
      KOKKOS_LAMBDA(int z, int y, int x) { speed(z, y, x) *= T(0.2); });
}

/// The wave's two levels change roles: three fields are read, one is written.
template <class T>
void add_wave_steps(std::string const& name, Grid const& grid, int depth) {
  add_prepared(name, [=]() -> Prepared {
    using F           = perf::Fields<T, 3, 3, 1, true>;
    auto const policy = policy_of<WaveShape>(grid);
    F f(grid);
    slow_down(f.ins[2]);
    auto now = F::make(grid), before = F::make(grid), newest = F::make(grid), older = F::make(grid);
    for (auto const& [from, to] : {std::pair(f.ins[0], now), std::pair(f.ins[1], before), std::pair(f.ins[0], newest),
                                   std::pair(f.ins[1], older)})
      Kokkos::deep_copy(to, from);
    for (int s = 0; s < 7; ++s, std::swap(newest, older))
      parallel_stencil("wave", policy, fields(newest, at_point(older), at_point(f.ins[2])), older, FieldsWave<T>());
    auto const run = [=](std::string const& label, std::int64_t steps) {
      parallel_stencil_steps(label, policy.with_fused_steps(depth),
                             fields(time_levels(now, before), constant(at_point(f.ins[2]))), fields(), steps,
                             FieldsWave<T>());
    };
    run("steps", 7);
    if (auto const wrong = mismatch(grid, now, newest); !wrong.empty()) return {.error = wrong};
    for (auto const& view : {now, before}) Kokkos::deep_copy(view, f.ins[0]);  // at rest, so that it does not grow
    return prepared_steps(
        grid, {4 * sizeof(T), Wave<T>::flops}, [=] { run(name, steps_per_call(grid)); }, name);
  });
}

void add_filter_steps(std::string const& name, Grid const& grid, int depth) {
  add_prepared(name, [=]() -> Prepared {
    using Shape       = PeronaMalik::Shape;
    using F           = perf::Fields<float, 3, 1, 1, true>;
    auto const policy = policy_of<Shape>(grid);
    F const f(grid);
    auto const a = F::make(grid), b = F::make(grid), state = F::make(grid);
    for (auto const& view : {a, b, state}) Kokkos::deep_copy(view, f.ins[0]);
    for (int s = 0; s < 7; ++s)
      parallel_stencil("filter", policy, s % 2 == 0 ? a : b, s % 2 == 0 ? b : a, PeronaMalik());
    parallel_stencil_steps("steps", policy.with_fused_steps(depth), state, f.outs[0], 7, PeronaMalik());
    if (auto const wrong = mismatch(grid, state, b); !wrong.empty()) return {.error = wrong};
    auto const kernel = [=] {
      parallel_stencil_steps(name, policy.with_fused_steps(depth), f.ins[0], f.outs[0], steps_per_call(grid),
                             PeronaMalik());
    };
    return prepared_steps(grid, {2 * sizeof(float), PeronaMalik::flops}, kernel, name);
  });
}

template <class T>
void add_wave_case() {
  std::int64_t const n   = on_host ? 256 : 512;
  auto const grid        = grid_of(Extents{n, n, n}, 4);
  std::string const base = "steps/wave/" + type_name<T>() + "/" + grid.name() + "/";
  add_wave_steps<T>(base + "koalesce", grid, 0);
  add_wave_steps<T>(base + "koalesce_one", grid, 1);
  add_copy<T>(base, grid, {4 * sizeof(T), 0});
}

}  // namespace

void perf::add_steps_of_fields() {
  add_wave_case<double>();
  add_wave_case<float>();
  auto const grid        = grid_of(Extents{301, 370, 316}, 1);
  std::string const base = "steps/perona_malik/f32/" + grid.name() + "/";
  add_filter_steps(base + "koalesce", grid, 0);
  add_filter_steps(base + "koalesce_one", grid, 1);
  add_copy<float>(base, grid, {2 * sizeof(float), 0});
}
