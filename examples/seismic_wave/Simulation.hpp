// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_SIMULATION_HPP
#define SEISMIC_WAVE_SIMULATION_HPP

#include "../common/ProgressBar.hpp"
#include "Checkpoint.hpp"
#include "Experiment.hpp"
#include "Recording.hpp"

namespace examples::seismic {

/// \brief The explosion by Koalesce::parallel_stencil_steps, on all processes.
///
/// \throws std::exception on all processes, where a checkpoint cannot be read or written.
Recording simulate(Experiment const& experiment, Checkpoints const& checkpoints, Progress const& progress);

/// The same by the fastest of several plain loops, on one process.
Recording simulate_plain(Experiment const& experiment, Progress const& progress);

}  // namespace examples::seismic

#endif
