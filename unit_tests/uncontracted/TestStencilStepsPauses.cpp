// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

/// What every()'s function may change, and what it sees.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilStepsPauses : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStepsPauses, DefaultPaths::types, PathNames);

using Kokkos::LayoutRight;

/// Adds `term` to the interior.
template <class View>
void add_to_interior(View const& view, Index<2> const& n, double term) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for_each_index<2>({}, n, [&](Index<2> const& p) {
    host(std::size_t(p[0]) + (host.extent(0) - std::size_t(n[0])) / 2,
         std::size_t(p[1]) + (host.extent(1) - std::size_t(n[1])) / 2) += term;
  });
  Kokkos::deep_copy(view, host);
}

/// Steps on the host of a field of two time levels.
template <class Field, class Next>
void step_levels_on_host(Field& now, Field& before, Next const& next) {
  auto const newest = now.with_own_host_copy();
  run_on_host<2>(now, next);
  for_each_index<2>({}, now.interior(), [&](Index<2> const& p) { before(p) = newest(p); });
}

/// Active points and others.
TYPED_TEST(StencilStepsPauses, change_all_points) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  using State = Field<Exec, double, 2, LayoutRight>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 1000);
    State u(n, halo_for<Shape>(rng, 1), rng), scratch(n, halo_for<Shape>(rng, 1), rng);
    State v(n, halo_for<Shape>(rng, 1), rng), before(n, halo_for<Shape>(rng, 1), rng), k(n, {}, rng);
    for (auto* field : {&u, &v, &before, &k}) fill_state<double>(rng, *field);
    Kokkos::View<int**, LayoutRight, typename Exec::memory_space> const mask("mask", std::size_t(n[0]),
                                                                             std::size_t(n[1]));
    auto const active = Kokkos::create_mirror_view(mask);
    for (std::size_t i = 0; i < active.span(); ++i) active.data()[i] = int(random_int(rng, 0, 1));
    Kokkos::deep_copy(mask, active);
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const whole({}, n);
    auto const policy = whole.with_active(ActivePoints(whole, mask));

    for (std::int64_t const steps : {1, 6, 7})
      for (std::int64_t const period : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(steps) + " steps, a pause after every " + std::to_string(period));
        auto expected = u.with_own_host_copy(), levels = v.with_own_host_copy(), older = before.with_own_host_copy();
        PointField<State> const coefficient{k}, previous{older};
        auto const if_active = [&](auto const& functor, auto const& in) {
          return [&, in](Index<2> const& p) {
            bool const computed = active(std::size_t(p[0]), std::size_t(p[1])) != 0;
            return computed ? Impl::get<0>(apply_at<2>(functor, p, in)) : std::get<0>(in)(p);
          };
        };
        for (std::int64_t done = 1; done <= steps; ++done) {
          run_on_host<2>(expected, if_active(Mix<Shape>(), std::tie(expected)));
          step_levels_on_host(levels, older, if_active(Wave<Shape>(), std::tie(levels, previous, coefficient)));
          if (done % period == 0)
            for (auto* field : {&expected, &levels})
              for_each_index<2>({}, n, [&](Index<2> const& p) { (*field)(p) += double(done); });
        }

        auto const try_pause = [&](auto const& pause_plain, auto const& pause_levels) {
          for (auto* field : {&u, &v, &before}) field->upload();
          scratch.poison_device();
          parallel_stencil_steps("plain", policy, u.view(), scratch.view(), steps, Mix<Shape>(),
                                 every(period, pause_plain));
          parallel_stencil_steps("levels", policy,
                                 fields(time_levels(v.view(), before.view()), constant(at_point(k.view()))), fields(),
                                 steps, Wave<Shape>(), every(period, pause_levels));
          Exec().fence();
          EXPECT_TRUE(expected.device_matches());
          EXPECT_TRUE(levels.device_matches());
        };
        auto const shown = [&](std::int64_t done, auto const& newest) {
          Exec().fence();
          add_to_interior(newest, n, double(done));
        };
        try_pause(shown, shown);
        try_pause([&](std::int64_t done) { shown(done, u.view()); }, [&](std::int64_t done) { shown(done, v.view()); });
      }
  });
}

/// Halos wider than steps read.
TYPED_TEST(StencilStepsPauses, show_whole_halos) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  using View  = Kokkos::View<double**, LayoutRight, typename Exec::memory_space>;
  StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, {9, 11});
  for (int const steps : {1, 2, 5}) {
    View const u("u", 15, 17), scratch("scratch", 15, 17);
    Kokkos::deep_copy(u, 3);
    Kokkos::deep_copy(scratch, -7);
    int looks = 0;
    parallel_stencil_steps("halos", policy, u, scratch, steps, Mix<Shape>(),
                           every(1, [&](std::int64_t done, View const& newest) {
                             auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), newest);
                             for (std::size_t i = 0; i < 15; ++i)
                               for (std::size_t j = 0; j < 17; ++j)
                                 if (i < 3 || i >= 12 || j < 3 || j >= 14) {
                                   EXPECT_EQ(host(i, j), 3) << done << ": " << i << ", " << j;
                                 }
                             ++looks;
                           }));
    EXPECT_EQ(looks, steps);
  }
}

/// However many steps share a sweep; whether the newest values are in the state does not matter before the end.
TYPED_TEST(StencilStepsPauses, show_what_single_sweeps_give) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  using View  = Kokkos::View<double**, LayoutRight, typename Exec::memory_space>;
  StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, {40, 88});
  View const u("u", 42, 90), scratch("scratch", 42, 90);
  std::vector<std::vector<double>> expected;
  auto const values_of = [](View const& view) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return std::vector<double>(host.data(), host.data() + host.span());
  };
  auto const begin = [&] {
    Kokkos::deep_copy(u, 1);
    Kokkos::deep_copy(scratch, -7);
  };
  begin();
  for (int step = 0; step <= 61; ++step) {
    expected.push_back(values_of(u));
    parallel_stencil_steps("one", policy.with_fused_steps(1), u, scratch, 1, Mix<Shape>());
  }
  for (int const depth : {0, 2, 1000})
    for (int const period : {2, 9, 30}) {
      SCOPED_TRACE("depth " + std::to_string(depth) + ", a pause after every " + std::to_string(period));
      begin();
      std::int64_t looks = 0;
      parallel_stencil_steps("many", policy.with_fused_steps(depth), u, scratch, 61, Mix<Shape>(),
                             every(period, [&](std::int64_t done, View const& newest) {
                               EXPECT_TRUE(values_of(newest) == expected[std::size_t(done)]) << done;
                               ++looks;
                             }));
      EXPECT_TRUE(values_of(u) == expected[61]);
      EXPECT_EQ(looks, 61 / period);
    }
}

TEST(PortableSteps, share_a_sweep_between_views) {
  using Shape = Star<1, 1>;
  using View  = Kokkos::View<double**, LayoutRight, Kokkos::DefaultExecutionSpace::memory_space>;
  View const u("u", 42, 90), scratch("scratch", 42, 90);
  StencilPolicy<Kokkos::DefaultExecutionSpace, Shape, Backend::Portable> const policy({}, {40, 88});
  auto const sweeps = [&](int steps) {
    KernelRecorder const record;
    parallel_stencil_steps("pauses", policy.with_fused_steps(2), u, scratch, steps, Mix<Shape>(),
                           every(2, [](std::int64_t, View const&) {}));
    auto const names = record.kernel_names();
    return std::count(names.begin(), names.end(), Impl::kernel_label(Backend::Portable{}, "pauses"));
  };
  EXPECT_EQ(sweeps(8), 4);
  EXPECT_EQ(sweeps(10), 6);  // an even number, so that nothing is copied
  Kokkos::fence();
}

}  // namespace
}  // namespace Koalesce::Test
