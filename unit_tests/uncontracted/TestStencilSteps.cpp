// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// Time steps, however many share a sweep, against one step after the other on the host.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilSteps : public ::testing::Test {};
TYPED_TEST_SUITE(StencilSteps, DefaultPaths::types, PathNames);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

/// With a coefficient at the point, and the number of the step.
template <class Shape>
struct MixStep {
  template <class U, class K, class... I>
  KOKKOS_FUNCTION auto operator()(std::int64_t step, U const& u, K const& k, I... i) const {
    using T = std::decay_t<decltype(u())>;
    return T(Mix<Shape>().around(u, i...) + T(step) * k);
  }
};

template <class P, class Shape, class T, class Layout, class Functor>
void try_steps(Rng& rng, Index<Shape::rank> const& n, std::int64_t steps, Functor const& functor) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  SCOPED_TRACE("interior " + to_string<rank>(n) + ", steps " + std::to_string(steps));
  Field<Exec, T, rank, Layout> first(n, halo_for<Shape>(rng, 2), rng), scratch(n, halo_for<Shape>(rng, 2), rng);
  fill_state<T>(rng, first);
  auto result = first.with_own_host_copy();
  for (std::int64_t s = 0; s < steps; ++s)
    run_on_host<rank>(result, [&](Index<rank> const& p) {
      return Impl::get<0>(apply_at<rank>(on_host(functor), p, std::tie(result)));
    });
  for (int const depth : depths<Exec>()) {
    SCOPED_TRACE("depth " + std::to_string(depth));
    first.upload();
    scratch.poison_device();
    StencilPolicy<Exec, Shape, typename P::backend> const policy({}, n);
    parallel_stencil_steps("steps", policy.with_fused_steps(depth), first.view(), scratch.view(), steps, functor);
    Exec().fence();
    EXPECT_TRUE(result.device_matches());
  }
}

template <class P, class Shape, class T, class Layout = LayoutRight>
void try_functor(std::int64_t points) {
  for_each_seed([&](Rng& rng) {
    for (std::int64_t const steps : {0, 1, 2, 3, 11})
      try_steps<P, Shape, T, Layout>(rng, random_extents<Shape::rank>(rng, points), steps, Mix<Shape>());
    for (std::int64_t const n : {0, 1, 2})
      try_steps<P, Shape, T, Layout>(rng, index_of<Shape::rank>(n), 5, Mix<Shape>());
  });
}

TYPED_TEST(StencilSteps, star111) { try_functor<TypeParam, Star<1, 1, 1>, double>(20000); }
TYPED_TEST(StencilSteps, star111_float_left) { try_functor<TypeParam, Star<1, 1, 1>, float, LayoutLeft>(20000); }
TYPED_TEST(StencilSteps, star212_integers) { try_functor<TypeParam, Star<2, 1, 2>, std::uint32_t>(10000); }
TYPED_TEST(StencilSteps, one_sided) {
  using Shape = Offsets<At<0, 0, 0>, At<1, 0, 0>, At<0, -2, 0>, At<-1, 1, 3>>;
  try_functor<TypeParam, Shape, double>(10000);
}
TYPED_TEST(StencilSteps, plane_star) { try_functor<TypeParam, Star<1, 1>, double>(20000); }
TYPED_TEST(StencilSteps, plane_box_float) { try_functor<TypeParam, Box<1, 1>, float>(20000); }
TYPED_TEST(StencilSteps, plane_star_of_radius_3) { try_functor<TypeParam, Star<3, 3>, float, LayoutLeft>(10000); }
TYPED_TEST(StencilSteps, line) { try_functor<TypeParam, Star<2>, double>(1000); }

/// Many tiles, so that they have neighbors on all sides.
TYPED_TEST(StencilSteps, many_tiles) {
  using Behind = Offsets<At<0, 0, 0>, At<2, 0, 0>, At<-1, 1, 0>, At<-1, 0, -2>, At<0, 0, 2>>;
  for_each_seed([](Rng& rng) {
    try_steps<TypeParam, Star<1, 1, 1>, double, LayoutRight>(rng, {13, 62, 131}, 9, Mix<Star<1, 1, 1>>());
    try_steps<TypeParam, Star<2, 2, 2>, double, LayoutRight>(rng, {11, 59, 120}, 5, Mix<Star<2, 2, 2>>());
    try_steps<TypeParam, Behind, double, LayoutRight>(rng, {11, 59, 120}, 5, Mix<Behind>());
    if (!Backend::on_host<typename TypeParam::exec>)
      try_steps<TypeParam, Star<1, 1, 1>, float, LayoutLeft>(rng, {120, 110, 20}, 9, Mix<Star<1, 1, 1>>());
    try_steps<TypeParam, Box<1, 1>, float, LayoutRight>(rng, {61, 267}, 17, Mix<Box<1, 1>>());
    try_steps<TypeParam, Star<1, 2>, double, LayoutRight>(rng, {5, 9001}, 10, Mix<Star<1, 2>>());
  });
}

/// A coefficient, and a functor that knows the step.
template <class P, class Shape, class T>
void try_constant(Rng& rng, Index<Shape::rank> const& n, std::int64_t steps) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  SCOPED_TRACE("interior " + to_string<rank>(n));
  Field<Exec, T, rank, LayoutRight> first(n, halo_for<Shape>(rng, 2), rng), scratch(n, halo_for<Shape>(rng, 2), rng),
      k(n, random_halo<rank>(rng, 2), rng);
  fill_state<T>(rng, first);
  fill_state<T>(rng, k);
  auto result = first.with_own_host_copy();
  PointField<decltype(k)> const coefficient{k};
  for (std::int64_t s = 0; s < steps; ++s)
    run_on_host<rank>(result, [&](Index<rank> const& p) {
      auto const step = [&](auto const&... a) { return MixStep<Shape>()(s, a...); };
      return Impl::get<0>(apply_at<rank>(step, p, std::tie(result, coefficient)));
    });
  for (int const depth : depths<Exec>()) {
    SCOPED_TRACE("depth " + std::to_string(depth));
    first.upload();
    scratch.poison_device();
    StencilPolicy<Exec, Shape, typename P::backend> const policy({}, n);
    parallel_stencil_steps("steps", policy.with_fused_steps(depth), fields(first.view(), constant(at_point(k.view()))),
                           scratch.view(), steps, with_step(MixStep<Shape>()));
    Exec().fence();
    EXPECT_TRUE(result.device_matches());
    EXPECT_TRUE(k.device_matches());
  }
}

TYPED_TEST(StencilSteps, coefficients_and_the_number_of_the_step) {
  for_each_seed(
      [](Rng& rng) { try_constant<TypeParam, Star<1, 1, 1>, double>(rng, random_extents<3>(rng, 20000), 11); });
}

TYPED_TEST(StencilSteps, two_fields) {
  using Exec   = typename TypeParam::exec;
  using First  = Star<1, 1>;
  using Second = Box<1, 2>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 20000);
    Field<Exec, double, 2, LayoutRight> u(n, halo_for<First>(rng, 2), rng), u2(n, halo_for<First>(rng, 2), rng);
    Field<Exec, float, 2, LayoutRight> v(n, halo_for<Second>(rng, 2), rng), v2(n, halo_for<Second>(rng, 2), rng);
    fill_state<double>(rng, u);
    fill_state<float>(rng, v);
    auto after_u = u.with_own_host_copy();
    auto after_v = v.with_own_host_copy();
    for (int s = 0; s < 7; ++s) {
      std::vector<float> next;
      auto const both = [&](Index<2> const& p) {
        return apply_at<2>(MixTwo<First, Second>(), p, std::tie(after_u, after_v));
      };
      for_each_index<2>({}, n, [&](Index<2> const& p) { next.push_back(float(Impl::get<1>(both(p)))); });
      run_on_host<2>(after_u, [&](Index<2> const& p) { return Impl::get<0>(both(p)); });
      std::size_t i = 0;
      for_each_index<2>({}, n, [&](Index<2> const& p) { after_v(p) = next[i++]; });
    }
    for (int const depth : depths<Exec>()) {
      SCOPED_TRACE("depth " + std::to_string(depth));
      u.upload();
      v.upload();
      StencilPolicy<Exec, First, typename TypeParam::backend> const policy({}, n);
      parallel_stencil_steps("two", policy.with_fused_steps(depth), fields(u.view(), around(Second(), v.view())),
                             fields(u2.view(), v2.view()), 7, MixTwo<First, Second>());
      Exec().fence();
      EXPECT_TRUE(after_u.device_matches());
      EXPECT_TRUE(after_v.device_matches());
    }
  });
}

/// Copies the points beyond the interior that a shape reads in its dimensions.
template <class Shape, class Field>
void copy_halo(Field const& from, Field& to) {
  auto first = from.interior(), end = from.interior();
  for (int d = 0; d < Shape::rank; ++d) {
    first[d] = -Shape::radius(d);
    end[d] += Shape::radius(d);
  }
  for_each_index<Shape::rank>(first, end, [&](Index<Shape::rank> const& p) {
    bool inside = true;
    for (int d = 0; d < Shape::rank; ++d) inside = inside && p[d] >= 0 && p[d] < from.interior()[d];
    if (!inside) to(p) = from(p);
  });
}

/// Fields of two time levels change roles; the coefficient stands before them.
template <class P, class Shape, class T, class Layout>
void try_levels(Rng& rng, Index<Shape::rank> const& n) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  SCOPED_TRACE("interior " + to_string<rank>(n));
  Field<Exec, T, rank, Layout> now(n, halo_for<Shape>(rng, 2), rng), before(n, halo_for<Shape>(rng, 2), rng),
      k(n, random_halo<rank>(rng, 2), rng);
  for (auto* field : {&now, &before, &k}) fill_state<T>(rng, *field);
  StencilPolicy<Exec, Shape, typename P::backend> const policy({}, n);
  for (std::int64_t const steps : {0, 1, 2, 5, 12}) {
    SCOPED_TRACE(std::to_string(steps) + " steps");
    auto newest = now.with_own_host_copy(), older = before.with_own_host_copy();
    PointField<decltype(k)> const coefficient{k};
    if (steps > 1) copy_halo<Shape>(newest, older);
    for (std::int64_t s = 0; s < steps; ++s) {
      PointField<decltype(older)> const previous{older};
      std::vector<T> next;
      for_each_index<rank>({}, n, [&](Index<rank> const& p) {
        next.push_back(Impl::get<0>(apply_at<rank>(Wave<Shape>(), p, std::tie(newest, previous, coefficient))));
      });
      std::size_t i = 0;
      for_each_index<rank>({}, n, [&](Index<rank> const& p) {
        older(p)  = newest(p);
        newest(p) = next[i++];
      });
    }
    for (int const depth : depths<Exec>()) {
      SCOPED_TRACE("depth " + std::to_string(depth));
      now.upload();
      before.upload();
      parallel_stencil_steps("levels", policy.with_fused_steps(depth),
                             fields(time_levels(now.view(), before.view()), constant(at_point(k.view()))), fields(),
                             steps, Wave<Shape>());
      Exec().fence();
      EXPECT_TRUE(newest.device_matches());
      EXPECT_TRUE(older.device_matches());
    }
  }
}

TYPED_TEST(StencilSteps, time_levels) {
  for_each_seed([](Rng& rng) {
    try_levels<TypeParam, Star<2, 1, 2>, double, LayoutRight>(rng, random_extents<3>(rng, 20000));
    try_levels<TypeParam, Star<1, 1>, float, LayoutLeft>(rng, random_extents<2>(rng, 20000));
    try_levels<TypeParam, Star<2>, double, LayoutRight>(rng, random_extents<1>(rng, 1000));
  });
}

}  // namespace
}  // namespace Koalesce::Test
