// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_TEAMS_OF_THREADS_HPP
#define KOALESCE_TEST_TEAMS_OF_THREADS_HPP

#include "TestSupport.hpp"
#include "ToldBarriers.hpp"

#include <atomic>

/// On CPU threads the portable backend has teams of one thread. Here they have several, as on a GPU, so that tiles are
/// shared and barriers matter.
namespace Koalesce::Test {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// The portable backend with teams of several threads, and fewer teams than pieces of work.
struct SeveralThreads : Backend::Portable {
  static constexpr char const* name = "several_threads";  ///< in kernels' labels
  static constexpr int threads      = 4;
  static constexpr int teams        = 3;
};

/// What `body` is given for a team.
template <class Body, class Member>
void call_with_team(Body const& body, Member const& team, auto&... more) {
  if constexpr (sees_team_barriers) body(team, more...);
  else body(ToldBarriers<Member>(team), more...);
}

/// The shape of the last teams that ran.
inline std::atomic<int> last_team_size{0}, last_league_size{0};

template <class Body>
struct SharedByTeam {
  Body body;

  template <class Member, class Update>
  void operator()(Member const& team, Update& update) const {
    last_team_size   = team.team_size();
    last_league_size = team.league_size();
    call_with_team(body, team, update);
  }
};

template <class Exec, class Body, class Result>
void run_teams(SeveralThreads, Exec const& exec, std::string const& label, Impl::Teams teams, Body const& body,
               Result& result) {
  teams.max_threads = SeveralThreads::threads;
  teams.max_teams   = SeveralThreads::teams;
  Impl::PortableBackend::run_teams(Backend::Portable{}, exec, label, teams, SharedByTeam<Body>{body}, result);
}

}  // namespace Koalesce::Test

#endif
