// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/Koalesce.hpp>

#include <cstdlib>
#include <iostream>

// clang-format off
#include "placement/kernel.inc"
// clang-format on

static void expect(bool holds) {
  if (!holds) Kokkos::abort("guide: a placed kernel's result is not what the page says");
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using Exec = Kokkos::DefaultExecutionSpace;
  Exec const exec;
  int const teams = 256, threads = Koalesce::Backend::on_host<Exec> ? 1 : 64, steps = 2;
  Kokkos::View<float*> in("in", teams * 64 + 2), out("out", teams * 64);
  Kokkos::deep_copy(in, 1.f);
  Smooth const kernel{in, out};
#include "placement/smallest.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  expect(host(0) == 1 && host(teams * 64 - 1) == 1);

  auto const stated =
#include "placement/estimate.inc"
      ;
  expect(stated.stated_accesses() == 4.);
  return EXIT_SUCCESS;
}
