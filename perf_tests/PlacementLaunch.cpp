// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The host's time for a call of parallel_placed with an almost empty kernel, beside that of the same launch in plain
// Kokkos: placement/launch/<impl>.
//
//   koalesce             a placement made at run time
//   koalesce_fixed       a FixedPlacement
//   koalesce_remembered  no placement: what was tuned, here nothing
//   kokkos_team          Kokkos::parallel_for, a TeamPolicy and its scratch memory

#include <functional>
#include <string>

#include "Placement.hpp"

namespace perf::placement {
namespace {

constexpr int team = team_of(64), calls = 10;

/// Touches its arrays, so that they are there, but only where the first number says so.
struct Almost {
  Line<int> numbers;

  KOKKOS_FUNCTION void operator()(Member const& member, auto& tile, auto& own) const {
    if (numbers(0) == 0) return;
    tile(member.team_rank())   = 1;
    own(member.team_rank(), 0) = 2;
    numbers(1)                 = tile(0) + own(member.team_rank(), 0);
  }
};

/// The same by hand.
struct AlmostInKokkos {
  Line<int> numbers;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const tile = static_cast<int*>(member.team_scratch(0).get_shmem_aligned(sizeof(int) * 64, 16));
    int own[4];
    if (numbers(0) == 0) return;
    tile[member.team_rank()] = 1;
    own[0]                   = 2;
    numbers(1)               = tile[0] + own[0];
  }
};

void add(std::string const& impl, std::function<void(Line<int> const&)> const& call) {
  perf::add("placement/launch/" + impl, [call](benchmark::State& state) {
    Line<int> const numbers("numbers", 2);
    call(numbers);
    Exec().fence();
    for (auto _ : state) {
      Kokkos::Timer timer;
      for (int i = 0; i < calls; ++i) call(numbers);
      state.SetIterationTime(timer.seconds() / calls);
      Exec().fence();
    }
  });
}

}  // namespace

void add_launch() {
  if (options().trip_counts) return;
  static std::string const label = "placement/launch";
  static Koalesce::OnChip const arrays(Koalesce::TeamArray<int[64]>("tile"), Koalesce::ThreadArray<int[4]>("own"));
  using Koalesce::Place;
  add("koalesce", [](Line<int> const& numbers) {
    static Koalesce::Placement const placement{Place::scratch, Place::registers};
    Koalesce::parallel_placed(label, Koalesce::PlacementPolicy(Exec(), 1, team), arrays, placement, Almost{numbers});
  });
  add("koalesce_fixed", [](Line<int> const& numbers) {
    Koalesce::FixedPlacement<Place::scratch, Place::registers> const placement;
    Koalesce::parallel_placed(label, Koalesce::PlacementPolicy(Exec(), 1, team), arrays, placement, Almost{numbers});
  });
  add("koalesce_remembered", [](Line<int> const& numbers) {
    Koalesce::parallel_placed(label, Koalesce::PlacementPolicy(Exec(), 1, team), arrays, Almost{numbers});
  });
  add("kokkos_team", [](Line<int> const& numbers) {
    Kokkos::TeamPolicy<Exec> policy(Exec(), 1, team);
    policy.set_scratch_size(0, Kokkos::PerTeam(int(sizeof(int) * 64 + 16)));
    Kokkos::parallel_for(label, policy, AlmostInKokkos{numbers});
  });
}

}  // namespace perf::placement
