// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegroupCases.hpp"

template void perf::regroup::add_cases<2, 8>();
