// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_TIME_DISPERSION_HPP
#define SEISMIC_WAVE_TIME_DISPERSION_HPP

#include <vector>

namespace examples::seismic {

/// \brief What the leapfrog does to a wave: what should have the frequency w gets the frequency
/// 2 asin(w time_step / 2) / time_step.
///
/// A source that is changed so, and seismograms that are changed back, have no error of the time step (E. F. M. Koene,
/// J. O. A. Robertsson, F. Broggini, F. Andersson: "Eliminating time dispersion from seismic wave modeling",
/// Geophysical Journal International 213 (2018) 169-180).
std::vector<float> add_time_dispersion(std::vector<float> const& signal);

std::vector<float> remove_time_dispersion(std::vector<float> const& signal);

}  // namespace examples::seismic

#endif
