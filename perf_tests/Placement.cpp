// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Team kernels that keep arrays on chip, each in the memory that a placement says: placement/<kernel>/<impl>.
// Results on a small size are compared with a naive version's before a placement is measured. The label gives the
// places in the order of the kernel's arrays. placement/launch is the host's time for a call: PlacementLaunch.cpp.
//
//   koalesce_tuned    what tune_placement() finds
//   kokkos_expert     the same arithmetic written by hand in plain Kokkos, with a team size and blocks of its own
//   published         what it finds as published: one array at a time, until the first slowdown
//   all_scratch       every array in scratch memory, as most kernels are written
//   all_promoted      every array where its kind and extents would let it go
//   exhaustive_best   the fastest of all placements
//
// --trip_counts             only prints the average trip count of the kernels' loops without constant bounds
// --placement_log           prints every trial
// --tuning_file=<file>      koalesce_tuned takes what it finds there, and adds what it does not

#include "Placement.hpp"

#include <Koalesce/Tuning.hpp>

#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace perf::placement {

void add_reduction();
void add_histogram();
void add_matmul();
void add_lu_panel();
void add_convolution();
void add_srad();
void add_hotspot();
void add_pathfinder();
void add_particles();
void add_launch();

}  // namespace perf::placement

int main(int argc, char** argv) {
  using namespace perf::placement;
  std::string const file = "--tuning_file=";
  for (int i = 1; i < argc; ++i) {
    std::string const flag = argv[i];
    if (flag == "--trip_counts") options().trip_counts = true;
    if (flag == "--placement_log") options().log = true;
    if (flag.starts_with(file)) {
      Koalesce::set_tuning_file(flag.substr(file.size()));
      options().remembers = true;
    }
  }
  std::vector<std::function<void()>> const kernels{add_reduction, add_matmul,     add_convolution, add_hotspot,
                                                   add_srad,      add_pathfinder, add_lu_panel,    add_histogram,
                                                   add_particles, add_launch};
  if (!options().trip_counts) {
    perf::run(argc, argv, kernels);
    return 0;
  }
  Kokkos::ScopeGuard const guard(argc, argv);
  for (auto const& add : kernels) add();
  std::cout << trip_counts().average() << '\n';
}
