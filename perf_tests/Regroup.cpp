// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that branch, y(i) = f_p(x(i)) with p = kind(i): regroup/<n>paths/<shares>/<order>/<work>/<bytes>B/<impl>.
// One of them over numbers of items is scaling/regroup/.../<items>/<impl>. Results are compared with the plain loop's
// before they are measured.
//
//   koalesce_auto          parallel_regroup as users call it, once it has decided; the label says what
//   koalesce_team, ..._grid, ..._team_moved, ..._grid_moved    always that variant
//   plain                  a Kokkos::parallel_for with a switch
//   sort_by_key            predicts, sorts the items' numbers by path, and runs them in that order
//   kokkos_partition_copy  the same by partition, two loops
//   ideal                  the plain loop over items that lie in order of their paths
//
// Shares: equal, or 97 % of the items take the first path. Orders: random, or runs of 4096 items on average. Predictors
// read a View<int*> of their own. Data sets are kept from one benchmark to the next: filter by name, in order.

#include "Regroup.hpp"

#include "Measure.hpp"

namespace {

using namespace perf::regroup;

template <int Paths>
void add_paths() {
  if constexpr (Paths == 4 || perf::has_all_sizes) add_cases<Paths, 8>();
  if constexpr (perf::has_all_sizes) add_cases<Paths, 256>();
}

}  // namespace

int main(int argc, char** argv) {
  perf::run(argc, argv,
            {add_paths<2>, add_paths<4>, add_paths<8>, add_paths<32>, add_scaling, add_plans, add_until, add_until_rays,
             add_teams, add_lookups});
}
