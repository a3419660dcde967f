// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_HALF_WARP_EXCHANGE_HPP
#define KOALESCE_CUDA_SHADOW_HALF_WARP_EXCHANGE_HPP

#include <Koalesce/shadow/HalfWarp.hpp>
#include <Koalesce/shadow/impl/HalfWarpExchange.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl {

/// Transposes 16 x 16 registers by four exchanges of half of the registers each, with the lanes at distance 8, 4, 2 and
/// 1.
template <class T>
struct HalfWarpExchange<Kokkos::Cuda, T> {
  static constexpr bool exists = std::is_arithmetic_v<T>;
  static constexpr int side    = HalfWarp::size;

  template <class Member, class View, class F>
  KOKKOS_FUNCTION static void read(Member const& team, View const& a, std::int64_t row, std::int64_t column,
                                   int columns, F const& f) {
    KOKKOS_IF_ON_DEVICE((read_by_shuffles(team, a, row, column, columns, f);))
    KOKKOS_IF_ON_HOST(((void)team; (void)a; (void)row; (void)column; (void)columns; (void)f;))
  }

 private:
  template <class Member, class View, class F>
  __device__ static void read_by_shuffles(Member const& team, View const& a, std::int64_t row, std::int64_t column,
                                          int n, F const& f) {
    int const lane         = team.team_rank() % side;
    int const full         = team.team_size() / side * side;
    std::int64_t const top = row + team.team_rank() - lane, rows = a.extent(0);
    if (team.team_rank() >= full) {  // the last lanes are no full half-warp: each reads its rows by itself
      for (int r = lane; r < side && top + r < rows; r += team.team_size() - full)
        for (int c = 0; c < n; ++c) f(top + r, column + c, T(a(top + r, column + c)));
      return;
    }
    unsigned const half = 0xffffu << (team.team_rank() & side);
    T value[side];
#pragma unroll
    for (int r = 0; r < side; ++r) value[r] = top + r < rows && lane < n ? T(a(top + r, column + lane)) : T{};
#pragma unroll
    for (int away = side / 2; away > 0; away /= 2) {
      bool const upper = lane & away;
#pragma unroll
      for (int i = 0; i < side; ++i) {
        if (i & away) continue;
        T const given = upper ? value[i] : value[i + away];
        T const taken = __shfl_xor_sync(half, given, away);
        if (upper) value[i] = taken;
        else value[i + away] = taken;
      }
    }
    if (top + lane >= rows) return;
#pragma unroll
    for (int c = 0; c < side; ++c)
      if (c < n) f(top + lane, column + c, value[c]);
  }
};

}  // namespace Koalesce::Impl

#endif
