// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_READ_SIGNATURE_HPP
#define KOALESCE_SHADOW_IMPL_READ_SIGNATURE_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/common/impl/RangePolicyChecks.hpp>

#include <cstdint>
#include <type_traits>

/// Compile-time checks of a call of parallel_read or parallel_read_reduce, with one clear message each.
namespace Koalesce::Impl {

template <class Map>
constexpr bool check_index_map() {
  if constexpr (is_device_lambda<Map>) {
    return true;
  } else {
    constexpr bool maps = std::is_invocable_r_v<std::int64_t, Map const&, std::int64_t&>;
    static_assert(maps,
                  "Koalesce::parallel_read: the index map must be const and callable as index_map(std::int64_t item), "
                  "returning the linear index of an element");
    return maps;
  }
}

template <class T, class Consumer, class Result>
constexpr bool check_consumer() {
  if constexpr (is_device_lambda<Consumer>) {
    return true;
  } else if constexpr (std::is_same_v<Result, NoResult>) {
    constexpr bool consumes = std::is_invocable_v<Consumer const&, std::int64_t&, T const&>;
    static_assert(consumes,
                  "Koalesce::parallel_read: the consumer must be const and callable as consumer(std::int64_t item, "
                  "element type const& value)");
    return consumes;
  } else {
    using Value             = typename ResultValue<Result>::type;
    constexpr bool consumes = std::is_invocable_v<Consumer const&, std::int64_t&, T const&, Value&>;
    static_assert(consumes,
                  "Koalesce::parallel_read_reduce: the consumer must be const and callable as consumer(std::int64_t "
                  "item, element type const& value, result's type& update)");
    return consumes;
  }
}

/// Fails a static_assert and returns false if the call is wrong; the caller then compiles no code that would add errors
/// of its own.
template <class Policy, class T, class Map, class Consumer, class Result>
constexpr bool check_read_types() {
  constexpr bool plain = is_plain_range_policy<Policy>;
  static_assert(plain,
                "Koalesce::parallel_read: the policy must be a Kokkos::RangePolicy of an execution space and an index "
                "type alone; work tags, schedules and launch bounds would be ignored, since items are grouped by "
                "half-warps and tiles");
  constexpr bool maps = check_index_map<Map>(), consumes = check_consumer<T, Consumer, Result>();
  return plain && maps && consumes;
}

}  // namespace Koalesce::Impl

#endif
