// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_CHECKS_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace Koalesce::Impl {

/// Dimension d of the destination is dimension permutation[d] of the source.
template <std::size_t Rank>
using Permutation = Kokkos::Array<int, Rank>;

template <std::size_t Rank>
std::string to_string(Permutation<Rank> const& p) {
  std::string text = "{";
  for (std::size_t d = 0; d < Rank; ++d) text += (d > 0 ? ", " : "") + std::to_string(p[d]);
  return text + "}";
}

template <std::size_t Rank>
void check_permutation(std::string const& where, Permutation<Rank> const& p) {
  int seen = 0;
  for (std::size_t d = 0; d < Rank; ++d)
    if (p[d] >= 0 && p[d] < int(Rank)) seen |= 1 << p[d];
  if (seen != (1 << Rank) - 1)
    fail(where, "the permutation ", to_string(p),
         " does not name every dimension once; permutation[d] is the dimension of the source that becomes dimension d, "
         "so give each number from 0 to ",
         Rank - 1, " once");
}

/// Whether kernels on Exec can access the View's memory.
template <class Exec, class View>
inline constexpr bool reaches = Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible;

/// Whether one of the Views lies in host memory that kernels on Exec do not reach, and the other where they do.
template <class Exec, class Dst, class Src>
inline constexpr bool is_transfer =
    reaches<Exec, Dst> != reaches<Exec, Src> &&
    reaches<Kokkos::DefaultHostExecutionSpace, std::conditional_t<reaches<Exec, Dst>, Src, Dst>>;

/// Whether the destination is the source itself and the permutation swaps two of its dimensions or none.
template <class Dst, class Src, std::size_t Rank>
bool is_in_place(Dst const& dst, Src const& src, Permutation<Rank> const& p) {
  if (static_cast<void const*>(dst.data()) != static_cast<void const*>(src.data())) return false;
  int moved = 0;
  for (std::size_t d = 0; d < Rank; ++d) {
    if (dst.extent(d) != src.extent(d) || dst.stride(d) != src.stride(d) || p[p[d]] != int(d)) return false;
    moved += p[d] != int(d);
  }
  return moved <= 2;
}

template <class Exec, class Dst, class Src, std::size_t Rank>
void check_transpose(std::string const& where, Dst const& dst, Src const& src, Permutation<Rank> const& p) {
  static_assert(Kokkos::is_view_v<Dst> && Kokkos::is_view_v<Src>,
                "Koalesce::transpose: the arguments must be Kokkos Views");
  static_assert(Dst::rank() == Rank && Src::rank() == Rank && Rank >= 1,
                "Koalesce::transpose: source and destination must have the same rank, from 1 to 8");
  static_assert(!std::is_const_v<typename Dst::value_type>,
                "Koalesce::transpose: the destination is const, so it cannot be written");
  static_assert(std::is_same_v<typename Dst::value_type, typename Src::non_const_value_type>,
                "Koalesce::transpose: source and destination must have the same element type");
  static_assert(std::is_trivially_copyable_v<typename Dst::value_type>,
                "Koalesce::transpose: elements are moved as bytes, so they must be trivially copyable");

  check_permutation(where, p);
  for (std::size_t d = 0; d < Rank; ++d)
    if (dst.extent(d) != src.extent(p[d]))
      fail(where, "the destination ", quoted_label(dst), " has extent ", dst.extent(d), " in dimension ", d,
           ", but dimension ", p[d], " of the source ", quoted_label(src), ", which goes there, has ", src.extent(p[d]),
           "; give the destination that extent");
  check_memory_of_elements(where, dst, "the destination");
  check_memory_of_elements(where, src, "the source");
  if constexpr (!is_transfer<Exec, Dst, Src>) {
    check_reach<Exec>(where, dst, "the destination");
    check_reach<Exec>(where, src, "the source");
  }
  auto const memory = memory_of(dst);
  check_apart(where, memory, [&] { return "the destination " + quoted_label(dst); });
  if (!is_in_place(dst, src, p) && overlap(memory, memory_of(src)))
    fail(where, "the destination ", quoted_label(dst), " and the source ", quoted_label(src),
         " overlap in memory; elements are written while others are still read, so give the destination memory of its "
         "own (only a square matrix can be transposed in place)");
}

}  // namespace Koalesce::Impl

#endif
