// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_TRANSPOSE_PEERS_HPP
#define KOALESCE_PERF_TRANSPOSE_PEERS_HPP

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "Measure.hpp"

#ifdef KOALESCE_HAVE_CUBLAS
#include <cublas_v2.h>
#endif

/// What transpositions are compared with.
namespace perf {

/// Rows and columns of the source.
using MatrixExtents = std::array<std::int64_t, 2>;

/// The source, and zeros where its transpose goes.
template <class T>
struct Matrices {
  using View = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  template <class Data, class Layout>
  using Alias = Kokkos::View<Data, Layout, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit Matrices(MatrixExtents const& n)
      : in(Kokkos::view_alloc("in", Kokkos::WithoutInitializing), n[0], n[1]), out("out", n[1], n[0]) {
    fill(in);
  }

  double bytes() const { return 2. * sizeof(T) * double(in.size()); }

  /// The destination's memory as a matrix of the source's extents: a copy to it is a transposition in memory.
  auto out_as_source() const { return Alias<T**, Kokkos::LayoutLeft>(out.data(), in.extent(0), in.extent(1)); }

  /// The same after a plain copy of the source's memory: the transpose again.
  auto out_as_copied() const { return Alias<T**, Kokkos::LayoutLeft>(out.data(), out.extent(0), out.extent(1)); }

  static auto flat(View const& view) { return Alias<T*, Kokkos::LayoutRight>(view.data(), view.size()); }

  View in, out;
};

template <class Out, class In>
struct Mismatch {
  Out out;
  In in;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    std::int64_t const columns = in.extent(1), r = i / columns, c = i % columns;
    if (!(out(c, r) == in(r, c))) ++wrong;
  }
};

/// How many elements of out(c, r) are not in(r, c).
template <class Out, class In>
std::int64_t mismatches(Out const& out, In const& in) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("mismatches",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, std::int64_t(in.size())),
                          Mismatch<Out, In>{out, in}, wrong);
  return wrong;
}

template <class View>
struct PlainTranspose {
  View in, out;

  KOKKOS_FUNCTION void operator()(std::int64_t r, std::int64_t c) const { out(c, r) = in(r, c); }
};

/// How Kokkos runs a loop over the source's rows and columns.
struct TransposeLoop {
  std::array<std::int64_t, 2> tile{};  ///< rows and columns; zeros: Kokkos' own choice
  /// Loops over (column, row). On GPUs MDRangePolicy gives neighboring threads to its first index: rows so that what
  /// is written coalesces, or columns so that what is read does.
  bool columns_first = false;

  std::string name() const { return tile_name(tile) + (columns_first ? ", columns first" : ""); }
};

inline std::vector<TransposeLoop> transpose_loops() {
  if (on_host) return {{}, {{8, 8}}, {{32, 32}}, {{64, 64}}, {{8, 256}}, {{16, 512}}, {{4, 1024}}};
  return {{{32, 8}}, {{8, 32}}, {{16, 16}}, {{32, 8}, true}, {{8, 32}, true}, {{16, 16}, true}};
}

/// kernel(r, c) in a loop over (column, row).
template <class Kernel>
struct ColumnsFirst {
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(std::int64_t c, std::int64_t r) const { kernel(r, c); }
};

/// The transposition as Kokkos users write it. The first index is inner.
template <class View>
void mdrange_transpose(TransposeLoop const& loop, View const& in, View const& out) {
  using Policy            = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<std::int64_t>>;
  std::int64_t const rows = in.extent(0), columns = in.extent(1);
  auto const [tile_rows, tile_columns] = loop.tile;
  PlainTranspose<View> const kernel{in, out};
  if (loop.columns_first)
    Kokkos::parallel_for("plain", Policy({0, 0}, {columns, rows}, {tile_columns, tile_rows}),
                         ColumnsFirst<PlainTranspose<View>>{kernel});
  else Kokkos::parallel_for("plain", Policy({0, 0}, {rows, columns}, {tile_rows, tile_columns}), kernel);
}

#ifdef KOALESCE_HAVE_CUBLAS
/// cuBLAS' transposition, geam. Its matrices have contiguous columns: what we give it is the transpose of ours.
/// Errors are not looked at, since they leave a destination without the result, which is.
class Cublas {
 public:
  explicit Cublas(Exec const& exec) {
    cublasCreate(&handle);
    cublasSetStream(handle, exec.cuda_stream());
  }
  ~Cublas() { cublasDestroy(handle); }
  Cublas(Cublas const&)            = delete;
  Cublas& operator=(Cublas const&) = delete;

  static std::string version() {
    return "cuBLAS " + std::to_string(CUBLAS_VER_MAJOR) + "." + std::to_string(CUBLAS_VER_MINOR) + "." +
           std::to_string(CUBLAS_VER_PATCH);
  }

  /// y = a x, or with rows == false y = the transpose of a, times x.
  template <class Matrix, class Vector>
  void multiply(bool rows, Matrix const& a, Vector const& x, Vector const& y) const {
    using T     = typename Matrix::value_type;
    T const one = 1, zero = 0;
    int const m = int(a.extent(1)), n = int(a.extent(0));
    auto const gemv = [] {
      if constexpr (std::is_same_v<T, double>) return &cublasDgemv;
      else return &cublasSgemv;
    }();
    gemv(handle, rows ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, &one, a.data(), m, x.data(), 1, &zero, y.data(), 1);
  }

  template <class View>
  void transpose(View const& in, View const& out) const {
    using T        = typename View::value_type;
    int const rows = int(in.extent(0)), columns = int(in.extent(1));
    T const one(1), zero(0);
    auto const geam = [] {
      if constexpr (std::is_same_v<T, double>) return &cublasDgeam;
      else return &cublasSgeam;
    }();
    geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, in.data(), columns, &zero, out.data(), rows, out.data(),
         rows);
  }

 private:
  cublasHandle_t handle = nullptr;
};
#endif

}  // namespace perf

#endif
