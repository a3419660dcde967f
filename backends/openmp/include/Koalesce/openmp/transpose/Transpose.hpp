// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_OPENMP_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/openmp/Backend.hpp>
#include <Koalesce/openmp/runtime/Tuning.hpp>
#include <Koalesce/openmp/transpose/TransposeTile.hpp>
#include <Koalesce/portable/transpose/Transpose.hpp>

#include <algorithm>
#include <string>

/// Transposition on CPU threads: tiles pass through a buffer per thread, and large results are written past the caches.
namespace Koalesce::Impl::OpenMPBackend {

/// Elements of a thread's buffer.
template <class T>
inline constexpr std::int64_t buffer_size = HostTuning::transpose_bytes / std::int64_t(sizeof(T));

/// The buffer's row length in elements: an odd number of cache lines, so that rows begin in different sets of the
/// cache.
template <class T>
constexpr std::int64_t padded(std::int64_t elements) {
  return ((elements + per_line<T> - 1) / per_line<T> | 1) * per_line<T>;
}

constexpr std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

/// The tiles of a batch of matrices. A thread goes down one page of the destination first, then to the right, so that
/// pages of both sides are used again while they are in the TLB.
template <class T>
struct HostTranspose {
  TransposeWork<T> work;
  bool streams;
  bool joined = false;         // a tile's lines are contiguous, and are written as one
  std::int64_t rows, columns;  // of a tile
  std::int64_t extra;          // rows read beyond a tile, so that each of its lines ends where a cache line does
  std::int64_t pitch, down, across, band;

  HostTranspose(TransposeWork<T> const& w, std::int64_t threads)
      : work(w), streams(w.to_at.row == 1 && w.size() * std::int64_t(sizeof(T)) >= HostTuning::streamed_bytes) {
    columns =
        std::min({w.columns, HostTuning::tile_row_bytes / std::int64_t(sizeof(T)), buffer_size<T> / (3 * per_line<T>)});
    rows = ((buffer_size<T> / columns / per_line<T> - 1) / 2 * 2) * per_line<T>;
    while (rows > per_line<T> && rows * columns > HostTuning::min_points &&
           w.batch.size() * tiles_of(w.rows, rows) * tiles_of(w.columns, columns) < threads)
      rows = std::max(rows / 2 / per_line<T>, std::int64_t(1)) * per_line<T>;
    extra = streams && !lines_aligned() ? per_line<T> - 1 : 0;
    pitch = padded<T>(rows + extra);
    if (rows >= w.rows) {
      rows    = w.rows;
      extra   = 0;
      joined  = work.to_at.row == 1 && work.to_at.column == rows && rows < 2 * per_line<T>;
      pitch   = joined ? rows : padded<T>(rows);
      columns = std::min({w.columns, buffer_size<T> / pitch, std::max(columns, HostTuning::min_points / rows)});
    }
    down   = tiles_of(w.rows, rows);
    across = tiles_of(w.columns, columns);
    band   = std::clamp<std::int64_t>(HostTuning::band_bytes / (rows * std::int64_t(sizeof(T))), 1, down);
  }

  bool lines_aligned() const {
    return before_line(work.to) == 0 && work.to_at.column % per_line<T> == 0 && work.batch.to_multiple_of(per_line<T>);
  }

  std::int64_t size() const { return work.batch.size() * down * across; }

  void operator()(std::int64_t i) const {
    move_tile(i, [](T const*, std::int64_t, T const*) {});
  }

  /// Calls written(line, count, to) for every piece of the destination, while it is in the thread's buffer, too.
  template <class Written>
  void move_tile(std::int64_t i, Written const& written) const {
    auto const b = i / (down * across), in_matrix = i % (down * across);
    auto const top = in_matrix / (band * across) * band, in_band = in_matrix - top * across;
    auto const height = std::min(band, down - top);
    move(b, (top + in_band % height) * rows, in_band / height * columns, written);
  }

 private:
  template <class Written>
  void move(std::int64_t b, std::int64_t r0, std::int64_t c0, Written const& written) const {
    alignas(cache_line) T buffer[buffer_size<T>];
    auto const left = work.rows - r0, m = std::min(rows + extra, left), n = std::min(columns, work.columns - c0);
    turn({work.from + work.from_offset(b, r0, c0), work.from_at.row, work.from_at.column}, m, n, left - m, buffer,
         pitch);
    auto const write_and_tell = [&](T const* line, std::int64_t count, T* to) {
      write(line, count, to);
      written(line, count, to);
    };
    T* to = work.to + work.to_offset(b, r0, c0);
    if (joined) write_and_tell(buffer, m * n, to);
    for (std::int64_t c = 0; c < n && !joined; ++c, to += work.to_at.column) {
      auto const shift = extra > 0 ? before_line(to) : 0;
      auto const first = r0 > 0 ? shift : 0, last = std::min(rows + shift, m);
      if (first < last) write_and_tell(buffer + c * pitch + first, last - first, to + first * work.to_at.row);
    }
    if (streams) end_streams();
  }

  void write(T const* from, std::int64_t count, T* to) const {
    streams ? stream_line(from, count, to) : copy_line(from, count, to, work.to_at.row);
  }
};

/// In place: square tiles swap with their mirror images. A pair is named by its upper right tile.
template <class T>
struct HostTransposeInPlace {
  static constexpr std::int64_t side = [] {
    std::int64_t s = 1;
    while (2 * (2 * s) * padded<T>(2 * s) <= buffer_size<T>) s *= 2;
    return s;
  }();
  static constexpr std::int64_t pitch = padded<T>(side);

  TransposeWork<T> work;
  std::int64_t tiles = tiles_of(work.rows, side);

  /// Number of pairs of tile rows: the first row from the diagonal on with the last one, and so on, so that all have
  /// the same length.
  std::int64_t pairs() const { return (tiles + 1) / 2; }
  std::int64_t per_pair() const { return tiles | 1; }
  std::int64_t size() const { return work.batch.size() * pairs() * per_pair(); }

  void operator()(std::int64_t i) const {
    auto const column = i % per_pair(), row = i / per_pair() % pairs(), b = i / per_pair() / pairs();
    auto const length = tiles - row, mirrored = 2 * pairs() - 1 - row;
    if (column < length) return swap(b, row * side, (row + column) * side);
    swap(b, mirrored * side, (mirrored + column - length) * side);
  }

  void swap(std::int64_t b, std::int64_t r0, std::int64_t c0) const {
    alignas(cache_line) T buffer[2][side * pitch];
    Matrix<T> const upper{work.to + work.from_offset(b, r0, c0), work.from_at.row, work.from_at.column};
    Matrix<T> const lower{work.to + work.from_offset(b, c0, r0), work.from_at.row, work.from_at.column};
    auto const m = std::min(side, work.rows - r0), n = std::min(side, work.columns - c0);
    turn<T>({upper.base, upper.row, upper.column}, m, n, 0, buffer[0], pitch);
    if (r0 != c0) {
      turn<T>({lower.base, lower.row, lower.column}, n, m, 0, buffer[1], pitch);
      write(buffer[1], upper, m, n);
    }
    write(buffer[0], lower, n, m);
  }

  static void write(T const* from, Matrix<T> const& to, std::int64_t m, std::int64_t n) {
    for (std::int64_t r = 0; r < m; ++r) copy_line(from + r * pitch, n, to.base + r * to.row, to.column);
  }
};

template <class Exec, class T>
  requires is_word<T>
void run_transpose(Tag, Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  auto const run = [&](auto const& kernel) {
    Kokkos::parallel_for(kernel_label(Tag{}, label),
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, kernel.size()), kernel);
  };
  work.is_in_place() ? run(HostTransposeInPlace<T>{work}) : run(HostTranspose<T>(work, threads_of(exec)));
}

/// Elements that are not words, and copies whose rows stay rows.
template <class Exec, class Work>
void run_transpose(Tag, Exec const& exec, std::string const& label, Work const& work) {
  run_transpose(Backend::Portable{}, exec, label, work);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
