// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "LinearOracle.hpp"
#include "ToldBarriers.hpp"
#include "uncontracted/StepsFunctor.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <thread>

/// The portable kernels in teams of several threads, as GPUs run them: on hosts they have teams of one.
namespace Koalesce::Test {
namespace {

struct Teams : Backend::Portable {
  static constexpr char const* name = "teams";
  static inline int threads         = 0;  ///< that a team has
};

/// Kokkos has a barrier between a team's tiles, too.
template <class Kernel>
struct Told {
  Kernel kernel;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    KOKKOS_IF_ON_HOST((ToldBarriers<Member> const told(team); told.acquire(); kernel(told); told.release();))
  }
};

template <class Exec, class Kernel>
void run_tile_teams(Teams, Exec const& exec, std::string const& label, Impl::Teams teams, Kernel const& kernel) {
  teams.max_threads = Teams::threads;
  Impl::PortableBackend::run_tile_teams(Backend::Portable{}, exec, label, teams, Told<Kernel>{kernel});
}

using Exec = Kokkos::DefaultHostExecutionSpace;
using P    = Path<Exec, Teams>;

class StencilTeams : public ::testing::TestWithParam<int> {
 public:
  void SetUp() override {
    Teams::threads = GetParam();
    if (Exec().concurrency() < GetParam())
      GTEST_SKIP() << "a team of " << GetParam() << " threads needs as many of " << Exec::name() << ", which has "
                   << Exec().concurrency();
  }
};
INSTANTIATE_TEST_SUITE_P(, StencilTeams, ::testing::Values(2, 3, 4), ::testing::PrintToStringParamName());

struct WhichThread {
  template <class U, class I>
  KOKKOS_FUNCTION std::size_t operator()(U const&, I, I, I) const {
    std::size_t thread = 0;
    KOKKOS_IF_ON_HOST((thread = std::hash<std::thread::id>()(std::this_thread::get_id());))
    return thread;
  }
};

TEST_P(StencilTeams, are_as_large_as_asked_for) {
  using View = Kokkos::View<std::size_t***, Kokkos::LayoutRight, Exec>;
  View const in("in", 2, 4, 16), out("out", 2, 4, 16);
  StencilPolicy<Exec, Box<0, 0, 0>, Teams> const policy({2, 4, 16});
  parallel_stencil("threads", policy.with_taps(StencilTaps::queue), in, out, WhichThread());
  Exec().fence();
  EXPECT_EQ(std::set<std::size_t>(out.data(), out.data() + out.size()).size(), std::size_t(GetParam()));
}

/// Rows longer than a team has threads, and shorter: a plane's halo is then shared out several rows at a time.
template <class Shape>
std::vector<Index<Shape::rank>> extents_of_teams() {
  if constexpr (Shape::rank == 1) return {{1}, {2}, {3}, {70}};
  else if constexpr (Shape::rank == 2) return {{1, 1}, {9, 2}, {5, 31}, {3, 150}};
  else return {{1, 1, 1}, {6, 9, 1}, {5, 7, 2}, {4, 3, 17}, {7, 18, 70}, {20, 1, 1}};
}

template <class Shape, class Layout, class... Functors>
void try_teams(Functors const&... functors) {
  constexpr int rank = Shape::rank;
  for_each_seed([&](Rng& rng) {
    for (auto const& n : extents_of_teams<Shape>()) {
      Field<Exec, double, rank, Layout> in(n, halo_for<Shape>(rng, 1), rng), out(n, {}, rng);
      in.fill(rng);
      compare<P, Shape>(n, std::tie(in), std::tie(out), Exactly(), functors...);
    }
  });
}

struct SecondProbe {
  template <class M, class C, class... I>
  KOKKOS_FUNCTION auto operator()(M const& m, C const& c, I... i) const {
    return Probe<Star<1, 1, 1>>()(m, i...) + 2 * c;
  }
};

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

TEST_P(StencilTeams, box) { try_teams<Box<1, 1, 1>, LayoutRight>(Probe<Box<1, 1, 1>>()); }
TEST_P(StencilTeams, rows_alone_left) { try_teams<Box<0, 1, 2>, LayoutLeft>(Probe<Box<0, 1, 2>>()); }
TEST_P(StencilTeams, columns_alone) { try_teams<Star<2, 1, 0>, LayoutRight>(Probe<Star<2, 1, 0>>()); }
TEST_P(StencilTeams, plane) { try_teams<Box<2, 1>, LayoutRight>(Probe<Box<2, 1>>()); }
TEST_P(StencilTeams, line) { try_teams<Box<3>, LayoutRight>(Probe<Box<3>>()); }
TEST_P(StencilTeams, weights) {
  using Shape = Star<1, 1, 1>;
  LinearStencil<double, Shape> const weights([](int a, int b, int c) { return 1. + a - 2 * b + 3 * c; });
  try_teams<Shape, LayoutLeft>(weights);
}
TEST_P(StencilTeams, two_stages) {
  using First = Box<1, 0, 1>;
  try_teams<Staged<First, Star<1, 1, 1>>, LayoutRight>(Probe<First>(), SecondProbe());
}

/// Steps that share sweeps two by two, against single sweeps. Of unsigned integers everything is exact.
template <class Shape, class Layout>
void try_steps(auto const& bound, Index<Shape::rank> const& halo) {
  constexpr int rank = Shape::rank;
  using T            = std::uint32_t;
  using View         = typename Field<Exec, T, rank, Layout>::View;
  for_each_seed([&](Rng& rng) {
    for (auto const& n : extents_of_teams<Shape>()) {
      SCOPED_TRACE("interior " + to_string<rank>(n));
      Field<Exec, T, rank, Layout> expected(n, halo, rng), found(n, halo, rng), scratch(n, halo, rng);
      expected.fill(rng);
      Kokkos::deep_copy(found.view(), expected.view());
      auto const policy = bound(StencilPolicy<Exec, Shape, Teams>({}, n));
      auto const run    = [&](int fused, View const& state) {
        KernelRecorder const record;
        parallel_stencil_steps("fused", policy.with_fused_steps(fused), state, scratch.view(), 4, Mix<Shape>());
        Exec().fence();
        auto const names = record.kernel_names();
        return std::count(names.begin(), names.end(), Impl::kernel_label(Teams{}, "fused"));
      };
      run(1, expected.view());
      EXPECT_EQ(run(2, found.view()), 2);
      for (std::size_t i = 0; i < expected.view().size(); ++i)
        ASSERT_EQ(found.view().data()[i], expected.view().data()[i]) << i;
    }
  });
}

TEST_P(StencilTeams, fused_steps) {
  auto const halo     = [](auto const& policy) { return policy; };
  auto const periodic = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  try_steps<Star<1, 1, 1>, LayoutRight>(halo, {1, 1, 1});
  try_steps<Box<0, 1, 1>, LayoutLeft>(halo, {0, 1, 1});
  try_steps<Box<2, 1>, LayoutRight>(halo, {2, 1});
  try_steps<Star<1, 1, 1>, LayoutRight>(periodic, {0, 0, 0});
}

#ifdef KOKKOS_ENABLE_OPENMP
/// CPU threads whose wavefronts tell ThreadSanitizer of their barriers.
struct ToldWaves : Backend::OpenMP {
  static inline int sweeps = 0;
};

template <class Boundary, class... WorkArgs>
void run_fused_steps(ToldWaves, Kokkos::OpenMP const& exec, std::string const& label,
                     Impl::StencilWork<WorkArgs...> const& work, Boundary const& boundary, int depth) {
  using Policy = Kokkos::TeamPolicy<Kokkos::OpenMP>;
  Impl::OpenMPBackend::StepsWaveKernel const kernel(work, boundary, depth, exec.concurrency());
  Kokkos::parallel_for(label, Policy(exec, 1, exec.concurrency()), Told<std::decay_t<decltype(kernel)>>{kernel});
  ++ToldWaves::sweeps;
}

template <class Shape>
void try_waves(auto const& bound, Index<Shape::rank> const& n, Index<Shape::rank> const& halo) {
  constexpr int rank = Shape::rank;
  using T            = std::uint32_t;
  Rng rng(1);
  Field<Kokkos::OpenMP, T, rank, LayoutRight> expected(n, halo, rng), found(n, halo, rng), scratch(n, halo, rng);
  expected.fill(rng);
  Kokkos::deep_copy(found.view(), expected.view());
  auto const policy = bound(StencilPolicy<Kokkos::OpenMP, Shape, ToldWaves>({}, n));
  auto const run    = [&](int fused, auto const& state) {
    ToldWaves::sweeps = 0;
    parallel_stencil_steps("waves", policy.with_fused_steps(fused), state, scratch.view(), 20, Mix<Shape>());
    Kokkos::fence();
    return ToldWaves::sweeps;
  };
  EXPECT_EQ(run(1, expected.view()), 0);
  EXPECT_GT(run(9, found.view()), 0);
  for (std::size_t i = 0; i < expected.view().size(); ++i)
    ASSERT_EQ(found.view().data()[i], expected.view().data()[i]) << i;
}

/// Threads share the rows of planes, or columns where there are fewer rows than threads.
TEST(StencilWaves, threads_share_planes) {
  auto const halo     = [](auto const& policy) { return policy; };
  auto const periodic = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const mirrored = [](auto const& policy) { return policy.with_boundary(Mirror()); };
  try_waves<Star<1, 1, 1>>(halo, {40, 30, 20}, {1, 1, 1});
  try_waves<Box<2, 1, 1>>(halo, {17, 9, 33}, {2, 1, 1});
  try_waves<Star<2, 2>>(halo, {150, 90}, {2, 2});
  try_waves<Star<1, 1, 1>>(periodic, {40, 30, 20}, {0, 0, 0});
  try_waves<Star<2, 1, 1>>(periodic, {3, 2, 33}, {0, 0, 0});
  try_waves<Box<1, 1, 1>>(mirrored, {17, 9, 70}, {0, 0, 0});
}
#endif

}  // namespace
}  // namespace Koalesce::Test
