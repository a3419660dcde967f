// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STEPS_CASES_HPP
#define KOALESCE_PERF_STEPS_CASES_HPP

#include <cstdint>
#include <functional>
#include <string>

#include "Measure.hpp"
#include "StencilCases.hpp"

namespace perf {

/// Steps of one call: a multiple of all depths of CUDA.
inline constexpr std::int64_t steps_per_call = 48;

/// What the calls with a label chose.
inline std::string chosen_depth(std::string const& label) {
  for (auto const& decision : Koalesce::tuning_decisions())
    if (decision.pattern == "stencil_steps" && decision.label == label) return decision.choice + " steps per sweep";
  return "";
}

/// A call of so many steps, ready to be measured.
/// \param[in] step what one step takes at a point.
inline Prepared prepared_steps(Grid const& grid, Cost const& step, std::function<void()> const& kernel,
                               std::string const& label) {
  settle(kernel);
  auto ready = prepared(grid, step, kernel, chosen_depth(label));
  ready.bytes *= double(steps_per_call);
  for (auto& [what, count] : ready.counts) count *= double(steps_per_call);
  return ready;
}

/// Time steps of a stencil of so many points. Compiled by StepsPoints.cpp.
template <int Points, class T>
void add_steps();

/// Of the acoustic wave, which has two time levels, and of a filter that computes much at a point.
void add_steps_of_fields();

}  // namespace perf

#endif
