// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_HOST_HPP
#define KOALESCE_PERF_TRANSPOSE_HOST_HPP

/// Adds the benchmarks of copies between host memory and a device's.
void add_host_copies();

#endif
