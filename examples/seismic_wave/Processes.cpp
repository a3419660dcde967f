// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Processes.hpp"

#ifdef SEISMIC_WAVE_MPI

#include <Kokkos_Timer.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace examples::seismic {
namespace {

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// What all processes agree on, by a communicator of its own: no message of other work can be taken for one of this.
/// Ends the job if this process failed and others take longer than the limit.
Outcome agree(Outcome const& outcome, MPI_Comm comm) {
  constexpr double limit = 5;  // seconds
  std::vector<int> all(process_count());
  MPI_Request request;
  MPI_Iallgather(&outcome.status, 1, MPI_INT, all.data(), 1, MPI_INT, comm, &request);
  Kokkos::Timer const timer;
  for (int done = 0; done == 0; std::this_thread::yield()) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0 || outcome.status == 0 || timer.seconds() < limit) continue;
    report("seismic_wave, process " + std::to_string(rank()), outcome);
    MPI_Abort(MPI_COMM_WORLD, outcome.status);
  }
  auto const failed = std::find_if(all.begin(), all.end(), [](int status) { return status != 0; });
  if (failed == all.end()) return {};
  return {*failed, failed - all.begin() == rank() ? outcome.message : ""};
}

}  // namespace

Outcome run_processes(int& argc, char**& argv, std::function<Outcome()> const& work) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm at_end;
  MPI_Comm_dup(MPI_COMM_WORLD, &at_end);
  if (!is_first_process()) std::cout.setstate(std::ios::failbit);
  auto outcome = agree(work(), at_end);
  // Before any process ends: when one ends with an error, mpirun kills those that have not yet said why.
  report("seismic_wave", {0, std::exchange(outcome.message, "")});
  MPI_Barrier(at_end);
  MPI_Comm_free(&at_end);
  MPI_Finalize();
  return outcome;
}

int process_count() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

bool is_first_process() { return rank() == 0; }

void on_first_process(std::function<void()> const& work) {
  std::string problem;
  if (is_first_process()) try {
      work();
    } catch (std::exception const& error) {
      problem = error.what();
      if (problem.empty()) problem = "unknown error";
    }
  int size = int(problem.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (size == 0) return;
  problem.resize(std::size_t(size));
  MPI_Bcast(problem.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  throw std::runtime_error(problem);
}

void collect(float* values, std::size_t count) {
  // Bits, so that not even the sign of a zero depends on the number of processes.
  static_assert(sizeof(float) == sizeof(std::uint32_t));
  bool const first = is_first_process();
  MPI_Reduce(first ? MPI_IN_PLACE : values, first ? values : nullptr, int(count), MPI_UINT32_T, MPI_BOR, 0,
             MPI_COMM_WORLD);
}

}  // namespace examples::seismic

#else

namespace examples::seismic {

Outcome run_processes(int&, char**&, std::function<Outcome()> const& work) { return work(); }
int process_count() { return 1; }
bool is_first_process() { return true; }
void on_first_process(std::function<void()> const& work) { work(); }
void collect(float*, std::size_t) {}

}  // namespace examples::seismic

#endif
