// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// clang-format off
#include "readme/heat.inc"
// clang-format on

#include <cstdlib>

using Exec = Kokkos::DefaultExecutionSpace;

struct Square {
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, auto& next) const {
    int const r = team.team_rank();
    next(r)     = float(team.league_rank());
    if (r == 0) out(team.league_rank()) = next(r) * next(r);
  }

  Kokkos::View<float*, Exec> out;
};

static void expect(bool holds) {
  if (!holds) Kokkos::abort("guide: a result is not what README.md says");
}

template <class View>
static auto first(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view).data()[0];
}

static void stencil() {
  auto const u = heat(Exec(), 5, 3);
  Kokkos::View<double***> plain("plain", 7, 7, 7);
  Kokkos::deep_copy(plain, u);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain);
  expect(host(1, 1, 1) == 1 && host(5, 5, 5) == 1);
}

static void shadow() {
  Exec const exec;
  Kokkos::View<double**, Kokkos::LayoutRight> matrix("matrix", 32, 16);
  Kokkos::deep_copy(matrix, 2.);
  auto const consumer = KOKKOS_LAMBDA(std::int64_t, double value, double& update) { update += value * value; };
  double sum          = 0;
#include "readme/shadow.inc"
  expect(sum == 4 * 32 * 16 && columns.stride(0) == 1);
}

static void regroup() {
  Exec const exec;
  std::int64_t const n = 300;
  Kokkos::View<double*> x("x", n);
  auto const kind_of = KOKKOS_LAMBDA(std::int64_t i) { return int(i % 3); };
  auto const scatter = KOKKOS_LAMBDA(std::int64_t i) { x(i) = 1; };
  auto const absorb  = KOKKOS_LAMBDA(std::int64_t i) { x(i) = 2; };
  auto const escape  = KOKKOS_LAMBDA(std::int64_t i) { x(i) = 3; };
#include "readme/regroup.inc"
  expect(first(x) == 1 && first(Kokkos::subview(x, std::pair(2, 3))) == 3);
}

static void placement() {
  Exec const exec;
  int const teams = 4, threads = Koalesce::Backend::on_host<Exec> ? 1 : 64;
  Square const kernel{Kokkos::View<float*, Exec>("out", teams)};
  Koalesce::OnChip const arrays(Koalesce::ThreadArray<float>("next"));
#include "readme/placement.inc"
  expect(first(Kokkos::subview(kernel.out, std::pair(3, 4))) == 9);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  stencil();
  shadow();
  regroup();
  placement();
  return EXIT_SUCCESS;
}
