// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef POISSON_OPERATORS_HPP
#define POISSON_OPERATORS_HPP

#include "Fields.hpp"

#include <Koalesce/Stencil.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include <cstdint>

namespace examples::poisson {

/// Six times a point less its neighbors, as a stencil: it needs no memory.
class StencilOperator {
 public:
  static constexpr char const* name = "Koalesce stencil";

  explicit StencilOperator(int points)
      : m_extents{points, points, points},
        m_laplacian([](int dz, int dy, int dx) { return dz == 0 && dy == 0 && dx == 0 ? 6. : -1.; }) {}

  void apply(Exec const& exec, Field const& p, Field const& q) const {
    Koalesce::parallel_stencil("Laplacian", Koalesce::StencilPolicy<Exec, Shape>(exec, m_extents), p, q, m_laplacian);
  }

 private:
  using Shape = Koalesce::Star<1, 1, 1>;

  Kokkos::Array<std::int64_t, 3> m_extents;
  Koalesce::LinearStencil<double, Shape> m_laplacian;
};

/// The same as a sparse matrix. Rows of points on faces are empty, so that vectors are those of the stencil.
class MatrixOperator {
 public:
  static constexpr char const* name = "KokkosSparse matrix";

  /// The most points in each direction that a matrix can have: Kokkos Kernels numbers rows as int, and entries as its
  /// offsets.
  static int max_points();

  explicit MatrixOperator(int points);

  void apply(Exec const& exec, Field const& p, Field const& q) const {
    KokkosSparse::spmv(exec, "N", 1., m_matrix, as_vector(p), 0., as_vector(q));
  }

  /// The memory of the matrix.
  double bytes() const;

 private:
  using Matrix = KokkosSparse::CrsMatrix<double, int, Exec>;

  Matrix m_matrix;
};

}  // namespace examples::poisson

#endif
