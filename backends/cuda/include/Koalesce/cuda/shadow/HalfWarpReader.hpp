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
/// that was read is filled again as soon as its lanes meet before the next one, so that they meet once per tile.
template <class T, int Ahead, int Rows>
class HalfWarpReader<Kokkos::Cuda, T, Ahead, Rows> {
  using Tile = CudaBackend::HalfWarpTileShape<T, Rows>;

  static constexpr int side    = Tile::side;
  static constexpr int columns = Tile::columns;
  static constexpr int tiles   = Tile::copies_ahead ? Ahead + 1 : 1;

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
    using From     = CudaBackend::HalfWarpRows<T, Matrix, Rows>;
    using Call     = HalfWarpCall<T, Vector>;
    int const rank = team.team_rank(), lane = rank % side, full = team.team_size() / side * side;
    std::int64_t const top = row + rank / side * Rows, rows = a.extent(0);
    T* const ring = scratch + rank / side * elements;
    int m         = int(min(max(rows - top, std::int64_t(0)), std::int64_t(Rows)));
    if (rank >= full) {  // the last lanes are no full half-warp: each reads its rows by itself
#pragma unroll 1
      for (int r = lane; r < m; r += team.team_size() - full)
#pragma unroll 1
        for (std::int64_t c = begin; c < end; ++c) Call::at(f, top + r, c, T(a(top + r, c)), x);
      m = 0;
    }
#pragma unroll 1
    for (; begin < end; begin += From::max_columns) {
      From const from(a, top, m, lane, begin, int(min(end - begin, +From::max_columns)));
      CudaBackend::HalfWarpVector<T, Vector> const vector(x, begin, lane);
      auto const fill = [&](int position, T* tile) {
        if (from.is_whole(position)) {
          from.copy_whole(position, tile);
          if constexpr (has_vector<Vector>) from.copy_whole_vector(vector, position, tile + Tile::vector);
        } else {
          from.copy(position, tile);
          if constexpr (has_vector<Vector>) from.copy_vector(vector, position, tile + Tile::vector);
        }
        CudaBackend::commit_copies();
      };
      __syncwarp();  // all lanes have read what was put into the ring before
#pragma unroll 1
      for (int t = 0; t < tiles - 1; ++t) fill(t * columns, ring + t * Tile::size);
      int tile = 0, last = (tiles - 1) * Tile::size;  // the last tile was read by all lanes at the next __syncwarp()
#pragma unroll 1
      for (int position = 0; position < from.positions(); position += columns) {
        if constexpr (tiles > 1) CudaBackend::wait_for_copies<tiles - 2>();
        __syncwarp();
        fill(position + (tiles - 1) * columns, ring + last);
        if constexpr (tiles == 1) {
          CudaBackend::wait_for_copies<0>();
          __syncwarp();
        }
        if (lane < m)
          consume<Vector>(from, ring + tile, position, [&](int c, T const& element, T const& x_j) {
            Call::with(f, top + lane, begin + (position + c - from.skew()), element, x_j);
          });
        last = tile;
        tile = tile < (tiles - 1) * Tile::size ? tile + Tile::size : 0;
      }
    }
  }

  /// Calls call(c, element, x) for the lane's elements of a tile, those of places c in its row.
  template <class Vector, class From, class Call>
  __device__ __forceinline__ static void consume(From const& from, T const* tile, int position, Call const& call) {
    T const *const row = tile + from.lane() * Tile::pitch, *const vector = tile + Tile::vector + side - from.skew();
    if constexpr (Tile::fits_registers) {
      if (from.has_all(position)) {
#pragma unroll(columns < 4 * side ? columns / side : 4)
        for (int first = 0; first < columns; first += side) {
          T value[side], x[side];
          Tile::load(row + first, value);
          if constexpr (has_vector<Vector>) {
            if (from.is_skewed()) {
#pragma unroll
              for (int c = 0; c < side; ++c) x[c] = vector[first + c];
            } else {
              Tile::load(vector + first, x);
            }
          }
#pragma unroll
          for (int c = 0; c < side; ++c) call(first + c, value[c], x[c]);
        }
        return;
      }
    }
#pragma unroll 1
    for (int c = 0; c < columns; ++c)
      if (from.has(position + c)) call(c, row[c], vector[c]);
  }
};

}  // namespace Koalesce::Impl

#endif
