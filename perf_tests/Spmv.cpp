// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of a sparse matrix and a vector, whose rows differ in length: spmv/<lengths>/<impl>. Results are compared
// with a serial loop's before they are measured.
//
//   koalesce_auto         parallel_regroup over rows, once it has decided; the label says what
//   koalesce_regrouped    the same, never the plain loop: the faster of team and grid
//   plain                 a Kokkos::parallel_for, one thread per row
//   kokkos_sparse         KokkosSparse::spmv; with cuSPARSE or the like, where Kokkos Kernels was built with it
//   kokkos_sparse_native  the same without
//   kokkos_sparse_merge   the same by merge path, for rows that differ; GPUs only
//
// A row's path is the power of two that its length lies under, so that the threads of a warp end together; the longest
// rows have the first path, for nothing hides one that begins last. That is all that regrouping can do here. It remains
// one thread per row: a warp reads 32 rows at 32 places, while on GPUs KokkosSparse has several threads read a longer
// row together, which coalesces better. Every call regroups anew, although the matrix is the same.

#include <Koalesce/Regroup.hpp>

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "Measure.hpp"
#include "RegroupDecide.hpp"
#include "SpmvMatrix.hpp"
#include "SpmvPeers.hpp"

namespace perf::spmv {
namespace {

/// The matrix of the last benchmark, as long as the next one has the same.
std::shared_ptr<Matrix const> take_matrix(Lengths lengths) {
  static std::shared_ptr<Matrix const> last = [] {
    Kokkos::push_finalize_hook([] { last = nullptr; });
    return nullptr;
  }();
  if (!last || last->lengths != lengths) {
    last.reset();  // not both at a time
    last = std::make_shared<Matrix const>(make_matrix(lengths));
  }
  return last;
}

/// 0 without entries, 1 for one, 2 for two and three, and so on.
KOKKOS_FORCEINLINE_FUNCTION int class_of(int length) { return Kokkos::bit_width(unsigned(length)); }

struct Predict {
  Integers offsets;
  int longest;  ///< the class of the longest row

  KOKKOS_FORCEINLINE_FUNCTION int operator()(std::int64_t row) const {
    return longest - class_of(offsets(row + 1) - offsets(row));
  }
};

/// One row by one thread, whichever its path.
struct Row {
  Integers offsets, columns;
  Numbers values;
  Kokkos::View<double const*, Exec, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;
  Numbers y;

  explicit Row(Matrix const& a) : offsets(a.offsets), columns(a.columns), values(a.values), x(a.x), y(a.y) {}

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row) const {
    double sum    = 0;
    int const end = offsets(row + 1);
    for (int k = offsets(row); k < end; ++k) sum += values(k) * x(columns(k));
    y(row) = sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, int) const { (*this)(row); }
};

struct Mismatch {
  Numbers result, expected;

  KOKKOS_FUNCTION void operator()(int row, int& wrong) const {
    if (!(Kokkos::abs(result(row) - expected(row)) <= 1e-12 * expected(row))) ++wrong;
  }
};

void koalesce(std::string const& label, Matrix const& matrix, Koalesce::Regroup when) {
  auto const policy = Koalesce::RegroupPolicy(Exec(), 0, matrix.rows()).with_regroup(when);
  int const longest = class_of(matrix.longest);
  Koalesce::parallel_regroup(label, policy, Koalesce::Paths(longest + 1), Predict{matrix.offsets, longest},
                             Row(matrix));
}

void measure(benchmark::State& state, Matrix const& matrix, std::function<void()> const& product) {
  Kokkos::deep_copy(matrix.y, -1);
  product();
  int wrong = 0;
  Kokkos::parallel_reduce("mismatches", Kokkos::RangePolicy<Exec>(0, matrix.rows()),
                          Mismatch{matrix.y, matrix.expected}, wrong);
  if (wrong != 0) return state.SkipWithError((std::to_string(wrong) + " results are wrong").c_str());
  perf::measure(state, matrix.bytes(), product);
}

void add_matrix(std::string const& base, Lengths lengths) {
  auto const add = [&](std::string const& impl, auto const& run) {
    perf::add(base + impl, [=](benchmark::State& state) { run(state, *take_matrix(lengths)); });
  };
  auto const add_koalesce = [&](std::string const& impl, Koalesce::Regroup when) {
    add(impl, [=, label = base + impl](benchmark::State& state, Matrix const& matrix) {
      auto const product = [&] { koalesce(label, matrix, when); };
      state.SetLabel(regroup::decide(label, product));
      measure(state, matrix, product);
    });
  };
  auto const add_sparse = [&](std::string const& impl, Algorithm algorithm) {
    add(impl, [=](benchmark::State& state, Matrix const& matrix) {
      measure(state, matrix, kokkos_sparse(matrix, algorithm));
    });
  };

  add_koalesce("koalesce_auto", Koalesce::Regroup::automatic);
  add_koalesce("koalesce_regrouped", Koalesce::Regroup::always);
  add("plain", [](benchmark::State& state, Matrix const& matrix) {
    Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>> const rows(0, matrix.rows());
    measure(state, matrix, [&] { Kokkos::parallel_for("plain", rows, Row(matrix)); });
  });
  add_sparse("kokkos_sparse", Algorithm::automatic);
  add_sparse("kokkos_sparse_native", Algorithm::native);
  if (!on_host) add_sparse("kokkos_sparse_merge", Algorithm::merge);
}

void add_matrices() {
  add_matrix("spmv/uniform/", Lengths::uniform);
  add_matrix("spmv/powerlaw/", Lengths::powerlaw);
  add_matrix("spmv/two_lengths/", Lengths::two_lengths);
}

}  // namespace
}  // namespace perf::spmv

int main(int argc, char** argv) { perf::run(argc, argv, {perf::spmv::add_matrices}); }
