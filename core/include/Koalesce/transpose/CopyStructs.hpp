// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_COPY_STRUCTS_HPP
#define KOALESCE_TRANSPOSE_COPY_STRUCTS_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/transpose/StructView.hpp>
#include <Koalesce/transpose/impl/StructChecks.hpp>
#include <Koalesce/transpose/impl/StructDispatch.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>

namespace Koalesce {

/// \brief Copies structs from one form to another: arrays of structs to one array per member, and back, in one pass.
///
/// Members of one size that fill the struct in the order of the list are transposed as a matrix. On CUDA other structs
/// of up to 1024 bytes pass through shared memory; both sides are read and written coalesced.
///
/// Bytes of a destination's structs that belong to no listed member stay as they are. Where the list has all members of
/// an aggregate, they are padding, and may be written, as by an assignment.
///
/// Asynchronous: one kernel "Koalesce::<backend>::copy_structs" on the instance given.
///
/// \tparam BackendTag the backend; Backend::Native is the execution space's own.
/// \param[in] exec    the instance that the kernel runs on.
/// \param[out] dst    a StructView in either form.
/// \param[in] src     a StructView of the same Members and size, in either form.
/// \throws Error before anything runs: different sizes, memory that overlaps, is missing or out of the execution
///         space's reach.
template <class BackendTag = Backend::Native, class Exec, class Dst, class Src>
void copy_structs(Exec const& exec, Dst const& dst, Src const& src) {
  static_assert(Impl::is_struct_view<Dst> && Impl::is_struct_view<Src>,
                "Koalesce::copy_structs: the arguments must be an execution space instance and two StructViews");
  if constexpr (Impl::is_struct_view<Dst> && Impl::is_struct_view<Src>) {
    constexpr bool same = std::is_same_v<typename Dst::members, typename Src::members>;
    static_assert(same, "Koalesce::copy_structs: source and destination must have the same Members");
    if constexpr (same) {
      Impl::check_copy_structs<Exec>("Koalesce::copy_structs", dst, src);
      Kokkos::Profiling::ScopedRegion const region("Koalesce::copy_structs");
      Impl::dispatch_structs<BackendTag>(exec, "copy_structs", dst, src);
    }
  }
}

}  // namespace Koalesce

#endif
