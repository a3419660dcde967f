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

int main(int argc, char** argv) {
  using perf::regroup::add_cases;
  perf::run(
      argc, argv,
      {add_cases<2, 8>, add_cases<2, 256>, add_cases<4, 8>, add_cases<4, 256>, add_cases<8, 8>, add_cases<8, 256>,
       add_cases<32, 8>, add_cases<32, 256>, perf::regroup::add_scaling, perf::regroup::add_plans,
       perf::regroup::add_until, perf::regroup::add_until_rays, perf::regroup::add_teams, perf::regroup::add_lookups});
}
