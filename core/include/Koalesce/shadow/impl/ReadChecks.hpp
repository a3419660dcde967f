// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_READ_CHECKS_HPP
#define KOALESCE_SHADOW_IMPL_READ_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/RangePolicyChecks.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/shadow/IndexMap.hpp>
#include <Koalesce/shadow/ShadowView.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace Koalesce::Impl {

/// Throws unless the items can be read from the matrix by the map.
template <class Exec, class View, class Map>
void check_read(std::string const& where, ShadowView<View> const& a, Map const& map, std::int64_t begin,
                std::int64_t end) {
  check_access<Exec>(where, a.base(), "the matrix");
  check_items(where, begin, end);
  if (end > begin && a.size() == 0)
    fail(where, "there are ", end - begin, " items to read, but the matrix ", quoted_label(a.base()),
         " has no elements; give an empty range");
  if constexpr (std::is_same_v<Map, ColumnOrder>) {
    constexpr int row = int(View::rank()) - 2;
    if (map.rows() != std::int64_t(a.extent(row)) || map.columns() != std::int64_t(a.extent(row + 1)))
      fail(where, "the ColumnOrder is for a matrix of ", map.rows(), " x ", map.columns(), " elements, but the matrix ",
           quoted_label(a.base()), " has ", a.extent(row), " x ", a.extent(row + 1),
           "; give the ColumnOrder the matrix's extents");
    std::int64_t const batch = row == 0 ? 1 : a.extent(0);
    if (map.batch() != batch)
      fail(where, "the ColumnOrder is for a batch of ", map.batch(), ", but ", quoted_label(a.base()), " has ", batch,
           batch == 1 ? " matrix" : " matrices", "; use ColumnOrder(", map.rows(), ", ", map.columns(), ", ", batch,
           ")");
  }
  constexpr bool is_known = std::is_same_v<Map, ColumnOrder> || std::is_same_v<Map, RowOrder>;
  if (is_known && end > begin && end > std::int64_t(a.size()))
    fail(where, "the items are ", begin, " to ", end, ", but the matrix ", quoted_label(a.base()), " has ", a.size(),
         " elements; ColumnOrder and RowOrder have one item per element, so end the range there");
}

/// Throws if the policy has a chunk size. Kokkos has no way to ask whether a chunk size was set: one that differs from
/// Kokkos' own was.
template <class Policy>
void check_chunk_size(std::string const& where, Policy const& policy) {
  if (policy.begin() < policy.end() &&
      policy.chunk_size() != Policy(policy.space(), policy.begin(), policy.end()).chunk_size())
    fail(where, "the policy has a chunk size of ", policy.chunk_size(),
         ", which would be ignored, since items are grouped by half-warps and tiles; give a policy without one");
}

}  // namespace Koalesce::Impl

#endif
