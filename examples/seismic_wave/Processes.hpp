// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_PROCESSES_HPP
#define SEISMIC_WAVE_PROCESSES_HPP

#include "../common/Program.hpp"

#include <cstddef>
#include <functional>

// The processes that mpirun started, or one. All of them make the same calls.
namespace examples::seismic {

#ifdef SEISMIC_WAVE_MPI
constexpr bool built_with_mpi = true;
#else
constexpr bool built_with_mpi = false;
#endif

/// \brief work() between MPI's beginning and its end. Only the first process writes to the standard output.
///
/// The job ends with a message where work fails on this process and others do not come to its end.
///
/// \return the same status on all processes. The message of one that failed has been printed, or, without mpirun, is
///         returned.
Outcome run_processes(int& argc, char**& argv, std::function<Outcome()> const& work);

int process_count();
bool is_first_process();

/// Runs work on the first process. What it throws is thrown on all of them, as std::runtime_error.
void on_first_process(std::function<void()> const& work);

/// \brief Brings values onto the first process.
///
/// \param[in,out] values  each is 0 on all processes but one; on the first process that one's are the result.
void collect(float* values, std::size_t count);

}  // namespace examples::seismic

#endif
