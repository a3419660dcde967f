// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time steps on the portable backend, with as many per sweep as it finds best and with one.

#include <Koalesce/Stencil.hpp>

#include <string>

#include "StencilWeighted.hpp"
#include "StepsCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

template <class Shape>
void add_portable(std::string const& name, Grid const& grid, int depth) {
  add_prepared(name, [=]() -> Prepared {
    using F           = perf::Fields<double, Shape::rank, 1, 1, true>;
    auto const policy = policy_of<Shape>(grid, Backend::Portable{}).with_fused_steps(depth);
    WeightedSum<double, Shape> const sum;
    F const f(grid);
    auto const a = F::make(grid), b = F::make(grid), state = F::make(grid);
    for (auto const& view : {a, b, state}) Kokkos::deep_copy(view, f.ins[0]);
    for (int s = 0; s < 7; ++s) parallel_stencil("sweep", policy_of<Shape>(grid), s % 2 ? b : a, s % 2 ? a : b, sum);
    parallel_stencil_steps("steps", policy, state, f.outs[0], 7, sum);
    if (auto const wrong = mismatch(grid, state, b); !wrong.empty()) return {.error = wrong};
    auto const kernel = [=] { parallel_stencil_steps(name, policy, f.ins[0], f.outs[0], steps_per_call(grid), sum); };
    return prepared_steps(grid, {2 * sizeof(double), 0}, kernel, name);
  });
}

template <int points>
void add_points_of() {
  using Shape            = StepsShape<points>;
  auto const grid        = grid_of(steps_sizes<Shape>(points)[0], Shape::radius(0));
  std::string const base = steps_name<Shape, double>(grid);
  add_portable<Shape>(base + "koalesce_portable", grid, 0);
  add_portable<Shape>(base + "koalesce_portable_one", grid, 1);
}

}  // namespace

void perf::add_steps_on_portable() {
  add_points_of<7>();
  add_points_of<5>();
}
