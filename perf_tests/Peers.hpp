// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_PEERS_HPP
#define KOALESCE_PERF_PEERS_HPP

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/// What the benchmarks compare Koalesce with, and how they measure.
namespace perf {

using Exec    = Kokkos::DefaultExecutionSpace;
using Extents = std::array<std::int64_t, 3>;

inline constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

/// The sizes measured on this kind of machine: the second and the third fit no tile.
inline std::vector<Extents> sizes() {
  if (on_host) return {{384, 384, 384}, {127, 211, 301}};
  return {{768, 768, 768}, {767, 513, 301}, {2560, 216, 572}};
}

inline std::string size_name(Extents const& n) {
  return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
}

template <class T>
std::string type_name() {
  return sizeof(T) == 8 ? "f64" : "f32";
}

/// Values without a pattern: zeros can be faster than real data.
template <class View>
void fill(View const& view) {
  using T          = typename View::value_type;
  auto* const data = view.data();
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, view.span()),
      KOKKOS_LAMBDA(std::int64_t i) { data[i] = T(double(i * 2654435761u % 1000003) * 1e-6); });
  Kokkos::fence();
}

/// Fence, time, fence.
template <class Kernel>
double seconds_of(Kernel const& kernel) {
  Exec().fence();
  Kokkos::Timer timer;
  kernel();
  Exec().fence();
  return timer.seconds();
}

/// A copy of the field: memcpy on a GPU, the plain loop on a CPU.
template <class View>
void copy(View const& to, View const& from) {
  if constexpr (on_host)
    Kokkos::parallel_for(
        "copy", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, from.extent(0)),
        KOKKOS_LAMBDA(std::int64_t i) { to(i) = from(i); });
  else Kokkos::deep_copy(Exec(), to, from);
}

/// A tiling of MDRangePolicy; all zeros is Kokkos' own choice.
struct Tile {
  std::int64_t z = 0, y = 0, x = 0;

  std::string name() const {
    return z == 0 ? "default" : "tile " + std::to_string(z) + "x" + std::to_string(y) + "x" + std::to_string(x);
  }
};

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
  if (tile.z == 0) Kokkos::parallel_for("plain", Default({0, 0, 0}, {n[0], n[1], n[2]}), kernel);
  else Kokkos::parallel_for("plain", Policy({0, 0, 0}, {n[0], n[1], n[2]}, {tile.z, tile.y, tile.x}), kernel);
}

/// The fastest of Kokkos' own tiling and several others.
template <class Run>
Tile best_tile(Extents const& n, Run const& run) {
  std::vector<Tile> const tiles =
      on_host ? std::vector<Tile>{{}, {1, 8, n[2]}, {4, 4, n[2]}, {1, 1, n[2]}, {8, 8, 64}}
              : std::vector<Tile>{{}, {1, 4, 64}, {1, 8, 32}, {4, 4, 32}, {1, 2, 128}, {2, 4, 64}};
  Tile best;
  double best_seconds = std::numeric_limits<double>::max();
  for (auto const& tile : tiles) {
    run(tile);
    double seconds = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) seconds = std::min(seconds, seconds_of([&] { run(tile); }));
    if (seconds < best_seconds) {
      best_seconds = seconds;
      best         = tile;
    }
  }
  return best;
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
