// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_TOLD_BARRIERS_HPP
#define KOALESCE_TEST_TOLD_BARRIERS_HPP

#include <Koalesce/Koalesce.hpp>

/// ThreadSanitizer's; null without it.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void*);
[[gnu::weak]] void __tsan_release(void*);
}

namespace Koalesce::Test {

/// A team whose barriers ThreadSanitizer is told of: Kokkos synchronizes by fences, which it does not understand.
template <class Member>
class ToldBarriers {
 public:
  using execution_space = typename Member::execution_space;

  explicit ToldBarriers(Member const& team) : m_team(team) {}

  Member const& team() const { return m_team; }
  int team_rank() const { return m_team.team_rank(); }
  int team_size() const { return m_team.team_size(); }
  int league_rank() const { return m_team.league_rank(); }
  int league_size() const { return m_team.league_size(); }
  decltype(auto) team_scratch(int level) const { return m_team.team_scratch(level); }

  void team_barrier() const {
    release();
    m_team.team_barrier();
    acquire();
  }

  static void acquire() { tell(__tsan_acquire); }
  static void release() { tell(__tsan_release); }

 private:
  static void tell(void (*what)(void*)) {
    static char barrier;
    if (what != nullptr) what(&barrier);
  }

  Member const& m_team;
};

template <class Member, class Body>
void for_each_in_team(ToldBarriers<Member> const& told, int count, Body const& body) {
  Impl::PortableBackend::for_each_in_team(told.team(), count, body);
}

template <class Member, class Body>
void for_each_point(ToldBarriers<Member> const& told, Impl::Tile const& tile, Body const& body) {
  Impl::PortableBackend::for_each_point(told.team(), tile, body);
}

}  // namespace Koalesce::Test

#endif
