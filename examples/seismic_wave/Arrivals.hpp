// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_ARRIVALS_HPP
#define SEISMIC_WAVE_ARRIVALS_HPP

#include "Experiment.hpp"
#include "Simulation.hpp"

namespace examples::seismic {

/// \brief When the first wave arrives, in s after the explosion; NaN if none does.
///
/// The first swing of the seismogram rises to half its height as long after the arrival as the wavelet's does after
/// time 0. Later waves that arrive during the swing, such as the core's reflection, change this little.
double picked_arrival(Experiment const& experiment, Seismogram const& seismogram);

/// What a station records in a homogeneous medium.
Seismogram analytic_seismogram(Experiment const& experiment, double degrees);

/// By how many samples a seismogram is late, as the largest correlation says.
double lag(Seismogram const& seismogram, Seismogram const& reference);

/// Infinity if a value is NaN.
float largest_difference(Seismogram const& a, Seismogram const& b);

/// The largest difference of two seismograms, as a part of the second one's largest value.
double misfit(Seismogram const& seismogram, Seismogram const& reference);

/// The same as a part of the second one's largest change from sample to sample: by how many samples they differ if time
/// is to blame for all of it.
double misfit_in_samples(Seismogram const& seismogram, Seismogram const& reference);

}  // namespace examples::seismic

#endif
