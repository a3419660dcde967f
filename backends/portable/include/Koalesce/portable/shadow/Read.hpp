// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_SHADOW_READ_HPP
#define KOALESCE_PORTABLE_SHADOW_READ_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/runtime/Teams.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>
#include <Koalesce/shadow/impl/ReadWork.hpp>

#include <string>
#include <type_traits>

namespace Koalesce::Impl::PortableBackend {

/// Reads an original whose offsets equal its linear indices.
template <class Work>
struct ReadDense {
  typename Work::value_type const* base;
  std::int64_t size;
  typename Work::Map map;
  typename Work::Consumer consumer;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    Work::consume_item(consumer, item, base[Work::checked(map(item), size)], update);
  }
};

/// Reads any other original.
template <class Work>
struct ReadOriginal {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    work.consume(item, work.original(work.index(item)), update);
  }
};

/// Reads the shadow item by item: correct for any map, and coalesced for one that goes down the columns. Where the
/// shadow is not of all, what it lacks comes from the original.
/// \tparam Short  as ReadWork's.
template <class Work, bool OfAll, bool Short>
struct ReadShadow {
  Work work;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    if (work.is_known_far()) {
      if constexpr (OfAll) work.consume(item, work.shadow[item], update);
      else work.consume(item, work.holds(item) ? work.from_shadow(item) : work.original(work.index(item)), update);
    } else {
      std::int64_t const index = work.index(item);
      auto const element       = work.template element<Short>(index);
      typename Work::Position const at{element.b, element.i, element.j};
      if constexpr (OfAll) work.consume(item, at, work.shadow[element.place], update);
      else
        work.consume(item, at, work.holds(element.place) ? work.from_shadow(element.place) : work.base[element.offset],
                     update);
    }
  }
};

/// Reads a shadow of all items for a map that is known to visit its places in order.
template <class Work>
struct ReadThroughShadow {
  typename Work::value_type const* shadow;
  std::int64_t first;
  typename Work::Consumer consumer;

  template <class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Update& update) const {
    Work::consume_item(consumer, item, shadow[item - first], update);
  }
};

/// A team classifies a block of half-warps, then reads their items: from the shadow if their half-warp goes down a
/// column, otherwise from the original.
template <class Work>
struct PortableRead {
  static constexpr int half_warps = 256;
  static constexpr int block      = half_warps * HalfWarp::size;

  Work work;

  KOKKOS_FUNCTION static constexpr std::size_t scratch_bytes() { return half_warps; }

  KOKKOS_FUNCTION bool goes_by_column(std::int64_t item, int count) const {
    std::int64_t const first = work.place(work.index(item));
    for (int lane = 1; lane < count; ++lane)
      if (work.place(work.index(item + lane)) != first + lane) return false;
    return work.holds(first) && work.holds(first + count - 1);
  }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    auto* const by_column = static_cast<bool*>(team.team_scratch(0).get_shmem(scratch_bytes()));
    for_each_piece(team, blocks(),
                   [&](std::int64_t piece) { read(team, work.begin + piece * block, by_column, update); });
  }

  KOKKOS_FUNCTION std::int64_t blocks() const { return (work.items() + block - 1) / block; }

  template <class Member, class Update>
  KOKKOS_FUNCTION void read(Member const& team, std::int64_t begin, bool* by_column, Update& update) const {
    int const count = int(Kokkos::min<std::int64_t>(+block, work.end - begin));
    for_each_in_team(team, (count + HalfWarp::size - 1) / HalfWarp::size, [&](int h) {
      int const first = h * HalfWarp::size;
      by_column[h]    = goes_by_column(begin + first, Kokkos::min(+HalfWarp::size, count - first));
    });
    team.team_barrier();
    for_each_in_team(team, count, [&](int i) {
      auto const element = work.element(work.index(begin + i));
      work.consume(begin + i,
                   by_column[i / HalfWarp::size] ? work.from_shadow(element.place) : work.base[element.offset], update);
    });
    team.team_barrier();  // before the next block uses the scratch memory
  }
};

/// Transposes the matrix into the shadow through tiles in scratch memory. An item whose place is its own number takes
/// its element from the tile; other items read the original.
template <class Work>
struct PortableTransposingRead {
  using T = typename Work::value_type;

  Work work;
  PortableTranspose<T> transpose;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    transpose.move(team, [&](std::int64_t offset, T const& element) {
      std::int64_t const place = work.begin + offset;
      if (work.is_known_far()) {
        work.consume(place, element, update);
      } else {
        std::int64_t const index = work.index(place);
        work.consume(place, work.place(index) == place ? element : work.original(index), update);
      }
    });
  }
};

template <class Tag, class Exec, class Work, class Result>
void run_original_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(exec, work.begin, work.end);
  if constexpr (Work::takes_item) {
    if (work.dense)
      return for_or_reduce(label, items, ReadDense<Work>{work.base, work.size(), work.map, work.consumer}, result);
  }
  for_or_reduce(label, items, ReadOriginal<Work>{work}, result);
}

template <class Tag, class Exec, class Work, class Result>
void run_shadow_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const items(exec, work.begin, work.end);
  if constexpr (Work::takes_item) {
    if (work.is_known_far() && work.held.contains({work.begin, work.end}))
      return for_or_reduce(label, items, ReadThroughShadow<Work>{work.shadow, work.held.first, work.consumer}, result);
  }
  auto const run = [&]<bool OfAll, bool Short>() {
    for_or_reduce(label, items, ReadShadow<Work, OfAll, Short>{work}, result);
  };
  if (!work.held.contains({0, work.size()})) run.template operator()<false, false>();
  else if (work.is_short()) run.template operator()<true, true>();
  else run.template operator()<true, false>();
}

/// Each half-warp decides between original and shadow.
template <RunsPortable Tag, class Exec, class Work, class Result>
void run_mixed_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  using Body = PortableRead<Work>;
  Body const body{work};
  run_teams(Tag{}, exec, label, Teams{body.blocks(), team_threads<Exec>(128), 0, Body::scratch_bytes() + 8}, body,
            result);
}

template <RunsPortable Tag, class Exec, class Work, class Result>
void run_transposing_read(Tag, Exec const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using T          = typename Work::value_type;
  auto const where = [&] {
    constexpr bool reduces = !std::is_same_v<std::remove_const_t<Result>, NoResult>;
    return call_text(reduces ? "Koalesce::parallel_read_reduce" : "Koalesce::parallel_read", label_of_kernel(label));
  };
  auto const transpose = choose_tile(exec, where, work.template transposition<T>(shadow));
  run_teams(Tag{}, exec, label, transpose.teams(team_threads<Exec>(128)),
            PortableTransposingRead<Work>{work, transpose}, result);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
