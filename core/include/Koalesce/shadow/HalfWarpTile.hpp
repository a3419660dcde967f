// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_HALF_WARP_TILE_HPP
#define KOALESCE_SHADOW_HALF_WARP_TILE_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/shadow/HalfWarp.hpp>
#include <Koalesce/shadow/impl/HalfWarpReader.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koalesce {

/// \brief Reads a row-major matrix by column inside a kernel of the user's own: coalesced, though its rows are
/// contiguous.
///
/// Half-warp h of a team takes the rows from 16 h below the first one, in tiles of 16 x 16. Its lanes read a tile row
/// by row, coalesced, and receive it column by column: the lane of row r gets (r, c), (r, c + 1), ... one after the
/// other, while its neighbors get the rows around r. So neighboring lanes work on one column, as threads do that go
/// down it; where rows begin anywhere in memory, on columns that are less than 16 apart.
///
/// A matrix of few rows makes few half-warps, which leave a device idle. With fewer `Rows` there are more, whose tiles
/// have as many elements: of 4 rows and 64 columns, say. All lanes of a half-warp read, and its first ones get a row
/// each.
///
/// A tile passes through scratch memory in which its rows are longer than it has columns, which keeps its columns out
/// of each other's banks (L. Wang, X. Shi, Y. Chang: "Method and device for accessing global memory", Chinese patent
/// application, 2016). On CUDA a half-warp waits for no other one, and copies some tiles ahead of the one it works on,
/// asynchronously: elements of 1, 2, 4, 8 or 16 bytes that lie side by side in a row, and others of up to 16 bytes
/// whose alignment is at least 4. On a CPU, each thread is a half-warp of its own: its rows pass through
/// the stack.
///
///     using Tile = HalfWarpTile<double>;
///     TeamPolicy<> policy(teams, Tile::recommended_team_size());
///     policy.set_scratch_size(0, PerTeam(Tile::scratch_size(policy.team_size())));
///     ...
///     Tile const tile(team);
///     tile.read(team, a, x, row, 0, columns, [&](auto i, auto j, double a_ij, double x_j) { sum += a_ij * x_j; });
///
/// \tparam T     element type, trivially copyable and with a default constructor.
/// \tparam Exec  the execution space of the team.
/// \tparam Ahead how many tiles a half-warp copies ahead on CUDA, at least 1; each takes scratch memory.
/// \tparam Rows  of a half-warp: 16, 8, 4 or 2.
template <class T, class Exec = Kokkos::DefaultExecutionSpace, int Ahead = 5, int Rows = HalfWarp::size>
class HalfWarpTile {
  static_assert(std::is_trivially_copyable_v<T>,
                "Koalesce: HalfWarpTile copies elements as bytes; use a trivially copyable type");
  static_assert(std::is_default_constructible_v<T>,
                "Koalesce: HalfWarpTile keeps elements in arrays, so they must have a default constructor");
  static_assert(Ahead >= 1, "Koalesce: HalfWarpTile copies at least 1 tile ahead");

  static_assert(Rows == 16 || Rows == 8 || Rows == 4 || Rows == 2,
                "Koalesce: a half-warp of HalfWarpTile takes 16, 8, 4 or 2 rows; use one of these numbers");

  using Reader = Impl::HalfWarpReader<Exec, T, Ahead, Rows>;

 public:
  static constexpr int tile_rows    = Rows;                                    ///< of a half-warp
  static constexpr int tile_columns = HalfWarp::size * HalfWarp::size / Rows;  ///< 16 for 16 rows, 64 for 4

  /// Whether the team's threads are CPU threads, each of which is a half-warp of its own.
  static constexpr bool on_host = Backend::on_host<Exec>;

  /// Scratch memory for a team of so many threads, in bytes.
  KOKKOS_FUNCTION static std::size_t scratch_size(int team_size) {
    return Reader::elements > 0 ? bytes(team_size) + Reader::alignment : 0;
  }

  /// A CPU thread is a team of its own. Otherwise as many threads as have scratch memory in the 40 KiB that Kokkos
  /// gives a team everywhere, up to 128: one large team is as fast as some small ones, or faster.
  static int recommended_team_size() {
    int threads = on_host ? 1 : 128;
    while (threads > HalfWarp::size && scratch_size(threads) > 40 * 1024) threads /= 2;
    return threads;
  }

  /// Tiles that a team of so many threads reads at a time: one per half-warp.
  KOKKOS_FUNCTION static int half_warps(int team_size) {
    return on_host ? team_size : (team_size + HalfWarp::size - 1) / HalfWarp::size;
  }

  /// Rows that a call of read() covers.
  KOKKOS_FUNCTION static int rows(int team_size) { return half_warps(team_size) * Rows; }

  /// The row whose elements read() gives to a thread of a full half-warp, on a CPU the first of its rows; -1 if the
  /// thread gets none, as the lanes after the first `Rows` do.
  /// \param[in] team_rank of the thread.
  /// \param[in] row       the team's first one.
  KOKKOS_FUNCTION static std::int64_t first_row(int team_rank, std::int64_t row) {
    if (on_host) return row + std::int64_t(team_rank) * Rows;
    int const lane = team_rank % HalfWarp::size;
    return lane < Rows ? row + team_rank / HalfWarp::size * Rows + lane : -1;
  }

  /// All threads of the team make one, once. The kernel aborts where level 0 has less scratch memory than
  /// scratch_size().
  /// \param[in] team of vector length 1.
  template <class Member>
  KOKKOS_FUNCTION explicit HalfWarpTile(Member const& team) {
    if constexpr (Reader::elements > 0) {
      m_scratch = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(bytes(team.team_size()), +Reader::alignment));
      if (m_scratch == nullptr)
        Kokkos::abort(
            "Koalesce::HalfWarpTile: there is not enough scratch memory; each half-warp keeps its tiles there, so add "
            "HalfWarpTile::scratch_size(team_size) bytes to the policy's set_scratch_size(0, Kokkos::PerTeam(...))");
    }
  }

  /// \brief Calls f(i, j, a(i, j)) for rows(team_size) rows from `row` on and the columns from `begin` to before `end`,
  /// as far as they lie in the matrix; once per element, on the thread of its row, columns in order.
  ///
  /// All threads of the team call it, with the same arguments. The team's vector length is 1. Where a team's last
  /// threads are fewer than 16, they share a half-warp's rows. A View of scratch memory must have that memory space. f
  /// must not write elements of `a`, as some may have been copied already.
  template <class Member, class Matrix, class F>
  KOKKOS_FUNCTION void read(Member const& team, Matrix const& a, std::int64_t row, std::int64_t begin, std::int64_t end,
                            F const& f) const {
    Reader::read(team, m_scratch, a, Impl::NoVector(), row, begin, columns_end(a, end), f);
  }

  /// \brief The same with a vector along the columns: f(i, j, a(i, j), x(j)). Its elements come with the tiles, so that
  /// f need not wait for them.
  ///
  /// `x` has rank 1, elements of T, and one for each column up to the last one that is read.
  template <class Member, class Matrix, class Vector, class F>
  KOKKOS_FUNCTION void read(Member const& team, Matrix const& a, Vector const& x, std::int64_t row, std::int64_t begin,
                            std::int64_t end, F const& f) const {
    Reader::read(team, m_scratch, a, x, row, begin, columns_end(a, end), f);
  }

 private:
  KOKKOS_FUNCTION static std::size_t bytes(int team_size) {
    return std::size_t(half_warps(team_size)) * Reader::elements * sizeof(T);
  }

  template <class Matrix>
  KOKKOS_FUNCTION static std::int64_t columns_end(Matrix const& a, std::int64_t end) {
    return Kokkos::min(end, std::int64_t(a.extent(1)));
  }

  T* m_scratch = nullptr;
};

}  // namespace Koalesce

#endif
