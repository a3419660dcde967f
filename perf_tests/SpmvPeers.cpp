// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpmvPeers.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include <memory>

namespace perf::spmv {
namespace {

using Crs    = KokkosSparse::CrsMatrix<double, int, Exec, void, int>;
using Handle = KokkosSparse::SPMVHandle<Exec, Crs, Numbers, Numbers>;

KokkosSparse::SPMVAlgorithm algorithm_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::native: return KokkosSparse::SPMV_NATIVE;
    case Algorithm::merge: return KokkosSparse::SPMV_MERGE_PATH;
    default: return KokkosSparse::SPMV_DEFAULT;
  }
}

}  // namespace

std::function<void()> kokkos_sparse(Matrix const& matrix, Algorithm algorithm) {
  Crs const crs("A", matrix.rows(), matrix.rows(), int(matrix.columns.extent(0)), matrix.values, matrix.offsets,
                matrix.columns);
  auto const handle = std::make_shared<Handle>(algorithm_of(algorithm));
  return [=, x = matrix.x, y = matrix.y] { KokkosSparse::spmv(Exec(), handle.get(), "N", 1., crs, x, 0., y); };
}

}  // namespace perf::spmv
