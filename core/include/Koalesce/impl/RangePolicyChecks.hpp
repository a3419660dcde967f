// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_RANGE_POLICY_CHECKS_HPP
#define KOALESCE_IMPL_RANGE_POLICY_CHECKS_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Koalesce::Impl {

/// Whether a policy is a Kokkos::RangePolicy that gives the instance, the items and their index type, and nothing that
/// kernels of another shape cannot honor: a work tag, launch bounds, a schedule, a desired occupancy.
template <class Policy>
inline constexpr bool is_plain_range_policy = false;
template <class... Properties>
inline constexpr bool is_plain_range_policy<Kokkos::RangePolicy<Properties...>> =
    std::is_void_v<typename Kokkos::RangePolicy<Properties...>::work_tag>&& std::is_same_v<
        typename Kokkos::RangePolicy<Properties...>::launch_bounds, Kokkos::LaunchBounds<>>&&
        std::is_same_v<typename Kokkos::RangePolicy<Properties...>::schedule_type, Kokkos::Schedule<Kokkos::Static>> &&
    !Kokkos::RangePolicy<Properties...>::experimental_contains_desired_occupancy;

}  // namespace Koalesce::Impl

#endif
