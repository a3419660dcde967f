// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_RANGE_POLICY_CHECKS_HPP
#define KOALESCE_COMMON_IMPL_RANGE_POLICY_CHECKS_HPP

#include <Koalesce/common/Error.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
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
inline constexpr bool is_plain_range_policy<Kokkos::RangePolicy<Properties...>> =
    (is_plain_property<Properties> && ...);

/// Throws unless the items begin at 0 or later and end where they begin or later, but so early that kernels can count
/// on from the last one.
inline void check_items(std::string const& where, std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin)
    fail(where, "the items are ", begin, " to ", end,
         "; items are counted from 0 upward, so give a range with 0 <= begin <= end");
  if (end > std::int64_t(1) << 62)
    fail(where, "the items end at ", end, "; kernels count on from the last one, so let them end at 2^62 or earlier");
}

}  // namespace Koalesce::Impl

#endif
