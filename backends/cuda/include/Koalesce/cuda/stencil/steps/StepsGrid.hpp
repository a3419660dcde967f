// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_STEPS_STEPS_GRID_HPP
#define KOALESCE_CUDA_STENCIL_STEPS_STEPS_GRID_HPP

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl::CudaBackend {

/// Blocks of tiles that go through as many planes.
struct StepsBlocks {
  unsigned tiles;   ///< of a plane
  unsigned blocks;  ///< that they take
  unsigned chunks;  ///< of planes
  int chunk;        ///< planes of a block
};

/// How tiles cover the interior in a fused sweep. They overlap by what the steps read around a tile. Those at the edges
/// take longer, so they come first and have shorter chunks.
struct StepsGrid {
  unsigned tiles_x, tiles_y;
  unsigned inner_x[2], inner_y[2];  ///< the tiles that are not at an edge, from the first to behind the last
  StepsBlocks edge, inner;
  bool wide;  ///< all fields let a thread read and write its points of a row at once

  struct Tile {
    unsigned y, x;
  };
  KOKKOS_FUNCTION Tile edge_tile(unsigned i) const {
    unsigned const low = inner_y[0] * tiles_x, rows = low + (tiles_y - inner_y[1]) * tiles_x;
    if (i < low) return {i / tiles_x, i % tiles_x};
    if (i < rows) return {inner_y[1] + (i - low) / tiles_x, (i - low) % tiles_x};
    unsigned const columns = inner_x[1] - inner_x[0], others = tiles_x - columns, x = (i - rows) % others;
    return {inner_y[0] + (i - rows) / others, x < inner_x[0] ? x : x + columns};
  }
  KOKKOS_FUNCTION Tile inner_tile(unsigned i) const {
    unsigned const columns = inner_x[1] - inner_x[0];
    return {inner_y[0] + i / columns, inner_x[0] + i % columns};
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
