// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STEPS_CASES_HPP
#define KOALESCE_PERF_STEPS_CASES_HPP

#include <Koalesce/Tuning.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "Measure.hpp"
#include "StencilCases.hpp"

namespace perf {

/// Steps of one call: a multiple of all depths of CUDA, and more of fields that fit on chip, where a call reads and
/// writes them once.
inline std::int64_t steps_per_call(Grid const& grid) { return grid.points() > 1 << 20 ? 48 : 960; }

/// What the calls with a label chose.
inline std::string chosen_depth(std::string const& label) {
  for (auto const& decision : Koalesce::tuning_decisions())
    if (decision.pattern == "stencil_steps" && decision.label == label)
      return decision.choice == "on chip" ? decision.choice : decision.choice + " steps per sweep";
  return "";
}

/// A call of so many steps, ready to be measured.
/// \param[in] step what one step takes at a point.
inline Prepared prepared_steps(Grid const& grid, Cost const& step, std::function<void()> const& kernel,
                               std::string const& label) {
  settle(kernel);
  auto ready   = repeated(prepared(grid, step, kernel, chosen_depth(label)), steps_per_call(grid));
  ready.kernel = kernel;
  return ready;
}

template <int points>
auto steps_shape() {
  if constexpr (points == 5) return Koalesce::Star<1, 1>();
  else if constexpr (points == 7) return Koalesce::Star<1, 1, 1>();
  else if constexpr (points == 9) return Koalesce::Box<1, 1>();
  else if constexpr (points == 13) return Koalesce::Star<2, 2, 2>();
  else return Koalesce::Box<1, 1, 1>();
}
template <int Points>
using StepsShape = decltype(steps_shape<Points>());

/// The extents at which a shape is measured.
template <class Shape>
std::vector<std::array<std::int64_t, Shape::rank>> steps_sizes(int points) {
  if constexpr (Shape::rank == 2) {
    std::int64_t const n = on_host ? 4096 : 16384;
    return {{n, n}};
  } else {
    std::int64_t const n = on_host ? 384 : 768;
    if (on_host || points != 7) return {{n, n, n}};
    return {{n, n, n}, {767, 513, 301}, {2560, 352, 384}, {1000, 1000, 200}, {32, 32, 32}, {64, 64, 64}, {96, 96, 96}};
  }
}

template <class Shape, class T>
std::string steps_name(Grid const& grid) {
  return "steps/" + std::to_string(Shape::size) + "pt/" + type_name<T>() + "/" + grid.name() + "/";
}

/// Time steps of a stencil of so many points. Compiled by StepsPoints.cpp.
template <int Points, class T>
void add_steps();

/// The peers' single sweeps. Compiled by StepsPeers.cpp.
template <int Points, class T>
void add_steps_peers();

/// Of the acoustic wave, which has two time levels, and of a filter that computes much at a point.
void add_steps_of_fields();
void add_steps_on_portable();

}  // namespace perf

#endif
