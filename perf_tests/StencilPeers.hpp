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

/// How Kokkos runs a loop over points.
struct Sweep {
  Tile tile{};             ///< points of a tile in z, y and x; zeros: Kokkos' own choice
  int index_bits = 32;     ///< of the loop's indices
  bool x_first   = false;  ///< loops over (x, y, z): on GPUs MDRangePolicy gives neighboring threads to its first index

  std::string name() const {
    return tile_name(tile) + (x_first ? ", x first" : "") + ", " + std::to_string(index_bits) + "-bit indices";
  }
};

/// What a neighborhood would be, over a View.
template <class View, class Index>
struct Taps {
  View const& view;
  Index z, y, x;

  KOKKOS_FORCEINLINE_FUNCTION auto operator()() const { return view(z, y, x); }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int dz, int dy, int dx) const { return view(z + dz, y + dy, x + dx); }
};

/// The stencil as Kokkos users write it: out = functor(in).
template <class View, class Functor>
struct PlainStencil {
  View in, out;
  std::int64_t halo;
  Functor functor;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void at(Index z, Index y, Index x) const {
    Index const h            = Index(halo);
    out(z + h, y + h, x + h) = functor(Taps<View, Index>{in, z + h, y + h, x + h});
  }
};

/// kernel.at(z, y, x) with indices of one type, in a loop over (z, y, x) or over (x, y, z).
template <class Index, bool XFirst, class Kernel>
struct AtIndex {
  Kernel kernel;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Index j, Index k) const {
    if constexpr (XFirst) kernel.at(k, j, i);
    else kernel.at(i, j, k);
  }
};

template <class Index, class Kernel>
void mdrange_with(Extents const& n, Sweep const& sweep, Kernel const& kernel) {
  using Policy     = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<Index>>;
  Tile const& tile = sweep.tile;
  if constexpr (!on_host)
    if (sweep.x_first)
      return Kokkos::parallel_for("plain", Policy({0, 0, 0}, {n[2], n[1], n[0]}, {tile[2], tile[1], tile[0]}),
                                  AtIndex<Index, true, Kernel>{kernel});
  Kokkos::parallel_for("plain", Policy({0, 0, 0}, {n[0], n[1], n[2]}, {tile[0], tile[1], tile[2]}),
                       AtIndex<Index, false, Kernel>{kernel});
}

/// Runs kernel.at for all points.
template <class Kernel>
void mdrange(Extents const& n, Sweep const& sweep, Kernel const& kernel) {
  if (sweep.index_bits == 32) mdrange_with<int>(n, sweep, kernel);
  else mdrange_with<std::int64_t>(n, sweep, kernel);
}

template <class View, class Functor>
void mdrange_stencil(Extents const& n, std::int64_t halo, Sweep const& sweep, View const& in, View const& out,
                     Functor const& functor) {
  mdrange(n, sweep, PlainStencil<View, Functor>{in, out, halo, functor});
}

/// The fastest of Kokkos' own tiling and several others, each with indices of 32 and 64 bits, on GPUs with x first.
/// (There the third extent of a tile is the z extent of a block, 64 at most: of longer ones Kokkos 4.6 runs the first
/// 64 points alone, without a word.)
template <class Run>
Sweep best_sweep(Extents const& n, Run const& run) {
  std::vector<Sweep> sweeps;
  for (int bits : {32, 64}) {
    sweeps.push_back({{}, bits});
    if (on_host)
      for (auto const& tile : std::vector<Tile>{{1, 8, n[2]}, {4, 4, n[2]}, {1, 1, n[2]}, {8, 8, 64}})
        sweeps.push_back({tile, bits});
    else
      for (auto const& tile :
           std::vector<Tile>{{}, {1, 4, 64}, {1, 8, 64}, {1, 8, 32}, {4, 4, 32}, {1, 2, 128}, {1, 1, 256}})
        sweeps.push_back({tile, bits, true});
  }
  return fastest(sweeps, run);
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
