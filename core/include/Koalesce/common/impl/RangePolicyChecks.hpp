// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_RANGE_POLICY_CHECKS_HPP
#define KOALESCE_COMMON_IMPL_RANGE_POLICY_CHECKS_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Koalesce::Impl {

/// Whether a template argument of a RangePolicy only names the execution space or the index type, or is a default.
template <class Property>
inline constexpr bool is_plain_property =
    Kokkos::is_execution_space_v<Property> || std::is_integral_v<Property> ||
    std::is_same_v<Property, Kokkos::Schedule<Kokkos::Static>> || std::is_same_v<Property, Kokkos::LaunchBounds<>>;
template <class T>
inline constexpr bool is_plain_property<Kokkos::IndexType<T>> = true;

/// Whether a policy is a Kokkos::RangePolicy without work tag, schedule, launch bounds or any other property that a
/// pattern would have to drop.
template <class Policy>
inline constexpr bool is_plain_range_policy = false;
template <class... Properties>
inline constexpr bool is_plain_range_policy<Kokkos::RangePolicy<Properties...>> = (is_plain_property<Properties> &&
                                                                                   ...);

}  // namespace Koalesce::Impl

#endif
