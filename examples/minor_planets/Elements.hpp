// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MINOR_PLANETS_ELEMENTS_HPP
#define MINOR_PLANETS_ELEMENTS_HPP

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace examples::minor_planets {

using Vector = std::array<double, 3>;  ///< ecliptic and equinox of J2000, heliocentric

/// Of the Sun, in AU^3 / day^2: the square of Gauss' constant.
constexpr double sun = 0.01720209895 * 0.01720209895;

/// An ellipse around the Sun and a place on it; lengths in AU, angles in radians.
struct Elements {
  double semi_major_axis, eccentricity, inclination, node, perihelion, mean_anomaly;
};

struct Body {
  std::string name;
  Elements elements;
};

struct PositionAndVelocity {
  Vector position, velocity;  ///< AU, AU a day
};

/// \param[in] mass  what the body adds to the Sun's, in AU^3 / day^2.
PositionAndVelocity on_ellipse(Elements const& elements, double mass = 0);

/// \brief The bodies of a table: a name and six elements a line, as elements.csv has them, angles in degrees.
/// \throws std::runtime_error the file cannot be read, has no bodies, or a line is none; the message says which one.
std::vector<Body> read_elements(std::filesystem::path const& file);

/// The table's epoch, and when Ceres, the first of them, was discovered; days, MJD.
constexpr double epoch = 59800, discovery = -21139;

}  // namespace examples::minor_planets

#endif
