// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_TEAM_POLICY_HPP
#define KOALESCE_COMMON_IMPL_TEAM_POLICY_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Koalesce::Impl {

/// The most teams. On a device, Kokkos counts on from the last team by the league size, in an int: of a larger league
/// it would run teams again, and some that do not exist.
inline constexpr int max_league = 1 << 30;

/// Teams that share the pieces of a kernel's work: a team starts at the piece of its league rank and strides by the
/// league size.
struct Teams {
  std::int64_t pieces;
  int max_threads;  // of a team
  int scratch_level         = 0;
  std::size_t scratch_bytes = 0;  // of a team
  int max_teams             = max_league;
};

/// The team size: `most` on a device. A CPU thread is a team of its own, so that it need not wait at barriers.
template <class Exec>
constexpr int team_threads(int most) {
  return Backend::on_host<Exec> ? 1 : most;
}

/// The policy for teams of as many threads as fit with the kernel's registers and scratch memory, up to `max_threads`.
/// \param[in] pattern  how the kernel runs: Kokkos::ParallelForTag or Kokkos::ParallelReduceTag.
template <class Exec, class Kernel, class Pattern = Kokkos::ParallelForTag>
Kokkos::TeamPolicy<Exec, FunctorAsArgument> team_policy(Exec const& exec, Teams const& teams, Kernel const& kernel,
                                                        Pattern pattern = Pattern()) {
  auto const policy = [&](int threads) {
    int const league = int(std::min<std::int64_t>(teams.pieces, teams.max_teams));
    return Kokkos::TeamPolicy<Exec, FunctorAsArgument>(exec, league, threads)
        .set_scratch_size(teams.scratch_level, Kokkos::PerTeam(int(teams.scratch_bytes)));
  };
  if (teams.max_threads == 1) return policy(1);
  return policy(std::max(1, std::min(teams.max_threads, policy(1).team_size_max(kernel, pattern))));
}

}  // namespace Koalesce::Impl

#endif
