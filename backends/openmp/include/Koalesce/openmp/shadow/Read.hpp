// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_SHADOW_READ_HPP
#define KOALESCE_OPENMP_SHADOW_READ_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/transpose/Transpose.hpp>
#include <Koalesce/portable/shadow/Read.hpp>
#include <Koalesce/shadow/impl/ColumnWalk.hpp>

#include <algorithm>
#include <string>

/// Reads on CPU threads: a half-warp is a run of 16 consecutive items.
namespace Koalesce::Impl::OpenMPBackend {

using PortableBackend::run_original_read;

/// How many items a thread reads at a time.
inline constexpr std::int64_t read_block = 256 * HalfWarp::size;

/// Calls body(block's number, update) for the blocks of items.
template <class Exec, class Work, class Body, class Result>
void for_each_read_block(Exec const& exec, std::string const& label, Work const& work, Body const& body,
                         Result& result) {
  std::int64_t const blocks = (work.items() + read_block - 1) / read_block;
  for_or_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks), body, result);
}

/// Reads the shadow for a map that goes down columns as far as a sample showed.
template <class Work, bool OfAll>
struct OpenMPShadowRead {
  Work work;

  template <class Update>
  void operator()(std::int64_t i, Update& update) const {
    std::int64_t const begin = work.begin + i * read_block, end = std::min(begin + read_block, work.end);
    ColumnWalk<Work, 1> walk(work, work.index(begin));
    for (std::int64_t item = begin; item < end; ++item, walk.advance()) {
      std::int64_t const index = work.index(item);
      walk.go_to(work, index);
      work.consume(item, walk.position(), read_place<OfAll>(work, walk.place(), index), update);
    }
  }
};

/// Each thread reads blocks of runs.
template <class Work>
struct OpenMPRead {
  Work work;

  template <class Update>
  void operator()(std::int64_t i, Update& update) const {
    std::int64_t const end = std::min(work.begin + (i + 1) * read_block, work.end);
    for (std::int64_t item = work.begin + i * read_block; item < end; item += HalfWarp::size)
      read_run(item, int(std::min<std::int64_t>(HalfWarp::size, end - item)), update);
  }

  template <class Update>
  void read_run(std::int64_t item, int count, Update& update) const {
    std::int64_t index[HalfWarp::size];
    for (int lane = 0; lane < count; ++lane) index[lane] = work.index(item + lane);
    std::int64_t const first = work.place(index[0]);
    bool by_column           = work.holds(first) && work.holds(first + count - 1);
    for (int lane = 1; lane < count; ++lane) by_column &= work.place(index[lane]) == first + lane;
    if (by_column)
      for (int lane = 0; lane < count; ++lane) work.consume(item + lane, work.from_shadow(first + lane), update);
    else
      for (int lane = 0; lane < count; ++lane) work.consume(item + lane, work.original(index[lane]), update);
  }
};

/// Consumes the elements of a transposition's tiles while they are in a thread's buffer.
template <class Work>
struct OpenMPTransposingRead {
  using T = typename Work::value_type;
  using W = Word<int(sizeof(T))>;

  Work work;
  HostTranspose<W> transpose;

  template <class Update>
  void operator()(std::int64_t tile, Update& update) const {
    transpose.move_tile(tile, [&](W const* line, std::int64_t count, W const* to) {
      auto const* const element = reinterpret_cast<T const*>(line);  // words may alias
      std::int64_t const place  = work.begin + (to - transpose.work.to);
      for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t const index = work.is_known_far() ? 0 : work.index(place + k);
        bool const is_here       = work.is_known_far() || work.place(index) == place + k;
        work.consume(place + k, is_here ? element[k] : work.original(index), update);
      }
    });
  }
};

template <class Exec, class Work, class Result>
void run_shadow_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  if constexpr (!Work::has_known_map) {
    // Where lines are rows, a place is an index.
    if (!work.by_columns && ColumnWalk<Work, 1>::can_walk(work)) {
      if (work.held.contains({0, work.size()}))
        return for_each_read_block(exec, label, work, OpenMPShadowRead<Work, true>{work}, result);
      return for_each_read_block(exec, label, work, OpenMPShadowRead<Work, false>{work}, result);
    }
  }
  PortableBackend::run_shadow_read(Tag{}, exec, label, work, result);
}

template <class Exec, class Work, class Result>
void run_mixed_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  for_each_read_block(exec, label, work, OpenMPRead<Work>{work}, result);
}

template <class Exec, class Work, class Result>
void run_transposing_read(Tag, Exec const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using T = typename Work::value_type;
  if constexpr (is_word_size(sizeof(T))) {
    using Body = OpenMPTransposingRead<Work>;
    if (is_aligned(work.base, sizeof(T)) && is_aligned(shadow, sizeof(T))) {
      HostTranspose<typename Body::W> const transpose(work.template transposition<typename Body::W>(shadow),
                                                      threads_of(exec));
      return for_or_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, transpose.size()),
                           Body{work, transpose}, result);
    }
  }
  run_transposing_read(Backend::Portable{}, exec, label, work, shadow, result);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
