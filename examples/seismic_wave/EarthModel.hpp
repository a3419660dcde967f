// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_EARTH_MODEL_HPP
#define SEISMIC_WAVE_EARTH_MODEL_HPP

#include <string>
#include <vector>

namespace examples::seismic {

constexpr double earth_radius = 6371;  ///< km

/// Velocity of P at a depth; linear in between. A depth that comes twice is a discontinuity.
struct Knot {
  double depth;     ///< km
  double velocity;  ///< km/s
};

/// When the first P arrives at a distance from an explosion at the surface.
struct Arrival {
  double distance;  ///< degrees
  double time;      ///< s
};

struct EarthModel {
  std::string name;
  std::vector<Knot> knots;        ///< from the surface down to the center
  std::vector<Arrival> arrivals;  ///< where stations are
  double slowest;  ///< km/s, of what is thicker than a wavelength: the crust, which is thin, does not count
};

/// \brief B. L. N. Kennett, E. R. Engdahl, R. Buland: "Constraints on seismic velocities in the Earth from
/// traveltimes", Geophysical Journal International 122 (1995) 108-124: the model ak135, P alone.
///
/// The travel times are those of B. L. N. Kennett: "Seismological tables: ak135", Research School of Earth Sciences,
/// The Australian National University (2005), table P, surface focus. Rays through the knots take as long to 0.03 s.
EarthModel ak135();

/// The same velocity everywhere; P goes straight to the same stations.
EarthModel homogeneous();

/// In km/s, the radius in km. Beyond the surface it is that of the surface.
double velocity(EarthModel const& model, double radius);

double fastest(EarthModel const& model);

/// From the explosion straight to a station at the surface, in km.
double chord(double degrees);

}  // namespace examples::seismic

#endif
