// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

/// Time steps of which the last one reduces, against one call of parallel_stencil_reduce after the other.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilStepsReduce : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStepsReduce, DefaultPaths::types, PathNames);

/// What a step leaves, without the rounding of any order.
struct Results {
  std::int64_t sum = 0;
  double most      = Kokkos::reduction_identity<double>::max();

  bool operator==(Results const&) const = default;
  friend std::ostream& operator<<(std::ostream& os, Results const& r) { return os << r.sum << " and " << r.most; }
};

KOKKOS_FUNCTION double add(double value, double before, std::int64_t& sum, double& most) {
  sum += std::int64_t(1024 * value);
  most = Kokkos::max(most, Kokkos::abs(value - before));
  return value;
}

template <class Shape>
struct MixAndAdd {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t y, std::int64_t x, std::int64_t& sum, double& most) const {
    return add(Mix<Shape>().around(u, y, x), u(), sum, most);
  }
};

/// Called with the number of the step, after known weights.
struct StepAndAdd {
  KOKKOS_FUNCTION double operator()(std::int64_t step, double weighted, double k, std::int64_t, std::int64_t,
                                    std::int64_t& sum, double& most) const {
    return add(weighted + double(step) * k, k, sum, most);
  }
};

/// The second of two stages.
template <class Shape>
struct MixStagesAndAdd {
  template <class M>
  KOKKOS_FUNCTION double operator()(M const& m, double u, std::int64_t y, std::int64_t x, std::int64_t& sum,
                                    double& most) const {
    return add(Mix<Shape>().around(m, y, x), u, sum, most);
  }
};

template <class Shape>
struct WaveAndAdd {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, double before, std::int64_t y, std::int64_t x, std::int64_t& sum,
                                    double& most) const {
    return add(Mix<Shape>().around(u, y, x) - before / 2, u(), sum, most);
  }
};

template <class Exec>
using Plane = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;

template <class View>
View copy_of(View const& from) {
  View to(from.label() + "'s copy", from.extent(0), from.extent(1));
  Kokkos::deep_copy(to, from);
  return to;
}

template <class Exec>
Plane<Exec> random_plane(Rng& rng, std::string const& label, Index<2> const& n, std::int64_t halo) {
  Plane<Exec> const view(label, std::size_t(n[0] + 2 * halo), std::size_t(n[1] + 2 * halo));
  auto const host = Kokkos::create_mirror(view);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) host(i, j) = double(random_int(rng, -1000, 1000)) / 7;
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
bool equal(View const& a, View const& b) {
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j)
      if (x(i, j) != y(i, j)) return false;
  return true;
}

/// \param[in] single  one step from a View to another: single(step, from, to, results).
/// \param[in] many    all steps: many(depth, state, scratch, steps, results).
template <class Exec, class Single, class Many>
void try_steps(Plane<Exec> const& start, Single const& single, Many const& many) {
  for (std::int64_t const steps : {0, 1, 2, 5, 11, 26}) {
    Plane<Exec> from = copy_of(start), to = copy_of(start);
    Results expected;
    for (std::int64_t s = 0; s < steps; ++s) {
      Kokkos::deep_copy(to, from);
      expected = {};
      single(s, from, to, expected);
      std::swap(from, to);
    }
    for (int const depth : depths<Exec>()) {
      SCOPED_TRACE("steps " + std::to_string(steps) + ", depth " + std::to_string(depth));
      Plane<Exec> const state = copy_of(start), scratch = copy_of(start);
      Kokkos::deep_copy(scratch, 1e9);
      Results results{3, 3};
      many(depth, state, scratch, steps, results);
      EXPECT_EQ(results, expected);
      EXPECT_TRUE(equal(state, from));
    }
  }
}

/// One functor, with a boundary or without.
template <class P, class Shape, class Bound>
void try_functor(Rng& rng, Bound const& bound) {
  using Exec   = typename P::exec;
  auto const n = random_extents<2>(rng, 8000);
  SCOPED_TRACE("interior " + to_string<2>(n));
  StencilPolicy<Exec, Shape, typename P::backend> const plain({}, n);
  auto const policy = bound(plain);
  try_steps<Exec>(
      random_plane<Exec>(rng, "u", n, 1),
      [&](std::int64_t, auto const& from, auto const& to, Results& r) {
        parallel_stencil_reduce("once", policy, from, to, MixAndAdd<Shape>(), r.sum, Kokkos::Max<double>(r.most));
      },
      [&](int depth, auto const& state, auto const& scratch, std::int64_t steps, Results& r) {
        parallel_stencil_steps_reduce("steps", policy.with_fused_steps(depth), state, scratch, steps,
                                      MixAndAdd<Shape>(), r.sum, Kokkos::Max<double>(r.most));
      });
}

TYPED_TEST(StencilStepsReduce, functors) {
  for_each_seed([](Rng& rng) {
    try_functor<TypeParam, Star<1, 1>>(rng, [](auto const& policy) { return policy; });
    try_functor<TypeParam, Star<1, 1>>(rng, [](auto const& policy) { return policy.with_boundary(Mirror()); });
    try_functor<TypeParam, Box<1, 1>>(rng, [](auto const& policy) { return policy.with_boundary(Periodic()); });
  });
}

TYPED_TEST(StencilStepsReduce, known_weights_and_the_number_of_the_step) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 8000);
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, n);
    auto const k = random_plane<Exec>(rng, "k", n, 0);
    LinearStencil<double, Shape> const weights([&](auto...) { return double(random_int(rng, -99, 99)) / 777; });
    try_steps<Exec>(
        random_plane<Exec>(rng, "u", n, 1),
        [&](std::int64_t step, auto const& from, auto const& to, Results& r) {
          parallel_stencil_reduce("once", policy, fields(from, at_point(k)), to, weights,
                                  WithStep<StepAndAdd>{{}, step}, r.sum, Kokkos::Max<double>(r.most));
        },
        [&](int depth, auto const& state, auto const& scratch, std::int64_t steps, Results& r) {
          parallel_stencil_steps_reduce("steps", policy.with_fused_steps(depth), fields(state, constant(at_point(k))),
                                        scratch, steps, weights, with_step(StepAndAdd()), r.sum,
                                        Kokkos::Max<double>(r.most));
        });
  });
}

TYPED_TEST(StencilStepsReduce, stages) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 2000);
    StencilPolicy<Exec, Staged<Shape, Shape>, typename TypeParam::backend> const policy({}, n);
    try_steps<Exec>(
        random_plane<Exec>(rng, "u", n, 2),
        [&](std::int64_t, auto const& from, auto const& to, Results& r) {
          parallel_stencil_reduce("once", policy, from, to, Mix<Shape>(), MixStagesAndAdd<Shape>(), r.sum,
                                  Kokkos::Max<double>(r.most));
        },
        [&](int depth, auto const& state, auto const& scratch, std::int64_t steps, Results& r) {
          parallel_stencil_steps_reduce("steps", policy.with_fused_steps(depth), state, scratch, steps, Mix<Shape>(),
                                        MixStagesAndAdd<Shape>(), r.sum, Kokkos::Max<double>(r.most));
        });
  });
}

/// Both levels end in their Views, after an odd number of steps, too.
TYPED_TEST(StencilStepsReduce, time_levels) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 8000);
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, n);
    auto const u = random_plane<Exec>(rng, "u", n, 1), before = copy_of(u);  // with the same halo
    auto const inner = [&](auto const& view) {
      return Kokkos::subview(view, std::pair(1, int(n[0]) + 1), std::pair(1, int(n[1]) + 1));
    };
    Kokkos::deep_copy(inner(before), inner(random_plane<Exec>(rng, "before", n, 1)));
    for (std::int64_t const steps : {0, 1, 4, 7})
      for (int const depth : depths<Exec>()) {
        SCOPED_TRACE("steps " + std::to_string(steps) + ", depth " + std::to_string(depth));
        Plane<Exec> const now = copy_of(u), previous = copy_of(before);
        Plane<Exec> newer = copy_of(u), older = copy_of(before);
        Results results{3, 3}, expected;
        for (std::int64_t s = 0; s < steps; ++s) {
          expected = {};
          parallel_stencil_reduce("once", policy, fields(newer, at_point(older)), older, WaveAndAdd<Shape>(),
                                  expected.sum, Kokkos::Max<double>(expected.most));
          std::swap(newer, older);
        }
        parallel_stencil_steps_reduce("wave", policy.with_fused_steps(depth), time_levels(now, previous), fields(),
                                      steps, WaveAndAdd<Shape>(), results.sum, Kokkos::Max<double>(results.most));
        EXPECT_EQ(results, expected);
        EXPECT_TRUE(equal(now, newer));
        EXPECT_TRUE(equal(previous, older));
      }
  });
}

/// every() is called as without results, which may be Views that kernels write.
TYPED_TEST(StencilStepsReduce, every_so_many_steps) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 8000);
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, n);
    auto const start = random_plane<Exec>(rng, "u", n, 1), scratch = copy_of(start);
    auto const state = copy_of(start), alone = copy_of(start);
    Kokkos::View<std::int64_t, typename Exec::memory_space> const sum("sum"), sum_alone("sum alone");
    Kokkos::View<double, typename Exec::memory_space> const most("most");
    parallel_stencil_steps_reduce("alone", policy, alone, scratch, 10, MixAndAdd<Shape>(), sum_alone,
                                  Kokkos::Max<double, typename Exec::memory_space>(most));
    std::vector<std::int64_t> told;
    auto const look = [&](std::int64_t done, Plane<Exec> const& newest) {
      told.push_back(done);
      EXPECT_EQ(equal(newest, alone), done == 10);
    };
    parallel_stencil_steps_reduce("every", policy, state, scratch, 10, MixAndAdd<Shape>(), every(5, look), sum,
                                  Kokkos::Max<double, typename Exec::memory_space>(most));
    auto const value = [](auto const& view) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view)();
    };
    EXPECT_EQ(told, (std::vector<std::int64_t>{5, 10}));
    EXPECT_EQ(value(sum), value(sum_alone));
    EXPECT_TRUE(equal(state, alone));
  });
}

TYPED_TEST(StencilStepsReduce, errors) {
  using Exec  = typename TypeParam::exec;
  using Space = typename Exec::memory_space;
  Plane<Exec> const u("u", 10, 10), v("v", 10, 10);
  Kokkos::View<double, Space> const most("most");
  StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy({}, {8, 8});
  expect_error({"Koalesce::parallel_stencil_steps_reduce(\"run\")", "result 0"}, [&] {
    parallel_stencil_steps_reduce("run", policy, u, v, 2, MixAndAdd<Star<1, 1>>(), Kokkos::View<std::int64_t, Space>(),
                                  Kokkos::Max<double, Space>(most));
  });
}

}  // namespace
}  // namespace Koalesce::Test
