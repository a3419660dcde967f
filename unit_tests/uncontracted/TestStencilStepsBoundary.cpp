// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"

#include <cstdint>
#include <string>
#include <type_traits>

/// Time steps with a boundary, however many share a sweep, against single sweeps.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilStepsBoundary : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStepsBoundary, DefaultPaths::types, PathNames);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

/// Other values beyond every point of a face.
struct Wall {
  template <class... I>
  KOKKOS_FUNCTION double operator()(I... i) const {
    double sum = 0.5;
    ((sum = 3 * sum + double(i % 7)), ...);
    return sum / 9;
  }
};

/// Boundaries hold at every step in between.
template <class P, class Shape, class View, class... Extents>
void try_boundary(Rng& rng, auto const& bound, Extents... n) {
  using Exec = typename P::exec;
  View const first("first", std::size_t(n)...), state("state", std::size_t(n)...), next("next", std::size_t(n)...),
      result("result", std::size_t(n)...), scratch("scratch", std::size_t(n)...);
  auto const start = Kokkos::create_mirror_view(first);
  for (std::size_t i = 0; i < start.span(); ++i) start.data()[i] = double(random_int(rng, -1000, 1000)) / 7;
  Kokkos::deep_copy(first, start);
  auto const policy = bound(StencilPolicy<Exec, Shape, typename P::backend>({}, {std::int64_t(n)...}));
  for (int const steps : {1, 13}) {
    Kokkos::deep_copy(state, first);
    for (int s = 0; s < steps; ++s) {
      parallel_stencil("once", policy, state, next, Mix<Shape>());
      Kokkos::deep_copy(state, next);
    }
    auto const expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state);
    for (int const depth : depths<Exec>()) {
      SCOPED_TRACE("steps " + std::to_string(steps) + ", depth " + std::to_string(depth));
      Kokkos::deep_copy(result, first);
      parallel_stencil_steps("steps", policy.with_fused_steps(depth), result, scratch, steps, Mix<Shape>());
      auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
      for (std::size_t i = 0; i < found.span(); ++i) ASSERT_EQ(found.data()[i], expected.data()[i]) << i;
    }
  }
}

TYPED_TEST(StencilStepsBoundary, as_single_sweeps) {
  using Space               = typename TypeParam::exec::memory_space;
  using Plane               = Kokkos::View<double**, LayoutRight, Space>;
  using Cube                = Kokkos::View<double***, LayoutLeft, Space>;
  auto const periodic       = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const given          = [](auto const& policy) { return policy.with_boundary(Dirichlet(Wall())); };
  auto const periodic_first = [](auto const& policy) {
    return policy.with_boundary(Periodic(), sides(Dirichlet(0.25), Dirichlet(Wall())));
  };
  auto const mirrored = [](auto const& policy) { return policy.with_boundary(Mirror()); };
  auto const about    = [](auto const& policy) { return policy.with_boundary(Mirror(about_point)); };
  auto const mixed    = [](auto const& policy) {
    return policy.with_boundary(Mirror(), sides(Dirichlet(0.25), Dirichlet(0.5)));
  };
  auto const rising_last = [](auto const& policy) { return policy.with_boundary(Periodic(), Neumann(0.3)); };
  auto const rising      = [](auto const& policy) {
    return policy.with_boundary(sides(Neumann(0.3), Extrapolation(1)), sides(Dirichlet(0.5), Neumann(Wall())),
                                     sides(Mirror(about_point), Neumann()));
  };
  auto const far = [](auto const& policy) {
    return policy.with_boundary(Neumann(0.7), sides(Mirror(about_point), Neumann(0.2)),
                                sides(Mirror(), Mirror(about_point)));
  };
  auto const curved = [](auto const& policy) { return policy.with_boundary(Extrapolation(2), Neumann(Wall())); };
  auto const around = [](auto const& policy) {
    return policy.with_boundary(Periodic(), Dirichlet(Wall()), Periodic());
  };
  auto const across = [](auto const& policy) {
    return policy.with_boundary(Dirichlet(0.5), Periodic(), Dirichlet(Wall()));
  };
  auto const between = [](auto const& policy) {
    return policy.with_boundary(Periodic(), sides(Neumann(0.2), Mirror()), Dirichlet(0.5));
  };
  bool const on_gpu = !Backend::on_host<typename TypeParam::exec>;
  for_each_seed([&](Rng& rng) {
    for (bool const large : {false, true}) {
      std::int64_t const a = large ? random_int(rng, 30, 70) : random_int(rng, 3, 12);
      std::int64_t const b = large ? random_int(rng, 200, 300) : random_int(rng, 3, 12);
      std::int64_t const c = large ? random_int(rng, 3, 9) : random_int(rng, 3, 12);
      SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c));
      try_boundary<TypeParam, Box<1, 1>, Plane>(rng, periodic, a, b);
      try_boundary<TypeParam, Box<1, 1>, Plane>(rng, given, a, b);
      try_boundary<TypeParam, Box<1, 1>, Plane>(rng, periodic_first, a, b);
      try_boundary<TypeParam, Box<1, 1>, Plane>(rng, mirrored, a, b);
      try_boundary<TypeParam, Box<1, 1>, Plane>(rng, mixed, a, b);
      try_boundary<TypeParam, Box<1, 1>, Plane>(rng, rising_last, a, b);
      try_boundary<TypeParam, Star<1, 1>, Plane>(rng, curved, a, b);
      // On GPUs there are then tiles and planes between those at the faces.
      bool const between_faces = large && on_gpu;
      std::int64_t const x = b / (between_faces ? 2 : 4) + 3, y = a / 2 + (between_faces ? 40 : 8),
                         z = c + (between_faces ? 20 : 0);
      try_boundary<TypeParam, Star<1, 1, 1>, Cube>(rng, about, x, y, z);
      try_boundary<TypeParam, Star<1, 1, 1>, Cube>(rng, rising, x, y, z);
      try_boundary<TypeParam, Box<1, 1, 1>, Cube>(rng, mirrored, x, y, z);
      try_boundary<TypeParam, Star<2, 2, 2>, Cube>(rng, far, x, y, z);
      try_boundary<TypeParam, Star<1, 2, 1>, Cube>(rng, between, x, y, z);
      try_boundary<TypeParam, Star<1, 0, 1>, Cube>(rng, around, x, y, z);  // across the rows nothing is read
      try_boundary<TypeParam, Star<1, 1, 1>, Cube>(rng, around, b / 2 + 1, a, c);
      try_boundary<TypeParam, Star<1, 1, 1>, Cube>(rng, across, b / 2 + 1, a, c);
    }
  });
}

/// Counts the points that it is called for although no point of the interior reads so far.
template <class Shape, class Space>
struct WatchedWall {
  Kokkos::Array<std::int64_t, Shape::rank> n;
  Kokkos::View<int, Space> outside;

  template <class... I>
  KOKKOS_FUNCTION double operator()(I... i) const {
    std::int64_t const at[] = {i...};
    for (int d = 0; d < Shape::rank; ++d)
      if (at[d] < -Shape::radius(d) || at[d] >= n[d] + Shape::radius(d)) Kokkos::atomic_inc(&outside());
    return Wall()(i...);
  }
};

template <class P, class Shape, class View, class... Extents>
void try_watched(Extents... n) {
  using Exec  = typename P::exec;
  using Space = typename Exec::memory_space;
  View const state("state", std::size_t(n)...), scratch("scratch", std::size_t(n)...);
  WatchedWall<Shape, Space> const wall{{std::int64_t(n)...}, Kokkos::View<int, Space>("outside")};
  auto const policy = StencilPolicy<Exec, Shape, typename P::backend>({}, {std::int64_t(n)...});
  for (int const depth : depths<Exec>()) {
    parallel_stencil_steps("steps", policy.with_boundary(Dirichlet(wall)).with_fused_steps(depth), state, scratch, 20,
                           Mix<Shape>());
    parallel_stencil_steps("steps", policy.with_boundary(Periodic(), Dirichlet(wall)).with_fused_steps(depth), state,
                           scratch, 20, Mix<Shape>());
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wall.outside)(), 0) << "depth " << depth;
  }
}

TYPED_TEST(StencilStepsBoundary, functors_are_called_where_steps_read) {
  using Space = typename TypeParam::exec::memory_space;
  try_watched<TypeParam, Star<1, 2>, Kokkos::View<double**, LayoutRight, Space>>(40, 90);
  try_watched<TypeParam, Star<2, 1>, Kokkos::View<double**, LayoutLeft, Space>>(90, 40);
}

/// Fields of which CPU threads take blocks of rows and columns, that shift from step to step.
TYPED_TEST(StencilStepsBoundary, blocks_of_a_wave) {
  using Exec                = typename TypeParam::exec;
  using Space               = typename Exec::memory_space;
  using Plane               = Kokkos::View<double**, LayoutRight, Space>;
  using Cube                = Kokkos::View<double***, LayoutRight, Space>;
  bool const of_threads     = Backend::on_host<Exec> && !std::is_same_v<typename TypeParam::backend, Backend::Portable>;
  std::int64_t const wide   = of_threads ? 4200 * std::int64_t(Exec().concurrency()) : 2000;
  auto const periodic       = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const mirrored       = [](auto const& policy) { return policy.with_boundary(Mirror()); };
  auto const mirrored_first = [](auto const& policy) { return policy.with_boundary(Neumann(0.1), Periodic()); };
  for_each_seed([&](Rng& rng) {
    auto const n = random_int(rng, 2, 5);
    try_boundary<TypeParam, Star<1, 2>, Plane>(rng, periodic, n, wide + random_int(rng, 0, 99));
    try_boundary<TypeParam, Box<1, 1>, Plane>(rng, mirrored, n, wide + random_int(rng, 0, 99));
    try_boundary<TypeParam, Box<1, 1>, Plane>(rng, mirrored_first, n, wide + random_int(rng, 0, 99));
    try_boundary<TypeParam, Star<1, 2, 1>, Cube>(rng, periodic, n, random_int(rng, 5, 40), of_threads ? 2500 : 400);
  });
}

}  // namespace
}  // namespace Koalesce::Test
