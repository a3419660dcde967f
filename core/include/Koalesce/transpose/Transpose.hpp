// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_TRANSPOSE_HPP
#define KOALESCE_TRANSPOSE_TRANSPOSE_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/transpose/impl/TransposeDispatch.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace Koalesce {

/// \brief Permutes dimensions: dst(i_0, ..., i_n-1) = src(j_0, ..., j_n-1) with j_permutation[d] = i_d.
///
/// So dst.extent(d) == src.extent(permutation[d]), as NumPy's transpose has it. Elements pass through padded tiles on
/// chip; both sides are read and written coalesced (G. Ruetsch, P. Micikevicius: "Optimizing matrix transpose in CUDA",
/// NVIDIA, 2009).
///
/// Asynchronous: one kernel "Koalesce::<backend>::transpose" on the instance given. If one of the Views lies in host
/// memory that the instance does not reach, pieces of at most 32 MiB are reordered on the device and pass through
/// pinned memory, two at a time, by kernels called "transpose [to host]" or "[from host]"; the call then returns when
/// all is copied.
///
/// \tparam BackendTag     the backend; Backend::Native is the execution space's own.
/// \param[in] exec        the instance that the kernel runs on.
/// \param[out] dst        a View of rank 1 to 8, of any layout, strided ones included. May be `src` itself where
///                        the permutation swaps two dimensions of the same extent. It or `src` may lie in host memory.
/// \param[in] src         a View of the same rank and element type, of any layout. Elements are trivially copyable.
///                        Hosts have native kernels for those of 1, 2, 4, 8 and 16 bytes, CUDA for all, but in place
///                        for these sizes alone. Others are moved by Backend::Portable's kernel.
/// \param[in] permutation every number from 0 to rank - 1 once.
/// \throws Error before anything runs: extents that do not match, no permutation, Views that overlap, a destination
///         that overlaps itself, Views without memory or out of reach; between host and device also no memory for the
///         pieces, or an instance that is being captured into a graph.
template <class BackendTag = Backend::Native, class Exec, class Dst, class Src>
void transpose(Exec const& exec, Dst const& dst, Src const& src, Kokkos::Array<int, Dst::rank()> const& permutation) {
  Impl::check_transpose<Exec>("Koalesce::transpose", dst, src, permutation);
  Kokkos::Profiling::ScopedRegion const region("Koalesce::transpose");
  Impl::dispatch_transpose<BackendTag>(exec, "transpose", dst, src, permutation);
}

/// \brief Reverses the order of dimensions: dst(j, i) = src(i, j), dst(k, j, i) = src(i, j, k), and so on.
template <class BackendTag = Backend::Native, class Exec, class Dst, class Src>
void transpose(Exec const& exec, Dst const& dst, Src const& src) {
  Kokkos::Array<int, Dst::rank()> reversed{};
  for (int d = 0; d < int(Dst::rank()); ++d) reversed[d] = int(Dst::rank()) - 1 - d;
  transpose<BackendTag>(exec, dst, src, reversed);
}

/// \brief Transposes a square matrix where it lies: a(i, j) and a(j, i) change places.
template <class BackendTag = Backend::Native, class Exec, class View>
  requires(Kokkos::is_view_v<View>)
void transpose(Exec const& exec, View const& a) {
  transpose<BackendTag>(exec, a, a);
}

/// \brief dst(i...) = src(i...), as Kokkos::deep_copy has it, with any layout on either side.
///
/// From LayoutRight to LayoutLeft and back this is a transposition in memory, and runs as one; what is contiguous on
/// both sides is moved by Kokkos::deep_copy itself. Asynchronous, on the instance given, or between host and device as
/// transpose is.
///
/// \throws Error as transpose does.
template <class BackendTag = Backend::Native, class Exec, class Dst, class Src>
void copy_layout(Exec const& exec, Dst const& dst, Src const& src) {
  Kokkos::Array<int, Dst::rank()> identity{};
  for (int d = 0; d < int(Dst::rank()); ++d) identity[d] = d;
  Impl::check_transpose<Exec>("Koalesce::copy_layout", dst, src, identity);
  Kokkos::Profiling::ScopedRegion const region("Koalesce::copy_layout");
  Impl::dispatch_transpose<BackendTag>(exec, "copy_layout", dst, src, identity);
}

}  // namespace Koalesce

#endif
