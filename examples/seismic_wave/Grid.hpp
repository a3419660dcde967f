// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_GRID_HPP
#define SEISMIC_WAVE_GRID_HPP

// The class Grid: the whole grid, this process' part of it, the policy of its sweeps, and checkpoints of its fields.
#ifdef SEISMIC_WAVE_MPI
#include "GridOfProcesses.hpp"
#else
#include "GridOfOneProcess.hpp"
#endif

#endif
