// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MINOR_PLANETS_ORBIT_PICTURE_HPP
#define MINOR_PLANETS_ORBIT_PICTURE_HPP

#include "../common/Picture.hpp"
#include "Elements.hpp"

#include <vector>

namespace examples::minor_planets {

/// \brief Seen from the north of the ecliptic, where the bodies were, out to 6 and to 60 AU, with the planets.
///
/// Colors are logarithms of the steps that an orbit took, over what the table of colors beside them says; planets are
/// white.
///
/// \param[in] date  MJD, for the planets.
Picture orbit_picture(std::vector<PositionAndVelocity> const& orbits, std::vector<int> const& steps, double date);

}  // namespace examples::minor_planets

#endif
