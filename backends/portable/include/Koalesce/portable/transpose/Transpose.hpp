// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_PORTABLE_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/portable/runtime/Teams.hpp>
#include <Koalesce/portable/transpose/Tiles.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// Transposition through a padded tile in scratch memory, on TeamPolicy alone.
namespace Koalesce::Impl::PortableBackend {

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
    int const pitch = grid.pitch(), m = grid.rows_from(tile.r, work), n = grid.columns_from(tile.c, work);
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
    int const m = grid.rows_from(r0, work), n = grid.columns_from(c0, work), pitch = grid.pitch();
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

/// The largest tile that fits, in level-0 scratch if any does.
/// \param[in] where  where() is what the error begins with.
template <class Exec, class Where, class T>
PortableTranspose<T> choose_tile(Exec const& exec, Where const& where, TransposeWork<T> const& work) {
  Kokkos::TeamPolicy<Exec> const probe(exec, 1, 1);
  for (int level = 0; level < 2; ++level)
    for (int log = log_tile_elements<T>; log >= 0; --log) {
      // In place there are two, and as many rows as columns.
      int const side = std::max(0, log - 1) / 2;
      PortableTranspose<T> const kernel{
          work, work.is_in_place() ? tile_grid(work, 2 * side, side) : tile_grid(work, log, log / 2), level};
      if (kernel.bytes() + alignof(T) <= std::size_t(probe.scratch_size_max(level))) return kernel;
    }
  fail(where(), "elements of ", sizeof(T), " bytes do not fit into the scratch memory of ", Exec::name(),
       ", which has ", probe.scratch_size_max(0), " bytes at level 0 and ", probe.scratch_size_max(1),
       " at level 1; use smaller elements");
}

template <RunsPortable Tag, class Exec, class T>
void run_transpose(Tag, Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  auto const where  = [&] { return "Koalesce::" + label; };
  auto const kernel = choose_tile(exec, where, work);
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
          .read(from, work.from_at, grid.rows_from(tile.r, work), grid.columns_from(tile.c, work),
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
