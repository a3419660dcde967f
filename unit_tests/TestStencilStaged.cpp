// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class StencilStaged : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStaged, DefaultPaths::types, PathNames);

/// The second stage's probe; the input at the point counts, too.
template <class Shape>
struct SecondProbe {
  template <class M, class C, class... I>
  KOKKOS_FUNCTION auto operator()(M const& m, C const& c, I... i) const {
    return Probe<Shape>()(m, i...) + 2 * c;
  }
};

template <class P, class First, class Second, class Layout, class F, class G>
void try_stages(std::int64_t points, F const& first, G const& second) {
  using Shape        = Staged<First, Second>;
  constexpr int rank = Shape::rank;
  using TestField    = Field<typename P::exec, double, rank, Layout>;
  for_each_seed([&](Rng& rng) {
    auto const run = [&](Index<rank> const& n) {
      TestField in(n, halo_for<Shape>(rng, 2), rng), out(n, random_halo<rank>(rng, 3), rng);
      in.fill(rng);
      compare<P, Shape>(n, std::tie(in), std::tie(out), Exactly(), first, second);
    };
    for (int n = 0; n < 4; ++n) run(random_extents<rank>(rng, points));
    for (std::int64_t n : {0, 1, 2}) run(index_of<rank>(n));
  });
}

template <class P, class First, class Second, class Layout = Kokkos::LayoutRight>
void try_probes(std::int64_t points) {
  try_stages<P, First, Second, Layout>(points, Probe<First>(), SecondProbe<Second>());
}

TYPED_TEST(StencilStaged, star_of_star) { try_probes<TypeParam, Star<1, 1, 1>, Star<1, 1, 1>>(10000); }
TYPED_TEST(StencilStaged, unlike_boxes) { try_probes<TypeParam, Box<1, 2, 0>, Box<2, 0, 1>>(5000); }
TYPED_TEST(StencilStaged, box_of_star_left) {
  try_probes<TypeParam, Star<0, 2, 1>, Box<1, 1, 1>, Kokkos::LayoutLeft>(5000);
}
TYPED_TEST(StencilStaged, two_dimensions) { try_probes<TypeParam, Box<1, 1>, Star<2, 1>, Kokkos::LayoutStride>(5000); }
TYPED_TEST(StencilStaged, one_dimension) { try_probes<TypeParam, Box<2>, Box<3>>(5000); }
TYPED_TEST(StencilStaged, second_stage_of_one_point) { try_probes<TypeParam, Box<1, 1, 1>, Box<0, 0, 0>>(5000); }
TYPED_TEST(StencilStaged, first_stage_of_one_point) { try_probes<TypeParam, Box<0, 0, 0>, Star<1, 1, 1>>(5000); }

/// The second stage also returns what the first one had at the point.
template <class Shape>
struct KeepingProbe {
  template <class M, class C, class... I>
  KOKKOS_FUNCTION auto operator()(M const& m, C const& c, I... i) const {
    return values(SecondProbe<Shape>()(m, c, i...), m());
  }
};

TYPED_TEST(StencilStaged, results_of_both_stages_are_kept) {
  using First  = Box<1, 1>;
  using Second = Star<1, 2>;
  using Shape  = Staged<First, Second>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 5000);
    Field<typename TypeParam::exec, double, 2> in(n, halo_for<Shape>(rng, 2), rng), out(n, {0, 0}, rng),
        kept(n, random_halo<2>(rng, 2), rng);
    in.fill(rng);
    compare<TypeParam, Shape>(n, std::tie(in), std::tie(out, kept), Exactly(), Probe<First>(), KeepingProbe<Second>());
  });
}

TYPED_TEST(StencilStaged, biharmonic_of_linear_stencils) {
  using Shape = Star<1, 1, 1>;
  LinearStencil<double, Shape> const laplace([](int a, int b, int c) { return a == 0 && b == 0 && c == 0 ? -6. : 1.; });
  try_stages<TypeParam, Shape, Shape, Kokkos::LayoutRight>(10000, laplace, laplace);
}

// ---- div(D grad u): two inputs; fluxes through the low faces between the stages ----

struct Flux {
  template <class U, class I>
  KOKKOS_FUNCTION Vec3<double> operator()(U const& u, U const& D, I, I, I) const {
    return {(D() + D(-1, 0, 0)) * (u() - u(-1, 0, 0)), (D() + D(0, -1, 0)) * (u() - u(0, -1, 0)),
            (D() + D(0, 0, -1)) * (u() - u(0, 0, -1))};
  }
};

/// The same as three fields, not all of one type.
struct FluxFields {
  template <class U, class I>
  KOKKOS_FUNCTION auto operator()(U const& u, U const& D, I z, I y, I x) const {
    Vec3<double> const f = Flux()(u, D, z, y, x);
    return values(f.x, float(f.y), std::int64_t(f.z));
  }
};

struct Divergence {
  template <class Q, class C, class I>
  KOKKOS_FUNCTION double operator()(Q const& q, C const& u, C const& D, I, I, I) const {
    return q(1, 0, 0).x - q().x + q(0, 1, 0).y - q().y + q(0, 0, 1).z - q().z + 1000 * u + 100 * D;
  }
};

struct DivergenceOfFields {
  template <class Qz, class Qy, class Qx, class C, class I>
  KOKKOS_FUNCTION auto operator()(Qz const& qz, Qy const& qy, Qx const& qx, C const& u, C const& D, I z, I, I x) const {
    double const div = qz(1, 0, 0) - qz() + double(qy(0, 1, 0)) - double(qy()) + double(qx(0, 0, 1) - qx());
    return values(div + 1000 * u, float(D + double(z) - double(x)));
  }
};

template <class P>
void try_diffusion(Rng& rng) {
  using Shape     = Staged<Star<1, 1, 1>, Star<1, 1, 1>>;
  using TestField = Field<typename P::exec, double, 3>;
  auto const n    = random_extents<3>(rng, 10000);
  TestField u(n, halo_for<Shape>(rng, 1), rng), D(n, halo_for<Shape>(rng, 1), rng), out(n, random_halo<3>(rng, 1), rng);
  Field<typename P::exec, float, 3> more(n, random_halo<3>(rng, 2), rng);
  u.fill(rng);
  D.fill(rng);
  compare<P, Shape>(n, std::tie(u, D), std::tie(out), Exactly(), Flux(), Divergence());
  compare<P, Shape>(n, std::tie(u, D), std::tie(out, more), Exactly(), FluxFields(), DivergenceOfFields());
}

TYPED_TEST(StencilStaged, div_D_grad_u) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 3; ++n) try_diffusion<TypeParam>(rng);
  });
}

// ---- A Cahn-Hilliard step, with lambdas that name what they receive ----

template <class P>
void try_cahn_hilliard(Rng& rng) {
  using Lap    = Star<1, 1>;
  using Shape  = Staged<Lap, Lap>;
  using Exec   = typename P::exec;
  auto const n = random_extents<2>(rng, 10000);
  Field<Exec, double, 2> in(n, halo_for<Shape>(rng, 1), rng), out(n, random_halo<2>(rng, 1), rng);
  in.fill(rng);
  int const kappa = 3, dt = 2;
  auto const mu = KOKKOS_LAMBDA(Neighborhood<double, Lap> const& c, std::int64_t, std::int64_t) {
    return c() * c() * c() - c() - kappa * (c(1, 0) + c(-1, 0) + c(0, 1) + c(0, -1) - 4 * c());
  };
  auto const step = KOKKOS_LAMBDA(Neighborhood<double, Lap> const& m, double c, std::int64_t, std::int64_t) {
    return c + dt * (m(1, 0) + m(-1, 0) + m(0, 1) + m(0, -1) - 4 * m());
  };
  Exec const exec;
  parallel_stencil("cahn_hilliard", StencilPolicy<Exec, Shape, typename P::backend>(exec, n), in.view(), out.view(), mu,
                   step);
  exec.fence();

  auto const lap = [](auto const& f, std::int64_t y, std::int64_t x) {
    return f(y + 1, x) + f(y - 1, x) + f(y, x + 1) + f(y, x - 1) - 4 * f(y, x);
  };
  auto const c = [&](std::int64_t y, std::int64_t x) { return in({y, x}); };
  auto const m = [&](std::int64_t y, std::int64_t x) {
    return c(y, x) * c(y, x) * c(y, x) - c(y, x) - kappa * lap(c, y, x);
  };
  for_each_index<2>({}, n, [&](Index<2> const& p) { out(p) = c(p[0], p[1]) + dt * lap(m, p[0], p[1]); });
  EXPECT_TRUE(out.device_matches());
}

TYPED_TEST(StencilStaged, cahn_hilliard) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 3; ++n) try_cahn_hilliard<TypeParam>(rng);
  });
}

}  // namespace
}  // namespace Koalesce::Test
