// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_RECORDING_HPP
#define SEISMIC_WAVE_RECORDING_HPP

#include <string>
#include <vector>

namespace examples::seismic {

/// The wave at a station, per step. In a homogeneous medium it is the wavelet times the Earth's radius over the
/// distance.
using Seismogram = std::vector<float>;

/// The wave field in the plane z = 0: value(y, x) at [y * extents[2] + x].
using Snapshot = std::vector<float>;

/// What was recorded of a run. Under several processes the first one has it.
struct Recording {
  int steps = 0;                        ///< so many; fewer than the experiment's if the run was stopped
  std::vector<Seismogram> seismograms;  ///< one per station
  std::vector<Snapshot> snapshots;      ///< one per entry of snapshot_minutes that was reached
  double seconds = 0;                   ///< median time of a step: the mirrors' halos and the stencil
  std::string loop;                     ///< plain loops only: the fastest one
};

}  // namespace examples::seismic

#endif
