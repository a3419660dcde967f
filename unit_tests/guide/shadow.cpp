// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/Koalesce.hpp>

#include <cstdlib>

using Exec  = Kokkos::DefaultExecutionSpace;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Left  = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

static void expect(bool holds) {
  if (!holds) Kokkos::abort("guide: a matrix is not what the page says");
}

// a(i, j) = 100 i + j
static void fill(Right const& a) {
  auto const host = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j) host(i, j) = double(100 * i + j);
  Kokkos::deep_copy(a, host);
}

template <class View>
static double element(View const& a, std::size_t i, std::size_t j) {
  double value = 0;
  Kokkos::parallel_reduce(
      "element", Kokkos::RangePolicy<Exec>(0, 1), KOKKOS_LAMBDA(int, double& v) { v += a(i, j); }, value);
  return value;
}

static void views() {
  Exec const exec;
  Right matrix("matrix", 40, 30);
  fill(matrix);
  Koalesce::ShadowView a(matrix);
#include "shadow/views.inc"
  expect(by_column.stride(0) == 1 && by_row.stride(1) == 1);
  expect(element(by_column, 39, 7) == 3907 && element(by_row, 39, 7) == 3907);
}

static void indices() {
  Exec const exec;
  std::int64_t const rows = 40, columns = 30;
  Right matrix("matrix", rows, columns);
  fill(matrix);
  Koalesce::ShadowView a(matrix);
#include "shadow/indices.inc"
  expect(trace == 101. * columns * (columns - 1) / 2);
}

static void changes() {
  Exec const exec;
  Right matrix("matrix", 40, 30);
  fill(matrix);
  Koalesce::ShadowView a(matrix);
  a.by_column(exec);
  int const i = 5, first = 10, end = 12;
  Kokkos::deep_copy(Kokkos::subview(matrix, i, Kokkos::ALL), 1.);
  Kokkos::deep_copy(Kokkos::subview(matrix, Kokkos::ALL, Kokkos::pair(first, end)), 2.);
#include "shadow/changed.inc"
  auto const by_column = a.by_column(exec);
  expect(element(by_column, 5, 7) == 1 && element(by_column, 39, 11) == 2 && element(by_column, 39, 12) == 3912);
}

static void tile() {
  std::int64_t const rows = 48, columns = 40;
  Right matrix("matrix", rows, columns);
  fill(matrix);
  Kokkos::View<double*, Exec> x("x", columns);
  Kokkos::deep_copy(x, 1.);
  Kokkos::View<double*, Exec> w("w", rows);
  Kokkos::deep_copy(w, 1.);
  double total = 0;
#include "shadow/tile.inc"
  expect(total == 100. * columns * rows * (rows - 1) / 2 + rows * columns * (columns - 1) / 2.);
}

static void transpositions() {
  Exec const exec;
  Right matrix("matrix", 20, 20);
  fill(matrix);
  Kokkos::View<double***, Exec> const src("src", 2, 3, 4), dst("dst", 4, 3, 2), turned("turned", 2, 4, 3);
  Kokkos::deep_copy(Kokkos::subview(src, 1, 2, Kokkos::ALL), 5.);
  auto const square = matrix, right = matrix;
  Left const left("left", 20, 20);
#include "shadow/transpose.inc"
  expect(element(left, 3, 9) == 903);
  expect(element(Kokkos::subview(dst, 3, Kokkos::ALL, Kokkos::ALL), 2, 1) == 5);
  expect(element(Kokkos::subview(turned, 1, Kokkos::ALL, Kokkos::ALL), 3, 2) == 5);
}

static void host_memory() {
  Exec const exec;
  Left const left("left", 20, 30);
  Kokkos::deep_copy(Kokkos::subview(left, 3, Kokkos::ALL), 7.);
#include "shadow/to_host.inc"
  exec.fence();
  expect(on_host(3, 29) == 7 && on_host(4, 0) == 0 && element(left, 3, 29) == 7);
}

using Complex = Kokkos::complex<double>;
using Cube    = Kokkos::View<Complex***, Kokkos::LayoutLeft, Exec>;

// Any operation along the first dimension serves to see that elements come back.
static void fft_of_first_dimension(Exec const& exec, Cube const& in, Cube const& out) {
  Kokkos::deep_copy(exec, out, in);
}

static void transforms() {
  Exec const exec;
  std::size_t const n0 = 4, n1 = 5, n2 = 6;
  Cube const in("in", n0, n1, n2), out("out", n0, n1, n2);
  Kokkos::deep_copy(Kokkos::subview(in, 1, 2, 3), Complex(7));
#include "shadow/fft.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  expect(host(1, 2, 3) == Complex(7) && host(3, 2, 1) == Complex(0));
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  views();
  indices();
  changes();
  tile();
  transpositions();
  host_memory();
  transforms();
  return EXIT_SUCCESS;
}
