// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_TILING_HPP
#define KOALESCE_OPENMP_STENCIL_TILING_HPP

#include <Koalesce/openmp/runtime/Tuning.hpp>
#include <Koalesce/stencil/impl/Tiling.hpp>

#include <algorithm>

namespace Koalesce::Impl::OpenMPBackend {

/// The size of equal parts of n that are at most `most`.
inline std::int64_t even_part(std::int64_t n, std::int64_t most) {
  std::int64_t const parts = (n + most - 1) / most;
  return (n + parts - 1) / parts;
}

/// Tiles whose planes stay in cache, and work for every thread: one chunk of adjacent planes per thread, or smaller
/// tiles if there are not enough planes.
/// \param[in] threads         that share the work.
/// \param[in] shortest_chunk  minimum number of planes of a chunk.
/// \param[in] bytes           of the planes around a tile, at most.
/// \param[in] bytes_per_point bytes of the planes around one point of a tile.
inline Tiling choose_host_tiling(Extents3 const& extents, int threads, std::int64_t shortest_chunk, std::size_t bytes,
                                 std::size_t bytes_per_point) {
  namespace tuning = HostTuning;

  std::int64_t const points = std::max<std::int64_t>(1, bytes / bytes_per_point);
  std::int64_t tile_x       = even_part(extents[2], std::min(tuning::longest_row, points));
  std::int64_t tile_y       = even_part(extents[1], std::max<std::int64_t>(1, points / tile_x));

  std::int64_t const chunks = std::clamp<std::int64_t>(extents[0] / shortest_chunk, 1, threads);
  std::int64_t const chunk  = (extents[0] + chunks - 1) / chunks;
  auto const wanted         = chunks == threads ? threads : threads * tuning::tiles_per_thread;
  for (auto* side : {&tile_y, &tile_x})
    while (*side > 1 && chunk * tile_y * tile_x >= 2 * tuning::min_points &&
           Tiling(extents, chunk, tile_y, tile_x).size() < wanted)
      *side = (*side + 1) / 2;
  return Tiling(extents, chunk, tile_y, tile_x);
}

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
