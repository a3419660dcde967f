// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_PEERS_HPP
#define KOALESCE_PERF_STENCIL_PEERS_HPP

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "Measure.hpp"

/// What stencils are compared with.
namespace perf {

using Extents = std::array<std::int64_t, 3>;

/// The sizes measured on this kind of machine: the second and the third fit no tile.
inline std::vector<Extents> sizes() {
  if (on_host) return {{384, 384, 384}, {127, 211, 301}};
  return {{768, 768, 768}, {767, 513, 301}, {2560, 216, 572}};
}

using Tile = std::array<std::int64_t, 3>;

/// What a neighborhood would be, over a View.
template <class View>
struct Taps {
  View const& view;
  std::int64_t z, y, x;

  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int dz, int dy, int dx) const { return view(z + dz, y + dy, x + dx); }
};

template <class View, class Functor>
struct PlainStencil {
  View in, out;
  std::int64_t halo;
  Functor functor;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t z, std::int64_t y, std::int64_t x) const {
    out(z + halo, y + halo, x + halo) = functor(Taps<View>{in, z + halo, y + halo, x + halo});
  }
};

/// The stencil as Kokkos users write it. The fastest index is inner, which is best for LayoutRight.
template <class View, class Functor>
void mdrange_stencil(Extents const& n, std::int64_t halo, Tile const& tile, View const& in, View const& out,
                     Functor const& functor) {
  using Policy  = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
                                       Kokkos::IndexType<std::int64_t>>;
  using Default = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>;
  PlainStencil<View, Functor> const kernel{in, out, halo, functor};
  if (tile == Tile{}) Kokkos::parallel_for("plain", Default({0, 0, 0}, {n[0], n[1], n[2]}), kernel);
  else Kokkos::parallel_for("plain", Policy({0, 0, 0}, {n[0], n[1], n[2]}, {tile[0], tile[1], tile[2]}), kernel);
}

/// The fastest of Kokkos' own tiling and several others. On GPUs the last extent is the z extent of a block, 64 at
/// most: of longer tiles Kokkos 4.6 runs the first 64 points alone, without a word.
template <class Run>
Tile best_tile(Extents const& n, Run const& run) {
  return fastest(on_host ? std::vector<Tile>{{}, {1, 8, n[2]}, {4, 4, n[2]}, {1, 1, n[2]}, {8, 8, 64}}
                         : std::vector<Tile>{{}, {1, 4, 64}, {1, 8, 32}, {4, 4, 32}, {1, 2, 64}, {2, 4, 64}},
                 run);
}

/// Points of two fields' interiors that differ by more than sums in another order do.
template <class View>
struct Mismatch {
  using T = typename View::value_type;

  View result, expected;
  std::int64_t halo;

  KOKKOS_FUNCTION void operator()(std::int64_t z, std::int64_t y, std::int64_t& wrong) const {
    std::int64_t const nx = std::int64_t(result.extent(2)) - 2 * halo;
    for (std::int64_t x = 0; x < nx; ++x) {
      T const a = result(z + halo, y + halo, x + halo), b = expected(z + halo, y + halo, x + halo);
      if (!(Kokkos::abs(a - b) <= T(sizeof(T) == 4 ? 1e-4 : 1e-12) * (Kokkos::abs(b) + 1))) ++wrong;
    }
  }
};

template <class View>
std::string mismatch(Extents const& n, std::int64_t halo, View const& result, View const& expected) {
  using Policy       = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("mismatch", Policy({0, 0}, {n[0], n[1]}), Mismatch<View>{result, expected, halo}, wrong);
  return wrong == 0 ? "" : std::to_string(wrong) + " points are wrong";
}

/// A functor of one neighborhood as the second stage of a composite: it does not look at the inputs.
template <class Functor>
struct SecondStage {
  Functor functor;

  template <class Mid, class Input>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Mid const& mid, Input const&, std::int64_t, std::int64_t,
                                              std::int64_t) const {
    return functor(mid);
  }
};

}  // namespace perf

#endif
