// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_STENCIL_GRID_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_STENCIL_GRID_HPP

#include <Koalesce/cuda/stencil/StencilTuning.hpp>
#include <Koalesce/cuda/stencil/queue/Pace.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <algorithm>
#include <cmath>

namespace Koalesce::Impl::CudaBackend {

/// How blocks cover the interior: each moves a tile of `tile_y` x `tile_x` points through `chunk` planes. Its threads
/// form rows of `tile_x`. Tiles of stages overlap by the later stages' halos, so they advance by less than their
/// size.
struct StencilGrid {
  int tile_y = 0, tile_x = 0;
  int step_y = 0, step_x = 0;
  std::int64_t tiles_y = 0, tiles_x = 0, chunks = 0;
  int chunk = 0;
  Pace pace;

  /// Threads per block: one per `points` points of the tile, but at least as many as a row of the tile has with its
  /// halo.
  int threads(int points, int rx) const {
    int const needed = std::max(tile_y / points * tile_x, tile_x + 2 * rx + 32);
    return (needed + 31) / 32 * 32;
  }

  KOKKOS_FUNCTION std::int64_t blocks() const { return tiles_x * tiles_y * chunks; }
};

/// The tile of the lowest cost, which counts points beyond the edge, idle threads, halos that are read again, and short
/// rows. Returns tile_y = 0 if none fits.
///
/// \param[in] inner_y, inner_x how much less than its size a tile advances (later stages' halos on both sides).
/// \param[in] ry, rx  radius of the input on either side of a tile.
/// \param[in] bytes   shared memory that a tile of (tile_y, tile_x) needs.
/// \param[in] budget  shared memory that a block may have.
template <class Tuning, class Bytes>
StencilGrid choose_tile(Extents3 const& extents, int inner_y, int inner_x, int ry, int rx, Bytes const& bytes,
                        std::int64_t budget) {
  constexpr int max_x = Tuning::threads / 2;  // leaves threads for a row's halo, see threads()

  StencilGrid best;
  double best_cost = 0;
  for (int x = 32; x <= max_x; x += 8) {
    if (x <= inner_x) continue;
    for (int rows = Tuning::threads / x; rows >= 1; --rows) {
      int const y = rows * Tuning::points;
      if (y <= inner_y || bytes(y, x) > budget) continue;
      StencilGrid grid;
      grid.tile_y  = y;
      grid.tile_x  = x;
      grid.step_y  = y - inner_y;
      grid.step_x  = x - inner_x;
      grid.tiles_y = (extents[1] + grid.step_y - 1) / grid.step_y;
      grid.tiles_x = (extents[2] + grid.step_x - 1) / grid.step_x;

      // Points beyond the edge cause imbalance between blocks; idle threads only hide fewer latencies.
      double const covered = double(grid.tiles_y) * grid.step_y * double(grid.tiles_x) * grid.step_x;
      double const beyond  = covered / (double(extents[1]) * double(extents[2]));
      double const idle    = std::sqrt(double(Tuning::threads * Tuning::points) / (y * x));
      double const reread  = (y + 2. * ry) / grid.step_y * (x + 2 * rx + stencil_row_cost) / grid.step_x;
      double const cost    = beyond * idle * (reread + 1);
      if (best.tile_y == 0 || cost < best_cost) {
        best      = grid;
        best_cost = cost;
      }
    }
  }
  return best;
}

/// Chooses the number of chunks that finishes soonest: every chunk reads `planes_before` additional planes, and an
/// incomplete last wave of blocks leaves SMs idle.
inline void choose_chunks(StencilGrid& grid, std::int64_t planes, int planes_before, std::int64_t resident) {
  std::int64_t const tiles = grid.tiles_x * grid.tiles_y, max_blocks = (std::int64_t(1) << 31) - 1;
  std::int64_t best_time = -1;
  for (std::int64_t chunks = 1; chunks <= std::min(planes, max_stencil_chunks) && tiles * chunks <= max_blocks;
       ++chunks) {
    std::int64_t const chunk = (planes + chunks - 1) / chunks, used = (planes + chunk - 1) / chunk;
    std::int64_t const waves = (tiles * used + resident - 1) / resident;
    std::int64_t const time  = waves * (chunk + planes_before + stencil_start_cost);
    if (chunk > (1 << 30) || (best_time >= 0 && time >= best_time)) continue;
    best_time   = time;
    grid.chunk  = int(chunk);
    grid.chunks = used;
  }
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
