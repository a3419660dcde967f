// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Distributed.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

/// faults <name>: one rank does what the others do not. The job must end with a message, never hang.
namespace {

using namespace Koalesce;

struct Keep {
  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, I...) const {
    return u();
  }
};

using View = Kokkos::View<double**>;

struct Program {
  Domain<2> domain{MPI_COMM_WORLD, {30, 30}, {.ranks = {3, 1}, .time_limit = 2.5}};
  Kokkos::DefaultExecutionSpace exec;
  StencilPolicy<Kokkos::DefaultExecutionSpace, Star<1, 1>, Backend::Default<Kokkos::DefaultExecutionSpace>,
                Impl::NoBoundary, Impl::RankDomain<Domain<2>>>
      policy{exec, Star<1, 1>(), domain};
  View u{"u", 12, 32}, next{"next", 12, 32};

  int rank() const { return domain.state()->rank(); }
  void sweep(char const* label) const { parallel_stencil(label, policy, u, next, Keep()); }
};

int run(std::string const& name) {
  Program const program;
  program.sweep("a");
  program.sweep("b");
  if (name == "missing_call") {
    if (program.rank() != 1) program.sweep("a");
  } else if (name == "other_order") {
    program.sweep(program.rank() == 1 ? "a" : "b");
  } else if (name == "plan_of_one") {
    program.sweep(program.rank() == 1 ? "new" : "a");
  } else if (name == "dies") {
    if (program.rank() == 1) std::abort();
    program.sweep("a");
  } else if (name == "bad_argument_later") {
    try {
      if (program.rank() == 1) parallel_stencil("a", program.policy, View(), program.next, Keep());
      else program.sweep("a");
    } catch (Error const& error) {
      std::cerr << "rank " << program.rank() << " caught: " << error.what() << std::endl;
      if (program.rank() != 1) return 0;  // all were told
      MPI_Barrier(program.domain.comm());
      return 0;
    }
    MPI_Barrier(program.domain.comm());
  } else {
    std::cerr << "no such fault: " << name << std::endl;
    return 1;
  }
  MPI_Barrier(program.domain.comm());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const name = argc > 1 ? argv[1] : "";
  int level              = 0;
  if (name == "one_thread") MPI_Init(&argc, &argv);
  else if (name != "no_mpi") MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int status = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    try {
      status = run(name);
    } catch (Error const& error) {
      std::cerr << "caught: " << error.what() << std::endl;
    }
  }
  if (name != "no_mpi") MPI_Finalize();
  return status;
}
