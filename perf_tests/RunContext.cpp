// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunContext.hpp"

#include <Koalesce/Version.hpp>
#include <Koalesce/common/impl/Pack.hpp>

#include <Kokkos_Core.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "Measure.hpp"
#include "Provenance.hpp"

namespace {

using perf::Exec;

/// The least seconds of several runs.
template <class Kernel>
double min_seconds(Kernel const& kernel) {
  kernel();
  double least = perf::seconds_of(kernel);
  for (int i = 0; i < 9; ++i) least = std::min(least, perf::seconds_of(kernel));
  return least;
}

/// Bytes per second, read and written, of the same copy as the benchmarks'.
double copy_bandwidth() {
  std::size_t const items = std::size_t(1) << 25;  // 256 MB
  Kokkos::View<double*, Exec> from(Kokkos::view_alloc("from", Kokkos::WithoutInitializing), items), to("to", items);
  perf::fill(from);
  return 2. * sizeof(double) * double(items) / min_seconds(perf::fastest_copy(to, from).run);
}

/// What one multiply-add works on: as many elements as a register of the processor holds, or one of a GPU's thread.
template <class T>
struct Lanes {
  using type = T;
};
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#if defined(__AVX512F__)
#define KOALESCE_PERF_REGISTER 64
#elif defined(__AVX__)
#define KOALESCE_PERF_REGISTER 32
#else
#define KOALESCE_PERF_REGISTER 16
#endif
template <>
struct Lanes<double> {
  typedef double type __attribute__((vector_size(KOALESCE_PERF_REGISTER)));
};
template <>
struct Lanes<float> {
  typedef float type __attribute__((vector_size(KOALESCE_PERF_REGISTER)));
};
#endif

/// Chains of multiply-adds in registers, independent, and enough of them to hide how long each takes.
template <class T>
struct MultiplyAdds {
  using V = typename Lanes<T>::type;

  static constexpr int chains = 10, turns = 4096;

  Kokkos::View<T*, Exec> result;
  T factor;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    V v[chains], sum{};
    Koalesce::Impl::static_for<chains>([&](auto c) KOALESCE_INLINE_LAMBDA { v[c.value] = V{} + T(i + c.value); });
    for (int turn = 0; turn < turns; ++turn)
      Koalesce::Impl::static_for<chains>([&](auto c)
                                             KOALESCE_INLINE_LAMBDA { v[c.value] = v[c.value] * factor + T(1); });
    Koalesce::Impl::static_for<chains>([&](auto c) KOALESCE_INLINE_LAMBDA { sum += v[c.value]; });
    // Every lane counts, so that none is left out.
    auto const* const lanes = reinterpret_cast<T const*>(&sum);
    T total                 = 0;
    for (std::size_t lane = 0; lane < sizeof(V) / sizeof(T); ++lane) total += lanes[lane];
    result(i) = total;
  }
};

template <class T>
double flops() {
  std::int64_t const items = perf::on_host ? 1 << 12 : 1 << 19;
  MultiplyAdds<T> const kernel{Kokkos::View<T*, Exec>("result", items), T(0.5)};
  double const seconds = min_seconds([&] {
    Kokkos::parallel_for("multiply-adds", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, items), kernel);
  });
  double const lanes   = double(sizeof(typename MultiplyAdds<T>::V)) / sizeof(T);
  return 2. * lanes * kernel.chains * kernel.turns * double(items) / seconds;
}

/// In full, for it is read by programs.
std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

}  // namespace

void perf::add_run_context() {
  benchmark::AddCustomContext("machine", Provenance::machine());
  benchmark::AddCustomContext("execution space", Exec::name());
  benchmark::AddCustomContext("backends", Provenance::backends());
  benchmark::AddCustomContext("Kokkos", Provenance::kokkos_version());
  benchmark::AddCustomContext("Koalesce", KOALESCE_VERSION_STRING);
  benchmark::AddCustomContext("commit", Provenance::git_commit());
  benchmark::AddCustomContext("compiler", Provenance::compiler());
  if (std::string const options = KOALESCE_PERF_OPTIONS; !options.empty()) {
    benchmark::AddCustomContext("options", options);
    std::fprintf(stderr, "These benchmarks were compiled with %s (Koalesce_PERF_OPTIONS).\n", options.c_str());
  }
  benchmark::AddCustomContext("copy_bandwidth_bytes_per_second", digits(copy_bandwidth()));
  benchmark::AddCustomContext("f64_flops_per_second", digits(flops<double>()));
  benchmark::AddCustomContext("f32_flops_per_second", digits(flops<float>()));
}
