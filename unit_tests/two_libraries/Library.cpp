// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One of two libraries, each of which uses every pattern with the same labels.

#include "EveryPattern.hpp"

using Pattern = Koalesce::Test::EveryPattern<
    Koalesce::Test::Path<Kokkos::DefaultExecutionSpace, Koalesce::Backend::Default<Kokkos::DefaultExecutionSpace>>>;

/// Nothing of a call but its result leaves the library.
extern "C" __attribute__((visibility("default"))) bool KOALESCE_TEST_LIBRARY_FUNCTION(int calls) {
  Pattern every;
  for (int call = 0; call < calls; ++call) every.run();
  return bool(every.is_right());
}
