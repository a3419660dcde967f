// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_WORK_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_WORK_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Every transposition, of any rank and permutation, becomes one of a batch of matrices. The dimension with the
/// smallest stride in the source is called columns, the one with the smallest stride in the destination rows, and the
/// remaining one is the batch. Backends see only this form.
namespace Koalesce::Impl {

/// Where the elements of a batch of matrices lie: `base[b * batch + r * row + c * column]`.
struct MatrixStrides {
  std::int64_t batch, row, column;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t b, std::int64_t r, std::int64_t c) const {
    return b * batch + r * row + c * column;
  }
};

/// to(b, r, c) = from(b, r, c) for 0 <= b < batch, 0 <= r < rows, 0 <= c < columns.
///
/// `from_at.column <= from_at.row` and `to_at.row <= to_at.column`; mostly from_at.column and to_at.row are 1. `from`
/// and `to` do not overlap, or the work is_in_place().
template <class T>
struct TransposeWork {
  using value_type = T;

  T const* from;
  T* to;
  std::int64_t batch, rows, columns;
  MatrixStrides from_at, to_at;

  /// Whether square matrices are transposed in place.
  KOKKOS_FUNCTION bool is_in_place() const { return static_cast<void const*>(from) == static_cast<void const*>(to); }

  std::int64_t size() const { return batch * rows * columns; }
};

/// As TransposeWork, but rows are contiguous on both sides: they move as they are, and nothing is transposed.
template <class T>
struct CopyWork : TransposeWork<T> {};

}  // namespace Koalesce::Impl

#endif
