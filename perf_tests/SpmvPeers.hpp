// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_SPMV_PEERS_HPP
#define KOALESCE_PERF_SPMV_PEERS_HPP

#include <functional>

#include "SpmvMatrix.hpp"

/// KokkosSparse in a file of its own: its headers take long to compile.
namespace perf::spmv {

enum class Algorithm { automatic, native, merge };

/// A product by KokkosSparse::spmv, with a handle that every call uses again.
std::function<void()> kokkos_sparse(Matrix const& matrix, Algorithm algorithm);

}  // namespace perf::spmv

#endif
