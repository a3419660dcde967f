// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_TRANSPOSE_HPP
#define KOALESCE_PORTABLE_TRANSPOSE_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/Error.hpp>
#include <Koalesce/impl/TransposeWork.hpp>

#include <algorithm>
#include <string>

/// Transposition through a padded tile in scratch memory, on TeamPolicy alone.
namespace Koalesce::Impl {

/// A matrix cut into square tiles. The tile in scratch memory has one column more: the elements of a column then lie in
/// different banks of the memory.
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
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * columns), [&](int i) { body(i / columns, i % columns); });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (work.is_in_place()) swap(team);
    else move(team, [](std::int64_t, T const&) {});
  }

  std::int64_t teams() const { return grid.tiles() * work.batch; }

  KOKKOS_FUNCTION std::size_t scratch_bytes() const { return bytes() + alignof(T); }

  /// The team's tile: its matrix and first element.
  struct Place {
    std::int64_t b, r, c;
  };

  template <class Member>
  KOKKOS_FUNCTION Place place(Member const& team) const {
    std::int64_t const tile = team.league_rank() % grid.tiles();
    return {team.league_rank() / grid.tiles(), tile / grid.tiles_across() * grid.side,
            tile % grid.tiles_across() * grid.side};
  }

  template <class Member>
  KOKKOS_FUNCTION T* scratch(Member const& team) const {
    return static_cast<T*>(team.team_scratch(scratch_level).get_shmem_aligned(bytes(), alignof(T)));
  }

  /// Calls sink(offset, element) for every element, once, with its distance from `work.to`.
  template <class Member, class Sink>
  KOKKOS_FUNCTION void move(Member const& team, Sink const& sink) const {
    auto const [b, r0, c0] = place(team);
    T* const shared        = scratch(team);
    int const pitch = grid.pitch(), m = grid.rows_from(r0), n = grid.columns_from(c0);
    std::int64_t const from = work.from_at(b, r0, c0), to = work.to_at(b, r0, c0);
    for_each_element(team, m, n,
                     [&](int r, int c) { shared[r * pitch + c] = work.from[from + work.from_at(0, r, c)]; });
    team.team_barrier();
    for_each_element(team, n, m, [&](int c, int r) {
      std::int64_t const offset = to + work.to_at(0, r, c);
      T const element           = shared[r * pitch + c];
      work.to[offset]           = element;
      sink(offset, element);
    });
    team.team_barrier();  // before the next team's tile takes the scratch memory
  }

  /// Two tiles that mirror each other change places; each pair has one team.
  template <class Member>
  KOKKOS_FUNCTION void swap(Member const& team) const {
    // Clang before 16 captures no structured bindings.
    Place const first    = place(team);
    std::int64_t const b = first.b, r0 = first.r, c0 = first.c;
    if (r0 > c0) return;
    T* const shared = scratch(team);
    int const m = grid.rows_from(r0), n = grid.columns_from(c0), pitch = grid.pitch();
    T* const mirrored = shared + grid.elements();
    for_each_element(team, m, n,
                     [&](int r, int c) { shared[r * pitch + c] = work.from[work.from_at(b, r0 + r, c0 + c)]; });
    for_each_element(team, n, m,
                     [&](int c, int r) { mirrored[c * pitch + r] = work.from[work.from_at(b, c0 + c, r0 + r)]; });
    team.team_barrier();
    for_each_element(team, m, n,
                     [&](int r, int c) { work.to[work.from_at(b, r0 + r, c0 + c)] = mirrored[c * pitch + r]; });
    if (r0 == c0) return;
    for_each_element(team, n, m,
                     [&](int c, int r) { work.to[work.from_at(b, c0 + c, r0 + r)] = shared[r * pitch + c]; });
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
      bool const fits      = kernel.bytes() + alignof(T) <= std::size_t(probe.scratch_size_max(level));
      if (fits && kernel.teams() < (std::int64_t(1) << 31)) return kernel;
    }
  fail("Koalesce::" + label, "elements of ", sizeof(T), " bytes do not fit into the scratch memory of ", Exec::name(),
       ", which has ", probe.scratch_size_max(0), " bytes at level 0 and ", probe.scratch_size_max(1),
       " at level 1; use smaller elements");
}

template <RunsPortable Tag, class Exec, class T>
void run_transpose(Tag, Exec const& exec, std::string const& label, TransposeWork<T> const& work) {
  auto const kernel  = choose_tile(exec, label, work);
  int const league   = int(kernel.teams());
  auto const scratch = Kokkos::PerTeam(int(kernel.scratch_bytes()));
  Kokkos::TeamPolicy<Exec> policy(exec, league, 1);
  policy.set_scratch_size(kernel.scratch_level, scratch);
  int const most = policy.team_size_max(kernel, Kokkos::ParallelForTag());
  policy         = Kokkos::TeamPolicy<Exec>(exec, league, Backend::on_host<Exec> ? 1 : std::min(most, 256));
  policy.set_scratch_size(kernel.scratch_level, scratch);
  Kokkos::parallel_for(kernel_label(Tag{}, label), policy, kernel);
}

/// Rows, or pieces of long ones, each moved by the threads of a team or the vector lanes of a thread.
template <class T>
struct CopyRows {
  static constexpr std::int64_t piece = 4096;

  CopyWork<T> work;

  std::int64_t pieces() const { return (work.columns + piece - 1) / piece; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const pieces = (work.columns + piece - 1) / piece;
    std::int64_t const item   = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (item >= work.batch * work.rows * pieces) return;
    std::int64_t const c = item % pieces * piece, r = item / pieces % work.rows, b = item / pieces / work.rows;
    T const* const from          = work.from + work.from_at(b, r, c);
    T* const to                  = work.to + work.to_at(b, r, c);
    std::int64_t const from_step = work.from_at.column, to_step = work.to_at.column;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, int(Kokkos::min<std::int64_t>(+piece, work.columns - c))),
                         [&](int i) { to[i * to_step] = from[i * from_step]; });
  }
};

/// One contiguous block is Kokkos' own business.
template <RunsPortable Tag, class Exec, class T>
void run_transpose(Tag, Exec const& exec, std::string const& label, CopyWork<T> const& work) {
  using Memory = typename Exec::memory_space;
  if (work.rows == 1 && work.batch == 1 && work.from_at.column <= 1 && work.to_at.column <= 1) {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(exec, Kokkos::View<T*, Memory, Unmanaged>(work.to, work.columns),
                      Kokkos::View<T const*, Memory, Unmanaged>(work.from, work.columns));
    return;
  }
  CopyRows<T> const kernel{work};
  int const rows_a_team    = Backend::on_host<Exec> ? 1 : 8;
  std::int64_t const items = work.batch * work.rows * kernel.pieces();
  int const vector         = Kokkos::TeamPolicy<Exec>::vector_length_max();
  Kokkos::TeamPolicy<Exec> const policy(exec, int((items + rows_a_team - 1) / rows_a_team), rows_a_team,
                                        Backend::on_host<Exec> ? 1 : std::min(vector, 32));
  Kokkos::parallel_for(kernel_label(Tag{}, label), policy, kernel);
}

}  // namespace Koalesce::Impl

#endif
