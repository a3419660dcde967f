// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_HPP
#define KOALESCE_PERF_REGROUP_HPP

namespace perf::regroup {

/// Adds the benchmarks of loops with so many paths, over items of so many bytes.
template <int Paths, int Bytes>
void add_cases();

/// Adds one loop over numbers of items.
void add_scaling();

/// Adds loops whose items change their paths.
void add_plans();

/// Adds loops whose items take steps until they are done.
void add_until();

/// Adds rays through a volume.
void add_until_rays();

/// Adds kernels of teams that branch.
void add_teams();

/// Adds the lookups of cross sections.
void add_lookups();

}  // namespace perf::regroup

#endif
