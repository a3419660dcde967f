// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MINOR_PLANETS_PLANETS_HPP
#define MINOR_PLANETS_PLANETS_HPP

#include "Elements.hpp"

#include <Kokkos_Core.hpp>

namespace examples::minor_planets {

using Exec = Kokkos::DefaultExecutionSpace;

/// Jupiter, Saturn, Uranus, Neptune: those that pull. The inner planets go around so fast that their masses count as
/// the Sun's.
constexpr int planets = 4;

constexpr double sun_and_inner_planets =
    sun * (1 + 1 / 6.0236e6 + 1 / 408523.719 + 1 / 328900.56 + 1 / 3098703.59);  ///< AU^3 / day^2

/// In AU^3 / day^2.
double planet_mass(int planet);

/// \brief Mean elements at a date (MJD), 1800 to 2050.
///
/// E. M. Standish, "Keplerian elements for approximate positions of the major planets", JPL; right to some minutes of
/// arc, which moves a minor planet by much less.
Elements planet_elements(int planet, double date);

/// \brief Where the planets are, for kernels: positions and velocities at equal steps back in time from the epoch.
struct Planets {
  static constexpr double step = 16;  ///< days: cubic polynomials between are right to 1e-9 AU

  /// Of a planet, in one direction. They are read together: orbits that are at different dates read different rows, and
  /// such reads, not arithmetic, are what a step waits for on a GPU.
  struct alignas(16) Component {
    double position, velocity;  ///< back in time
  };

  double mass[planets];
  Kokkos::View<Component const* [planets][3], Kokkos::LayoutRight, Exec> table;  ///< [step][planet][direction]

  /// \param[in] since  days before the epoch.
  KOKKOS_FUNCTION void pull(double const (&r)[3], double since, double (&acceleration)[3]) const {
    int const n    = Kokkos::min(int(since / step), int(table.extent(0)) - 2);
    double const t = since / step - n, u = 1 - t;
    double const at0 = u * u * (1 + 2 * t), at1 = t * t * (1 + 2 * u);
    double const slope0 = step * t * u * u, slope1 = -step * t * t * u;
    for (int p = 0; p < planets; ++p) {
      double q[3], to[3], near2 = 0, far2 = 0;
      for (int d = 0; d < 3; ++d) {
        Component const before = table(n, p, d), after = table(n + 1, p, d);
        q[d]  = at0 * before.position + at1 * after.position + slope0 * before.velocity + slope1 * after.velocity;
        to[d] = q[d] - r[d];
        near2 += to[d] * to[d];
        far2 += q[d] * q[d];
      }
      double const near = mass[p] / (near2 * Kokkos::sqrt(near2));
      double const far  = mass[p] / (far2 * Kokkos::sqrt(far2));
      for (int d = 0; d < 3; ++d) acceleration[d] += near * to[d] - far * q[d];
    }
  }
};

/// \param[in] days  how far back.
Planets planets_until(double days);

}  // namespace examples::minor_planets

#endif
