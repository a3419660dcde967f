// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Branches in a team's kernel that it comes to again and again: regroup/team/<pattern>/<impl>. Blocks of 8 x 8 x 8
// cells between which heat flows, and in which fuel burns, in one of three ways a cell; 16 steps.
//
//   koalesce        TeamRegroup, an order that is kept until a cell changes its regime; fuel is the payload
//   koalesce_anew   team_regroup in every step
//   plain           a switch
//   expert          CUB's block sort in every step (CUDA)
//
// Patterns: patchy, each cell's temperature drawn independently; steady, the same with temperatures so that hardly a
// cell changes its regime; front, a burning half and a cold one in each block.

#include <Koalesce/Regroup.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "Measure.hpp"
#include "Regroup.hpp"
#include "RegroupTeam.hpp"

namespace perf::regroup {
namespace {

enum class Pattern { patchy, steady, front };

struct SetCells {
  Pattern pattern;
  Blocks blocks;

  KOKKOS_FUNCTION void operator()(Index i) const {
    double const u = random_at(i, 70), v = random_at(i, 71);
    int const z           = int(i % Reactor::cells) / (Reactor::side * Reactor::side);
    bool const cold       = pattern == Pattern::front ? z >= Reactor::side / 2 : u < 0.5;
    bool const hot        = pattern == Pattern::front ? z < Reactor::side / 4 : u > 0.8;
    double const warm     = pattern == Pattern::steady ? 800 + 100 * v : 900 + 400 * v;
    blocks.temperature(i) = cold ? 400 + 100 * v : hot ? 1900 + 300 * v : warm;
    blocks.fuel(i)        = hot ? 0.3 * v : 1;
  }
};

/// Which way a cell burns once heat has flowed.
struct Conduct {
  double const* before;
  double* after;
  double conductivity;

  KOKKOS_FUNCTION int operator()(int cell) const {
    after[cell] = Reactor::conducted(before, cell, conductivity);
    return Reactor::regime(after[cell]);
  }
  KOKKOS_FUNCTION int operator()(int cell, double) const { return (*this)(cell); }
};

/// \tparam Keeps  whether the order is kept from step to step.
template <bool Keeps>
struct RegroupedReactors {
  Blocks blocks;

  static std::size_t scratch(int team_size) {
    std::size_t const temperatures = 2 * Reactor::cells * sizeof(double) + 8;
    if (Keeps)
      return temperatures + Koalesce::team_regroup_scratch<double>(Reactor::cells, Reactor::regimes, team_size);
    return temperatures + Reactor::cells * sizeof(double) +
           Koalesce::team_regroup_scratch(Reactor::cells, Reactor::regimes, team_size);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    using namespace Koalesce;
    int const arrays = Keeps ? 2 : 3;
    auto* const t =
        static_cast<double*>(team.team_scratch(0).get_shmem_aligned(arrays * Reactor::cells * sizeof(double), 8));
    auto* const to = t + Reactor::cells;
    Index const at = blocks.first(team.league_rank());
    auto const all = Kokkos::TeamThreadRange(team, Reactor::cells);
    Kokkos::parallel_for(all, [&](int i) { t[i] = blocks.temperature(at + i); });
    team.team_barrier();
    Conduct const regime{t, to, blocks.conductivity};
    if constexpr (Keeps) {
      auto const fuel = Kokkos::subview(blocks.fuel, Kokkos::pair(at, at + Reactor::cells));
      TeamRegroup const by_regime(team, Reactor::cells, Paths(Reactor::regimes), regime, round_trip(fuel));
      for (int k = 0; k < Reactor::substeps; ++k) {
        by_regime.for_each([&](int i, int path, double& y) {
          t[i] = to[i];
          Reactor::burn(path, t[i], y);
        });
        if (k + 1 < Reactor::substeps) by_regime.update(regime);
      }
      by_regime.write_back();
    } else {
      auto* const y = to + Reactor::cells;
      Kokkos::parallel_for(all, [&](int i) { y[i] = blocks.fuel(at + i); });
      for (int k = 0; k < Reactor::substeps; ++k)
        team_regroup(team, Reactor::cells, Paths(Reactor::regimes), regime, [&](int i, int path) {
          t[i] = to[i];
          Reactor::burn(path, t[i], y[i]);
        });
      Kokkos::parallel_for(all, [&](int i) { blocks.fuel(at + i) = y[i]; });
    }
    Kokkos::parallel_for(all, [&](int i) { blocks.temperature(at + i) = t[i]; });
  }
};

struct OtherCells {
  Blocks result, expected;

  KOKKOS_FUNCTION void operator()(Index i, Index& count) const {
    double const t = expected.temperature(i), y = expected.fuel(i);
    if (!(Kokkos::abs(result.temperature(i) - t) <= 1e-6 && Kokkos::abs(result.fuel(i) - y) <= 1e-9)) ++count;
  }
};

std::vector<int> team_sizes() { return on_host ? std::vector{1} : std::vector{64, 128, 256, 512}; }

template <class Body>
void run_teams(Index blocks, int team_size, std::size_t scratch, Body const& body) {
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 2>> policy(int(blocks), team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for("reactors", policy, body);
}

void plain(Index blocks, Blocks const& cells, int team_size) {
  run_teams(blocks, team_size, PlainReactors::scratch, PlainReactors{cells});
}
template <bool Keeps>
void regrouped(Index blocks, Blocks const& cells, int team_size) {
  run_teams(blocks, team_size, RegroupedReactors<Keeps>::scratch(team_size), RegroupedReactors<Keeps>{cells});
}
#ifdef KOKKOS_ENABLE_CUDA
void expert(Index blocks, Blocks const& cells, int team_size) {
  auto const stream = Exec().cuda_stream();
  auto const grid   = unsigned(blocks);
  if (team_size == 64) sorted_reactors<64><<<grid, 64, 0, stream>>>(cells);
  if (team_size == 128) sorted_reactors<128><<<grid, 128, 0, stream>>>(cells);
  if (team_size == 256) sorted_reactors<256><<<grid, 256, 0, stream>>>(cells);
  if (team_size == 512) sorted_reactors<512><<<grid, 512, 0, stream>>>(cells);
}
#endif

/// Every iteration goes on where the last one ended would be another problem each time: copies of the start are
/// advanced.
void add_pattern(std::string const& name, Pattern pattern) {
  Index const blocks = on_host ? 1 << 7 : 1 << 14, cells = blocks * Reactor::cells;
  auto const add = [&](std::string const& impl, std::function<void(Index, Blocks const&, int)> const& advance) {
    perf::add_prepared("regroup/team/" + name + "/" + impl, [=] {
      auto const make = [=] {
        using Cells = Kokkos::View<double*, Exec>;
        return Blocks{Cells("temperature", std::size_t(cells)), Cells("fuel", std::size_t(cells)),
                      pattern == Pattern::steady ? 1e-6 : 0.02};
      };
      Blocks const start = make(), expected = make(), result = make();
      Kokkos::parallel_for("set", Range(0, cells), SetCells{pattern, start});
      auto const reset = [=](Blocks const& to) {
        Kokkos::deep_copy(Exec(), to.temperature, start.temperature);
        Kokkos::deep_copy(Exec(), to.fuel, start.fuel);
      };
      auto const call = [=](Blocks const& to, int team_size) {
        reset(to);
        advance(blocks, to, team_size);
      };
      reset(expected);
      plain(blocks, expected, team_sizes().front());
      Prepared ready;
      int const fastest = perf::fastest(team_sizes(), [&](int team_size) { call(result, team_size); });
      call(result, fastest);  // the last one tried may be another
      Index wrong = 0;
      Kokkos::parallel_reduce("mismatches", Range(0, cells), OtherCells{result, expected}, wrong);
      if (wrong != 0) ready.error = std::to_string(wrong) + " cells are wrong";
      ready.label  = "teams of " + std::to_string(fastest);
      ready.counts = {{"cells", double(cells) * Reactor::substeps}};
      ready.kernel = [=] { call(result, fastest); };
      return ready;
    });
  };
  add("koalesce", regrouped<true>);
  add("koalesce_anew", regrouped<false>);
  add("plain", plain);
#ifdef KOKKOS_ENABLE_CUDA
  add("expert", expert);
#endif
}

}  // namespace

void add_teams() {
  add_pattern("patchy", Pattern::patchy);
  add_pattern("steady", Pattern::steady);
  add_pattern("front", Pattern::front);
}

}  // namespace perf::regroup
