// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Checkpoint.hpp>

/// Checkpoints that do not compile: one for each macro that mpi/CMakeLists.txt defines. The first compiles.
namespace Koalesce::Test {

using Exec = Kokkos::DefaultExecutionSpace;

void check() {
  Domain const domain(MPI_COMM_WORLD, {8, 8});
  Kokkos::View<double**, Exec> const u("u", 8, 8);
#if defined(MUST_NOT_COMPILE_checkpoint)
  write_checkpoint(Exec(), domain, "file", 3, named("u", Kokkos::View<double const**, Exec>(u)));
  (void)read_checkpoint(Exec(), domain, "file", named("u", u));
#elif defined(MUST_NOT_COMPILE_checkpoint_of_nothing)
  write_checkpoint(Exec(), domain, "file", 3);
#elif defined(MUST_NOT_COMPILE_checkpoint_into_const)
  (void)read_checkpoint(Exec(), domain, "file", named("u", Kokkos::View<double const**, Exec>(u)));
#endif
}

}  // namespace Koalesce::Test
