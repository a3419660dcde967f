// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_HALF_WARP_EXCHANGE_HPP
#define KOALESCE_SHADOW_IMPL_HALF_WARP_EXCHANGE_HPP

namespace Koalesce::Impl {

/// Reads HalfWarpTile's tiles without scratch memory. A backend whose threads exchange registers specializes it; then
/// `exists` is true, and read(team, a, row, column, columns, f) does what HalfWarpTile::read does, for the tile's
/// `columns` columns that the matrix has.
template <class Exec, class T>
struct HalfWarpExchange {
  static constexpr bool exists = false;
};

}  // namespace Koalesce::Impl

#endif
