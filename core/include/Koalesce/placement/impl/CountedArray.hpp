// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PLACEMENT_IMPL_COUNTED_ARRAY_HPP
#define KOALESCE_PLACEMENT_IMPL_COUNTED_ARRAY_HPP

#include <Koalesce/placement/impl/PlacementWork.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Arrays that count what a kernel does with them.
namespace Koalesce::Impl {

/// The first access of a kind, such as those outside the extents, and the number of accesses of that kind.
struct AccessFinding {
  static constexpr int max_indices = 5;  // of a ThreadArray: the thread, then at most 4

  unsigned long long times;
  int team, thread, other_thread;
  int index[max_indices];
};

/// The counts of an array, on the device.
struct ArrayCounts {
  unsigned long long accesses;
  AccessFinding shared;   ///< elements that another thread touched, too; of a ThreadArray: accesses by a foreign thread
  AccessFinding outside;  ///< accesses beyond the extents
};

/// Memory for the counts of a few teams, spread over the league.
struct CountingMemory {
  ArrayCounts* counts;  // one per array
  unsigned* claims;     // per team, which thread touched each element of each TeamArray
  int claims_per_team;
  int teams;

  /// The index of a team among those that count, or -1.
  KOKKOS_FORCEINLINE_FUNCTION int sample(int league_rank, int league_size) const {
    auto const sample_of = [&](int rank) { return int(std::int64_t(rank) * teams / league_size); };
    int const mine       = sample_of(league_rank);
    return league_rank == 0 || sample_of(league_rank - 1) != mine ? mine : -1;
  }
};

/// An array in memory whose accesses are counted; accesses outside go nowhere.
template <class Array, class Elements>
class CountedElements : public ArrayAccess<CountedElements<Array, Elements>, typename Array::value_type> {
 public:
  using value_type = typename Array::value_type;
  using Shape      = typename Array::shape_type;

  KOKKOS_FUNCTION CountedElements(void* memory, Shape const& shape, int team_size, ArrayCounts* counts,
                                  unsigned* claims, int team, int thread)
      : m_elements(memory, shape, team_size),
        m_shape(shape),
        m_team_size(team_size),
        m_counts(counts),
        m_claims(claims),
        m_team(team),
        m_thread(thread) {}

  KOKKOS_FUNCTION ~CountedElements() { Kokkos::atomic_add(&m_counts->accesses, m_accesses); }

  template <class... Index>
  KOKKOS_FUNCTION value_type& operator()(Index... index) {
    ++m_accesses;
    if (!claim(index...)) {
      note(m_counts->outside, m_thread, index...);
      return m_nowhere;
    }
    return m_elements(index...);
  }

 private:
  static constexpr unsigned several = ~0u;

  /// Whether there is such an element.
  template <class... Index>
  KOKKOS_FUNCTION bool claim(int thread, Index... index)
    requires(Array::own)
  {
    if (thread < 0 || thread >= m_team_size || !m_shape.contains(index...)) return false;
    if (thread != m_thread) note(m_counts->shared, thread, thread, index...);
    return true;
  }

  template <class... Index>
  KOKKOS_FUNCTION bool claim(Index... index)
    requires(!Array::own)
  {
    if (!m_shape.contains(index...)) return false;
    unsigned* const claim = m_claims + m_shape.offset(index...);
    unsigned const me = unsigned(m_thread) + 1, first = Kokkos::atomic_compare_exchange(claim, 0u, me);
    if (first != 0 && first != me && first != several && Kokkos::atomic_exchange(claim, several) != several)
      note(m_counts->shared, int(first) - 1, index...);
    return true;
  }

  template <class... Index>
  KOKKOS_FUNCTION void note(AccessFinding& finding, int other_thread, Index... index) const {
    if (Kokkos::atomic_fetch_add(&finding.times, 1ull) != 0) return;
    finding.team         = m_team;
    finding.thread       = m_thread;
    finding.other_thread = other_thread;
    int i                = 0;
    ((finding.index[i++] = int(index)), ...);
  }

  Elements m_elements;
  Shape m_shape;
  int m_team_size;
  ArrayCounts* m_counts;
  unsigned* m_claims;
  int m_team, m_thread;
  unsigned long long m_accesses = 0;
  value_type m_nowhere;
};

/// Every array in shared memory of the team, with its accesses counted.
template <bool InScratch>
class CountingPlaces {
 public:
  explicit CountingPlaces(CountingMemory const& memory) : m_memory(memory) {}

  template <int I>
  static constexpr bool in_scratch = InScratch;

  template <int I, class Work>
  static std::size_t bytes(Work const& work) {
    return Elements<Work, I>::bytes(work.template shape<I>(), work.team_size);
  }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION bool takes_part(Member const& team) const {
    return m_memory.sample(team.league_rank(), team.league_size()) >= 0;
  }

  template <int I, class Work, class Member>
  KOKKOS_FORCEINLINE_FUNCTION auto make(Work const& work, char* memory, Member const& team) const {
    using Array      = typename Work::template Array<I>;
    int const sample = m_memory.sample(team.league_rank(), team.league_size());
    return CountedElements<Array, Elements<Work, I>>(
        memory, work.template shape<I>(), work.team_size, m_memory.counts + I,
        m_memory.claims + std::int64_t(sample) * m_memory.claims_per_team + claims_before<I>(work), team.league_rank(),
        team.team_rank());
  }

  /// Elements of the TeamArrays before number I.
  template <int I, class Work>
  KOKKOS_FORCEINLINE_FUNCTION static int claims_before(Work const& work) {
    if constexpr (I == 0) return 0;
    else
      return claims_before<I - 1>(work) + (Work::template Array<I - 1>::own ? 0 : work.template shape<I - 1>().size());
  }

 private:
  template <class Work, int I>
  using Elements = typename Placed<typename Work::template Array<I>, Place::scratch>::type;

  CountingMemory m_memory;
};

}  // namespace Koalesce::Impl

#endif
