// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MINOR_PLANETS_ENSEMBLE_HPP
#define MINOR_PLANETS_ENSEMBLE_HPP

#include "../common/ProgressBar.hpp"
#include "Elements.hpp"

#include <Koalesce/regroup/RegroupPolicy.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace examples::minor_planets {

struct Settings {
  double days         = epoch - discovery;  ///< back from the epoch
  double tolerance    = 1e-11;              ///< of a step
  std::int64_t clones = 1;                  ///< of each body, itself among them
  std::int64_t batch  = 1;                  ///< clones of a loop
  bool planets        = true;               ///< pull
};

struct Result {
  std::vector<PositionAndVelocity> orbits;  ///< at the end; all bodies, then their first clones, and so on
  std::vector<int> steps;                   ///< of each; max_steps: it was given up
  double seconds = 0;
};

constexpr int max_steps = 10000000;

/// The label of the loop over orbits.
extern std::string const loop;

/// All orbits; threads that are done take the next ones.
Result integrate(std::vector<Body> const& bodies, Settings const& settings, Koalesce::Regroup regroup,
                 Progress const& progress);

/// The same in plain Kokkos.
Result integrate_plain(std::vector<Body> const& bodies, Settings const& settings, Progress const& progress);

/// \brief Where a body is at the end, by another method: without planets, the ellipse; with them, equal steps of
/// the Runge-Kutta method of order 4, planets where their elements put them.
Vector reference(Body const& body, Settings const& settings);

}  // namespace examples::minor_planets

#endif
