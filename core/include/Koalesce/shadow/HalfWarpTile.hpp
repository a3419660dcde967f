// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_HALF_WARP_TILE_HPP
#define KOALESCE_SHADOW_HALF_WARP_TILE_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/shadow/HalfWarp.hpp>
#include <Koalesce/shadow/impl/HalfWarpExchange.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce {

/// \brief Reads a row-major matrix by column inside a kernel of the user's own: coalesced, though its rows are
/// contiguous.
///
/// Half-warp h of a team takes the 16 x 16 tile whose rows begin 16 h below the first one. Its lanes read the tile row
/// by row, coalesced, and receive it column by column: the lane of row r gets (r, c), (r, c + 1), ... one after the
/// other, while its neighbors get the rows around r. So neighboring lanes work on one column, as threads do that go
/// down it.
///
/// The tile passes through (16 + 1) x 16 elements of scratch memory per half-warp; the one column more keeps its
/// columns out of each other's banks (L. Wang, X. Shi, Y. Chang: "Method and device for accessing global memory",
/// Chinese patent application, 2016). On CUDA, the tile needs no scratch memory: the 16 lanes exchange their registers
/// by shuffles. On a CPU, each thread is a half-warp of its own: its run of 16 rows passes through the stack.
///
///     HalfWarpTile<double> const tile(team, level);         // scratch: HalfWarpTile<double>::scratch_size(team_size)
///     for (c = 0; c < n; c += 16)
///       tile.read(team, a, first_row, c, [&](std::int64_t i, std::int64_t j, double v) { sum += v * x(j); });
///
/// \tparam T    element type, trivially copyable.
/// \tparam Exec the execution space of the team.
template <class T, class Exec = Kokkos::DefaultExecutionSpace>
class HalfWarpTile {
 public:
  static constexpr int side = HalfWarp::size;  ///< rows and columns of a tile

  /// Whether the team's threads are CPU threads, each of which is a half-warp of its own.
  static constexpr bool on_host = Backend::on_host<Exec>;

  /// Scratch memory for a team of so many threads, in bytes.
  KOKKOS_FUNCTION static std::size_t scratch_size(int team_size) {
    return needs_scratch ? half_warps(team_size) * side * (side + 1) * sizeof(T) + alignof(T) : 0;
  }

  /// Tiles that a team of so many threads reads at a time: one per half-warp.
  KOKKOS_FUNCTION static int half_warps(int team_size) { return on_host ? team_size : (team_size + side - 1) / side; }

  /// Rows that a call of read() covers.
  KOKKOS_FUNCTION static int rows(int team_size) { return half_warps(team_size) * side; }

  /// All threads of the team make one, once.
  /// \param[in] team  the team, of vector length 1.
  /// \param[in] level of the scratch memory that was asked for with scratch_size(). The kernel aborts where it is too
  ///                  little.
  template <class Member>
  KOKKOS_FUNCTION explicit HalfWarpTile(Member const& team, int level = 0) {
    if constexpr (needs_scratch) {
      m_tiles = static_cast<T*>(team.team_scratch(level).get_shmem_aligned(
          half_warps(team.team_size()) * side * (side + 1) * sizeof(T), alignof(T)));
      if (m_tiles == nullptr)
        Kokkos::abort(
            "Koalesce::HalfWarpTile: there is not enough scratch memory; each half-warp keeps its tile there, so add "
            "HalfWarpTile::scratch_size(team_size) bytes to the policy's set_scratch_size(level, "
            "Kokkos::PerTeam(...))");
    } else {
      (void)level;
    }
  }

  /// \brief Calls f(i, j, a(i, j)) for rows(team_size) rows from `row` on and 16 columns from `column` on, as far as
  /// they lie in the matrix; once per element, on the thread of its row, columns in order.
  ///
  /// All threads of the team call it, with the same arguments. The team's vector length is 1.
  template <class Member, class View, class F>
  KOKKOS_FUNCTION void read(Member const& team, View const& a, std::int64_t row, std::int64_t column,
                            F const& f) const {
    if constexpr (on_host) {
      read_run(a, row + std::int64_t(team.team_rank()) * side, column, f);
    } else if constexpr (Exchange::exists) {
      Exchange::read(team, a, row, column, columns_from(a, column), f);
    } else {
      read_by_scratch(team, a, row, column, f);
    }
  }

 private:
  using Exchange = Impl::HalfWarpExchange<Exec, T>;

  static constexpr bool needs_scratch = !on_host && !Exchange::exists;

  /// Columns of the tile at `column` that the matrix has.
  template <class View>
  KOKKOS_FUNCTION static int columns_from(View const& a, std::int64_t column) {
    return int(Kokkos::min<std::int64_t>(+side, std::int64_t(a.extent(1)) - column));
  }

  template <class View, class F>
  KOKKOS_FUNCTION static void read_run(View const& a, std::int64_t row, std::int64_t column, F const& f) {
    T tile[side][side];
    int const m = int(Kokkos::min<std::int64_t>(+side, std::int64_t(a.extent(0)) - row)), n = columns_from(a, column);
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < n; ++c) tile[c][r] = a(row + r, column + c);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < m; ++r) f(row + r, column + c, tile[c][r]);
  }

  template <class Member, class View, class F>
  KOKKOS_FUNCTION void read_by_scratch(Member const& team, View const& a, std::int64_t row, std::int64_t column,
                                       F const& f) const {
    int const lane = team.team_rank() % side, half_warp = team.team_rank() / side, n = columns_from(a, column);
    int const lanes         = Kokkos::min(+side, team.team_size() - half_warp * side);
    std::int64_t const top  = row + half_warp * side;
    std::int64_t const rows = a.extent(0);
    T* const tile           = m_tiles + half_warp * side * (side + 1);
    for (int r = 0; r < side && top + r < rows; ++r)
      for (int c = lane; c < n; c += lanes) tile[r * (side + 1) + c] = a(top + r, column + c);
    team.team_barrier();
    for (int c = 0; c < n; ++c)
      for (int r = lane; r < side && top + r < rows; r += lanes) f(top + r, column + c, tile[r * (side + 1) + c]);
    team.team_barrier();
  }

  T* m_tiles = nullptr;
};

}  // namespace Koalesce

#endif
