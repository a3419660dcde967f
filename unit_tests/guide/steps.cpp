// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/Stencil.hpp>

#include <cstdlib>

using Exec   = Kokkos::DefaultExecutionSpace;
using Volume = Kokkos::View<double***, Exec>;

/// A field that no step changes.
template <class View>
static void expect_threes(View const& field) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field);
  for (std::size_t i = 0; i < host.span(); ++i)
    if (host.data()[i] != 3) Kokkos::abort("guide: time steps do not give what the page says");
}

static void time_steps() {
  Exec const exec;
  std::int64_t const nz = 5, ny = 6, nx = 7;
  Volume u("u", nz + 2, ny + 2, nx + 2), previous("previous", nz + 2, ny + 2, nx + 2),
      scratch("scratch", nz + 2, ny + 2, nx + 2), speed("speed", nz, ny, nx);
  Kokkos::deep_copy(u, 3);
  Kokkos::deep_copy(previous, 3);
  Kokkos::deep_copy(speed, 0.1);
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
#include "steps/heat.inc"
  expect_threes(u);
#include "steps/wave.inc"
  expect_threes(u);

  std::int64_t written = 0;
  auto const write     = [&](std::int64_t done, Volume const& newest) {
    expect_threes(newest);
    written += done;
  };
#include "steps/every.inc"
  expect_threes(u);
#include "steps/norm.inc"
  expect_threes(u);
  if (written != 5500) Kokkos::abort("guide: every() did not say what the page says");
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  time_steps();
  return EXIT_SUCCESS;
}
