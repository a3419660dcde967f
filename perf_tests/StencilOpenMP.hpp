// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_OPENMP_HPP
#define KOALESCE_PERF_STENCIL_OPENMP_HPP

#include <algorithm>
#include <cstdint>

#include "StencilGrid.hpp"

/// Stencils as OpenMP programmers write them, without Kokkos.
namespace perf {

#ifdef KOKKOS_ENABLE_OPENMP

template <class Sweep>
void openmp_sweep(Sweep const& sweep) {
  // A single row is shared among the threads, too.
  int const chunk = sweep.nz * sweep.ny == 1 ? 1 << 14 : sweep.nx;
#pragma omp parallel for collapse(3) schedule(static)
  for (int z = 0; z < sweep.nz; ++z)
    for (int y = 0; y < sweep.ny; ++y)
      for (int begin = 0; begin < sweep.nx; begin += chunk) {
        // A copy of this thread's own: no store can change the functor's weights.
        Sweep const s            = sweep;
        std::int64_t const first = z * s.plane + y * s.pitch + begin;
        int const count          = std::min(chunk, s.nx - begin);
#pragma omp simd
        for (int x = 0; x < count; ++x) s.compute(first + x);
      }
}

#endif

}  // namespace perf

#endif
