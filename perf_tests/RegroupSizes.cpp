// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupCases.hpp"

// Compiled once for each number of paths and size of items, which take long: CMakeLists.txt names them.
template void perf::regroup::add_cases<KOALESCE_PERF_PATHS, KOALESCE_PERF_BYTES>();

#if KOALESCE_PERF_PATHS == 4 && KOALESCE_PERF_BYTES == 8
void perf::regroup::add_scaling() { add_scaling_over_items<8>(); }
#endif
