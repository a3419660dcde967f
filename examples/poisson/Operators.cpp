// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operators.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace examples::poisson {
namespace {

using Matrix  = KokkosSparse::CrsMatrix<double, int, Exec>;
using Offset  = Matrix::non_const_size_type;
using Offsets = Matrix::row_map_type::non_const_type;
using Columns = Matrix::index_type::non_const_type;
using Values  = Matrix::values_type::non_const_type;

/// Calls visit(row, value) for what a row has: its point, and neighbors that are not on a face.
struct Rows {
  int points;
  int strides[3];

  explicit Rows(Field const& field)
      : points(int(field.extent(0)) - 2), strides{int(field.stride(0)), int(field.stride(1)), int(field.stride(2))} {}

  KOKKOS_FUNCTION int place(int row, int d) const { return row / strides[d] % (points + 2); }

  template <class Visit>
  KOKKOS_FUNCTION void visit(int row, Visit const& visit) const {
    for (int d = 0; d < 3; ++d)
      if (place(row, d) < 1 || place(row, d) > points) return;
    visit(row, 6.);
    for (int d = 0; d < 3; ++d) {
      if (place(row, d) > 1) visit(row - strides[d], -1.);
      if (place(row, d) < points) visit(row + strides[d], -1.);
    }
  }
};

Matrix make_matrix(int points) {
  Exec const exec;
  // No memory: its numbering is what matters, whichever layout fields have.
  Rows const rows(Field(nullptr, points + 2, points + 2, points + 2));
  int const n = (points + 2) * (points + 2) * (points + 2);
  Offsets const offsets("offsets", std::size_t(n) + 1);
  Offset entries = 0;
  Kokkos::parallel_scan(
      "count entries", Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, n),
      KOKKOS_LAMBDA(int row, Offset& before, bool last) {
        rows.visit(row, [&](int, double) { ++before; });
        if (last) offsets(row + 1) = before;
      },
      entries);
  Columns const columns(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "columns"), entries);
  Values const values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "values"), entries);
  Kokkos::parallel_for(
      "fill matrix", Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, n), KOKKOS_LAMBDA(int row) {
        Offset at = offsets(row);
        rows.visit(row, [&](int column, double value) {
          columns(at)  = column;
          values(at++) = value;
        });
      });
  exec.fence("the matrix is complete");
  return Matrix("Laplacian", n, n, entries, values, offsets, columns);
}

}  // namespace

int MatrixOperator::max_points() {
  std::int64_t n     = 1000;  // so many rows, with those on faces, are an int
  auto const entries = [&] { return n * n * (7 * n - 6); };
  while (std::cmp_greater(entries(), std::numeric_limits<Offset>::max())) --n;
  return int(n);
}

MatrixOperator::MatrixOperator(int points) : m_matrix(make_matrix(points)) {}

double MatrixOperator::bytes() const {
  return double(m_matrix.nnz()) * (sizeof(double) + sizeof(int)) + (double(m_matrix.numRows()) + 1) * sizeof(Offset);
}

}  // namespace examples::poisson
