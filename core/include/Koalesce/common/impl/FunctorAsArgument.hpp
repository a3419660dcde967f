// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_FUNCTOR_AS_ARGUMENT_HPP
#define KOALESCE_COMMON_IMPL_FUNCTOR_AS_ARGUMENT_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// Kernels take their functor as an argument. Kokkos would pass one of 512 bytes and more through one buffer, and wait
/// for the last kernel that used it. Graphs cannot capture that, and small transpositions took 18 instead of 14 us on
/// an H200.
using FunctorAsArgument = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// A range of items, for a functor that is an argument.
template <class Index, class Exec>
auto argument_range(Exec const& exec, Index begin, Index end) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>, FunctorAsArgument>(exec, begin, end);
}
template <class Exec>
auto argument_range(Exec const& exec, std::int64_t items) {
  return argument_range<std::int64_t>(exec, 0, items);
}

}  // namespace Koalesce::Impl

#endif
