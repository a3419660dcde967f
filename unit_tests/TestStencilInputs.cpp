// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

/// Inputs that say how far they are read.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilInputs : public ::testing::Test {};
TYPED_TEST_SUITE(StencilInputs, DefaultPaths::types, PathNames);

/// A probe of one input, and two values at the point.
template <class Shape>
struct ProbeAndValues {
  template <class U, class A, class B, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, A a, B b, I... i) const {
    return Probe<Shape>()(u, i...) + 2 * a - 3 * int(b);
  }
};

/// What becomes of a weighted sum.
struct SumAndValues {
  template <class Sum, class A, class B, class... I>
  KOKKOS_FUNCTION auto operator()(Sum sum, A a, B b, I... i) const {
    return sum + 2 * a - 3 * int(b) + Probe<Box<0>>::position(int(i % 13)...);
  }
};

/// Weights of another value for every offset.
template <class T, class Shape>
LinearStencil<T, Shape> probe_weights() {
  return LinearStencil<T, Shape>([](auto... offset) { return T(Probe<Shape>::weight(offset...)); });
}

/// One input around the point and two at it, which need no halo, then the functors given.
template <class P, class Shape, class T, class Layout, class... Functors>
void try_values(std::int64_t points, Functors const&... functors) {
  constexpr int rank = Shape::rank;
  using TestField    = Field<typename P::exec, T, rank, Layout>;
  for_each_seed([&](Rng& rng) {
    auto const run = [&](Index<rank> const& n) {
      TestField u(n, halo_for<Shape>(rng, 2), rng), a(n, random_halo<rank>(rng, 2), rng),
          out(n, random_halo<rank>(rng, 2), rng);
      Field<typename P::exec, std::int8_t, rank> b(n, random_halo<rank>(rng, 2), rng);
      u.fill(rng);
      a.fill(rng);
      b.fill(rng);
      PointField<TestField> at_a{a};
      PointField<decltype(b)> at_b{b};
      compare<P, Shape>(n, std::tie(at_a, u, at_b), std::tie(out), Exactly(), functors...);
    };
    for (int n = 0; n < 4; ++n) run(random_extents<rank>(rng, points));
    for (std::int64_t n : {0, 1, 2}) run(index_of<rank>(n));
  });
}

TYPED_TEST(StencilInputs, values_at_the_point) {
  using Shape = Star<1, 2, 1>;
  try_values<TypeParam, Shape, double, Kokkos::LayoutRight>(20000, ProbeAndValues<Shape>());
}
TYPED_TEST(StencilInputs, values_at_the_point_strided) {
  using Shape = Box<2>;
  try_values<TypeParam, Shape, float, Kokkos::LayoutStride>(2000, ProbeAndValues<Shape>());
}
TYPED_TEST(StencilInputs, functor_of_a_sum) {
  using Shape = Box<1, 1, 1>;
  try_values<TypeParam, Shape, double, Kokkos::LayoutLeft>(20000, probe_weights<double, Shape>(), SumAndValues());
}
TYPED_TEST(StencilInputs, functor_of_a_one_sided_sum) {
  using Shape = Offsets<At<0, 0>, At<0, 2>, At<-1, 1>, At<-3, 0>>;
  try_values<TypeParam, Shape, float, Kokkos::LayoutRight>(10000, probe_weights<float, Shape>(), SumAndValues());
}

// ---- Stages ----

/// A probe of what the first stage returned, and the inputs' values.
template <class Shape>
struct SecondProbe {
  template <class M, class... I>
  KOKKOS_FUNCTION double operator()(M const& m, double u, float a, float b, I... i) const {
    return Probe<Shape>()(m, i...) + u + 5 * double(a) + 7 * double(b);
  }
};

TYPED_TEST(StencilInputs, values_in_both_stages) {
  using First  = Star<1, 1>;
  using Second = Box<1, 2>;
  using Shape  = Staged<First, Second>;
  using Exec   = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 3; ++run) {
      auto const n = random_extents<2>(rng, 10000);
      Field<Exec, double, 2> u(n, halo_for<Shape>(rng, 1), rng), out(n, random_halo<2>(rng, 1), rng);
      Field<Exec, float, 2> a(n, halo_for<Second>(rng, 1), rng), b(n, halo_for<Second>(rng, 1), rng);
      std::apply([&](auto&... f) { (f.fill(rng), ...); }, std::tie(u, a, b));
      PointField<decltype(a)> at_a{a}, at_b{b};
      compare<TypeParam, Shape>(n, std::tie(at_a, u, at_b), std::tie(out), Exactly(), ProbeAndValues<First>(),
                                SecondProbe<Second>());
    }
  });
}

// ---- Shapes of their own: velocities between the points of a staggered grid ----

using Backward = Offsets<At<0, 0, 0>, At<-1, 0, 0>>;
using Wide     = Box<0, 2, 1>;

struct Staggered {
  template <class P, class Vz, class Vy, class I>
  KOKKOS_FUNCTION double operator()(P const& p, Vz const& vz, Vy const& vy, double rho, I z, I, I) const {
    return p(0, 0, 1) - p(1, 0, 0) + 2 * (vz() - vz(-1, 0, 0)) + 3 * double(vy(0, 2, -1)) + rho * double(z);
  }
};

TYPED_TEST(StencilInputs, shapes_of_their_own) {
  using Shape = Star<1, 1, 1>;
  using Exec  = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 4; ++run) {
      auto const n = random_extents<3>(rng, 10000);
      Field<Exec, double, 3> p(n, halo_for<Shape>(rng, 1), rng), vz(n, halo_for<Backward>(rng, 1), rng),
          rho(n, {0, 0, 0}, rng), out(n, random_halo<3>(rng, 1), rng);
      Field<Exec, float, 3> vy(n, halo_for<Wide>(rng, 1), rng);
      std::apply([&](auto&... f) { (f.fill(rng), ...); }, std::tie(p, vz, vy, rho));
      PointField<decltype(rho)> at_rho{rho};
      ShapedField<Backward, decltype(vz)> in_vz{vz};
      ShapedField<Wide, decltype(vy)> in_vy{vy};
      compare<TypeParam, Shape>(n, std::tie(p, in_vz, at_rho, in_vy), std::tie(out), Exactly(), Staggered());
    }
  });
}

// ---- Stars that reach far, of two fields ----

using Far  = Star<4, 1, 1>;
using Near = Star<2, 0, 1>;

struct FarAndNear {
  template <class U, class V, class I>
  KOKKOS_FUNCTION double operator()(U const& u, V const& v, float b, I z, I y, I x) const {
    return Probe<Far>()(u, z, y, x) - 2 * Probe<Near>()(v, z, y, x) + 3 * double(b);
  }
};

TYPED_TEST(StencilInputs, stars_that_reach_far) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 4; ++run) {
      auto const n = random_extents<3>(rng, run == 0 ? 100 : 20000);
      Field<Exec, double, 3> u(n, halo_for<Far>(rng, 1), rng), v(n, halo_for<Near>(rng, 1), rng),
          out(n, random_halo<3>(rng, 1), rng);
      Field<Exec, float, 3> b(n, {0, 0, 0}, rng);
      std::apply([&](auto&... f) { (f.fill(rng), ...); }, std::tie(u, v, b));
      PointField<decltype(b)> at_b{b};
      ShapedField<Near, decltype(v)> in_v{v};
      compare<TypeParam, Far>(n, std::tie(u, in_v, at_b), std::tie(out), Exactly(), FarAndNear());
    }
  });
}

// ---- In place ----

/// A step of the wave equation: the new values take the place of those before the last.
struct Leapfrog {
  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, double before, float c2, I...) const {
    double sum = 0;
    for_each_offset<typename U::shape_type>([&](auto... offset) { sum += u(offset...); });
    return 2 * u() - before + double(c2) * sum;
  }
  template <class... I>
  KOKKOS_FUNCTION double operator()(double sum, double before, float c2, I...) const {
    return sum - before + double(c2);
  }
};

template <class P, class... Functors>
void try_in_place(Rng& rng, Index<3> const& n, Functors const&... functors) {
  using Shape = Star<1, 1, 1>;
  using Exec  = typename P::exec;
  Field<Exec, double, 3> u(n, halo_for<Shape>(rng, 1), rng), before(n, random_halo<3>(rng, 2), rng);
  Field<Exec, float, 3> c2(n, {0, 0, 0}, rng);
  auto const sum_at = [&](Index<3> const& p) {
    double sum = 0;
    for_each_offset<Shape>([&](int a, int b, int c) { sum += u({p[0] + a, p[1] + b, p[2] + c}); });
    return sum;
  };
  Exec const exec;
  StencilPolicy<Exec, Shape, typename P::backend> const policy(exec, n);
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    std::apply([&](auto&... f) { (f.fill(rng), ...); }, std::tie(u, before, c2));
    parallel_stencil("leapfrog", policy.with_taps(taps), fields(u.view(), at_point(before.view()), at_point(c2.view())),
                     before.view(), functors...);
    exec.fence();
    for_each_index<3>({}, n, [&](Index<3> const& p) {
      bool const linear = sizeof...(functors) == 2;
      before(p) = linear ? sum_at(p) - before(p) + double(c2(p)) : 2 * u(p) - before(p) + double(c2(p)) * sum_at(p);
    });
    EXPECT_TRUE(before.device_matches());
    EXPECT_TRUE(u.device_matches());
  }
}

TYPED_TEST(StencilInputs, an_output_may_be_an_input_at_the_point) {
  using Ones = LinearStencil<double, Star<1, 1, 1>>;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 3; ++run) {
      try_in_place<TypeParam>(rng, random_extents<3>(rng, 10000), Leapfrog());
      try_in_place<TypeParam>(rng, random_extents<3>(rng, 10000), Ones([](int, int, int) { return 1.; }), Leapfrog());
    }
  });
}

// ---- Errors ----

struct OneValue {
  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, double b, I...) const {
    return u() + b;
  }
};
struct TwoValues {
  template <class M, class... I>
  KOKKOS_FUNCTION double operator()(M const& m, double, double b, I...) const {
    return m() + b;
  }
};

TEST(StencilInputErrors, say_what_is_wrong) {
  using Exec  = Kokkos::DefaultExecutionSpace;
  using Shape = Star<1, 1>;
  Kokkos::View<double**, Exec> const u("u", 10, 10), v("v", 8, 8), wide("wide", 12, 12);
  Exec const exec;
  StencilPolicy<Exec, Shape> const policy(exec, {8, 8});
  StencilPolicy<Exec, Staged<Box<0, 0>, Shape>> const staged(exec, {8, 8});
  auto const part = Kokkos::subview(u, std::pair(1, 9), std::pair(1, 9));
  Leapfrog const f{};
  Kokkos::View<float**, Exec> const c2("c2", 8, 8);

  auto const run = [&](auto const& in, auto const& before, auto const& out) {
    parallel_stencil("wave", policy, fields(in, before, at_point(c2)), out, f);
  };
  EXPECT_NO_THROW(run(u, at_point(v), v));
  expect_error({"Koalesce::parallel_stencil(\"wave\"): output field 0 (\"u\") and input field 1 (\"u\") overlap",
                "give the identical View with at_point()"},
               [&] { run(wide, at_point(u), part); });
  expect_error({"output field 0 (\"u\") and input field 0 (\"u\") overlap"}, [&] { run(u, at_point(v), u); });
  expect_error({"input field 0 (\"u\") has a halo of 1 points in dimension 0, narrower than the stencil's radius 2"},
               [&] { run(around(Box<2, 1>{}, u), at_point(v), v); });
  EXPECT_NO_THROW(run(around(Box<2, 1>{}, wide), at_point(v), v));

  expect_error({"input field 1 (\"v\") has a halo of 0 points in dimension 0, narrower than the stencil's radius 1"},
               [&] { parallel_stencil("stages", staged, fields(wide, at_point(v)), v, OneValue(), TwoValues()); });
  expect_error({"output field 0 (\"u\") and input field 1 (\"u\") overlap", "swap afterwards"},
               [&] { parallel_stencil("stages", staged, fields(wide, at_point(u)), u, OneValue(), TwoValues()); });
  EXPECT_NO_THROW(parallel_stencil("stages", staged, fields(wide, at_point(u)), v, OneValue(), TwoValues()));
  exec.fence();
}

}  // namespace
}  // namespace Koalesce::Test
