// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_PORTABLE_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/runtime/Teams.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <string>

/// Transposition through a padded tile in scratch memory, on TeamPolicy alone.
namespace Koalesce::Impl::PortableBackend {

/// A matrix divided into square tiles. The tile in scratch memory has a column of padding, so that the elements of a
/// column are in different banks.
struct TileGrid {
  std::int64_t rows, columns;
  int side;

  KOKKOS_FUNCTION std::int64_t tiles_down() const { return (rows + side - 1) / side; }
  KOKKOS_FUNCTION std::int64_t tiles_across() const { return (columns + side - 1) / side; }
  KOKKOS_FUNCTION std::int64_t tiles() const { return tiles_down() * tiles_across(); }

  KOKKOS_FUNCTION int pitch() const { return side + 1; }
  KOKKOS_FUNCTION std::size_t elements() const { return std::size_t(side) * pitch(); }

  KOKKOS_FUNCTION int rows_from(std::int64_t r) const { return int(Kokkos::min<std::int64_t>(side, rows - r)); }
  KOKKOS_FUNCTION int columns_from(std::int64_t c) const { return int(Kokkos::min<std::int64_t>(side, columns - c)); }
};

template <class T>
struct PortableTranspose {
  TransposeWork<T> work;
  TileGrid grid;
  int scratch_level;

  /// Calls body(r, c) for the elements of a tile, c fastest.
  template <class Member, class Body>
  KOKKOS_FUNCTION static void for_each_element(Member const& team, int rows, int columns, Body const& body) {
    for_each_in_team(team, rows * columns, [&](int i) { body(i / columns, i % columns); });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, NoUpdate&) const {
    if (work.is_in_place()) swap(team);
    else move(team, [](std::int64_t, T const&) {});
  }

  KOKKOS_FUNCTION std::int64_t tiles() const { return grid.tiles() * work.batch.size(); }

  Teams teams(int max_threads) const { return {tiles(), max_threads, scratch_level, bytes() + alignof(T)}; }

  /// A tile: its matrix and first element.
  struct Place {
    std::int64_t b, r, c;
  };

  KOKKOS_FUNCTION Place place(std::int64_t piece) const {
    std::int64_t const tile = piece % grid.tiles();
    return {piece / grid.tiles(), tile / grid.tiles_across() * grid.side, tile % grid.tiles_across() * grid.side};
  }

  template <class Member>
  KOKKOS_FUNCTION T* scratch(Member const& team) const {
    return static_cast<T*>(team.team_scratch(scratch_level).get_shmem_aligned(bytes(), alignof(T)));
  }

  /// Calls sink(offset, element) for every element, once, with its distance from `work.to`.
  template <class Member, class Sink>
  KOKKOS_FUNCTION void move(Member const& team, Sink const& sink) const {
    T* const shared = scratch(team);
    for_each_piece(team, tiles(), [&](std::int64_t piece) { move_tile(team, place(piece), shared, sink); });
  }

  template <class Member, class Sink>
  KOKKOS_FUNCTION void move_tile(Member const& team, Place const& tile, T* shared, Sink const& sink) const {
    int const pitch = grid.pitch(), m = grid.rows_from(tile.r), n = grid.columns_from(tile.c);
    std::int64_t const from = work.from_offset(tile.b, tile.r, tile.c), to = work.to_offset(tile.b, tile.r, tile.c);
    for_each_element(team, m, n, [&](int r, int c) { shared[r * pitch + c] = work.from[from + work.from_at(r, c)]; });
    team.team_barrier();
    for_each_element(team, n, m, [&](int c, int r) {
      std::int64_t const offset = to + work.to_at(r, c);
      T const element           = shared[r * pitch + c];
      work.to[offset]           = element;
      sink(offset, element);
    });
    team.team_barrier();  // before the next tile uses the scratch memory
  }

  /// In place: one team swaps a tile with its mirror image.
  template <class Member>
  KOKKOS_FUNCTION void swap(Member const& team) const {
    T* const shared = scratch(team);
    for_each_piece(team, tiles(), [&](std::int64_t piece) {
      Place const tile = place(piece);
      if (tile.r <= tile.c) swap_tiles(team, tile, shared);
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void swap_tiles(Member const& team, Place const& tile, T* shared) const {
    std::int64_t const first = work.batch.from(tile.b), r0 = tile.r, c0 = tile.c;
    int const m = grid.rows_from(r0), n = grid.columns_from(c0), pitch = grid.pitch();
    T* const mirrored = shared + grid.elements();
    for_each_element(team, m, n,
                     [&](int r, int c) { shared[r * pitch + c] = work.from[first + work.from_at(r0 + r, c0 + c)]; });
    for_each_element(team, n, m,
                     [&](int c, int r) { mirrored[c * pitch + r] = work.from[first + work.from_at(c0 + c, r0 + r)]; });
    team.team_barrier();
    for_each_element(team, m, n,
                     [&](int r, int c) { work.to[first + work.from_at(r0 + r, c0 + c)] = mirrored[c * pitch + r]; });
    if (r0 != c0)
      for_each_element(team, n, m,
                       [&](int c, int r) { work.to[first + work.from_at(c0 + c, r0 + r)] = shared[r * pitch + c]; });
    team.team_barrier();  // before the next tiles use the scratch memory
  }

  KOKKOS_FUNCTION std::size_t bytes() const {
    return sizeof(T) * grid.side * grid.pitch() * (work.is_in_place() ? 2 : 1);
  }
};

/// The largest tile that fits, in level-0 scratch if any does.
template <class Exec, class T>
PortableTranspose<T> choose_tile(Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  Kokkos::TeamPolicy<Exec> const probe(exec, 1, 1);
  PortableTranspose<T> kernel{work, {work.rows, work.columns, 0}, 0};
  for (int level = 0; level < 2; ++level)
    for (int side = 32; side > 0; side /= 2) {
      kernel.grid.side     = side;
      kernel.scratch_level = level;
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
  run_teams(Tag{}, exec, kernel_label(Tag{}, label), kernel.teams(team_threads<Exec>(256)), kernel, none);
}

/// Copies rows, or pieces of long rows, each by the threads of a team or the vector lanes of a thread.
template <class T>
struct CopyRows {
  static constexpr std::int64_t piece = 4096;

  CopyWork<T> work;

  KOKKOS_FUNCTION std::int64_t pieces_in_row() const { return (work.columns + piece - 1) / piece; }
  KOKKOS_FUNCTION std::int64_t pieces() const { return work.batch.size() * work.rows * pieces_in_row(); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, NoUpdate&) const {
    std::int64_t const threads = std::int64_t(team.league_size()) * team.team_size();
    for (auto i = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank(); i < pieces(); i += threads)
      copy(team, i);
  }

  template <class Member>
  KOKKOS_FUNCTION void copy(Member const& team, std::int64_t i) const {
    std::int64_t const c = i % pieces_in_row() * piece, r = i / pieces_in_row() % work.rows,
                       b         = i / pieces_in_row() / work.rows;
    T const* const from          = work.from + work.from_offset(b, r, c);
    T* const to                  = work.to + work.to_offset(b, r, c);
    std::int64_t const from_step = work.from_at.column, to_step = work.to_at.column;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, int(Kokkos::min<std::int64_t>(+piece, work.columns - c))),
                         [&](int k) { to[k * to_step] = from[k * from_step]; });
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
  CopyRows<T> const kernel{work};
  int const threads = team_threads<Exec>(8);
  int const vector  = team_threads<Exec>(std::min(Kokkos::TeamPolicy<Exec>::vector_length_max(), 32));
  NoResult none;
  run_teams(Tag{}, exec, kernel_label(Tag{}, label),
            Teams{(kernel.pieces() + threads - 1) / threads, threads, 0, 0, vector}, kernel, none);
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
