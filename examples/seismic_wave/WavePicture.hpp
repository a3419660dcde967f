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
/// Below, the seismograms: distance to the right, time upward, white where they are positive, all with the same largest
/// swing. The curve is the model's travel time of P, when the wavelet crosses zero.
Picture wave_picture(Experiment const& experiment, Recording const& recording);

}  // namespace examples::seismic

#endif
