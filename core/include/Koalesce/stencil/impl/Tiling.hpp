// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_TILING_HPP
#define KOALESCE_STENCIL_IMPL_TILING_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <string>

namespace Koalesce::Impl {

/// The part of the interior that one team or thread computes at a time: `rows` x `cols` points of `planes` planes
/// from (z, y, x) on.
struct Tile {
  std::int64_t z, y, x;
  std::int64_t planes, rows, cols;

  KOKKOS_FUNCTION Extents3 first() const { return {z, y, x}; }
  KOKKOS_FUNCTION Extents3 extents() const { return {planes, rows, cols}; }
};

/// How the interior is divided: tiles of `tile_y` x `tile_x` points, each in chunks of `chunk` planes.
struct Tiling {
  std::int64_t tile_y, tile_x, chunk;
  std::int64_t tiles_y, tiles_x, chunks;

  Tiling() = default;

  Tiling(Extents3 const& extents, std::int64_t chunk_, std::int64_t tile_y_, std::int64_t tile_x_)
      : tile_y(tile_y_),
        tile_x(tile_x_),
        chunk(chunk_),
        tiles_y((extents[1] + tile_y - 1) / tile_y),
        tiles_x((extents[2] + tile_x - 1) / tile_x),
        chunks((extents[0] + chunk - 1) / chunk) {}

  KOKKOS_FUNCTION std::int64_t size() const { return tiles_y * tiles_x * chunks; }

  KOKKOS_FUNCTION Tile tile(std::int64_t i, Extents3 const& extents) const {
    std::int64_t const x = i % tiles_x * tile_x, y = i / tiles_x % tiles_y * tile_y;
    std::int64_t const z = i / tiles_x / tiles_y * chunk;
    return {z,
            y,
            x,
            Kokkos::min(chunk, extents[0] - z),
            Kokkos::min(tile_y, extents[1] - y),
            Kokkos::min(tile_x, extents[2] - x)};
  }
};

/// The teams of a work, `each` of them for every block; throws if Kokkos cannot number them.
template <class Work>
std::int64_t teams_of_blocks(std::string const& label, [[maybe_unused]] Work const& work, std::int64_t each) {
  if constexpr (!has_blocks<Work>) {
    if (each > max_league)
      fail(call_text(Work::Reduction::function, label), "the points take ", each, " teams, but Kokkos numbers up to ",
           max_league, "; give fewer points at a time");
    return each;
  } else {
    std::int64_t const blocks = work.domain.blocks();
    if (double(each) * double(blocks) > double(max_league))
      fail(call_text(Work::Reduction::function, label), blocks, " blocks take ", each,
           each == 1 ? " team each, " : " teams each, ", "but Kokkos numbers up to ", max_league,
           " in all; run fewer blocks at a time");
    return each * blocks;
  }
}

}  // namespace Koalesce::Impl

#endif
