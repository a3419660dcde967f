// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Distributed.hpp>

/// Calls over several processes that do not compile: one for each macro that mpi/CMakeLists.txt defines. The first
/// compiles.
namespace Koalesce::Test {

using Exec       = Kokkos::DefaultExecutionSpace;
using Space      = Exec::memory_space;
using Plane      = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
using ConstPlane = Kokkos::View<double const**, Kokkos::LayoutRight, Space>;
using OnHost     = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

struct Average {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t, std::int64_t) const {
    return u(0, -1) + u(0, 1);
  }
  template <class U, class Sum>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t, std::int64_t, Sum& sum) const {
    sum += u();
    return u();
  }
};

/// A sum that has to be copied by its constructor.
struct Copied {
  double value                     = 0;
  KOKKOS_FUNCTION Copied()         = default;
  Copied& operator=(Copied const&) = default;
  KOKKOS_FUNCTION Copied(Copied const& other) : value(other.value) {}
  KOKKOS_FUNCTION Copied& operator+=(Copied const& other) { return *this += other.value; }
  KOKKOS_FUNCTION Copied& operator+=(double more) {
    value += more;
    return *this;
  }
};

void check() {
  Domain const domain(MPI_COMM_WORLD, {8, 8});
  StencilPolicy const policy(Exec(), Star<1, 1>(), domain);
  Plane const u("u", 10, 10), next("next", 8, 8);
  [[maybe_unused]] OnHost const all("all", 8, 8);
#if defined(MUST_NOT_COMPILE_distributed)
  double sum = 0;
  exchange_halo(Exec(), domain, u);
  gather(Exec(), domain, u, all);
  scatter(Exec(), domain, all, u);
  parallel_stencil("must compile", policy, u, next, Average());
  parallel_stencil_reduce(
      "must compile", policy, fields(u, at_point(ConstPlane(u))), next, LinearStencil<double, Star<1, 1>>(),
      KOKKOS_LAMBDA(double weighted, double, std::int64_t, std::int64_t, double& all_of) { return all_of += weighted; },
      sum);
#elif defined(MUST_NOT_COMPILE_domain_of_four_dimensions)
  Domain<4> const four(MPI_COMM_WORLD, {2, 2, 2, 2});
#elif defined(MUST_NOT_COMPILE_domain_of_another_rank)
  StencilPolicy<Exec, Star<1>, Backend::Default<Exec>, Impl::NoBoundary, Impl::RankDomain<Domain<2>>> const line(
      Exec(), Star<1>(), domain);
#elif defined(MUST_NOT_COMPILE_exchange_of_nothing)
  exchange_halo(Exec(), domain);
#elif defined(MUST_NOT_COMPILE_exchange_of_another_rank)
  exchange_halo(Exec(), domain, u, Kokkos::View<double*, Space>("line", 10));
#elif defined(MUST_NOT_COMPILE_exchange_of_const)
  exchange_halo(Exec(), domain, ConstPlane(u));
#elif defined(MUST_NOT_COMPILE_gather_of_another_type)
  gather(Exec(), domain, u, Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>("all", 8, 8));
#elif defined(MUST_NOT_COMPILE_gather_of_another_rank)
  gather(Exec(), domain, u, Kokkos::View<double*, Kokkos::HostSpace>("all", 8));
#elif defined(MUST_NOT_COMPILE_scatter_to_const)
  scatter(Exec(), domain, all, ConstPlane(u));
#elif defined(MUST_NOT_COMPILE_sweep_of_const)
  parallel_stencil("must not compile", policy, ConstPlane(u), next, Average());
#elif defined(MUST_NOT_COMPILE_results_of_no_bytes)
  Copied sum;
  parallel_stencil_reduce("must not compile", policy, u, next, Average(), sum);
#elif defined(MUST_NOT_COMPILE_blocks_of_a_domain)
  (void)policy.with_blocks(3);
#endif
}

}  // namespace Koalesce::Test
