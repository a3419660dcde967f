// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_SIMULATION_HPP
#define SEISMIC_WAVE_SIMULATION_HPP

#include "../common/ProgressBar.hpp"
#include "Experiment.hpp"

#include <string>
#include <vector>

namespace examples::seismic {

/// The wave at a station, per step. In a homogeneous medium it is the wavelet times the Earth's radius over the
/// distance.
using Seismogram = std::vector<float>;

/// The wave field in the plane z = 0: value(y, x) at [y * extents[2] + x].
using Snapshot = std::vector<float>;

struct Recording {
  std::vector<Seismogram> seismograms;  ///< one per station
  std::vector<Snapshot> snapshots;      ///< one per entry of snapshot_minutes
  double seconds = 0;                   ///< median time of a step: the mirrors' halos and the stencil
  std::string loop;                     ///< plain loops only: the fastest one
};

/// The explosion by Koalesce::parallel_stencil_steps.
Recording simulate(Experiment const& experiment, Progress const& progress);

/// The same by the fastest of several plain loops.
Recording simulate_plain(Experiment const& experiment, Progress const& progress);

}  // namespace examples::seismic

#endif
