// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of every pattern that choose among kernels; run.cmake runs it as several processes. Prints the bits of every
// result, the kernels that ran, and how many calls were timed.

#include <Koalesce/Koalesce.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace {

using Exec  = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<double***, Kokkos::LayoutRight, Exec>;

constexpr int calls = 40;

struct Diffusion {
  KOKKOS_FUNCTION double operator()(Koalesce::Neighborhood<double, Koalesce::Star<1, 1, 1>> const& u, std::int64_t,
                                    std::int64_t, std::int64_t) const {
    return u(0, 0, 0) +
           0.1 * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6.3 * u(0, 0, 0));
  }
};

struct PathOf {
  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return int(i * i % 7 % 3); }
};

struct AddRoots {
  KOKKOS_FUNCTION void operator()(std::int64_t i, int path, double& sum) const {
    for (int k = 0; k <= path; ++k) sum += Kokkos::sqrt(double(i + k));
  }
};

struct Accumulate {
  Kokkos::View<double*, Exec> out;

  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<Exec>::member_type const& team, auto& own, auto& shared) const {
    int const r = team.team_rank();
    for (int k = 0; k < 4; ++k) own(r, k) = Kokkos::sqrt(1. + k + team.league_rank());
    if (r == 0) {
      shared() = own(r, 0) * own(r, 1) + own(r, 2) * own(r, 3);
      out(team.league_rank()) += shared();
    }
  }
};

void print(char const* what, double value) {
  std::printf("%s %016llx\n", what, static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
}

/// Of the bits, so that no difference averages out.
template <class View>
double digest(View const& view) {
  auto const host    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < host.span(); ++i)
    hash = (hash ^ std::bit_cast<std::uint64_t>(host.data()[i])) * 0x100000001b3u;
  return std::bit_cast<double>(hash >> 12 | 0x3ff0000000000000u);
}

void run() {
  using namespace Koalesce;
  Exec const exec;
  Field u("u", 20, 30, 70), next("next", 20, 30, 70);
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t(u.size())),
      KOKKOS_LAMBDA(std::int64_t i) { u.data()[i] = Kokkos::sin(double(i)); });
  StencilPolicy const points(exec, Star<1, 1, 1>{}, {18, 28, 68});
  Kokkos::View<double*, Exec> const placed("placed", 50);
  OnChip const arrays(ThreadArray<double[4]>("own"), TeamArray<double>("shared"));
  for (int call = 0; call < calls; ++call) {
    parallel_stencil("stencil", points, u, next, Diffusion());
    print("stencil", digest(next));
    double sum = 0;
    parallel_regroup_reduce("regroup", RegroupPolicy(exec, 0, 20000), Paths(3), PathOf(), AddRoots(), sum);
    print("regroup", sum);
    parallel_placed("placement", PlacementPolicy(exec, 50, 1), arrays, Accumulate{placed});
    print("placement", digest(placed));
  }
  int trials = 0, remembered = 0, choices = 0;
  for (auto const& decision : tuning_decisions()) {
    ++choices;
    remembered += decision.remembered;
    for (auto const& trial : decision.trials) trials += decision.remembered ? 0 : trial.calls;
  }
  std::printf("%d choices, %d remembered, %d timed calls\n", choices, remembered, trials);
}

std::string configuration_text() {
  std::ostringstream text;
  Koalesce::print_configuration(text);
  return text.str();
}

}  // namespace

/// $KOALESCE_TEST_MODE names the mode that the program sets.
int main(int argc, char** argv) {
  try {
    char const* const mode = std::getenv("KOALESCE_TEST_MODE");
    for (auto const known : {Koalesce::TuningMode::by_time, Koalesce::TuningMode::by_extents})
      if (mode != nullptr && std::string(mode) == to_string(known)) Koalesce::set_tuning_mode(known);
    auto const before = configuration_text();  // Kokkos need not be initialized
    Kokkos::ScopeGuard const kokkos(argc, argv);
    if (configuration_text() != before) return 4;
    std::printf("%s", before.c_str());
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](char const* name, std::uint32_t, std::uint64_t*) { std::printf("kernel %s\n", name); });
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(
        [](char const* name, std::uint32_t, std::uint64_t*) { std::printf("kernel %s\n", name); });
    run();
  } catch (Koalesce::Error const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 3;
  }
}
