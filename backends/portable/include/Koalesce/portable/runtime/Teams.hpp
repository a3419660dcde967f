// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_RUNTIME_TEAMS_HPP
#define KOALESCE_PORTABLE_RUNTIME_TEAMS_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/portable/Backend.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Koalesce::Impl::PortableBackend {

/// Teams that share the pieces of a kernel's work: a team starts at the piece of its league rank and strides by the
/// league size.
struct Teams {
  std::int64_t pieces;
  int max_threads;  // of a team
  int scratch_level         = 0;
  std::size_t scratch_bytes = 0;  // of a team
  int vector_length         = 1;
  int max_teams             = 2147483647;  // a league's size is an int
};

/// The team size: `most` on a device. A CPU thread is a team of its own, so that it need not wait at barriers.
template <class Exec>
constexpr int team_threads(int most) {
  return Backend::on_host<Exec> ? 1 : most;
}

/// Calls body(piece) for every piece of a team, on all of its threads.
template <class Member, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_piece(Member const& team, std::int64_t pieces, Body const& body) {
  for (std::int64_t piece = team.league_rank(); piece < pieces; piece += team.league_size()) body(piece);
}

/// Shares the numbers 0 to count - 1 among a team's threads.
template <class Member, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_in_team(Member const& team, int count, Body const& body) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), body);
}

/// WithUpdate as a reduction whose team size every Kokkos version can compute. The join does not influence the team
/// size.
template <class Body, class Value>
struct JoinsNothing : WithUpdate<Body, Value> {
  KOKKOS_FUNCTION void join(Value&, Value const&) const {}
};

/// The maximum team size for the body.
template <class Policy, class Body, class Result>
int max_team_threads(Policy const& policy, Body const& body, Result const&) {
  if constexpr (std::is_same_v<Result, NoResult>) {
    return policy.team_size_max(WithoutUpdate<Body>{body}, Kokkos::ParallelForTag());
  } else {
    using Value = typename ResultValue<Result>::type;
    return policy.team_size_max(JoinsNothing<Body, Value>{{body}}, Kokkos::ParallelReduceTag());
  }
}

/// Runs body(team, update) on teams of as many threads as fit, up to `max_threads`, and reduces into `result` unless
/// that is NoResult.
///
/// A backend that derives from Portable may overload it to give its teams another shape.
template <RunsPortable Tag, class Exec, class Body, class Result>
void run_teams(Tag, Exec const& exec, std::string const& label, Teams const& teams, Body const& body, Result& result) {
  auto const policy = [&](int threads) {
    int const league = int(std::min<std::int64_t>(teams.pieces, teams.max_teams));
    Kokkos::TeamPolicy<Exec> p(exec, league, threads, teams.vector_length);
    p.set_scratch_size(teams.scratch_level, Kokkos::PerTeam(int(teams.scratch_bytes)));
    return p;
  };
  int threads = teams.max_threads;
  if (threads > 1) threads = std::max(1, std::min(threads, max_team_threads(policy(1), body, result)));
  for_or_reduce(label, policy(threads), body, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
