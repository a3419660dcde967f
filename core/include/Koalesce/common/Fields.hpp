// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_FIELDS_HPP
#define KOALESCE_COMMON_FIELDS_HPP

#include <Koalesce/common/impl/Pack.hpp>

namespace Koalesce {

/// \brief Several Views as one argument: `parallel_stencil("step", policy, fields(u, v), fields(du, dv), f)`.
///
/// The number of fields has no effect on bitwise reproducibility: see parallel_stencil.
template <class... Views>
auto fields(Views const&... views) {
  return Impl::Pack<Views...>(views...);
}

/// \brief What a functor with several output fields returns, one value per field: `return values(du, dv);`
template <class... Ts>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto values(Ts const&... v) {
  return Impl::Pack<Ts...>(v...);
}

}  // namespace Koalesce

#endif
