// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_PROCESS_GRID_HPP
#define KOALESCE_DISTRIBUTED_IMPL_PROCESS_GRID_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

/// How points are divided among processes.
namespace Koalesce::Impl {

/// Some of the points of a dimension.
struct PointRange {
  std::int64_t first, count;
};

/// The part of the `number`-th of `parts`: sizes differ by one at most.
inline PointRange part_of(std::int64_t points, int parts, int number) {
  std::int64_t const each = points / parts, more = points % parts;
  return {number * each + (number < more ? number : more), each + (number < more)};
}

/// What a process sends at most, in points, those of faces across the contiguous dimension counted `weight` times:
/// there every row has only a few.
template <int Rank>
double halo_surface(Kokkos::Array<std::int64_t, Rank> const& points, Kokkos::Array<int, Rank> const& parts,
                    Kokkos::Array<bool, Rank> const& periodic, int contiguous) {
  constexpr double weight = 8;
  double sum              = 0;
  for (int d = 0; d < Rank; ++d) {
    if (parts[d] == 1) continue;
    double face = (d == contiguous ? weight : 1) * (parts[d] > 2 || periodic[d] ? 2 : 1);
    for (int e = 0; e < Rank; ++e)
      if (e != d) face *= double(part_of(points[e], parts[e], 0).count);
    sum += face;
  }
  return sum;
}

/// The number of parts in every dimension, with the least surface; 0 in the first where none has points for all.
/// \param[in] wanted  their number in dimensions where it is given, 0 in the others.
template <int Rank>
Kokkos::Array<int, Rank> choose_grid(Kokkos::Array<std::int64_t, Rank> const& points, int processes,
                                     Kokkos::Array<int, Rank> const& wanted, Kokkos::Array<bool, Rank> const& periodic,
                                     int contiguous) {
  Kokkos::Array<int, Rank> best{}, parts{};
  double least      = std::numeric_limits<double>::infinity();
  auto const choose = [&](auto const& self, int d, int left) -> void {
    if (d == Rank) {
      if (left != 1) return;
      double const surface = halo_surface<Rank>(points, parts, periodic, contiguous);
      if (surface < least) {
        least = surface;
        best  = parts;
      }
      return;
    }
    // Of equal surfaces the first is taken: the one with most parts in the first dimension.
    for (int p = left; p >= 1; --p)
      if (left % p == 0 && (wanted[d] == 0 || wanted[d] == p) && (p == 1 || p <= points[d])) {
        parts[d] = p;
        self(self, d + 1, left / p);
      }
  };
  choose(choose, 0, processes);
  return best;
}

}  // namespace Koalesce::Impl

#endif
