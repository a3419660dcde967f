// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STEPS_CASES_HPP
#define KOALESCE_PERF_STEPS_CASES_HPP

#include "Measure.hpp"

namespace perf {

/// Time steps of a stencil of so many points. Compiled by StepsPoints.cpp.
template <int Points, class T>
void add_steps();

}  // namespace perf

#endif
