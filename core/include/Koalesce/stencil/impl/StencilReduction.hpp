// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_REDUCTION_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_REDUCTION_HPP

#include <Koalesce/common/impl/Pack.hpp>

#include <cstdint>
#include <type_traits>

/// What a sweep reduces beside its outputs: every block or item of a kernel leaves one partial result, and these are
/// joined in order. So a kernel's sums are rounded alike in every run.
namespace Koalesce::Impl {

/// Of a sweep that reduces nothing.
struct NoReduction {
  using Update = Pack<>;

  static constexpr char const* function = "Koalesce::parallel_stencil";

  KOKKOS_FORCEINLINE_FUNCTION Update identity() const { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION void leave(std::int64_t, Update const&) const {}
};

/// \tparam Reducers  Kokkos reducers, which refer to the results.
template <class... Reducers>
struct StencilReduction {
  using Update = Pack<typename Reducers::value_type...>;

  static constexpr char const* function = "Koalesce::parallel_stencil_reduce";

  Pack<Reducers...> reducers;
  Update* parts              = nullptr;  ///< the kernel's partial results
  Update const* earlier      = nullptr;  ///< those of kernels before it
  std::int64_t earlier_count = 0;

  KOKKOS_FUNCTION void init(Update& update) const {
    for_each(reducers, [&](auto const& reducer, auto i) { reducer.init(get<decltype(i)::value>(update)); });
  }

  KOKKOS_FUNCTION void join(Update& update, Update const& other) const {
    for_each(reducers, [&](auto const& reducer, auto i) {
      constexpr int k = decltype(i)::value;
      reducer.join(get<k>(update), get<k>(other));
    });
  }

  KOKKOS_FUNCTION Update identity() const {
    Update update;
    init(update);
    return update;
  }

  /// Makes this the partial result of a block or item.
  KOKKOS_FUNCTION void leave(std::int64_t number, Update const& update) const { parts[number] = update; }
};

template <class Work>
inline constexpr bool reduces = !std::is_same_v<typename Work::Reduction, NoReduction>;

}  // namespace Koalesce::Impl

#endif
