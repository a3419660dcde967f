// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time steps: steps/<points>/<type>/<extents>/<impl>. koalesce (a functor) and koalesce_linear (known weights) are
// parallel_stencil_steps with as many steps per sweep as it finds best; koalesce_one and koalesce_linear_one take one
// step per sweep, koalesce_<k> and koalesce_linear_<k> at most k; koalesce_periodic and koalesce_mirror are
// koalesce_linear with a periodic boundary and with mirrors; koalesce_portable is koalesce on Backend::Portable; copy
// reads and writes the field once a step. The peers are single sweeps of as many points: cuda (a thread a point),
// cuda_tiles, cuda_partial_sums, cuda_shared, and on CPUs openmp_simd. <points> is also wave (two time levels, 25
// points, a field at the point) and perona_malik (27 points, a division for each). Every result is compared with that
// of parallel_stencil, step by step, first.

#include "StepsCases.hpp"

namespace {

using namespace perf;

template <class T, int... Points>
void add_steps_of_points() {
  auto const add_if_compiled = []<int Count>(std::integral_constant<int, Count>) {
    if constexpr (Count == 7 || has_all_sizes) add_steps<Count, T>();
  };
  (add_if_compiled(std::integral_constant<int, Points>()), ...);
}

}  // namespace

int main(int argc, char** argv) {
  run(argc, argv,
      {add_steps_of_points<double, 7, 13, 27, 5, 9>, add_steps_of_points<float, 7, 13, 27, 5, 9>, add_steps_of_fields,
       add_steps_on_portable});
}
