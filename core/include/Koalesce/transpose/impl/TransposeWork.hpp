// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_WORK_HPP
#define KOALESCE_TRANSPOSE_IMPL_TRANSPOSE_WORK_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Processor.hpp>

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

/// The dimensions of a batch of matrices, the fastest one first.
class MatrixBatch {
 public:
  static constexpr int max_dims = 6;  // of the 8 of a View, two are rows and columns

  MatrixBatch() = default;
  explicit MatrixBatch(TransposeDim const& dim) { append(dim); }

  void append(TransposeDim const& dim) {
    m_dim[m_dims++] = {dim.from, dim.to, Divisor(dim.extent)};
    m_size *= dim.extent;
  }

  int dims() const { return m_dims; }
  TransposeDim dim(int d) const { return {m_dim[d].extent.divisor(), m_dim[d].from, m_dim[d].to}; }

  /// The number of matrices.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return m_size; }

  struct Offsets {
    std::int64_t from, to;
  };

  /// Where matrix b begins.
  KOKKOS_FORCEINLINE_FUNCTION Offsets offsets(std::int64_t b) const {
    // The most frequent, for which a kernel should compute next to nothing.
    if (m_dims < 2) [[likely]]
      return {b * m_dim[0].from, b * m_dim[0].to};
    Offsets sum{0, 0};
    int d = 0;
    KOALESCE_IMPL_DO_NOT_UNROLL
    for (; d + 1 < m_dims; ++d) {
      std::int64_t const next = b / m_dim[d].extent, i = b - next * m_dim[d].extent.divisor();
      sum.from += i * m_dim[d].from;
      sum.to += i * m_dim[d].to;
      b = next;
    }
    return {sum.from + b * m_dim[d].from, sum.to + b * m_dim[d].to};
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t from(std::int64_t b) const { return offsets(b).from; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t to(std::int64_t b) const { return offsets(b).to; }

  /// Whether all matrices begin at multiples of `elements` in the source, or in the destination.
  bool from_multiple_of(std::int64_t elements) const { return are_multiples(&Dim::from, elements); }
  bool to_multiple_of(std::int64_t elements) const { return are_multiples(&Dim::to, elements); }

 private:
  struct Dim {
    std::int64_t from = 0, to = 0;
    Divisor extent;
  };

  bool are_multiples(std::int64_t Dim::*stride, std::int64_t elements) const {
    for (int d = 0; d < m_dims; ++d)
      if (m_dim[d].*stride % elements != 0) return false;
    return true;
  }

  std::int64_t m_size = 1;
  int m_dims          = 0;
  Dim m_dim[max_dims];
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
  RowColumnStrides from_at, to_at;
  std::int64_t rows, columns;
  MatrixBatch batch;

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
