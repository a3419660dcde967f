// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_GRID_HPP
#define KOALESCE_PERF_STENCIL_GRID_HPP

#include <Koalesce/Stencil.hpp>
#include <Koalesce/common/impl/Pack.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "Measure.hpp"

/// Fields of one to three dimensions as pointers and pitches: what the peers without Kokkos work on.
namespace perf {

using Extents = std::array<std::int64_t, 3>;

/// The interior of row-major fields. Two dimensions are planes of one row, one dimension is a single row.
struct Grid {
  int rank = 3;
  Extents n{1, 1, 1};  ///< interior points in z, y and x
  Extents halo{};      ///< points on either side

  std::int64_t points() const { return n[0] * n[1] * n[2]; }

  /// Of dimension d as a View of this rank counts it, in z, y and x.
  int dimension(int d) const { return rank == 2 ? 2 * d : 3 - rank + d; }

  std::string name() const {
    std::string text;
    for (int d = 0; d < rank; ++d) text += (d > 0 ? "x" : "") + std::to_string(n[dimension(d)]);
    return text;
  }
};

/// A grid of interior extents, one per dimension, with a halo as wide everywhere.
template <std::size_t Rank>
Grid grid_of(std::array<std::int64_t, Rank> const& n, std::int64_t halo) {
  Grid grid{int(Rank)};
  for (int d = 0; d < grid.rank; ++d) {
    grid.n[grid.dimension(d)]    = n[d];
    grid.halo[grid.dimension(d)] = halo;
  }
  return grid;
}

/// Elements of a field from one plane and one row to the next, and to its first interior point.
struct Strides {
  std::int64_t plane, pitch, origin;

  template <class View>
  Strides(Grid const& grid, View const& view) {
    constexpr int rank = View::rank();
    pitch              = rank > 1 ? view.stride(rank > 1 ? rank - 2 : 0) : view.extent(0);
    plane              = rank > 2 ? view.stride(0) : pitch;
    origin             = grid.halo[0] * plane + grid.halo[1] * pitch + grid.halo[2];
  }
};

/// A shape's radii in z, y and x.
template <class Shape>
struct Reach {
  static constexpr int z    = Shape::rank > 1 ? Shape::radius(0) : 0;
  static constexpr int y    = Shape::rank > 2 ? Shape::radius(1) : 0;
  static constexpr int x    = Shape::radius(Shape::rank - 1);
  static constexpr bool box = Shape::size == (2 * z + 1) * (2 * y + 1) * (2 * x + 1);

  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool contains(int dz, int dy, int dx) {
    return box || (dz != 0) + (dy != 0) + (dx != 0) <= 1;
  }
};

/// Gives Around, which has at(dz, dy, dx), the calls that a Neighborhood of any rank has.
template <class Around>
struct AnyRank {
  KOKKOS_FORCEINLINE_FUNCTION auto operator()() const { return at(0, 0, 0); }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int dx) const { return at(0, 0, dx); }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int dz, int dx) const { return at(dz, 0, dx); }
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(int dz, int dy, int dx) const { return at(dz, dy, dx); }

 private:
  KOKKOS_FORCEINLINE_FUNCTION auto at(int dz, int dy, int dx) const {
    return static_cast<Around const&>(*this).at(dz, dy, dx);
  }
};

/// Read from memory; on a GPU through the cache for data that no thread writes.
template <class T>
struct PointerTaps : AnyRank<PointerTaps<T>> {
  T const* center;
  std::int64_t plane, pitch;

  KOKKOS_FORCEINLINE_FUNCTION PointerTaps(T const* center_, std::int64_t plane_, std::int64_t pitch_)
      : center(center_), plane(plane_), pitch(pitch_) {}

  KOKKOS_FORCEINLINE_FUNCTION T at(int dz, int dy, int dx) const {
    T const* const place = center + dz * plane + dy * pitch + dx;
    KOKKOS_IF_ON_DEVICE((return __ldg(place);))
    KOKKOS_IF_ON_HOST((return *place;))
  }
};

/// How many of a functor's inputs, the last ones, it reads at the point alone.
template <class Functor>
inline constexpr int point_inputs = 0;
template <class Functor>
  requires requires { Functor::point_inputs; }
inline constexpr int point_inputs<Functor> = Functor::point_inputs;

/// Functors that say their weights: weight_at(dz, dy, dx).
template <class Functor>
concept KnownWeights = requires(Functor const& f) { f.weight_at(0, 0, 0); };

/// One sweep over Out = functor(In), as a peer's kernel gets it. Pointers are of the first interior point.
template <class T, class Shape_, int In, int Out, class Functor>
struct PeerSweep {
  using value_type   = T;
  using functor_type = Functor;
  using Shape        = Shape_;
  using reach        = Reach<Shape>;

  static constexpr int inputs = In, outputs = Out, around = In - point_inputs<Functor>;

  T const* in[In];
  T* out[Out];
  int nz, ny, nx;
  std::int64_t plane, pitch;
  Functor functor;

  /// Stores what the functor returned.
  template <class Result>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t place, Result const& result) const {
    each_output(result, [&](auto o, T value) KOALESCE_INLINE_LAMBDA { out[o.value][place] = value; });
  }

  /// Calls f(integral_constant, value) for every output.
  template <class Result, class F>
  KOKKOS_FORCEINLINE_FUNCTION static void each_output(Result const& result, F const& f) {
    if constexpr (Out == 1) f(std::integral_constant<int, 0>{}, result);
    else
      Koalesce::Impl::static_for<Out>([&](auto o)
                                          KOALESCE_INLINE_LAMBDA { f(o, Koalesce::Impl::get<o.value>(result)); });
  }

  /// functor(taps(integral_constant)...) for every input.
  template <class MakeTaps>
  KOKKOS_FORCEINLINE_FUNCTION auto apply(MakeTaps const& taps) const {
    return [&]<int... K>(std::integer_sequence<int, K...>) KOALESCE_INLINE_LAMBDA {
      return functor(taps(std::integral_constant<int, K>{})...);
    }(std::make_integer_sequence<int, In>{});
  }

  KOKKOS_FORCEINLINE_FUNCTION PointerTaps<T> taps(int k, std::int64_t place) const {
    return {in[k] + place, plane, pitch};
  }

  /// Computes a point from memory.
  KOKKOS_FORCEINLINE_FUNCTION void compute(std::int64_t place) const {
    store(place, apply([&](auto k) KOALESCE_INLINE_LAMBDA { return taps(k.value, place); }));
  }
};

template <class Shape, class Fields, class Functor>
auto peer_sweep(Grid const& grid, Fields const& fields, Functor const& functor) {
  using T = typename Fields::value_type;
  Strides const strides(grid, fields.ins[0]);
  PeerSweep<T, Shape, Fields::inputs, Fields::outputs, Functor> sweep{
      {}, {}, int(grid.n[0]), int(grid.n[1]), int(grid.n[2]), strides.plane, strides.pitch, functor};
  for (int k = 0; k < Fields::inputs; ++k) sweep.in[k] = fields.ins[k].data() + strides.origin;
  for (int k = 0; k < Fields::outputs; ++k) sweep.out[k] = fields.outs[k].data() + strides.origin;
  return sweep;
}

/// One variant of a peer: how it can run a sweep.
template <class Sweep>
struct Variant {
  std::string name;
  std::function<void(Sweep const&)> run;
};

}  // namespace perf

#endif
