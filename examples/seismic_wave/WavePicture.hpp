// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_WAVE_PICTURE_HPP
#define SEISMIC_WAVE_WAVE_PICTURE_HPP

#include "../common/Picture.hpp"
#include "Experiment.hpp"
#include "Simulation.hpp"

namespace examples::seismic {

/// \brief Above, the wave in a plane through the Earth's center and the explosion, which is at the top, after 5, 10 and
/// 15 minutes: red where it is positive, blue where negative, over the shades of the mantle and the core.
///
/// Below, the seismograms, to the right by the station's distance, upward by time; each has a swing as large as the
/// others'. The curve is the model's travel time of P.
Picture wave_picture(Experiment const& experiment, Recording const& recording);

}  // namespace examples::seismic

#endif
