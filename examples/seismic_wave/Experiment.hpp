// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_EXPERIMENT_HPP
#define SEISMIC_WAVE_EXPERIMENT_HPP

#include "../common/PlainLoop.hpp"
#include "EarthModel.hpp"
#include "Wavelet.hpp"

#include <array>
#include <vector>

namespace examples::seismic {

constexpr int sponge_points = 24;  ///< at the outer faces

/// After the explosion: when the wave field is kept for the picture.
constexpr std::array<int, 3> snapshot_minutes{5, 10, 15};

/// \brief An explosion at the surface of the Earth, on a grid.
///
/// The Earth's center is the origin, and the explosion is at x = R, y = z = 0. The wave field is symmetric about the x
/// axis, so that a quarter of the Earth is enough: y >= 0 and z >= 0. Stations are at the surface in the plane z = 0.
///
/// The Earth is a fluid of constant density: no S waves. The crust goes on above the surface, up to the sponge, so
/// that nothing is reflected there (no pP or PP) and no wave is trapped under it.
struct Experiment {
  EarthModel model;
  int radius_points;  ///< the Earth's radius, in points
  double spacing;     ///< of points, in km
  double time_step;   ///< s
  Wavelet wavelet;
  int steps;        ///< to the last snapshot and the last arrival
  Extents extents;  ///< points in z, y and x

  /// \param[in] points of the Earth's radius.
  Experiment(EarthModel const& model_, int points);

  /// Of the Earth's center; in z and y it is 0.
  int center_x() const { return radius_points + sponge_points; }

  /// After so many steps; the explosion is centered at 0.
  double time(int step) const { return step * time_step - wavelet.period; }

  /// The wavelet at every step.
  std::vector<float> source() const;
};

}  // namespace examples::seismic

#endif
