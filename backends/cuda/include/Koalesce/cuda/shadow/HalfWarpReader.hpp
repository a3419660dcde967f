// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_HALF_WARP_READER_HPP
#define KOALESCE_CUDA_SHADOW_HALF_WARP_READER_HPP

#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/cuda/shadow/HalfWarpRows.hpp>
#include <Koalesce/shadow/HalfWarp.hpp>
#include <Koalesce/shadow/impl/HalfWarpReader.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// A half-warp's tiles are a ring in shared memory: while it works on one, asynchronous copies fill the others. A tile
/// that was read is filled again at once.
template <class T, int Ahead>
class HalfWarpReader<Kokkos::Cuda, T, Ahead> {
  using Tile = CudaBackend::HalfWarpTileShape<T>;

  static constexpr int side  = Tile::side;
  static constexpr int tiles = Tile::copies_ahead ? Ahead : 1;

 public:
  static constexpr int elements  = tiles * Tile::size;
  static constexpr int alignment = Tile::alignment;

  template <class Member, class Matrix, class Vector, class F>
  KOKKOS_FUNCTION static void read(Member const& team, T* scratch, Matrix const& a, Vector const& x, std::int64_t row,
                                   std::int64_t begin, std::int64_t end, F const& f) {
    KOKKOS_IF_ON_DEVICE((read_through_ring(team, scratch, a, x, row, begin, end, f);))
    KOKKOS_IF_ON_HOST(((void)team; (void)scratch; (void)a; (void)x; (void)row; (void)begin; (void)end; (void)f;))
  }

 private:
  template <class Member, class Matrix, class Vector, class F>
  __device__ static void read_through_ring(Member const& team, T* scratch, Matrix const& a, Vector const& x,
                                           std::int64_t row, std::int64_t begin, std::int64_t end, F const& f) {
    using Rows     = CudaBackend::HalfWarpRows<T, Matrix>;
    using Call     = HalfWarpCall<T, Vector>;
    int const rank = team.team_rank(), lane = rank % side, full = team.team_size() / side * side;
    std::int64_t const top = row + rank - lane, rows = a.extent(0);
    T* const ring = scratch + rank / side * elements;
    int m         = int(min(max(rows - top, std::int64_t(0)), std::int64_t(side)));
    if (rank >= full) {  // the last lanes are no full half-warp: each reads its rows by itself
#pragma unroll 1
      for (int r = lane; r < m; r += team.team_size() - full)
#pragma unroll 1
        for (std::int64_t c = begin; c < end; ++c) Call::at(f, top + r, c, T(a(top + r, c)), x);
      m = 0;
    }
#pragma unroll 1
    for (; begin < end; begin += Rows::max_columns) {
      Rows const from(a, top, m, lane, begin, int(min(end - begin, +Rows::max_columns)));
      CudaBackend::HalfWarpVector<T, Vector> const vector(x, begin, lane);
      auto const fill = [&](int position, T* tile) {
        from.copy(position, tile);
        if constexpr (has_vector<Vector>) from.copy_vector(vector, position, tile + Tile::vector);
        CudaBackend::commit_copies();
      };
      __syncwarp();  // all lanes have read what was put into the ring before
#pragma unroll 1
      for (int t = 0; t < tiles; ++t) fill(t * side, ring + t * Tile::size);
      T* tile = ring;
#pragma unroll 1
      for (int position = 0; position < from.positions(); position += side) {
        CudaBackend::wait_for_copies<tiles - 1>();
        __syncwarp();
        auto const refill = [&] {
          __syncwarp();
          fill(position + tiles * side, tile);
        };
        consume<Vector>(from, tile, position, refill, lane < m, [&](int c, T const& element, T const& x_j) {
          Call::with(f, top + lane, begin + (position + c - from.skew()), element, x_j);
        });
        tile = tile < ring + (tiles - 1) * Tile::size ? tile + Tile::size : ring;
      }
    }
  }

  /// Calls call(c, element, x) for the lane's elements of a tile, those of places c in its row.
  /// \param[in] refill fills the tile again; all lanes call it once they have read it.
  /// \param[in] mine   whether there is such a row.
  template <class Vector, class Rows, class Refill, class Call>
  __device__ __forceinline__ static void consume(Rows const& from, T const* tile, int position, Refill const& refill,
                                                 bool mine, Call const& call) {
    T const *const row = tile + from.lane() * Tile::pitch, *const vector = tile + Tile::vector + side - from.skew();
    if constexpr (Tile::fits_registers) {
      if (from.has_all(position)) {
        T value[side], x[side];
        Tile::load(row, value);
        if constexpr (has_vector<Vector>) {
          if (from.is_skewed()) {
#pragma unroll
            for (int c = 0; c < side; ++c) x[c] = vector[c];
          } else {
            Tile::load(vector, x);
          }
        }
        refill();
        if (!mine) return;
#pragma unroll
        for (int c = 0; c < side; ++c) call(c, value[c], x[c]);
        return;
      }
    }
#pragma unroll 1
    for (int c = 0; mine && c < side; ++c)
      if (from.has(position + c)) call(c, row[c], vector[c]);
    refill();
  }
};

}  // namespace Koalesce::Impl

#endif
