// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_SPMV_MATRIX_HPP
#define KOALESCE_PERF_SPMV_MATRIX_HPP

#include <Kokkos_Core.hpp>

#include "Measure.hpp"

/// Sparse matrices whose rows differ in length, and the vectors of y = A x.
namespace perf::spmv {

/// Numbers of rows, columns and entries: 32 bits are what KokkosSparse and cuSPARSE are fastest with.
using Integers = Kokkos::View<int*, Exec>;
using Numbers  = Kokkos::View<double*, Exec>;

enum class Lengths {
  uniform,     ///< 6 to 10 entries a row
  powerlaw,    ///< k or more entries in one row of k, up to 4096
  two_lengths  ///< 64 entries in one row of eight, 4 in the others
};

/// Rows in compressed storage, in random order of their lengths. Three of four columns are near the diagonal, the
/// others anywhere; those of a row are in order, and may repeat. All numbers are positive.
struct Matrix {
  int rows() const { return int(y.extent(0)); }

  /// What a product has to read and write: every element once.
  double bytes() const {
    return double(columns.extent(0)) * (sizeof(double) + sizeof(int)) + double(offsets.extent(0)) * sizeof(int) +
           double(rows()) * 2 * sizeof(double);
  }

  Lengths lengths;
  int longest;  ///< entries in a row
  Integers offsets, columns;
  Numbers values, x, y;
  Numbers expected;  ///< the product, made by a serial loop of the host
};

/// Made on the host, always the same.
Matrix make_matrix(Lengths lengths);

}  // namespace perf::spmv

#endif
