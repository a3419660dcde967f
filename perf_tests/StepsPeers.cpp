// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What time steps of one number of points are compared with: as many single sweeps of plain CUDA or OpenMP.

#include "StencilWeighted.hpp"
#include "StepsCases.hpp"

template <int Points, class T>
void perf::add_steps_peers() {
  using Shape = StepsShape<Points>;
  using F     = Fields<T, Shape::rank, 1, 1, true>;
  using Sum   = WeightedSum<T, Shape>;
  for (auto const& n : steps_sizes<Shape>(Points)) {
    auto const grid  = grid_of(n, Shape::radius(0));
    auto const sweep = [=](F const& f) {
      Koalesce::parallel_stencil("sweep", policy_of<Shape>(grid), f.ins[0], f.outs[0], Sum{});
    };
    add_peers<F, Shape>(steps_name<Shape, T>(grid), grid, {2 * sizeof(T), 0}, sweep, Sum{}, steps_per_call(grid));
  }
}

#ifdef KOALESCE_PERF_TYPE
template void perf::add_steps_peers<KOALESCE_PERF_POINTS, KOALESCE_PERF_TYPE>();
#else
template void perf::add_steps_peers<KOALESCE_PERF_POINTS, double>();
template void perf::add_steps_peers<KOALESCE_PERF_POINTS, float>();
#endif
