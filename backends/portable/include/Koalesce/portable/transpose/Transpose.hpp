// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_PORTABLE_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/runtime/Teams.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

/// Transposition through a padded tile in scratch memory, on TeamPolicy alone.
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

  /// Calls store(r, c, element) for each of them. A thread reads some at once, so that their ways from memory overlap.
  template <class T, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void read(T const* from, RowColumnStrides at, int m, int n, Store const& store) const {
    constexpr int count = !on_host && std::is_trivially_default_constructible_v<T> ? 4 : 1;
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
  std::int64_t rows, columns;  // of a matrix
  int log_rows, log_columns;   // of a tile
  bool down_first;             // neighboring tiles are below each other
  Divisor tiles_in_line, tiles_of_matrix;

  template <class Work>
  TileGrid(Work const& work, int log_tile_rows, int log_tile_columns)
      : rows(work.rows),
        columns(work.columns),
        log_rows(log_tile_rows),
        log_columns(log_tile_columns),
        down_first(work.to_at.row < work.to_at.column) {
    auto const count = [](std::int64_t extent, int log) { return (extent + (std::int64_t(1) << log) - 1) >> log; };
    auto const down = count(rows, log_rows), across = count(columns, log_columns);
    tiles_in_line   = Divisor(down_first ? down : across);
    tiles_of_matrix = Divisor(down * across);
  }

  KOKKOS_FUNCTION int pitch() const { return (1 << log_columns) + 1; }
  KOKKOS_FUNCTION std::size_t elements() const { return std::size_t(pitch()) << log_rows; }

  KOKKOS_FUNCTION int rows_from(std::int64_t r) const {
    return int(Kokkos::min<std::int64_t>(1 << log_rows, rows - r));
  }
  KOKKOS_FUNCTION int columns_from(std::int64_t c) const {
    return int(Kokkos::min<std::int64_t>(1 << log_columns, columns - c));
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

template <class T>
struct PortableTranspose {
  using Place = TileGrid::Place;

  TransposeWork<T> work;
  TileGrid grid;
  int scratch_level = 0;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, NoUpdate&) const {
    if (work.is_in_place()) swap(team);
    else move(team, [](std::int64_t, T const&) {});
  }

  KOKKOS_FUNCTION std::int64_t tiles() const { return grid.tiles_of_matrix.divisor() * work.batch.size(); }

  Teams teams(int max_threads) const { return {tiles(), max_threads, scratch_level, bytes() + alignof(T)}; }

  template <class Member>
  KOKKOS_FUNCTION T* scratch(Member const& team) const {
    return static_cast<T*>(team.team_scratch(scratch_level).get_shmem_aligned(bytes(), alignof(T)));
  }

  /// Calls sink(offset, element) for every element, once, with its distance from `work.to`.
  template <class Member, class Sink>
  KOKKOS_FUNCTION void move(Member const& team, Sink const& sink) const {
    T* const shared = scratch(team);
    for_each_piece(team, tiles(), [&](std::int64_t piece) { move_tile(team, grid.place(piece), shared, sink); });
  }

  template <class Member, class Sink>
  KOKKOS_FUNCTION void move_tile(Member const& team, Place const& tile, T* shared, Sink const& sink) const {
    int const pitch = grid.pitch(), m = grid.rows_from(tile.r), n = grid.columns_from(tile.c);
    std::int64_t const to = work.to_offset(tile.b, tile.r, tile.c);
    auto const to_at      = work.to_at;  // copies that no element can alias
    auto* const all       = work.to;
    TeamRows(team, grid.log_columns)
        .read(work.from + work.from_offset(tile.b, tile.r, tile.c), work.from_at, m, n,
              [&](int r, int c, T const& element) { shared[r * pitch + c] = element; });
    team.team_barrier();
    TeamRows(team, grid.log_rows).for_each(n, m, [&](int c, int r) {
      std::int64_t const offset = to + to_at(r, c);
      T const element           = shared[r * pitch + c];
      all[offset]               = element;
      sink(offset, element);
    });
    team.team_barrier();  // before the next tile uses the scratch memory
  }

  /// In place: one team swaps a tile with its mirror image.
  template <class Member>
  KOKKOS_FUNCTION void swap(Member const& team) const {
    T* const shared = scratch(team);
    for_each_piece(team, tiles(), [&](std::int64_t piece) {
      Place const tile = grid.place(piece);
      if (tile.r <= tile.c) swap_tiles(team, tile, shared);
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void swap_tiles(Member const& team, Place const& tile, T* shared) const {
    std::int64_t const r0 = tile.r, c0 = tile.c;
    int const m = grid.rows_from(r0), n = grid.columns_from(c0), pitch = grid.pitch();
    auto const at     = work.from_at;
    T* const all      = work.to + work.batch.to(tile.b);
    T* const mirrored = shared + grid.elements();
    TeamRows const share(team, grid.log_rows);
    share.for_each(m, n, [&](int r, int c) { shared[r * pitch + c] = all[at(r0 + r, c0 + c)]; });
    share.for_each(n, m, [&](int c, int r) { mirrored[c * pitch + r] = all[at(c0 + c, r0 + r)]; });
    team.team_barrier();
    share.for_each(m, n, [&](int r, int c) { all[at(r0 + r, c0 + c)] = mirrored[c * pitch + r]; });
    if (r0 != c0) share.for_each(n, m, [&](int c, int r) { all[at(c0 + c, r0 + r)] = shared[r * pitch + c]; });
    team.team_barrier();  // before the next tiles use the scratch memory
  }

  KOKKOS_FUNCTION std::size_t bytes() const { return sizeof(T) * grid.elements() * (work.is_in_place() ? 2 : 1); }
};

/// Bytes of a tile, without padding, at most. (A multiprocessor then has room for as many teams as it has threads for.)
inline constexpr std::size_t max_tile_bytes = 16 << 10;

/// Threads of a device's team.
inline constexpr int tile_threads = 256;

template <class T>
constexpr int log_tile_elements = int(std::bit_width(std::max<std::size_t>(1, max_tile_bytes / sizeof(T)))) - 1;

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

/// The largest tile that fits, in level-0 scratch if any does.
template <class Exec, class T>
PortableTranspose<T> choose_tile(Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  Kokkos::TeamPolicy<Exec> const probe(exec, 1, 1);
  for (int level = 0; level < 2; ++level)
    for (int log = log_tile_elements<T>; log >= 0; --log) {
      // In place there are two, and as many rows as columns.
      int const side = std::max(0, log - 1) / 2;
      PortableTranspose<T> const kernel{
          work, work.is_in_place() ? tile_grid(work, 2 * side, side) : tile_grid(work, log, log / 2), level};
      if (kernel.bytes() + alignof(T) <= std::size_t(probe.scratch_size_max(level))) return kernel;
    }
  fail("Koalesce::" + label, "elements of ", sizeof(T), " bytes do not fit into the scratch memory of ", Exec::name(),
       ", which has ", probe.scratch_size_max(0), " bytes at level 0 and ", probe.scratch_size_max(1),
       " at level 1; use smaller elements");
}

template <RunsPortable Tag, class Exec, class T>
void run_transpose(Tag, Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  auto const kernel = choose_tile(exec, label, work);
  NoResult none;
  run_teams(Tag{}, exec, kernel_label(Tag{}, label), kernel.teams(team_threads<Exec>(tile_threads)), kernel, none);
}

/// Columns of a tile that is copied, if there are as many and enough rows: on devices as many as a team has threads.
template <class Exec>
constexpr int log_row_of_copies(int log_elements) {
  return Backend::on_host<Exec> ? log_elements : std::min(log_elements, 8);
}

/// Copies tiles of matrices, through registers alone.
template <class T>
struct CopyTiles {
  CopyWork<T> work;
  TileGrid grid;

  KOKKOS_FUNCTION std::int64_t tiles() const { return grid.tiles_of_matrix.divisor() * work.batch.size(); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, NoUpdate&) const {
    for_each_piece(team, tiles(), [&](std::int64_t piece) {
      auto const tile     = grid.place(piece);
      auto const to_at    = work.to_at;  // a copy that no element can alias
      T const* const from = work.from + work.from_offset(tile.b, tile.r, tile.c);
      T* const to         = work.to + work.to_offset(tile.b, tile.r, tile.c);
      TeamRows(team, grid.log_columns)
          .read(from, work.from_at, grid.rows_from(tile.r), grid.columns_from(tile.c),
                [&](int r, int c, T const& element) { to[to_at(r, c)] = element; });
    });
  }
};

/// One contiguous block is copied by Kokkos::deep_copy.
template <RunsPortable Tag, class Exec, class T>
void run_transpose(Tag, Exec const& exec, std::string const& label, CopyWork<T> const& work) {
  using Memory            = typename Exec::memory_space;
  bool const is_one_piece = work.columns == 1 || (work.from_at.column == 1 && work.to_at.column == 1);
  if (work.rows == 1 && work.batch.size() == 1 && is_one_piece) {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(exec, Kokkos::View<T*, Memory, Unmanaged>(work.to, work.columns),
                      Kokkos::View<T const*, Memory, Unmanaged>(work.from, work.columns));
    return;
  }
  constexpr int log_elements = log_tile_elements<T>;
  CopyTiles<T> const kernel{work, tile_grid(work, log_elements, log_row_of_copies<Exec>(log_elements))};
  NoResult none;
  run_teams(Tag{}, exec, kernel_label(Tag{}, label), Teams{kernel.tiles(), team_threads<Exec>(tile_threads)}, kernel,
            none);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
