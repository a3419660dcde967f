// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_RANKS_HPP
#define KOALESCE_PERF_TRANSPOSE_RANKS_HPP

/// Adds the benchmarks of permutations of three to six dimensions.
void add_permutations();

#endif
