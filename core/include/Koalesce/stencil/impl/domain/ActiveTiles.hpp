// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_DOMAIN_ACTIVE_TILES_HPP
#define KOALESCE_STENCIL_IMPL_DOMAIN_ACTIVE_TILES_HPP

#include <Koalesce/stencil/impl/CanonicalField.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Which points of the interior are computed, as kernels see it: a bit for each, and tiles of 64 words of bits. What
/// kernels ask of ActiveTiles they also ask of works that compute every point, and get a constant.
namespace Koalesce::Impl {

/// A tile that has active points: `index` counts tiles in canonical dimensions.
struct alignas(16) ActiveTile {
  std::uint32_t index[3];
  std::uint32_t whole;  ///< whether all of its points are active
};

/// The shape of a tile: as near to a cube as words of 32 points in x allow.
template <int Rank>
struct ActiveTileShape {
  static constexpr int points_per_word = 32, words = 64, points = words * points_per_word;
  static constexpr int planes = Rank == 3   ? 8
                                : Rank == 2 ? 64
                                            : 1,
                       rows = Rank == 3 ? 8 : 1, words_per_row = Rank == 1 ? 64 : 1;

  KOKKOS_FUNCTION static constexpr Extents3 extents() { return {planes, rows, words_per_row * points_per_word}; }

  /// The first point of a tile's word. Words in turn are neighbors in y or, in a plane's absence, in z.
  KOKKOS_FORCEINLINE_FUNCTION static Extents3 place(ActiveTile const& tile, int word) {
    return {tile.index[0] * std::int64_t(planes) + word / (rows * words_per_row),
            tile.index[1] * std::int64_t(rows) + word / words_per_row % rows,
            (tile.index[2] * std::int64_t(words_per_row) + word % words_per_row) * points_per_word};
  }
};

struct ActiveTiles {
  std::uint32_t const* bits;  ///< of rows, each beginning with a word of its own
  std::int64_t words_per_row;
  Extents3 extents;         ///< of the interior
  ActiveTile const* tiles;  ///< those with active points
  std::int64_t size;
  std::uint8_t const* any;  ///< of every tile, whether it has active points
  Extents3 tile_count, tile_extents;
  Extents3 first{0, 0, 0};  ///< the point that kernels see as (0, 0, 0)

  KOKKOS_FUNCTION std::int64_t blocks() const { return 1; }

  /// The bits of 32 points of a row, x = 32 * word and after; 0 for rows beyond the interior.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word(std::int64_t z, std::int64_t y, std::int64_t word) const {
    bool const exists = z < extents[0] && y < extents[1] && word < words_per_row;
    return exists ? bits[(z * extents[1] + y) * words_per_row + word] : 0;
  }
};

/// Whether a point is to be computed.
template <class Domain>
KOKKOS_FORCEINLINE_FUNCTION bool is_active(Domain const&, std::int64_t, std::int64_t, std::int64_t) {
  return true;
}
KOKKOS_FORCEINLINE_FUNCTION bool is_active(ActiveTiles const& active, std::int64_t z, std::int64_t y, std::int64_t x) {
  x += active.first[2];
  return active.word(z + active.first[0], y + active.first[1], x / 32) >> (x % 32) & 1;
}

/// Whether tiles that a box of points meets have points to be computed.
template <class Domain>
KOKKOS_FORCEINLINE_FUNCTION bool any_active(Domain const&, Extents3 const&, Extents3 const&) {
  return true;
}
KOKKOS_FUNCTION inline bool any_active(ActiveTiles const& active, Extents3 const& from, Extents3 const& extents) {
  Extents3 first{}, last{};
  for (int c = 0; c < 3; ++c) {
    first[c] = (from[c] + active.first[c]) / active.tile_extents[c];
    last[c]  = (from[c] + active.first[c] + extents[c] - 1) / active.tile_extents[c];
    if (last[c] >= active.tile_count[c]) last[c] = active.tile_count[c] - 1;
  }
  for (auto z = first[0]; z <= last[0]; ++z)
    for (auto y = first[1]; y <= last[1]; ++y)
      for (auto x = first[2]; x <= last[2]; ++x)
        if (active.any[(z * active.tile_count[1] + y) * active.tile_count[2] + x]) return true;
  return false;
}

/// The same points, with kernels that see `first` as (0, 0, 0).
template <class Domain>
Domain domain_in_box(Domain const& domain, Extents3 const&) {
  return domain;
}
inline ActiveTiles domain_in_box(ActiveTiles const& active, Extents3 const& first) {
  ActiveTiles copy = active;
  copy.first       = first;
  return copy;
}

}  // namespace Koalesce::Impl

#endif
