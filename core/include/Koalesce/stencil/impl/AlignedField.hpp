// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_ALIGNED_FIELD_HPP
#define KOALESCE_STENCIL_IMPL_ALIGNED_FIELD_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

namespace Koalesce::Impl {

/// The elements after which addresses repeat within `device_bytes`, in host memory within 64 bytes. Kokkos aligns
/// allocations to as much.
template <class T, class MemorySpace, std::size_t device_bytes>
constexpr std::int64_t aligned_elements() {
  constexpr std::size_t bytes =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, MemorySpace>::accessible ? 64 : device_bytes;
  return std::int64_t(bytes / std::gcd(bytes, sizeof(T)));
}

/// A row-major View of n + 2 * halo points per dimension, within one whose rows begin before the halo and end after it,
/// at multiples of aligned_elements().
template <class T, class MemorySpace, std::size_t device_bytes, std::size_t Rank>
auto aligned_field(std::string const& label, Kokkos::Array<std::int64_t, Rank> const& n,
                   Kokkos::Array<std::int64_t, Rank> const& halo) {
  constexpr std::int64_t unit = aligned_elements<T, MemorySpace, device_bytes>();
  auto const round_up         = [](std::int64_t elements) { return (elements + unit - 1) / unit * unit; };
  auto const points           = [&](std::size_t d) { return std::size_t(n[d] + 2 * halo[d]); };

  std::int64_t const before = round_up(halo[Rank - 1]);
  std::size_t const pitch   = std::size_t(round_up(before + n[Rank - 1] + halo[Rank - 1]));
  std::size_t const first   = std::size_t(before - halo[Rank - 1]);
  auto const row            = std::pair(first, first + points(Rank - 1));
  constexpr auto all        = Kokkos::ALL;
  if constexpr (Rank == 1)
    return Kokkos::subview(Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>(label, pitch), row);
  else if constexpr (Rank == 2)
    return Kokkos::subview(Kokkos::View<T**, Kokkos::LayoutRight, MemorySpace>(label, points(0), pitch), all, row);
  else if constexpr (Rank == 3)
    return Kokkos::subview(Kokkos::View<T***, Kokkos::LayoutRight, MemorySpace>(label, points(0), points(1), pitch),
                           all, all, row);
  else
    return Kokkos::subview(
        Kokkos::View<T****, Kokkos::LayoutRight, MemorySpace>(label, points(0), points(1), points(2), pitch), all, all,
        all, row);
}

}  // namespace Koalesce::Impl

#endif
