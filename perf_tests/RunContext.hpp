// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_RUN_CONTEXT_HPP
#define KOALESCE_PERF_RUN_CONTEXT_HPP

/// What a result has to say of where it comes from.
namespace perf {

/// Adds to Google Benchmark's context: machine, versions, compiler, backends, commit, and what a copy and multiply-adds
/// in registers reach. Kokkos must be initialized; the measurements take about a second.
void add_run_context();

}  // namespace perf

#endif
