// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_PEERS_HPP
#define KOALESCE_PERF_STENCIL_PEERS_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "Measure.hpp"
#include "StencilGrid.hpp"

/// What stencils are compared with.
namespace perf {

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

/// A View's element by z, y and x, whatever its rank.
template <class View, class Index>
KOKKOS_FORCEINLINE_FUNCTION auto& point_of(View const& view, Index z, Index y, Index x) {
  if constexpr (View::rank() == 3) return view(z, y, x);
  else if constexpr (View::rank() == 2) return view(z, x);
  else return view(x);
}

/// What a neighborhood would be, over a View.
template <class View, class Index>
struct Taps : AnyRank<Taps<View, Index>> {
  View const& view;
  Index z, y, x;

  KOKKOS_FORCEINLINE_FUNCTION Taps(View const& view_, Index z_, Index y_, Index x_)
      : view(view_), z(z_), y(y_), x(x_) {}

  KOKKOS_FORCEINLINE_FUNCTION auto& at(int dz, int dy, int dx) const {
    return point_of(view, Index(z + dz), Index(y + dy), Index(x + dx));
  }
};

/// The stencil as Kokkos users write it: outs = functor(ins...).
template <class View, std::size_t In, std::size_t Out, class Functor>
struct PlainStencil {
  Kokkos::Array<View, In> ins;
  Kokkos::Array<View, Out> outs;
  Kokkos::Array<std::int64_t, 3> halo;
  Functor functor;

  static constexpr int rank = View::rank();

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void at(Index z, Index y, Index x) const {
    z += Index(halo[0]), y += Index(halo[1]), x += Index(halo[2]);
    [&]<int... K>(std::integer_sequence<int, K...>) KOALESCE_INLINE_LAMBDA {
      auto const result = functor(Taps<View, Index>(ins[K], z, y, x)...);
      if constexpr (Out == 1) point_of(outs[0], z, y, x) = result;
      else
        Koalesce::Impl::static_for<int(Out)>([&](auto o) KOALESCE_INLINE_LAMBDA {
          constexpr int field            = decltype(o)::value;
          point_of(outs[field], z, y, x) = Koalesce::Impl::get<field>(result);
        });
    }(std::make_integer_sequence<int, int(In)>{});
  }
};

/// kernel.at(z, y, x) with indices of one type, in a loop over (z, y, x) or over (x, y, z), without y in two
/// dimensions.
template <class Index, bool XFirst, class Kernel>
struct AtIndex {
  Kernel kernel;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index x) const { kernel.at(Index(0), Index(0), x); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Index j) const {
    if constexpr (XFirst) kernel.at(j, Index(0), i);
    else kernel.at(i, Index(0), j);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Index j, Index k) const {
    if constexpr (XFirst) kernel.at(k, j, i);
    else kernel.at(i, j, k);
  }
};

template <class Index, bool XFirst, class Kernel>
void mdrange_with(Extents const& n, Tile const& tile, Kernel const& kernel) {
  AtIndex<Index, XFirst, Kernel> const body{kernel};
  if constexpr (Kernel::rank == 1) {
    Kokkos::parallel_for("plain", Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(0, n[2]), body);
  } else if constexpr (Kernel::rank == 2) {
    using Policy            = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<Index>>;
    std::int64_t const rows = tile[0] * tile[1];
    if constexpr (XFirst) Kokkos::parallel_for("plain", Policy({0, 0}, {n[2], n[0]}, {tile[2], rows}), body);
    else Kokkos::parallel_for("plain", Policy({0, 0}, {n[0], n[2]}, {rows, tile[2]}), body);
  } else {
    using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<Index>>;
    if constexpr (XFirst)
      Kokkos::parallel_for("plain", Policy({0, 0, 0}, {n[2], n[1], n[0]}, {tile[2], tile[1], tile[0]}), body);
    else Kokkos::parallel_for("plain", Policy({0, 0, 0}, {n[0], n[1], n[2]}, {tile[0], tile[1], tile[2]}), body);
  }
}

/// Runs kernel.at for all points.
template <class Kernel>
void mdrange(Extents const& n, Sweep const& sweep, Kernel const& kernel) {
  auto const with = [&]<class Index>(Index) {
    if constexpr (!on_host && Kernel::rank > 1)
      if (sweep.x_first) return mdrange_with<Index, true>(n, sweep.tile, kernel);
    mdrange_with<Index, false>(n, sweep.tile, kernel);
  };
  if (sweep.index_bits == 32) with(int{});
  else with(std::int64_t{});
}

template <class View, std::size_t In, std::size_t Out, class Functor>
void mdrange_stencil(Grid const& grid, Sweep const& sweep, std::array<View, In> const& ins,
                     std::array<View, Out> const& outs, Functor const& functor) {
  PlainStencil<View, In, Out, Functor> kernel{{}, {}, {grid.halo[0], grid.halo[1], grid.halo[2]}, functor};
  std::copy(ins.begin(), ins.end(), kernel.ins.data());
  std::copy(outs.begin(), outs.end(), kernel.outs.data());
  mdrange(grid.n, sweep, kernel);
}

/// The fastest of Kokkos' own tiling and several others, each with indices of 32 and 64 bits, on GPUs with x first.
/// (There the third extent of a tile is the z extent of a block, 64 at most: of longer ones Kokkos 4.6 runs the first
/// 64 points alone, without a word.)
template <class Run>
Sweep best_sweep(Grid const& grid, Run const& run) {
  std::vector<Sweep> sweeps;
  for (int bits : {32, 64}) {
    sweeps.push_back({{}, bits});
    if (grid.rank == 1) continue;
    if (on_host)
      for (auto const& tile : std::vector<Tile>{{1, 8, grid.n[2]}, {4, 4, grid.n[2]}, {1, 1, grid.n[2]}, {8, 8, 64}})
        sweeps.push_back({tile, bits});
    else
      for (auto const& tile :
           std::vector<Tile>{{}, {1, 4, 64}, {1, 8, 64}, {1, 8, 32}, {4, 4, 32}, {1, 2, 128}, {1, 1, 256}})
        sweeps.push_back({tile, bits, true});
  }
  return fastest(sweeps, run);
}

/// Points of two fields' interiors that differ by more than sums in another order do.
template <class T>
struct Mismatch {
  T const *result, *expected;
  std::int64_t ny, nx, plane, pitch;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    std::int64_t const place = i / nx / ny * plane + i / nx % ny * pitch + i % nx;
    T const a = result[place], b = expected[place];
    if (!(Kokkos::abs(a - b) <= T(sizeof(T) == 4 ? 1e-4 : 1e-12) * (Kokkos::abs(b) + 1))) ++wrong;
  }
};

template <class View>
std::string mismatch(Grid const& grid, View const& result, View const& expected) {
  using T            = typename View::value_type;
  std::int64_t wrong = 0;
  Strides const strides(grid, result);
  Kokkos::parallel_reduce("mismatch", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, grid.points()),
                          Mismatch<T>{result.data() + strides.origin, expected.data() + strides.origin, grid.n[1],
                                      grid.n[2], strides.plane, strides.pitch},
                          wrong);
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
