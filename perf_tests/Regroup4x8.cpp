// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegroupCases.hpp"

template void perf::regroup::add_cases<4, 8>();

void perf::regroup::add_scaling() { add_scaling_over_items<8>(); }
