// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_PACK_HPP
#define KOALESCE_COMMON_IMPL_PACK_HPP

#include <Koalesce/common/Fields.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// Stands after a lambda's parameters, and inlines its calls: a loop that contains a call does not vectorize.
#if defined(__GNUC__)
#define KOALESCE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KOALESCE_INLINE_LAMBDA
#endif

// These functions call host lambdas on the host only. nvcc warns about that, because they are device functions, too.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20013, 20015
#endif

namespace Koalesce::Impl {

template <std::size_t I, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T& get(PackLeaf<I, T>& leaf) {
  return leaf.value;
}

template <std::size_t I, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr T const& get(PackLeaf<I, T> const& leaf) {
  return leaf.value;
}

template <class T>
inline constexpr bool is_pack = false;
template <class... Ts>
inline constexpr bool is_pack<Pack<Ts...>> = true;

/// Calls f(integral_constant<0>), ..., f(integral_constant<N-1>): a loop that is unrolled on every compiler.
template <int N, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr void static_for(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>)
      KOALESCE_INLINE_LAMBDA { (f(std::integral_constant<int, I>{}), ...); }(std::make_integer_sequence<int, N>{});
}

/// Calls f(element, integral_constant) for every element of a pack.
template <class F, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION constexpr void for_each(Pack<Ts...>& pack, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA {
    (f(get<I>(pack), std::integral_constant<int, int(I)>{}), ...);
  }(std::index_sequence_for<Ts...>{});
}

template <class F, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION constexpr void for_each(Pack<Ts...> const& pack, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA {
    (f(get<I>(pack), std::integral_constant<int, int(I)>{}), ...);
  }(std::index_sequence_for<Ts...>{});
}

/// The pack of what f returns for each element.
template <class F, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto transform(Pack<Ts...> const& pack, F&& f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) KOALESCE_INLINE_LAMBDA {
    return Pack<decltype(f(get<I>(pack), std::integral_constant<int, int(I)>{}))...>(
        f(get<I>(pack), std::integral_constant<int, int(I)>{})...);
  }(std::index_sequence_for<Ts...>{});
}

/// The elements of two packs, one after the other.
template <class... As, class... Bs>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<As..., Bs...> concat(Pack<As...> const& a, Pack<Bs...> const& b) {
  return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>)
             KOALESCE_INLINE_LAMBDA { return Pack<As..., Bs...>(get<I>(a)..., get<J>(b)...); }(
                 std::index_sequence_for<As...>{}, std::index_sequence_for<Bs...>{});
}

/// The elements of any number of packs, one after the other.
inline Pack<> concat_all() { return {}; }
template <class First, class... More>
constexpr auto concat_all(First const& first, More const&... more) {
  if constexpr (sizeof...(More) == 0) return first;
  else return concat(first, concat_all(more...));
}

}  // namespace Koalesce::Impl

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif
