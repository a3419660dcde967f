// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transpositions of a matrix, ours and others' side by side: transpose/<type>/<rows>x<cols>/<impl>.
// The same over sizes is scaling/transpose/... . Permutations of more dimensions have sizes such as 384x384x355_by_102:
// extents of the source, fastest first, and the permutation. Every result is compared with the definition before it is
// measured.

#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "Measure.hpp"
#include "TransposeCuda.hpp"
#include "TransposeCutensor.hpp"
#include "TransposeHost.hpp"
#include "TransposePeers.hpp"
#include "TransposeRanks.hpp"
#include "TransposeRead.hpp"
#include "TransposeReduce.hpp"
#include "TransposeStructs.hpp"
#include "TransposeTile.hpp"

namespace {

using perf::add;
using perf::Exec;
using perf::Matrices;
using perf::MatrixExtents;

/// Measures a kernel that makes `result`, which lies in the destination's memory, the source's transpose.
template <class T, class Result>
void measure(benchmark::State& state, Matrices<T> const& m, Result const& result, std::function<void()> const& kernel) {
  Kokkos::deep_copy(m.out, T{});  // what a candidate has left
  kernel();
  if (auto const wrong = perf::mismatches(result, m.in); wrong != 0) {
    std::string const message = std::to_string(wrong) + " elements are wrong";
    state.SkipWithError(message.c_str());
    return;
  }
  perf::settle(kernel);
  perf::measure(state, m.bytes(), kernel);
}

/// All implementations at one size. Matrices are made when a benchmark runs, not when it is listed.
template <class T>
void add_transpose(MatrixExtents const& n, std::string const& group = "") {
  std::string const base   = group + "transpose/" + perf::type_name<T>() + "/" + perf::size_name(n) + "/";
  auto const with_matrices = [=](auto const& run) {
    return [=](benchmark::State& state) {
      Matrices<T> const m(n);
      measure(state, m, m.out, [&] { run(m); });
    };
  };

  add(base + "koalesce", with_matrices([](auto const& m) { Koalesce::transpose(Exec(), m.out, m.in); }));
  add(base + "koalesce_portable",
      with_matrices([](auto const& m) { Koalesce::transpose<Koalesce::Backend::Portable>(Exec(), m.out, m.in); }));
  add(base + "kokkos_deep_copy",
      with_matrices([](auto const& m) { Kokkos::deep_copy(Exec(), m.out_as_source(), m.in); }));
  add(base + "kokkos_mdrange", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    auto const best = perf::fastest(
        perf::transpose_loops(), [&](perf::TransposeLoop const& loop) { perf::mdrange_transpose(loop, m.in, m.out); });
    state.SetLabel(best.name());
    measure(state, m, m.out, [&] { perf::mdrange_transpose(best, m.in, m.out); });
  });
#ifdef KOKKOS_ENABLE_CUDA
  if (!perf::cuda_transposes<T>(n[0]).empty())
    add(base + "cuda_tile", [=](benchmark::State& state) {
      Matrices<T> const m(n);
      auto const best = perf::fastest(perf::cuda_transposes<T>(n[0]), [&](auto const& peer) { peer.run(m.in, m.out); });
      state.SetLabel(best.name);
      measure(state, m, m.out, [&] { best.run(m.in, m.out); });
    });
#endif
#ifdef KOALESCE_HAVE_CUBLAS
  if constexpr (std::is_floating_point_v<T>)
    add(base + "cublas", [=](benchmark::State& state) {
      Matrices<T> const m(n);
      perf::Cublas const cublas{Exec()};
      measure(state, m, m.out, [&] { cublas.transpose(m.in, m.out); });
    });
#endif
#ifdef KOALESCE_HAVE_CUTENSOR
  if constexpr (perf::cutensor_has<T>)
    add(base + "cutensor", [=](benchmark::State& state) {
      Matrices<T> const m(n);
      // A row-major matrix has its column first.
      auto const plan = perf::fastest_cutensor<T>({n[1], n[0]}, {1, 0}, m.in, m.out);
      if (!plan) return state.SkipWithError("cuTENSOR refuses this transposition");
      state.SetLabel(perf::label_of(*plan));
      measure(state, m, m.out, [&] { plan->transpose(m.in, m.out); });
    });
#endif
  add(base + "copy", [=](benchmark::State& state) {
    Matrices<T> const m(n);
    auto const copy = perf::fastest_copy(m.flat(m.out), m.flat(m.in));
    state.SetLabel(copy.name);
    measure(state, m, m.out_as_copied(), copy.run);
  });
}

/// Extents that fit tiles, and primes and near misses that fit none.
void add_transposes() {
  auto const add_type = [](auto value, std::vector<MatrixExtents> const& sizes) {
    for (auto const& n : sizes) add_transpose<decltype(value)>(n);
  };
  using complex = Kokkos::complex<double>;
  if (perf::on_host) {
    add_type(double{}, {{8192, 8192}, {100003, 257}});
    add_type(float{}, {{8192, 8192}});
    add_type(std::uint8_t{}, {{8192, 8192}});
    add_type(complex{}, {{4096, 4096}});
  } else {
    add_type(double{}, {{16384, 16384}, {1000003, 257}, {4099, 65537}});
    add_type(float{}, {{16384, 16384}, {4099, 65537}, {1000003, 257}});
    add_type(std::uint8_t{}, {{32768, 32768}, {4000003, 257}, {16387, 65537}});
    add_type(std::uint16_t{}, {{16384, 32768}, {2000003, 257}, {8195, 65537}});
    add_type(complex{}, {{8192, 8192}});
  }
}

/// Few columns and few rows, which are long.
void add_narrow() {
  if (perf::on_host) return;
  auto const add_both_ways = [](auto value, std::int64_t length, std::int64_t width) {
    add_transpose<decltype(value)>({length, width});
    add_transpose<decltype(value)>({width, length});
  };
  for (std::int64_t width : {2, 3, 4, 7, 16}) add_both_ways(double{}, 50000000, width);
  for (std::int64_t width : {3, 7, 16}) add_both_ways(float{}, 50000000, width);
  add_both_ways(float{}, 10000003, 33);
  for (std::int64_t width : {3, 7}) add_both_ways(std::uint16_t{}, 50000000, width);
  for (std::int64_t width : {3, 4}) add_both_ways(std::uint8_t{}, 100000000, width);
}

/// From where everything fits in a cache to where nothing does.
void add_scaling() {
  for (std::int64_t n = 256; n <= (perf::on_host ? 8192 : 32768); n *= 2) add_transpose<double>({n, n}, "scaling/");
}

/// Which libraries the result's peers are.
void add_peers_versions() {
  std::string versions;
#ifdef KOALESCE_HAVE_CUBLAS
  versions = perf::Cublas::version();
#endif
#ifdef KOALESCE_HAVE_CUTENSOR
  versions += (versions.empty() ? "" : ", ") + perf::cutensor_version();
#endif
  if (!versions.empty()) benchmark::AddCustomContext("peers", versions);
}

}  // namespace

int main(int argc, char** argv) {
  add_peers_versions();
  perf::run(argc, argv,
            {add_transposes, add_narrow, add_permutations, add_structs, add_host_copies, add_reads, add_tile_reads,
             add_scaling, add_line_reductions});
}
