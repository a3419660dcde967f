// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_LINE_REDUCTION_CHECKS_HPP
#define KOALESCE_SHADOW_IMPL_LINE_REDUCTION_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>

#include <string>
#include <vector>

namespace Koalesce::Impl {

/// Which dimension of the matrix has a result per index.
enum class Lines { rows, columns };

/// Throws unless the View has an element per line of the matrix.
template <class View, class Matrix>
void check_line_extents(std::string const& where, View const& result, std::string const& role, Matrix const& a,
                        Lines lines) {
  constexpr int row = int(Matrix::rank()) - 2;
  int const d       = lines == Lines::rows ? row : row + 1;
  auto const refuse = [&](auto extent, auto wanted, std::string const& what) {
    if (extent != wanted)
      fail(where, role, " ", quoted_label(result), " has extent ", extent, ", but the matrix ", quoted_label(a),
           " has ", wanted, " ", what, "; give it one element per ", what.substr(0, what.size() - 1));
  };
  if constexpr (row == 1)
    if (result.extent(0) != a.extent(0))
      fail(where, role, " ", quoted_label(result), " has extent ", result.extent(0), ", but the batch ",
           quoted_label(a), " has ", a.extent(0), " matrices; give it as many");
  refuse(result.extent(row), a.extent(d), lines == Lines::rows ? "rows" : "columns");
}

/// Throws unless every line of the matrix can have its results.
template <class Exec, class Matrix, class... Views>
void check_line_reduction(std::string const& where, Lines lines, Matrix const& a, Views const&... results) {
  check_access<Exec>(where, a, "the matrix");
  std::vector<StridedMemory> memory;
  auto const check = [&](auto const& result) {
    std::string const role = "result " + std::to_string(memory.size());
    check_line_extents(where, result, role, a, lines);
    check_access<Exec>(where, result, role);
    auto const piece = memory_of(result);
    check_apart(where, piece, [&] { return role + " " + quoted_label(result); });
    if (overlap(piece, memory_of(a)))
      fail(where, role, " ", quoted_label(result), " and the matrix ", quoted_label(a),
           " overlap in memory; results are written while elements are still read, so give them memory of their own");
    for (std::size_t other = 0; other < memory.size(); ++other)
      if (overlap(piece, memory[other]))
        fail(where, role, " ", quoted_label(result), " and result ", other,
             " overlap in memory; both would be written, so give every result memory of its own");
    memory.push_back(piece);
  };
  (check(results), ...);
}

}  // namespace Koalesce::Impl

#endif
