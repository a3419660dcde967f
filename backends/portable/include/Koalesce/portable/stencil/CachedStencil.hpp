// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PORTABLE_STENCIL_CACHED_STENCIL_HPP
#define KOALESCE_PORTABLE_STENCIL_CACHED_STENCIL_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/portable/Backend.hpp>
#include <Koalesce/stencil/impl/CachedPoint.hpp>
#include <Koalesce/stencil/impl/Row.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// Without a queue: a device's threads take a point each, a CPU's threads whole rows, and read their taps from the
/// fields through the caches.
namespace Koalesce::Impl::PortableBackend {

template <class Work>
struct CachedPoints {
  Work work;

  KOKKOS_FUNCTION void operator()(int x) const { compute_cached_point(work, 0, 0, x); }
  KOKKOS_FUNCTION void operator()(int x, int z) const { compute_cached_point(work, z, 0, x); }
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const { compute_cached_point(work, z, y, x); }
};

/// Pieces of rows. It runs on hosts alone.
template <class Work>
struct CachedRows {
  Work work;
  std::int64_t columns;  // of a piece
  std::int64_t pieces;   // of a row

  KOALESCE_FLATTEN void operator()(std::int64_t piece) const {
    auto const x = piece % pieces * columns, row = piece / pieces;
    auto const y = row % work.extents[1], z = row / work.extents[1];
    auto const functor = work.functor;  // a copy that no output can alias
    compute_row<typename Work::Order, typename Work::Shape, true>(functor, moved_to(work.in, z, y, x),
                                                                  moved_to(work.out, z, y, x), z, y, x,
                                                                  std::min(columns, work.extents[2] - x));
  }
};

/// Points in a piece of a row: a line is cut into enough of them for all threads.
inline constexpr std::int64_t max_columns = 16384;

/// Whether a work can run without the queue: rows are contiguous, and a device's indices have 32 bits.
template <class Exec, class Work>
bool can_be_cached(Work const& work) {
  if constexpr (Backend::on_host<Exec>) {
    return unit_stride(work.in) && unit_stride(work.out);
  } else {
    constexpr std::int64_t most = (std::int64_t(1) << 31) - 256;
    return has_short_strides(work) && work.extents[0] < most && work.extents[1] < most && work.extents[2] < most;
  }
}

/// A device's threads, in blocks of 256 with long rows.
template <class Exec, class Work>
void run_cached_points(Exec const& exec, std::string const& label, CachedPoints<Work> const& points) {
  constexpr int rank = Work::Order::rank;
  using Rank         = Kokkos::Rank<rank == 1 ? 2 : rank, Kokkos::Iterate::Left, Kokkos::Iterate::Left>;
  using Policy       = std::conditional_t<rank == 1, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>,
                                    Kokkos::MDRangePolicy<Exec, Rank, Kokkos::IndexType<int>>>;
  auto const& n      = points.work.extents;
  if constexpr (rank == 1) {
    Kokkos::parallel_for(label, Policy(exec, 0, int(n[2])), points);
  } else {
    auto const at_least = [](std::int64_t extent, std::int64_t most) {
      std::int64_t size = 1;
      while (size < most && size < extent) size *= 2;
      return size;
    };
    auto const row = at_least(n[2], 64), y = at_least(n[1], 256 / row);
    auto const z = at_least(n[0], std::min<std::int64_t>(256 / (row * y), 64)), x = at_least(n[2], 256 / (y * z));
    if constexpr (rank == 2) Kokkos::parallel_for(label, Policy(exec, {0, 0}, {n[2], n[0]}, {x, z}), points);
    else Kokkos::parallel_for(label, Policy(exec, {0, 0, 0}, {n[2], n[1], n[0]}, {x, y, z}), points);
  }
}

template <RunsPortable Tag, class Exec, class Work>
void run_cached_stencil(Tag, Exec const& exec, std::string const& label, Work const& work) {
  auto const& n = work.extents;
  if constexpr (Backend::on_host<Exec>) {
    auto const columns = std::min(max_columns, n[2]), pieces = (n[2] + columns - 1) / columns;
    Kokkos::parallel_for(kernel_label(Tag{}, label),
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n[0] * n[1] * pieces),
                         CachedRows<Work>{work, columns, pieces});
  } else {
    run_cached_points(exec, kernel_label(Tag{}, label), CachedPoints<Work>{work});
  }
}

}  // namespace Koalesce::Impl::PortableBackend

#endif
