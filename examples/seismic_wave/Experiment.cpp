// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Experiment.hpp"

#include <algorithm>
#include <cmath>

namespace examples::seismic {
namespace {

/// Points per wavelength of the dominant period where waves are slowest. The shortest wavelengths that the wavelet
/// has much of are a third as long.
constexpr double points_per_wavelength = 12;

/// Part of the way from point to point that the fastest wave goes in a step. The scheme is stable up to 0.45.
constexpr double courant = 0.4;

}  // namespace

Experiment::Experiment(EarthModel const& model_, int points)
    : model(model_),
      radius_points(points),
      spacing(earth_radius / points),
      time_step(courant * spacing / fastest(model)),
      wavelet{points_per_wavelength * spacing / model.slowest},
      extents{points + sponge_points + 1, points + sponge_points + 1, 2 * (points + sponge_points) + 1} {
  double const end = std::max(60. * snapshot_minutes.back(), model.arrivals.back().time + wavelet.period);
  steps            = int(std::ceil((end + wavelet.period) / time_step)) + 1;
}

std::vector<float> Experiment::source() const {
  std::vector<float> samples(steps);
  for (int i = 0; i < steps; ++i) samples[i] = float(wavelet(time(i)));
  return samples;
}

}  // namespace examples::seismic
