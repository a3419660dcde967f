// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/Koalesce.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>

struct Sum {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t, std::int64_t) const {
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1);
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  using Exec = Kokkos::DefaultExecutionSpace;

  constexpr int n = 40;
  Kokkos::View<double**, Exec> in("in", n + 2, n + 2);
  Kokkos::View<double**, Exec> out("out", n, n);
  Kokkos::deep_copy(in, 0.25);

  Exec exec;
  Koalesce::StencilPolicy<Exec, Koalesce::Star<1, 1>> policy(exec, {n, n});
  Koalesce::parallel_stencil("consumer", policy, in, out, Sum{});

  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      if (result(y, x) != 1.0) {
        std::fprintf(stderr, "out(%d, %d) = %g, not 1\n", y, x, result(y, x));
        return 1;
      }
  std::printf("Koalesce %d\n", KOALESCE_VERSION);
  return KOALESCE_VERSION >= 100 ? 0 : 1;
}
