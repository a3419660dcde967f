// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/Distributed.hpp>
#include <Koalesce/Koalesce.hpp>

#include <benchmark/benchmark.h>

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "DistributedPeers.hpp"
#include "Measure.hpp"

/// Sweeps over several processes: distributed/<weak|strong|steps|exchange>/<points>/<type>/<extents>/<ranks>/<impl>.
/// Extents are a process' where the load is weak, in exchange and in steps, the whole grid's where it is strong.
///
///     mpirun -n <ranks> koalesce_perf_distributed [--extent=<points>] [--total=<points>] [--benchmark_...]
namespace perf {
namespace {

using namespace Koalesce;

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of_world() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

double max_over_ranks(double mine) {
  double max = 0;
  MPI_Allreduce(&mine, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return max;
}

/// Seconds that the slowest process takes for `count` times, all of them started together.
double seconds_of_all(int count, std::function<void()> const& kernel) {
  Exec().fence();
  MPI_Barrier(MPI_COMM_WORLD);
  Kokkos::Timer const timer;
  for (int i = 0; i < count; ++i) kernel();
  Exec().fence();
  return max_over_ranks(timer.seconds());
}

/// What is measured, and what an iteration of it does in all processes together.
struct Distributed {
  std::function<void()> kernel;
  double points = 0;    ///< computed
  double bytes  = 0;    ///< sent, in exchanges
  int steps     = 1;    ///< that a kernel takes
  std::string error{};  ///< of this process
};

/// Each iteration is so many kernels that it takes some milliseconds, the same number on all processes.
void add_distributed(std::string const& name, std::function<Distributed()> const& prepare) {
  auto* const registered = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Distributed const what = prepare();
    if (max_over_ranks(what.error.empty() ? 0 : 1) > 0) {
      for (auto _ : state) state.SetIterationTime(1);
      return state.SkipWithError(what.error.empty() ? "another process' results differ" : what.error.c_str());
    }
    for (int i = 0; i < 4; ++i) what.kernel();  // plans, and what the tuner asks for
    for (int i = 0; i < 20; ++i) what.kernel();
    int const count = std::clamp(int(0.03 / seconds_of_all(3, what.kernel) * 3), 1, 200);
    for (auto _ : state) state.SetIterationTime(seconds_of_all(count, what.kernel) / count);
    if (what.points > 0) state.counters["points"] = rate(what.points);
    if (what.bytes > 0) state.counters["bytes"] = rate(what.bytes);
  });
  registered->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);
}

/// The weights of the 7 points: a heat equation's, so that steps stay bounded.
template <class T>
struct Heat {
  T factor = T(0.1);

  template <class U, class... I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, I...) const {
    return u() + factor * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - T(6) * u());
  }
};

/// The wave equation in the 8th order, two time levels.
template <class T>
struct Acoustic {
  T speed = T(0.05), weight[4] = {T(1.6), T(-0.2), T(0.025), T(-0.0018)};

  template <class U, class... I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, T previous, I...) const {
    T sum = T(-3) * T(2.847) * u();
    Koalesce::Impl::static_for<4>([&](auto i) KOALESCE_INLINE_LAMBDA {
      constexpr int r = decltype(i)::value + 1;
      sum += weight[r - 1] * (u(-r, 0, 0) + u(r, 0, 0) + u(0, -r, 0) + u(0, r, 0) + u(0, 0, -r) + u(0, 0, r));
    });
    return T(2) * u() - previous + speed * sum;
  }
};

using Star7  = Star<1, 1, 1>;
using Star25 = Star<4, 4, 4>;
template <class T>
using Field3 = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;

template <class T>
Field3<T> field_of(Kokkos::Array<std::int64_t, 3> const& n, std::int64_t halo) {
  Field3<T> const field(Kokkos::view_alloc(Kokkos::WithoutInitializing, "field"), n[0] + 2 * halo, n[1] + 2 * halo,
                        n[2] + 2 * halo);
  fill(field);
  return field;
}

template <class T>
std::string difference(Field3<T> const& a, Field3<T> const& b) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("compare",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, std::int64_t(a.size())),
                          CompareFields<T>{a.data(), b.data()}, wrong);
  return wrong == 0 ? std::string() : std::to_string(wrong) + " results differ";
}

double product(Kokkos::Array<std::int64_t, 3> const& n) { return double(n[0]) * double(n[1]) * double(n[2]); }

/// Extents of the whole, if every process has n points a side.
Kokkos::Array<std::int64_t, 3> weak_extents(std::int64_t n) {
  auto const grid = Impl::choose_grid<3>({n, n, n}, size_of_world(), {}, {}, 2);
  return {n * grid[0], n * grid[1], n * grid[2]};
}

template <class T>
void add_heat(std::string const& load, Kokkos::Array<std::int64_t, 3> const& whole, std::string const& extents) {
  std::string const base =
      "distributed/" + load + "/7pt/" + type_name<T>() + "/" + extents + "/" + std::to_string(size_of_world()) + "/";
  auto const make = [=] { return std::make_shared<Domain<3>>(MPI_COMM_WORLD, whole); };

  add_distributed(base + "koalesce", [=] {
    auto const domain = make();
    auto const u = field_of<T>(domain->extents(), 1), next = field_of<T>(domain->extents(), 0);
    return Distributed{[=] { parallel_stencil("heat", StencilPolicy(Exec(), Star7(), *domain), u, next, Heat<T>()); },
                       product(whole)};
  });
  // The same part of the grid, with nothing exchanged: what one process reaches alone.
  add_distributed(base + "alone", [=] {
    auto const domain = make();
    auto const u = field_of<T>(domain->extents(), 1), next = field_of<T>(domain->extents(), 0);
    return Distributed{
        [=] { parallel_stencil("alone", StencilPolicy(Exec(), Star7(), domain->extents()), u, next, Heat<T>()); },
        product(whole)};
  });
  // The usual way: subviews copied to buffers, MPI_Sendrecv through host memory, then the sweep.
  add_distributed(base + "usual", [=] {
    auto const domain = make();
    auto const u = field_of<T>(domain->extents(), 1), next = field_of<T>(domain->extents(), 0);
    auto const usual = std::make_shared<UsualExchange<Field3<T>>>(*domain, u, 1);
    auto const ours = field_of<T>(domain->extents(), 1), checked = field_of<T>(domain->extents(), 0);
    StencilPolicy const local(Exec(), Star7(), domain->extents());
    usual->run();
    parallel_stencil("usual", local.with_taps(StencilTaps::cache), u, next, Heat<T>());
    parallel_stencil("check", StencilPolicy(Exec(), Star7(), *domain).with_taps(StencilTaps::cache), ours, checked,
                     Heat<T>());
    return Distributed{[=] {
                         usual->run();
                         parallel_stencil("usual", local, u, next, Heat<T>());
                       },
                       product(whole), 0, 1, difference<T>(next, checked)};
  });
}

void add_wave(std::int64_t n) {
  auto const whole = weak_extents(n);
  std::string const base =
      "distributed/weak/wave/f32/" + size_name<3>({n, n, n}) + "/" + std::to_string(size_of_world()) + "/";
  for (bool const alone : {false, true})
    add_distributed(base + (alone ? "alone" : "koalesce"), [=] {
      auto const domain = std::make_shared<Domain<3>>(MPI_COMM_WORLD, whole);
      auto const u = field_of<float>(domain->extents(), 4), before = field_of<float>(domain->extents(), 4);
      auto const run = [=](auto const& policy) {
        parallel_stencil("wave", policy, fields(u, at_point(before)), before, Acoustic<float>());
      };
      return Distributed{[=] {
                           if (alone) run(StencilPolicy(Exec(), Star25(), domain->extents()));
                           else run(StencilPolicy(Exec(), Star25(), *domain));
                         },
                         product(whole)};
    });
}

void add_steps(std::int64_t n) {
  constexpr int steps = 24;
  auto const whole    = weak_extents(n);
  std::string const base =
      "distributed/steps/7pt/f64/" + size_name<3>({n, n, n}) + "/" + std::to_string(size_of_world()) + "/";
  for (int const halo : {0, 1, 2, 4, 8}) {
    std::string const impl = halo == 0 ? "alone" : halo == 1 ? "koalesce_1" : "koalesce_" + std::to_string(halo);
    add_distributed(base + impl, [=] {
      auto const domain = std::make_shared<Domain<3>>(MPI_COMM_WORLD, whole);
      auto const width  = std::max(1, halo);
      auto const u = field_of<double>(domain->extents(), width), scratch = field_of<double>(domain->extents(), width);
      LinearStencil<double, Star7> const heat(
          [](int dz, int dy, int dx) { return std::abs(dz) + std::abs(dy) + std::abs(dx) == 0 ? 0.4 : 0.1; });
      return Distributed{[=] {
                           if (halo == 0)
                             parallel_stencil_steps("alone", StencilPolicy(Exec(), Star7(), domain->extents()), u,
                                                    scratch, steps, heat);
                           else
                             parallel_stencil_steps("halo " + std::to_string(halo),
                                                    StencilPolicy(Exec(), Star7(), *domain), u, scratch, steps, heat);
                         },
                         product(whole) * steps, 0, steps};
    });
  }
}

void add_exchange(std::int64_t n) {
  auto const whole = weak_extents(n);
  std::string const base =
      "distributed/exchange/faces/f64/" + size_name<3>({n, n, n}) + "/" + std::to_string(size_of_world()) + "/";
  if (size_of_world() == 1) return;
  auto const add = [=](std::string const& impl, auto const& make_run) {
    add_distributed(base + impl, [=] {
      auto const domain = std::make_shared<Domain<3>>(MPI_COMM_WORLD, whole);
      auto const u      = field_of<double>(domain->extents(), 1);
      auto const usual  = std::make_shared<UsualExchange<Field3<double>>>(*domain, u, 1);
      return Distributed{make_run(domain, u, usual), 0, usual->bytes_of_all()};
    });
  };
  add("koalesce", [](auto const& domain, auto const& u, auto const&) {
    return std::function<void()>([=] { exchange_halo(Exec(), *domain, u); });
  });
  add("usual",
      [](auto const&, auto const&, auto const& usual) { return std::function<void()>([=] { usual->run(); }); });
  // As many bytes, from host memory to host memory, and to the device and back where there is one.
  add("bare",
      [](auto const&, auto const&, auto const& usual) { return std::function<void()>([=] { usual->transfer(); }); });
}

std::int64_t setting(int argc, char** argv, std::string_view name, std::int64_t otherwise) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view const text = argv[i]; text.starts_with(name))
      return std::strtoll(argv[i] + name.size(), nullptr, 10);
  return otherwise;
}

/// Rank 0 alone writes results.
class NoReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

void run_over_ranks(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i)
    if (rank_of_world() == 0 || !std::string_view(argv[i]).starts_with("--benchmark_out")) arguments.push_back(argv[i]);
  int count = int(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  std::int64_t const n     = setting(argc, argv, "--extent=", on_host ? 256 : 768);
  std::int64_t const wave  = setting(argc, argv, "--wave=", on_host ? 128 : 512);
  std::int64_t const total = setting(argc, argv, "--total=", on_host ? 384 : 1024);
  add_heat<double>("weak", weak_extents(n), size_name<3>({n, n, n}));
  add_heat<double>("strong", {total, total, total}, size_name<3>({total, total, total}));
  add_wave(wave);
  add_steps(n);
  add_exchange(n);
  if (rank_of_world() == 0) {
    add_run_context();
    benchmark::AddCustomContext("processes", std::to_string(size_of_world()));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  NoReporter silent;
  if (rank_of_world() == 0) benchmark::RunSpecifiedBenchmarks();
  else benchmark::RunSpecifiedBenchmarks(&silent);
}

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  perf::run_over_ranks(argc, argv);
  MPI_Finalize();
}
