// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/Koalesce.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;

struct Photon {
  double range;
};
struct Root {
  double of, guess;
};

static void expect(bool holds) {
  if (!holds) Kokkos::abort("guide: a regrouped loop's result is not what the page says");
}

static void payload() {
  Exec const exec;
  std::int64_t const n = 1000;
  Kokkos::View<double*, Exec> energy("energy", n);
  Kokkos::View<Photon*, Exec> photon("photon", n);
  Kokkos::deep_copy(energy, 2.);
  auto const predict = KOKKOS_LAMBDA(std::int64_t i) { return i % 5 == 0; };
#include "regroup/payload.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), photon);
  expect(host(0).range == 1 && host(1).range == 4);
}

/// Every item's energy is halved once a call.
static void ordered_and_planned() {
  Exec const exec;
  std::int64_t const n = 1000;
  Kokkos::View<double*, Exec> energy("energy", n), half("half", n);
  Kokkos::deep_copy(energy, 2.);
  auto const predict = KOKKOS_LAMBDA(std::int64_t i) { return i % 5 == 0; };
  auto const fuel    = KOKKOS_LAMBDA(std::int64_t i) { half(i) += energy(i) / 2; };
  auto const water   = KOKKOS_LAMBDA(std::int64_t i) { half(i) += energy(i) / 2; };
  int const steps    = 3;
#include "regroup/order.inc"
#include "regroup/plan.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), half);
  for (int i = 0; i < n; ++i) expect(host(i) == 4);
}

static void until() {
  Exec const exec;
  std::int64_t const n = 1000;
  Kokkos::View<double*, Exec> energy("energy", n), root("root", n);
  Kokkos::deep_copy(energy, 9.);
#include "regroup/until.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), root);
  for (int i = 0; i < n; ++i) expect(Kokkos::abs(host(i) - 3) < 1e-12);
}

static void in_a_kernel() {
  int const n = 300;
  Kokkos::View<double*, Exec> x("x", n), y("y", n);
  Kokkos::TeamPolicy<Exec> policy(1, Koalesce::Backend::on_host<Exec> ? 1 : 64);
#include "regroup/scratch.inc"
  Kokkos::parallel_for(
      "branches", policy, KOKKOS_LAMBDA(Kokkos::TeamPolicy<Exec>::member_type const& team) {
        auto const kind = [](int i) { return i % 3; };
#include "regroup/branches.inc"
      });
  auto const first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const root  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (int i = 0; i < n; ++i) expect(first(i) == (i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : 0) && root(i) == (i % 3 == 0));
}

/// A step of fuel that burns.
KOKKOS_FUNCTION static void burn(bool fast, double& temperature, double& fuel) {
  double const burnt = fuel * (fast ? 0.5 : 0.125);
  fuel -= burnt;
  temperature += 2000 * burnt;
}

/// Every cell gets half of what its left neighbor has more.
template <class Member, class View>
KOKKOS_FUNCTION void conduct(Member const& team, View const& temperature) {
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    for (int i = int(temperature.extent(0)) - 1; i > 0; --i)
      temperature(i) += Kokkos::max(0., (temperature(i - 1) - temperature(i)) / 2);
  });
  team.team_barrier();
}

static void kept() {
  int const n = 300, steps = 6;
  Kokkos::View<double*, Exec> temperature("temperature", n), fuel("fuel", n);
  Kokkos::deep_copy(fuel, 1);
  Kokkos::deep_copy(Kokkos::subview(temperature, 0), 900);
  Kokkos::TeamPolicy<Exec> policy(1, Koalesce::Backend::on_host<Exec> ? 1 : 64);
  policy.set_scratch_size(0, Kokkos::PerTeam(Koalesce::team_regroup_scratch<double>(n, 3)));
  Kokkos::parallel_for("burn", policy,
                       KOKKOS_LAMBDA(Kokkos::TeamPolicy<Exec>::member_type const& team){
#include "regroup/kept.inc"
                       });
  std::vector<double> t(std::size_t(n), 0), f(std::size_t(n), 1);
  t[0] = 900;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < t.size(); ++i)
      if (t[i] >= 700) burn(t[i] >= 1500, t[i], f[i]);
    for (std::size_t i = t.size() - 1; i > 0; --i) t[i] += std::max(0., (t[i - 1] - t[i]) / 2);
  }
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), fuel);
  for (std::size_t i = 0; i < f.size(); ++i) expect(Kokkos::abs(result(i) - f[i]) < 1e-12);
  expect(f[0] < 0.2 && f[2] < 1);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  payload();
  ordered_and_planned();
  until();
  in_a_kernel();
  kept();
  return EXIT_SUCCESS;
}
