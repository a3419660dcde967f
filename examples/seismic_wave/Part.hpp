// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_PART_HPP
#define SEISMIC_WAVE_PART_HPP

#include "../common/PlainLoop.hpp"
#include "Leapfrog.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace examples::seismic {

using Exec  = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;

/// The points of a process: a box of the grid. Its fields have a halo as wide as the radius.
struct Part {
  Extents extents;   ///< points in z, y and x
  Extents offset{};  ///< the indices of the first one in the grid

  /// Whether the grid's point is one of them.
  KOKKOS_FUNCTION bool owns(Index z, Index y, Index x) const {
    Index const at[3] = {z, y, x};
    for (int d = 0; d < 3; ++d)
      if (at[d] < offset[d] || at[d] >= offset[d] + extents[d]) return false;
    return true;
  }

  /// The field's element at the grid's point.
  template <class Field>
  KOKKOS_FUNCTION float& at(Field const& u, Index z, Index y, Index x) const {
    return u(z - offset[0] + radius, y - offset[1] + radius, x - offset[2] + radius);
  }
};

/// The wave is mirrored in the planes z = 0 and y = 0; beyond the other faces it is 0.
inline auto mirror_plane() {
  return Koalesce::sides(Koalesce::Mirror(Koalesce::about_point), Koalesce::Dirichlet(0.F));
}

/// The halo of a field of the whole grid. Nothing writes the halos at the ends of x, which remain 0.
template <class Field>
void mirror(Exec const& exec, Field const& u, Extents const& n) {
  auto const inside = std::pair<Index, Index>(radius, radius + n[2]);
  Koalesce::fill_halo(exec, Kokkos::subview(u, Kokkos::ALL, Kokkos::ALL, inside), n, mirror_plane(), mirror_plane(),
                      Koalesce::Dirichlet(0.F));
}

}  // namespace examples::seismic

#endif
