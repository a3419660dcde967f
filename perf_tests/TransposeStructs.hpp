// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_STRUCTS_HPP
#define KOALESCE_PERF_TRANSPOSE_STRUCTS_HPP

/// Adds the benchmarks of arrays of structs and of members.
void add_structs();

#endif
