// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_TRANSPOSE_TILES_HPP
#define KOALESCE_PORTABLE_TRANSPOSE_TILES_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Tiles of matrices, and how the threads of a team share one.
namespace Koalesce::Impl::PortableBackend {

/// How the threads of a team share a matrix whose rows have up to 2^log_columns elements: on devices neighbors take
/// neighbors of a row, and each goes down a column; on hosts each takes whole rows. Only a power of two of them takes
/// part.
template <class Member>
class TeamRows {
  static constexpr bool on_host = Backend::on_host<typename Member::execution_space>;
  static constexpr int idle     = 1 << 30;

 public:
  KOKKOS_FORCEINLINE_FUNCTION TeamRows(Member const& team, int log_columns) {
    int log_threads = 0;
    while (2 << log_threads <= team.team_size()) ++log_threads;
    int const log_row = on_host ? 0 : Kokkos::min(log_threads, log_columns), rank = team.team_rank();
    m_columns_apart = 1 << log_row;
    m_rows_apart    = 1 << (log_threads - log_row);
    m_column        = rank & (m_columns_apart - 1);
    m_row           = rank >> log_threads ? idle : rank >> log_row;
  }

  /// Calls body(r, c) for each of this thread's elements of a matrix of m x n, or the first one of so many in a column.
  template <int count = 1, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(int m, int n, Body const& body) const {
    if constexpr (on_host) {
      for (int r = m_row; r < m; r += count * m_rows_apart)
        for (int c = 0; c < n; ++c) body(r, c);
    } else {
      for (int c = m_column; c < n; c += m_columns_apart)
        for (int r = m_row; r < m; r += count * m_rows_apart) body(r, c);
    }
  }

  /// Calls store(r, c, element) for each of them. A thread of a device reads some at once, if they are small and need
  /// no constructor, so that their ways from memory overlap.
  template <class T, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void read(T const* from, RowColumnStrides at, int m, int n, Store const& store) const {
    constexpr int fit   = sizeof(T) <= 16 ? 4 : sizeof(T) <= 32 ? 2 : 1;
    constexpr int count = !on_host && std::is_trivially_default_constructible_v<T> ? fit : 1;
    if constexpr (count == 1) {
      for_each(m, n, [&](int r, int c) { store(r, c, from[at(r, c)]); });
    } else {
      std::int64_t const apart = m_rows_apart * at.row;
      for_each<count>(m, n, [&](int r, int c) {
        T element[count];
        T const* const first = from + at(r, c);
        for (int i = 0; i < count; ++i)
          if (r + i * m_rows_apart < m) element[i] = first[i * apart];
        for (int i = 0; i < count; ++i)
          if (r + i * m_rows_apart < m) store(r + i * m_rows_apart, c, element[i]);
      });
    }
  }

 private:
  int m_row, m_column, m_rows_apart, m_columns_apart;
};

/// Matrices divided into tiles, whose rows and columns are powers of two. A tile in scratch memory has a column of
/// padding, so that the elements of a column are in different banks. Neighboring tiles write neighboring memory, so
/// that no line of a cache is left half written for long.
struct TileGrid {
  int log_rows, log_columns;  // of a tile
  bool down_first;            // neighboring tiles are below each other
  Divisor tiles_in_line, tiles_of_matrix;

  template <class Work>
  TileGrid(Work const& work, int log_tile_rows, int log_tile_columns)
      : log_rows(log_tile_rows), log_columns(log_tile_columns), down_first(work.to_at.row < work.to_at.column) {
    auto const count = [](std::int64_t extent, int log) { return (extent + (std::int64_t(1) << log) - 1) >> log; };
    auto const down = count(work.rows, log_rows), across = count(work.columns, log_columns);
    tiles_in_line   = Divisor(down_first ? down : across);
    tiles_of_matrix = Divisor(down * across);
  }

  KOKKOS_FUNCTION int pitch() const { return (1 << log_columns) + 1; }
  KOKKOS_FUNCTION std::size_t elements() const { return std::size_t(pitch()) << log_rows; }

  /// Those of a tile that begins at row r or column c of a work's matrix.
  template <class Work>
  KOKKOS_FUNCTION int rows_from(std::int64_t r, Work const& work) const {
    return int(Kokkos::min<std::int64_t>(1 << log_rows, work.rows - r));
  }
  template <class Work>
  KOKKOS_FUNCTION int columns_from(std::int64_t c, Work const& work) const {
    return int(Kokkos::min<std::int64_t>(1 << log_columns, work.columns - c));
  }

  /// A tile: its matrix and first element.
  struct Place {
    std::int64_t b, r, c;
  };

  KOKKOS_FUNCTION Place place(std::int64_t piece) const {
    std::int64_t const b = piece / tiles_of_matrix, tile = piece - b * tiles_of_matrix.divisor();
    std::int64_t const line = tile / tiles_in_line, in_line = tile - line * tiles_in_line.divisor();
    return {b, (down_first ? in_line : line) << log_rows, (down_first ? line : in_line) << log_columns};
  }
};

/// Bytes of a tile, without padding, at most. (A multiprocessor of an H200 then has room for as many teams as it has
/// threads for, if a matrix has more than a few columns.)
inline constexpr std::size_t max_tile_bytes = 16 << 10;

/// Threads of a device's team that only moves elements.
inline constexpr int tile_threads = 256;

template <class T>
inline constexpr int log_tile_elements = int(std::bit_width(std::max<std::size_t>(1, max_tile_bytes / sizeof(T)))) - 1;

/// Tiles of at most so many elements, which are powers of two. Where a matrix has few rows or columns, they have more
/// of the others.
template <class T>
TileGrid tile_grid(TransposeWork<T> const& work, int log_elements, int log_columns) {
  auto const log_of = [](std::int64_t extent, int most) {
    return std::min(most, int(std::bit_width(std::uint64_t(extent - 1))));
  };
  int const log_rows = log_of(work.rows, log_elements - log_of(work.columns, log_columns));
  return {work, log_rows, log_of(work.columns, log_elements - log_rows)};
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
