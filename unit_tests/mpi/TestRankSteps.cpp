// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../uncontracted/StepsFunctor.hpp"
#include "RankSupport.hpp"

/// Time steps over several processes: the bits that one process has.
namespace Koalesce::Test {
namespace {

template <class P>
class RankSteps : public ::testing::Test {};
TYPED_TEST_SUITE(RankSteps, DefaultPaths::types, PathNames);

template <class Shape>
Index<Shape::rank> halos_for(int steps) {
  Index<Shape::rank> wide{};
  for (int d = 0; d < Shape::rank; ++d) wide[d] = steps * Shape::radius(d);
  return wide;
}

template <class P, class Shape, class Layout, class Bound>
void try_steps_over(Rng& rng, Domain<Shape::rank> const& domain, int deep, Bound const& bound) {
  using Exec      = typename P::exec;
  constexpr int R = Shape::rank;
  auto const halo = halos_for<Shape>(1), wide = halos_for<Shape>(deep);
  WholeAndPart<Exec, double, R, Layout> state(domain, halo, wide, rng), scratch(domain, halo, wide, rng),
      paused(domain, halo, wide, rng);
  auto const whole = bound(StencilPolicy(Exec(), Shape(), domain.global_extents()).with_backend(typename P::backend()));
  auto const part  = bound(StencilPolicy(Exec(), Shape(), domain).with_backend(typename P::backend()));
  for (int const steps : {1, 2, 7, 12})
    for (int const depth : {0, 1, deep}) {
      SCOPED_TRACE("steps " + std::to_string(steps) + ", depth " + std::to_string(depth));
      state.fill(domain, rng, [](Rng& r) { return double(random_int(r, -1000, 1000)) / 7; });
      std::vector<std::int64_t> told, expected;
      for (std::int64_t done = 5; done <= steps; done += 5) expected.push_back(done);
      auto const run_whole = [&](auto const& from, std::int64_t count) {
        parallel_stencil_steps("steps", whole.with_fused_steps(1), from, scratch.whole.view(), count, Mix<Shape>());
      };
      Kokkos::deep_copy(paused.whole.view(), state.whole.view());
      run_whole(state.whole.view(), steps);
      auto const run = [&](auto const& pause) {
        parallel_stencil_steps("steps", part.with_fused_steps(depth), state.part.view(), scratch.part.view(), steps,
                               Mix<Shape>(), every(5, pause));
      };
      if (depth == deep)
        run([&](std::int64_t done, auto const& newest) {
          told.push_back(done);
          run_whole(paused.whole.view(), 5);
          Kokkos::deep_copy(paused.part.view(), newest);
          EXPECT_TRUE(paused.agrees()) << domain << ", after " << done << " steps";
        });
      else run([&](std::int64_t done) { told.push_back(done); });
      EXPECT_TRUE(state.agrees()) << domain;
      EXPECT_EQ(told, expected);
    }
}

template <class P, class Shape, class Layout, class Bound>
void try_steps(Rng& rng, Kokkos::Array<bool, Shape::rank> const& periodic, int deep, Bound const& bound) {
  auto const domain = random_domain<Shape::rank>(rng, halos_for<Shape>(deep), periodic, 8000);
  try_steps_over<P, Shape, Layout>(rng, domain, deep, bound);
}

constexpr auto as_it_is = [](auto const& policy) { return policy; };

TYPED_TEST(RankSteps, as_one_process) {
  auto const periodic = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const mirrored = [](auto const& policy) { return policy.with_boundary(Mirror()); };
  for_each_seed([&](Rng& rng) {
    try_steps<TypeParam, Star<1, 1, 1>, Kokkos::LayoutRight>(rng, {}, 3, as_it_is);
    try_steps<TypeParam, Box<1, 1, 1>, Kokkos::LayoutLeft>(rng, {}, 2, as_it_is);
    try_steps<TypeParam, Star<1, 1, 1>, Kokkos::LayoutRight>(rng, {true, true, true}, 3, periodic);
    try_steps<TypeParam, Star<1, 1, 1>, Kokkos::LayoutRight>(rng, {}, 2, mirrored);
    try_steps<TypeParam, Star<2, 1>, Kokkos::LayoutRight>(rng, {true, true}, 3, periodic);
    try_steps<TypeParam, Box<1, 1>, Kokkos::LayoutLeft>(rng, {}, 4, as_it_is);
    try_steps<TypeParam, Star<1>, Kokkos::LayoutRight>(rng, {}, 3, as_it_is);
  });
}

TYPED_TEST(RankSteps, first_dimension_contiguous) {
  for_each_seed([](Rng& rng) {
    Domain<3> const domain(MPI_COMM_WORLD, {15, 18, 20}, {.contiguous = 0, .time_limit = 40});
    try_steps_over<TypeParam, Box<1, 1, 1>, Kokkos::LayoutLeft>(rng, domain, 2, as_it_is);
  });
}

/// Stages that know where they are. Beyond a period the first one has indices of its own, as in a sweep of its own.
struct AddIndex {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t i) const {
    return u() + double(i);
  }
};
struct AddNeighbors {
  template <class U, class... Others>
  KOKKOS_FUNCTION double operator()(U const& u, Others...) const {
    return (u(-1) + u(1)) / 4;
  }
};

template <class P, class Bound>
void try_stages(Rng& rng, bool periodic, Bound const& bound) {
  using Exec  = typename P::exec;
  using Shape = Staged<Star<1>, Star<1>>;
  for (int const deep : {1, 2, 3}) {
    auto const domain = random_domain<1>(rng, {2 * deep}, {periodic}, 300);
    WholeAndPart<Exec, double, 1, Kokkos::LayoutRight> state(domain, {2}, {2 * deep}, rng),
        scratch(domain, {2}, {2 * deep}, rng);
    auto const whole =
        bound(StencilPolicy(Exec(), Shape(), domain.global_extents()).with_backend(typename P::backend()));
    auto const part = bound(StencilPolicy(Exec(), Shape(), domain).with_backend(typename P::backend()));
    for (int const steps : {1, 2, 5})
      for (int const depth : {0, 1, 2}) {
        SCOPED_TRACE("halos of " + std::to_string(deep) + ", steps " + std::to_string(steps));
        state.fill(domain, rng, [](Rng& r) { return double(random_int(r, -1000, 1000)); });
        parallel_stencil_steps("stages", whole.with_fused_steps(1), state.whole.view(), scratch.whole.view(), steps,
                               AddIndex(), AddNeighbors());
        parallel_stencil_steps("stages", part.with_fused_steps(depth), state.part.view(), scratch.part.view(), steps,
                               AddIndex(), AddNeighbors());
        EXPECT_TRUE(state.agrees()) << domain;
      }
  }
}

TYPED_TEST(RankSteps, stages) {
  for_each_seed([](Rng& rng) {
    try_stages<TypeParam>(rng, false, as_it_is);
    try_stages<TypeParam>(rng, true, [](auto const& policy) { return policy.with_boundary(Periodic()); });
  });
}

/// Halos for another number of steps would be other messages.
TYPED_TEST(RankSteps, halos_that_differ_are_an_error_on_all) {
  using Exec     = typename TypeParam::exec;
  int const size = size_of_world();
  if (size == 1) GTEST_SKIP() << "there are no others";
  Domain const domain(MPI_COMM_WORLD, {8 * size}, {.ranks = {size}, .time_limit = 40});
  int const more = domain.coordinates()[0] == 0 ? 4 : 2;
  Kokkos::View<double*, typename Exec::memory_space> const u("u", 12), scratch("scratch", 8 + more);
  auto const text = error_of([&] {
    parallel_stencil_steps("other halos", StencilPolicy(Exec(), Star<1>(), domain), u, scratch, 4, AddNeighbors());
  });
  EXPECT_NE(text.find("parallel_stencil_steps(\"other halos\")"), std::string::npos) << text;
}

struct NumberedWave {
  template <class U>
  KOKKOS_FUNCTION double operator()(std::int64_t step, U const& u, double previous, double speed, std::int64_t i,
                                    std::int64_t, std::int64_t) const {
    return u() - 0.5 * previous + speed * (u(2, 0, 0) - u(0, 0, -2)) + double(step + i) / 64;
  }
};

/// A wave in place, with a coefficient, and a functor that knows the step.
TYPED_TEST(RankSteps, time_levels_and_constants) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    std::int64_t const deep = random_int(rng, 1, 3), wide = 2 * deep;  // the last has too little for three steps
    auto const domain = random_domain<3>(rng, {wide, wide, wide}, {}, 8000);
    WholeAndPart<Exec, double, 3> u(domain, {2, 2, 2}, {wide, wide, wide}, rng),
        previous(domain, {2, 2, 2}, {wide, wide, wide}, rng), speed(domain, {0, 0, 0}, {4, 2, 3}, rng);
    auto const number = [](Rng& r) { return double(random_int(r, -1000, 1000)) / 7000; };
    auto const run    = [&](auto const& policy, auto& now, auto& before, auto& c) {
      parallel_stencil_steps("wave", policy.with_backend(typename TypeParam::backend()),
                                fields(time_levels(now.view(), before.view()), constant(at_point(c.view()))), fields(), 7,
                                with_step(NumberedWave()));
    };
    for (int const depth : {0, int(deep)}) {
      SCOPED_TRACE("depth " + std::to_string(depth));
      u.fill(domain, rng, number);
      previous.fill(domain, rng, number);
      speed.fill(domain, rng, number);
      run(StencilPolicy(Exec(), Star<2, 2, 2>(), domain.global_extents()), u.whole, previous.whole, speed.whole);
      run(StencilPolicy(Exec(), Star<2, 2, 2>(), domain).with_fused_steps(depth), u.part, previous.part, speed.part);
      EXPECT_TRUE(u.agrees()) << domain;
      EXPECT_TRUE(previous.agrees()) << domain;
    }
  });
}

/// Leaves the largest change, which no order of ranks shows in.
struct StepAndMost {
  template <class U>
  KOKKOS_FUNCTION double operator()(std::int64_t step, U const& u, std::int64_t i, std::int64_t j, std::int64_t k,
                                    double& most) const {
    double const next = Mix<Star<1, 1, 1>>().around(u, i, j, k) + double(step) / 64;
    most              = Kokkos::max(most, Kokkos::abs(next - u()));
    return next;
  }
};

/// Steps that share an exchange and a sweep know their numbers, and the last one reduces over all processes.
TYPED_TEST(RankSteps, results_and_the_number_of_the_step) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    auto const domain = random_domain<3>(rng, {3, 3, 3}, {}, 8000);
    WholeAndPart<Exec, double, 3> state(domain, {1, 1, 1}, {3, 3, 3}, rng), scratch(domain, {1, 1, 1}, {3, 3, 3}, rng);
    auto const run = [&](auto const& policy, auto& now, auto& next, std::int64_t steps) {
      double most = 3;
      parallel_stencil_steps_reduce("steps", policy.with_backend(typename TypeParam::backend()), now.view(),
                                    next.view(), steps, with_step(StepAndMost()), Kokkos::Max<double>(most));
      return most;
    };
    for (std::int64_t const steps : {0, 1, 7})
      for (int const depth : {0, 1, 3}) {
        SCOPED_TRACE("steps " + std::to_string(steps) + ", depth " + std::to_string(depth));
        state.fill(domain, rng, [](Rng& r) { return double(random_int(r, -1000, 1000)) / 7; });
        StencilPolicy const whole(Exec(), Star<1, 1, 1>(), domain.global_extents());
        StencilPolicy const part(Exec(), Star<1, 1, 1>(), domain);
        EXPECT_EQ(run(whole.with_fused_steps(1), state.whole, scratch.whole, steps),
                  run(part.with_fused_steps(depth), state.part, scratch.part, steps));
        EXPECT_TRUE(state.agrees()) << domain;
      }
  });
}

}  // namespace
}  // namespace Koalesce::Test
