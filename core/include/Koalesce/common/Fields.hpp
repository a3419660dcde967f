// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_FIELDS_HPP
#define KOALESCE_COMMON_FIELDS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

namespace Koalesce {

namespace Impl {

template <std::size_t I, class T>
struct PackLeaf {
  T value;
};

template <class Indices, class... Ts>
struct PackBase;

template <std::size_t... I, class... Ts>
struct PackBase<std::index_sequence<I...>, Ts...> : PackLeaf<I, Ts>... {
  PackBase() = default;
  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit PackBase(Ts const&... v)
    requires(sizeof...(Ts) > 0)
      : PackLeaf<I, Ts>{v}... {}
};

}  // namespace Impl

/// \brief A tuple that device code can use: what fields() and values() return.
///
/// (nvcc takes the functions of std::tuple for host functions.)
template <class... Ts>
struct Pack : Impl::PackBase<std::index_sequence_for<Ts...>, Ts...> {
  using Impl::PackBase<std::index_sequence_for<Ts...>, Ts...>::PackBase;

  static constexpr std::size_t size = sizeof...(Ts);  ///< number of elements
};

/// \brief Several Views as one argument: `parallel_stencil("step", policy, fields(u, v), fields(du, dv), f)`.
///
/// The number of fields has no effect on bitwise reproducibility: see parallel_stencil.
template <class... Views>
Pack<Views...> fields(Views const&... views) {
  return Pack<Views...>(views...);
}

/// \brief What a functor with several output fields returns, one value per field: `return values(du, dv);`
template <class... Ts>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<Ts...> values(Ts const&... v) {
  return Pack<Ts...>(v...);
}

}  // namespace Koalesce

#endif
