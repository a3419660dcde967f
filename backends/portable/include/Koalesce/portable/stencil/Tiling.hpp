// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_TILING_HPP
#define KOALESCE_PORTABLE_STENCIL_TILING_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/TeamPolicy.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/stencil/impl/Tiling.hpp>

#include <algorithm>

namespace Koalesce::Impl::PortableBackend {

/// Teams take tiles and march through the planes of a chunk.
struct PortableTiling : Tiling {
  std::size_t scratch_bytes = 0;
  int scratch_level         = 0;

  using Tiling::Tiling;
};

/// The largest tile whose queues fit, in level-0 scratch if any does; scratch_level < 0 if the smallest fits in
/// neither, or Kokkos cannot number those that do. \param[in] bytes scratch bytes that a team with a (tile_y, tile_x)
/// tile needs.
template <class Exec, class Bytes>
PortableTiling choose_tiling(Exec const& exec, Extents3 const& extents, int planes_before, Bytes const& bytes) {
  constexpr std::int64_t tiles[][2] = {{16, 64}, {8, 64}, {8, 32}, {4, 32}, {4, 16}, {2, 8}, {1, 1}};

  Kokkos::TeamPolicy<Exec> const probe(exec, 1, 1);
  for (int level = 0; level < 2; ++level)
    for (auto const& [tile_y, tile_x] : tiles) {
      PortableTiling t(extents, extents[0], std::min(tile_y, extents[1]), std::min(tile_x, extents[2]));
      t.scratch_level = level;
      t.scratch_bytes = bytes(t.tile_y, t.tile_x);
      if (t.scratch_bytes > std::size_t(probe.scratch_size_max(level))) continue;
      // A chunk reads `planes_before` planes before its first result: long chunks waste less, many chunks balance
      // better.
      std::int64_t const tiles_in_plane = t.tiles_y * t.tiles_x;
      std::int64_t const wanted         = std::max<std::int64_t>(1, 8 * threads_of(exec) / 128 / tiles_in_plane);
      t.chunk = std::min(extents[0], std::max<std::int64_t>(8 * planes_before + 1, (extents[0] + wanted - 1) / wanted));
      t.chunks = (extents[0] + t.chunk - 1) / t.chunk;
      if (t.size() <= max_league) return t;
    }
  PortableTiling none(extents, 1, 1, 1);
  none.scratch_level = -1;
  return none;
}

/// \param[in] function that was called.
/// \param[in] label    of the call.
/// \param[in] exec     its instance.
/// \param[in] bytes    scratch bytes that a tile of one point needs.
template <class Exec>
[[noreturn]] void fail_without_room(char const* function, std::string const& label, Exec const& exec,
                                    std::size_t bytes) {
  Kokkos::TeamPolicy<Exec> const probe(exec, 1, 1);
  fail(call_text(function, label), "the plane queue needs ", bytes,
       " bytes of scratch memory for a tile of one point, but ", Exec::name(), " has ", probe.scratch_size_max(0),
       " bytes at level 0 and ", probe.scratch_size_max(1),
       " at level 1; use a smaller radius, smaller elements or fewer fields");
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
