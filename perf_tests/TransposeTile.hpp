// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_TILE_HPP
#define KOALESCE_PERF_TRANSPOSE_TILE_HPP

/// Adds the benchmarks of kernels that go along the rows of a row-major matrix, one thread per row.
void add_tile_reads();

#endif
