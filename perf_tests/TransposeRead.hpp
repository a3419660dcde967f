// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_READ_HPP
#define KOALESCE_PERF_TRANSPOSE_READ_HPP

/// Adds the benchmarks of reads through a ShadowView.
void add_reads();

#endif
