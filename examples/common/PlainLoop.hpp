// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_PLAIN_LOOP_HPP
#define KOALESCE_EXAMPLES_PLAIN_LOOP_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

// What the examples' stencils are compared with: loops over the points of a volume in plain Kokkos.
namespace examples {

using Extents = Kokkos::Array<std::int64_t, 3>;  ///< points in z, y and x
using Tile    = std::array<std::int64_t, 3>;     ///< points in z, y and x; zeros leave the tiling to Kokkos

template <class Exec>
inline constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// Calls f(z, y, x) with the indices in the other order.
template <class F>
struct XFirst {
  F f;

  KOKKOS_FUNCTION void operator()(int x, int y, int z) const { f(z, y, x); }
};

/// \brief MDRangePolicy over n points from `begin` in every dimension; f is called with their indices.
///
/// On GPUs x is the policy's first index, which it gives to neighboring threads.
template <class Exec, class F>
void plain_loop(std::string const& label, Exec const& exec, std::int64_t begin, Extents const& n, Tile const& tile,
                F const& f) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>;
  if constexpr (on_host<Exec>)
    Kokkos::parallel_for(
        label,
        Policy(exec, {begin, begin, begin}, {n[0] + begin, n[1] + begin, n[2] + begin}, {tile[0], tile[1], tile[2]}),
        f);
  else
    Kokkos::parallel_for(
        label,
        Policy(exec, {begin, begin, begin}, {n[2] + begin, n[1] + begin, n[0] + begin}, {tile[2], tile[1], tile[0]}),
        XFirst<F>{f});
}

/// One row of f, vectorized, for a CPU thread.
template <class F>
struct SimdRows {
  F f;
  int begin, rows_each, length;

  void operator()(int row) const {
    int const z = begin + row / rows_each, y = begin + row % rows_each;
#pragma omp simd
    for (int x = begin; x < begin + length; ++x) f(z, y, x);
  }
};

/// The same points on CPUs, a thread a row, whose points the compiler vectorizes.
template <class Exec, class F>
void row_loop(std::string const& label, Exec const& exec, std::int64_t begin, Extents const& n, F const& f) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, int(n[0] * n[1])),
                       SimdRows<F>{f, int(begin), int(n[1]), int(n[2])});
}

/// Tilings worth trying: whole rows for CPU threads, blocks with long rows for GPUs.
template <class Exec>
std::vector<Tile> tilings(Extents const& n) {
  if (on_host<Exec>) return {{0, 0, 0}, {1, 1, n[2]}, {1, 8, n[2]}, {2, 16, n[2]}, {4, 8, 64}};
  return {{0, 0, 0}, {1, 4, 64}, {1, 8, 64}, {1, 8, 32}, {4, 4, 32}, {1, 2, 128}, {1, 1, 256}};
}

inline std::string text_of(Tile const& tile) {
  if (tile == Tile{}) return "Kokkos' default";
  return std::to_string(tile[0]) + " x " + std::to_string(tile[1]) + " x " + std::to_string(tile[2]);
}

inline double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace examples

#endif
