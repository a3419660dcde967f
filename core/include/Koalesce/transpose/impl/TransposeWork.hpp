// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_WORK_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_WORK_HPP

#include <Koalesce/common/impl/Divisor.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// Every transposition, of any rank and permutation, becomes one of a batch of matrices. The dimension with the
/// smallest stride in the source is called columns, the one with the smallest stride in the destination rows, and the
/// remaining ones are the batch. Backends see only this form.
namespace Koalesce::Impl {

/// A dimension: its extent, and its stride in the source and in the destination.
struct TransposeDim {
  std::int64_t extent = 1, from = 0, to = 0;

  friend bool operator==(TransposeDim const&, TransposeDim const&) = default;
};

/// The dimensions of a batch of matrices, the fastest one first. Matrix b begins at from(b) and to(b).
class MatrixBatch {
 public:
  static constexpr int max_dims = 6;  // of the 8 of a View, two are rows and columns

  MatrixBatch() = default;
  explicit MatrixBatch(TransposeDim const& dim) { append(dim); }

  void append(TransposeDim const& dim) {
    m_extent[m_dims] = Divisor(dim.extent);
    m_from[m_dims]   = dim.from;
    m_to[m_dims]     = dim.to;
    m_size *= dim.extent;
    ++m_dims;
  }

  int dims() const { return m_dims; }
  TransposeDim dim(int d) const { return {m_extent[d].divisor(), m_from[d], m_to[d]}; }

  /// The number of matrices.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return m_size; }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t from(std::int64_t b) const { return offset(b, m_from); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t to(std::int64_t b) const { return offset(b, m_to); }

  /// Whether all matrices begin at multiples of `elements` in the source, or in the destination.
  bool from_multiple_of(std::int64_t elements) const { return are_multiples(m_from, elements); }
  bool to_multiple_of(std::int64_t elements) const { return are_multiples(m_to, elements); }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t b, std::int64_t const (&stride)[max_dims]) const {
    if (m_dims < 2) return b * stride[0];  // the most frequent, for which a kernel should compute next to nothing
    std::int64_t sum = 0;
    int d            = 0;
    for (; d + 1 < m_dims; ++d) {
      std::int64_t const next = b / m_extent[d];
      sum += (b - next * m_extent[d].divisor()) * stride[d];
      b = next;
    }
    return sum + b * stride[d];
  }

  bool are_multiples(std::int64_t const (&stride)[max_dims], std::int64_t elements) const {
    for (int d = 0; d < m_dims; ++d)
      if (stride[d] % elements != 0) return false;
    return true;
  }

  int m_dims          = 0;
  std::int64_t m_size = 1;
  Divisor m_extent[max_dims];
  std::int64_t m_from[max_dims] = {}, m_to[max_dims] = {};
};

/// Where the elements of a matrix lie: `base[r * row + c * column]`.
struct RowColumnStrides {
  std::int64_t row, column;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t r, std::int64_t c) const {
    return r * row + c * column;
  }
};

/// to(b, r, c) = from(b, r, c) for 0 <= b < batch.size(), 0 <= r < rows, 0 <= c < columns.
///
/// `from_at.column <= from_at.row` and `to_at.row <= to_at.column`; mostly from_at.column and to_at.row are 1. `from`
/// and `to` do not overlap, or the work is_in_place().
template <class T>
struct TransposeWork {
  using value_type = T;

  T const* from;
  T* to;
  MatrixBatch batch;
  std::int64_t rows, columns;
  RowColumnStrides from_at, to_at;

  /// Offsets of an element in the source and in the destination.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t from_offset(std::int64_t b, std::int64_t r, std::int64_t c) const {
    return batch.from(b) + from_at(r, c);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t to_offset(std::int64_t b, std::int64_t r, std::int64_t c) const {
    return batch.to(b) + to_at(r, c);
  }

  /// Whether square matrices are transposed in place.
  KOKKOS_FUNCTION bool is_in_place() const { return static_cast<void const*>(from) == static_cast<void const*>(to); }

  std::int64_t size() const { return batch.size() * rows * columns; }
};

/// As TransposeWork, but columns are the fastest dimension on both sides: rows move as they are, and nothing is
/// transposed within a matrix.
template <class T>
struct CopyWork : TransposeWork<T> {};

}  // namespace Koalesce::Impl

#endif
