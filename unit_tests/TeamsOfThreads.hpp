// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_TEAMS_OF_THREADS_HPP
#define KOALESCE_TEST_TEAMS_OF_THREADS_HPP

#include "TestSupport.hpp"

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

/// ThreadSanitizer's; null without it.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void*);
[[gnu::weak]] void __tsan_release(void*);
}

/// A team whose barriers ThreadSanitizer is told of: Kokkos synchronizes by fences, which it does not understand.
template <class Member>
class ToldBarriers {
 public:
  explicit ToldBarriers(Member const& team) : m_team(team) {}

  Member const& team() const { return m_team; }
  int team_rank() const { return m_team.team_rank(); }
  int team_size() const { return m_team.team_size(); }
  int league_rank() const { return m_team.league_rank(); }
  int league_size() const { return m_team.league_size(); }
  decltype(auto) team_scratch(int level) const { return m_team.team_scratch(level); }

  void team_barrier() const {
    tell(__tsan_release);
    m_team.team_barrier();
    tell(__tsan_acquire);
  }

 private:
  static void tell(void (*what)(void*)) {
    static char barrier;
    if (what != nullptr) what(&barrier);
  }

  Member const& m_team;
};

template <class Member, class Body>
void for_each_in_team(ToldBarriers<Member> const& team, int count, Body const& body) {
  Impl::for_each_in_team(team.team(), count, body);
}

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

template <class T>
struct SharedByTeam<Impl::CopyRows<T>> {
  Impl::CopyRows<T> body;  // has no barriers

  template <class Member>
  void operator()(Member const& team, Impl::NoUpdate& update) const {
    last_team_size   = team.team_size();
    last_league_size = team.league_size();
    body(team, update);
  }
};

template <class Exec, class Body, class Result>
void run_teams(SeveralThreads, Exec const& exec, std::string const& label, Impl::Teams teams, Body const& body,
               Result& result) {
  teams.max_threads = SeveralThreads::threads;
  teams.max_teams   = SeveralThreads::teams;
  Impl::run_teams(Backend::Portable{}, exec, label, teams, SharedByTeam<Body>{body}, result);
}

}  // namespace Koalesce::Test

#endif
