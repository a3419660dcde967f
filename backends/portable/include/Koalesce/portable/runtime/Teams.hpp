// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_RUNTIME_TEAMS_HPP
#define KOALESCE_PORTABLE_RUNTIME_TEAMS_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/Backend.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace Koalesce::Impl::PortableBackend {

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

/// The policy for teams that run for_or_reduce(..., body, result).
template <class Exec, class Body, class Result>
auto policy_for(Exec const& exec, Teams const& teams, Body const& body, Result const&) {
  if constexpr (std::is_same_v<Result, NoResult>) {
    return team_policy(exec, teams, WithoutUpdate<Body>{body});
  } else {
    using Value = typename ResultValue<Result>::type;
    return team_policy(exec, teams, JoinsNothing<Body, Value>{{body}}, Kokkos::ParallelReduceTag());
  }
}

/// Runs body(team, update) on teams of as many threads as fit, up to `max_threads`, and reduces into `result` unless
/// that is NoResult.
///
/// A backend that derives from Portable may overload it to give its teams another shape.
template <RunsPortable Tag, class Exec, class Body, class Result>
void run_teams(Tag, Exec const& exec, std::string const& label, Teams const& teams, Body const& body, Result& result) {
  for_or_reduce(label, policy_for(exec, teams, body, result), body, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
