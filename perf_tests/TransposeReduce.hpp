// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_REDUCE_HPP
#define KOALESCE_PERF_TRANSPOSE_REDUCE_HPP

/// Adds the benchmarks of one result per column or row.
void add_line_reductions();

#endif
