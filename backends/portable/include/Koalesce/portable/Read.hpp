// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_READ_HPP
#define KOALESCE_PORTABLE_READ_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/impl/ReadWork.hpp>
#include <Koalesce/portable/Transpose.hpp>

#include <string>

namespace Koalesce::Impl {

/// The plain loop over an original whose offsets are its indices.
template <class Work>
struct ReadDense {
  typename Work::value_type const* base;
  typename Work::Map map;
  typename Work::Consumer consumer;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    Work::consume(consumer, item, base[map(item)], update);
  }
};

/// The plain loop over any other.
template <class Work>
struct ReadOriginal {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    work.consume(item, work.original(work.map(item)), update);
  }
};

/// The shadow item by item, for a map that goes down its columns: right wherever it goes, and coalesced there.
template <class Work>
struct ReadShadow {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    work.consume(item, work.shadow[work.place(work.map(item))], update);
  }
};

/// A map that is known to go through the shadow from its first place to its last.
template <class Work>
struct ReadThroughShadow {
  typename Work::value_type const* shadow;
  typename Work::Consumer consumer;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    Work::consume(consumer, item, shadow[item], update);
  }
};

/// A team classifies a block of half-warps, then reads their items: those of half-warps that go down a column from
/// the shadow.
template <class Work>
struct PortableRead {
  static constexpr int half_warps = 256;
  static constexpr int block      = half_warps * HalfWarp::size;

  Work work;

  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes() { return half_warps; }

  KOKKOS_FUNCTION bool goes_by_column(std::int64_t item, int count) const {
    std::int64_t const first = work.place(work.map(item));
    for (int lane = 1; lane < count; ++lane)
      if (work.place(work.map(item + lane)) != first + lane) return false;
    return true;
  }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    std::int64_t const begin = work.begin + std::int64_t(team.league_rank()) * block;
    int const count          = int(Kokkos::min<std::int64_t>(+block, work.end - begin));
    auto* const by_column    = static_cast<bool*>(team.team_scratch(0).get_shmem(scratch_bytes()));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (count + HalfWarp::size - 1) / HalfWarp::size), [&](int h) {
      int const first = h * HalfWarp::size;
      by_column[h]    = goes_by_column(begin + first, Kokkos::min(+HalfWarp::size, count - first));
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
      auto const element = work.element(work.map(begin + i));
      work.consume(begin + i, by_column[i / HalfWarp::size] ? work.shadow[element.place] : work.base[element.offset],
                   update);
    });
    team.team_barrier();  // before the next team's block takes the scratch memory
  }
};

/// Tiles of the matrix pass through scratch memory to the shadow, and their items with them, if those are where a
/// traversal by column would have them.
template <class Work>
struct PortableTransposingRead {
  using T = typename Work::value_type;

  Work work;
  PortableTranspose<T> transpose;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    transpose.move(team, [&](std::int64_t place, T const& element) {
      std::int64_t const index = work.map(place);
      work.consume(place, work.place(index) == place ? element : work.original(index), update);
    });
  }
};

/// One thread a team on a CPU, otherwise as many as fit up to `most`.
template <class Exec>
Kokkos::TeamPolicy<Exec> team_policy(Exec const& exec, std::int64_t teams, int level, std::size_t scratch, int most) {
  Kokkos::TeamPolicy<Exec> policy(exec, int(teams), Backend::on_host<Exec> ? 1 : most);
  policy.set_scratch_size(level, Kokkos::PerTeam(int(scratch)));
  return policy;
}

template <class Exec, class Work, class Result>
void run_original_read(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(exec, work.begin, work.end);
  if (work.dense) run_body(label, items, ReadDense<Work>{work.base, work.map, work.consumer}, result);
  else run_body(label, items, ReadOriginal<Work>{work}, result);
}

template <class Exec, class Work, class Result>
void run_shadow_read(Exec const& exec, std::string const& label, Work const& work, Result& result) {
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(exec, work.begin, work.end);
  if (work.is_known_far()) run_body(label, items, ReadThroughShadow<Work>{work.shadow, work.consumer}, result);
  else run_body(label, items, ReadShadow<Work>{work}, result);
}

/// Half-warps of both kinds: each decides for itself.
template <RunsPortable Tag, class Exec, class Work, class Result>
void run_mixed_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  using Body       = PortableRead<Work>;
  auto const teams = (work.items() + Body::block - 1) / Body::block;
  run_body(label, team_policy(exec, teams, 0, Body::scratch_bytes() + 8, 128), Body{work}, result);
}

template <RunsPortable Tag, class Exec, class Work, class Result>
void run_transposing_read(Tag, Exec const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using T              = typename Work::value_type;
  auto const transpose = choose_tile(exec, label, work.template transposition<T>(shadow));
  run_body(label, team_policy(exec, transpose.teams(), transpose.scratch_level, transpose.scratch_bytes(), 128),
           PortableTransposingRead<Work>{work, transpose}, result);
}

}  // namespace Koalesce::Impl

#endif
