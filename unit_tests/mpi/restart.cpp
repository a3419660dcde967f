// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Checkpoint.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

/// restart <folder> <steps> <last>: goes on from the folder's checkpoint, if there is one, for so many steps in all,
/// and writes one after every 4. A rank dies in step `last`, if that is before; else the final field is written to
/// <folder>/final.
namespace {

using namespace Koalesce;

using Exec = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double***, Exec>;

struct Step {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t z, std::int64_t y, std::int64_t x) const {
    return 0.4 * u() + 0.15 * u(1, 0, 0) - 0.1 * u(0, 0, -1) + 0.2 * u(0, 1, 0) + double(z + 2 * y + 3 * x) / 7;
  }
};

void run(std::filesystem::path const& folder, std::int64_t steps, std::int64_t last) {
  Exec const exec;
  Domain const domain(MPI_COMM_WORLD, {17, 13, 19}, {.periodic = {false, true, false}, .time_limit = 30});
  auto const n = domain.extents();
  View const u("u", n[0] + 2, n[1] + 2, n[2] + 2), scratch("scratch", n[0] + 2, n[1] + 2, n[2] + 2);
  auto const policy = StencilPolicy(exec, Star<1, 1, 1>(), domain).with_boundary(Mirror(), Periodic(), Dirichlet(0.25));
  auto const path   = folder / "state.h5";
  std::int64_t done = 0;
  if (std::filesystem::exists(path)) done = read_checkpoint(exec, domain, path, named("u", u));
  if (domain.state()->rank() == 0) std::cout << "from step " << done << std::endl;
  std::int64_t const start = done;
  parallel_stencil_steps("steps", policy, u, scratch, steps - start, Step(), every(1, [&](std::int64_t now) {
                           done = start + now;
                           if (done == last && domain.state()->rank() == domain.state()->size() - 1) std::abort();
                           if (done % 4 == 0) write_checkpoint(exec, domain, path, done, named("u", u));
                         }));
  bool const first = domain.state()->rank() == 0;
  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> const all("all", first ? 17 : 0, 13, 19);
  gather(exec, domain, u, all);
  if (first)
    std::ofstream(folder / "final", std::ios::binary)
        .write(reinterpret_cast<char const*>(all.data()), std::streamsize(all.size() * sizeof(double)));
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    run(argv[1], std::strtoll(argv[2], nullptr, 10), std::strtoll(argv[3], nullptr, 10));
  }
  MPI_Finalize();
}
