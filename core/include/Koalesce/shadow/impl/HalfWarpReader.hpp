// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_HALF_WARP_READER_HPP
#define KOALESCE_SHADOW_IMPL_HALF_WARP_READER_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/shadow/HalfWarp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl {

/// Takes the place of the vector along the columns where there is none.
struct NoVector {};

template <class Vector>
inline constexpr bool has_vector = !std::is_same_v<Vector, NoVector>;

/// Calls of the user's functor: f(i, j, a(i, j)), or f(i, j, a(i, j), x(j)).
template <class T, class Vector>
struct HalfWarpCall {
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void with(F const& f, std::int64_t i, std::int64_t j, T const& element,
                                               T const& x) {
    if constexpr (has_vector<Vector>) f(i, j, element, x);
    else f(i, j, element);
  }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void at(F const& f, std::int64_t i, std::int64_t j, T const& element,
                                             Vector const& x) {
    if constexpr (has_vector<Vector>) f(i, j, element, T(x(j)));
    else f(i, j, element);
  }
};

/// How HalfWarpTile reads: `elements` of T in scratch memory for each half-warp, aligned to `alignment` bytes, and
/// read(team, scratch, a, x, row, begin, end, f), where x may be NoVector. A backend may specialize it for its
/// execution space.
///
/// A tile has `Rows` rows and as many columns as make 256 elements.
///
/// Here the team's threads wait for each other before and after each tile. A CPU thread is a half-warp of its own, and
/// its rows pass through the stack.
template <class Exec, class T, int Ahead, int Rows>
class HalfWarpReader {
  static constexpr bool on_host = Backend::on_host<Exec>;
  static constexpr int lanes    = HalfWarp::size;
  static constexpr int columns  = lanes * lanes / Rows;
  static constexpr int pitch    = columns + 1;  // keeps a tile's columns out of each other's banks

 public:
  static constexpr int elements  = on_host ? 0 : Rows * pitch;
  static constexpr int alignment = int(alignof(T));

  template <class Member, class Matrix, class Vector, class F>
  KOKKOS_FUNCTION static void read(Member const& team, T* scratch, Matrix const& a, Vector const& x, std::int64_t row,
                                   std::int64_t begin, std::int64_t end, F const& f) {
    auto const call = [&](std::int64_t i, std::int64_t j, T const& element) {
      HalfWarpCall<T, Vector>::at(f, i, j, element, x);
    };
    for (std::int64_t column = begin; column < end; column += columns) {
      int const n = int(Kokkos::min<std::int64_t>(+columns, end - column));
      if constexpr (on_host) read_run(a, row + std::int64_t(team.team_rank()) * Rows, column, n, call);
      else read_by_scratch(team, scratch, a, row, column, n, call);
    }
  }

 private:
  template <class View, class F>
  KOKKOS_FUNCTION static void read_run(View const& a, std::int64_t row, std::int64_t column, int n, F const& f) {
    T tile[columns][Rows];
    int const m = int(Kokkos::min<std::int64_t>(+Rows, std::int64_t(a.extent(0)) - row));
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < n; ++c) tile[c][r] = a(row + r, column + c);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < m; ++r) f(row + r, column + c, tile[c][r]);
  }

  template <class Member, class View, class F>
  KOKKOS_FUNCTION static void read_by_scratch(Member const& team, T* scratch, View const& a, std::int64_t row,
                                              std::int64_t column, int n, F const& f) {
    int const lane = team.team_rank() % lanes, half_warp = team.team_rank() / lanes;
    int const count         = Kokkos::min(+lanes, team.team_size() - half_warp * lanes);
    std::int64_t const top  = row + half_warp * Rows;
    std::int64_t const rows = a.extent(0);
    T* const tile           = scratch + half_warp * elements;
    for (int r = 0; r < Rows && top + r < rows; ++r)
      for (int c = lane; c < n; c += count) tile[r * pitch + c] = a(top + r, column + c);
    team.team_barrier();
    for (int c = 0; c < n; ++c)
      for (int r = lane; r < Rows && top + r < rows; r += count) f(top + r, column + c, tile[r * pitch + c]);
    team.team_barrier();
  }
};

}  // namespace Koalesce::Impl

#endif
