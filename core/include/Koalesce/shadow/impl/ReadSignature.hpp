// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_READ_SIGNATURE_HPP
#define KOALESCE_SHADOW_IMPL_READ_SIGNATURE_HPP

#include <Koalesce/common/impl/ForOrReduce.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/common/impl/RangePolicyChecks.hpp>
#include <Koalesce/common/impl/ResultParameters.hpp>

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

/// What a consumer of a call with this result takes after its indices.
template <class T, class Consumer, class Result, class... Index>
inline constexpr bool takes_indices =
    std::is_invocable_v<Consumer const&, Index..., T const&, typename ResultValue<Result>::type&>;
template <class T, class Consumer, class... Index>
inline constexpr bool takes_indices<T, Consumer, NoResult, Index...> =
    std::is_invocable_v<Consumer const&, Index..., T const&>;

/// How many indices the consumer takes: 1, the item's number, or as many as the View has dimensions; 0 if it can be
/// called with neither.
template <class T, int Rank, class Consumer, class Result>
constexpr int consumer_indices() {
  using I = std::int64_t&;
  if constexpr (is_device_lambda<Consumer> || takes_indices<T, Consumer, Result, I>) return 1;
  else if constexpr (Rank == 2) return takes_indices<T, Consumer, Result, I, I> ? 2 : 0;
  else return takes_indices<T, Consumer, Result, I, I, I> ? 3 : 0;
}

template <class T, int Rank, class Consumer, class Result>
constexpr bool check_consumer() {
  constexpr bool consumes = consumer_indices<T, Rank, Consumer, Result>() > 0;
  if constexpr (std::is_same_v<Result, NoResult>)
    static_assert(consumes,
                  "Koalesce::parallel_read: the consumer must be const and callable as consumer(std::int64_t item, "
                  "element type const& value), or with the element's indices (i, j), in a batch (b, i, j), in place of "
                  "the item");
  else
    static_assert(consumes,
                  "Koalesce::parallel_read_reduce: the consumer must be const and callable as consumer(std::int64_t "
                  "item, element type const& value, result's type& update), or with the element's indices (i, j), in a "
                  "batch (b, i, j), in place of the item");
  if constexpr (!consumes || is_device_lambda<Consumer> || std::is_same_v<Result, NoResult>) {
    return consumes;
  } else {
    using I               = std::int64_t&;
    using Update          = TypeList<typename ResultValue<Result>::type>;
    constexpr int indices = consumer_indices<T, Rank, Consumer, Result>();
    if constexpr (indices == 1) return check_results<Consumer>(TypeList<I, T const&>(), Update());
    else if constexpr (indices == 2) return check_results<Consumer>(TypeList<I, I, T const&>(), Update());
    else return check_results<Consumer>(TypeList<I, I, I, T const&>(), Update());
  }
}

/// Fails a static_assert and returns false if the call is wrong; the caller then compiles no code that would add errors
/// of its own.
template <class Policy, class T, int Rank, class Map, class Consumer, class Result>
constexpr bool check_read_types() {
  constexpr bool plain = is_plain_range_policy<Policy>;
  static_assert(plain,
                "Koalesce::parallel_read: the policy must be a Kokkos::RangePolicy of an execution space and an index "
                "type alone; work tags, schedules and launch bounds would be ignored, since items are grouped by "
                "half-warps and tiles");
  constexpr bool maps = check_index_map<Map>(), consumes = check_consumer<T, Rank, Consumer, Result>();
  return plain && maps && consumes;
}

}  // namespace Koalesce::Impl

#endif
