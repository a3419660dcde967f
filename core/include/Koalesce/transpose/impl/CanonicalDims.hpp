// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_CANONICAL_DIMS_HPP
#define KOALESCE_TRANSPOSE_IMPL_CANONICAL_DIMS_HPP

#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <algorithm>
#include <vector>

namespace Koalesce::Impl {

/// The dimensions in canonical order, and whether rows and columns swap in memory.
struct CanonicalDims {
  MatrixBatch batch;
  TransposeDim row, column;
  bool transposes = true;
};

/// Drops dimensions of extent 1, and merges those that are contiguous on both sides.
inline void merge_dims(std::vector<TransposeDim>& dims) {
  std::erase_if(dims, [](auto const& d) { return d.extent == 1; });
  auto const merge_one = [&] {
    for (auto& inner : dims)
      for (auto outer = dims.begin(); outer != dims.end(); ++outer)
        if (&*outer != &inner && outer->from == inner.from * inner.extent && outer->to == inner.to * inner.extent) {
          inner.extent *= outer->extent;
          dims.erase(outer);
          return true;
        }
    return false;
  };
  while (merge_one()) {
  }
}

/// The dimension with the smallest stride in the source becomes columns, the one with the smallest stride in the
/// destination rows.
inline CanonicalDims canonical_dims(std::vector<TransposeDim> dims, bool in_place) {
  merge_dims(dims);
  // Matrices that are next to each other in the destination are written at about the same time.
  std::sort(dims.begin(), dims.end(), [](auto const& a, auto const& b) { return a.to < b.to; });
  int const count = int(dims.size());
  int row = -1, column = -1;
  for (int d = 0; d < count; ++d) {
    // In place, rows and columns are the two dimensions that swap, whatever their strides.
    if (in_place && dims[d].from == dims[d].to) continue;
    if (row < 0) row = d;
    if (column < 0 || dims[d].from < dims[column].from) column = d;
  }
  if (column < 0) row = column = count - 1;  // in place, and none swaps
  bool const transposes = row != column;
  // Nothing to transpose: rows are the longest of the other dimensions, which backends iterate over first.
  if (!transposes) {
    row = -1;
    for (int d = 0; d < count; ++d)
      if (d != column && (row < 0 || dims[d].extent > dims[row].extent)) row = d;
  }

  CanonicalDims result;
  result.transposes = transposes;
  if (row >= 0) result.row = dims[row];
  if (column >= 0) result.column = dims[column];
  for (int d = 0; d < count; ++d)
    if (d != row && d != column) result.batch.append(dims[d]);
  return result;
}

}  // namespace Koalesce::Impl

#endif
