// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_SHADOW_READ_HPP
#define KOALESCE_OPENMP_SHADOW_READ_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/transpose/Transpose.hpp>
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
void run_mixed_read(Tag, Exec const& exec, std::string const& label, Work const& work, Result& result) {
  using Body                = OpenMPRead<Work>;
  std::int64_t const blocks = (work.items() + Body::block - 1) / Body::block;
  for_or_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, blocks), Body{work}, result);
}

template <class Exec, class Work, class Result>
void run_transposing_read(Tag, Exec const& exec, std::string const& label, Work const& work,
                          typename Work::value_type* shadow, Result& result) {
  using T = typename Work::value_type;
  if constexpr (is_word_size(sizeof(T))) {
    using Body = OpenMPTransposingRead<Work>;
    if (is_aligned(work.base, sizeof(T)) && is_aligned(shadow, sizeof(T))) {
      HostTranspose<typename Body::W> const transpose(work.template transposition<typename Body::W>(shadow),
                                                      exec.concurrency());
      return for_or_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, transpose.size()),
                           Body{work, transpose}, result);
    }
  }
  run_transposing_read(Backend::Portable{}, exec, label, work, shadow, result);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
