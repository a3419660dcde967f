// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Planets.hpp"

#include <cmath>
#include <numbers>

namespace examples::minor_planets {
namespace {

/// At J2000, AU and degrees, and changes a century.
struct MeanElements {
  double axis, eccentricity, inclination, longitude, perihelion, node;
};

constexpr MeanElements at_2000[planets]{{5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909},
                                        {9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448},
                                        {19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503},
                                        {30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574}};
constexpr MeanElements a_century[planets]{
    {-0.00011607, -0.00013253, -0.00183714, 3034.74612775, 0.21252668, 0.20469106},
    {-0.00125060, -0.00050991, 0.00193609, 1222.49362201, -0.41897216, -0.28867794},
    {-0.00196176, -0.00004397, -0.00242939, 428.48202785, 0.40805281, 0.04240589},
    {0.00026291, 0.00005105, 0.00035372, 218.45945325, -0.32241464, -0.00508664}};

/// The Sun's mass in those of the planets (IAU 2009).
constexpr double suns[planets]{1047.348644, 3497.9018, 22902.98, 19412.26};

}  // namespace

double planet_mass(int planet) { return sun / suns[planet]; }

Elements planet_elements(int planet, double date) {
  double const centuries = (date - 51544.5) / 36525, degree = std::numbers::pi / 180;
  auto const now = [&](double MeanElements::*e) { return at_2000[planet].*e + centuries * (a_century[planet].*e); };
  double const perihelion = now(&MeanElements::perihelion), node = now(&MeanElements::node);
  return {now(&MeanElements::axis),
          now(&MeanElements::eccentricity),
          now(&MeanElements::inclination) * degree,
          node * degree,
          (perihelion - node) * degree,
          (now(&MeanElements::longitude) - perihelion) * degree};
}

Planets planets_until(double days) {
  int const rows = int(std::ceil(days / Planets::step)) + 2;
  Kokkos::View<Planets::Component* [planets][3], Kokkos::LayoutRight, Exec> table("planets", rows);
  auto const host = Kokkos::create_mirror_view(table);
  for (int n = 0; n < rows; ++n)
    for (int p = 0; p < planets; ++p) {
      auto const at = on_ellipse(planet_elements(p, epoch - n * Planets::step), planet_mass(p));
      for (int d = 0; d < 3; ++d) host(n, p, d) = {at.position[d], -at.velocity[d]};
    }
  Kokkos::deep_copy(table, host);
  Planets result{{}, table};
  for (int p = 0; p < planets; ++p) result.mass[p] = planet_mass(p);
  return result;
}

}  // namespace examples::minor_planets
