// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_SHADOW_READ_HPP
#define KOALESCE_OPENMP_SHADOW_READ_HPP

#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/portable/shadow/Read.hpp>

#include <algorithm>
#include <string>

/// Reads on CPU threads: a half-warp is a run of 16 consecutive items.
namespace Koalesce::Impl::OpenMPBackend {

using PortableBackend::run_original_read;
using PortableBackend::run_shadow_read;

/// Each thread reads blocks of runs.
template <class Work>
struct OpenMPRead {
  static constexpr std::int64_t block = 256 * HalfWarp::size;

  Work work;

  template <class Update>
  void operator()(std::int64_t i, Update& update) const {
    std::int64_t const end = std::min(work.begin + (i + 1) * block, work.end);
    for (std::int64_t item = work.begin + i * block; item < end; item += HalfWarp::size)
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

/// Each thread transposes tiles of the matrix through its stack, and consumes their elements.
template <class Work>
struct OpenMPTransposingRead {
  using T = typename Work::value_type;

  static constexpr int side = sizeof(T) <= 16 ? 32 : sizeof(T) <= 256 ? 8 : 1;

  Work work;
  TransposeWork<T> transpose;
  std::int64_t tiles_down, tiles_across;

  template <class Update>
  void operator()(std::int64_t i, Update& update) const {
    std::int64_t const b = i / (tiles_down * tiles_across), tile = i % (tiles_down * tiles_across);
    // Tiles down the columns, so that a thread writes adjacent memory.
    std::int64_t const r0 = tile % tiles_down * side, c0 = tile / tiles_down * side;
    int const m = int(std::min<std::int64_t>(side, transpose.rows - r0));
    int const n = int(std::min<std::int64_t>(side, transpose.columns - c0));
    T local[side][side + 1];
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < n; ++c) local[c][r] = transpose.from[transpose.from_offset(b, r0 + r, c0 + c)];
    for (int c = 0; c < n; ++c) {
      std::int64_t const to = transpose.to_offset(b, r0, c0 + c), place = work.begin + to;
      for (int r = 0; r < m; ++r) transpose.to[to + r] = local[c][r];
      for (int r = 0; r < m; ++r) {
        std::int64_t const index = work.index(place + r);
        work.consume(place + r, work.place(index) == place + r ? local[c][r] : work.original(index), update);
      }
    }
  }
};

template <class Exec, class Work, class Result>
void run_mixed_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  using Body                = OpenMPRead<Work>;
  std::int64_t const blocks = (work.items() + Body::block - 1) / Body::block;
  for_or_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks), Body{work}, result);
}

template <class Exec, class Work, class Result>
void run_transposing_read(Tag, Exec const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using Body           = OpenMPTransposingRead<Work>;
  auto const transpose = work.template transposition<typename Work::value_type>(shadow);
  auto const tiles     = [](std::int64_t n) { return (n + Body::side - 1) / Body::side; };
  Body const body{work, transpose, tiles(transpose.rows), tiles(transpose.columns)};
  for_or_reduce(label,
                Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                    exec, 0, transpose.batch.size() * body.tiles_down * body.tiles_across),
                body, result);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
