// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class StencilTypes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilTypes, DefaultPaths::types, PathNames);

template <class P, class T>
void try_type() {
  using Shape = Box<1, 2, 1>;
  for_each_seed([&](Rng& rng) {
    for (int n = 0; n < 3; ++n)
      compare_once<P, Shape, T, Kokkos::LayoutRight, Kokkos::LayoutRight>(rng, random_extents<3>(rng, 20000),
                                                                          Probe<Shape>());
  });
}

TYPED_TEST(StencilTypes, float32) { try_type<TypeParam, float>(); }
TYPED_TEST(StencilTypes, int32) { try_type<TypeParam, std::int32_t>(); }
TYPED_TEST(StencilTypes, int64) { try_type<TypeParam, std::int64_t>(); }
TYPED_TEST(StencilTypes, complex128) { try_type<TypeParam, Kokkos::complex<double>>(); }
TYPED_TEST(StencilTypes, three_doubles) { try_type<TypeParam, Vec3<double>>(); }
TYPED_TEST(StencilTypes, three_floats) { try_type<TypeParam, Vec3<float>>(); }

// ---- Several fields ----

using Shape3 = Star<1, 1, 2>;

/// Two inputs and three outputs, no two of one type.
struct Mixed {
  template <class U, class V, class I>
  KOKKOS_FUNCTION auto operator()(U const& u, V const& v, I z, I y, I x) const {
    int const sum = int(u(0, 0, 2)) - 2 * int(u(0, -1, 0)) + 3 * v(1, 0, 0) - v(0, 0, -1);
    return values(float(sum), std::int64_t(z) * 10000 + y * 100 + x, Vec3<double>{double(sum), u(), double(v())});
  }
};

template <class P>
void try_mixed(Rng& rng, Index<3> const& n) {
  using Exec = typename P::exec;
  Field<Exec, double, 3> u(n, halo_for<Shape3>(rng, 2), rng);
  Field<Exec, int, 3> v(n, halo_for<Shape3>(rng, 2), rng);
  Field<Exec, float, 3> a(n, random_halo<3>(rng, 2), rng);
  Field<Exec, std::int64_t, 3> b(n, random_halo<3>(rng, 2), rng);
  Field<Exec, Vec3<double>, 3> c(n, random_halo<3>(rng, 2), rng);
  u.fill(rng);
  v.fill(rng);
  compare<P, Shape3>(n, std::tie(u, v), std::tie(a, b, c), Exactly(), Mixed());
}

TYPED_TEST(StencilTypes, fields_of_several_types) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 4; ++n) try_mixed<TypeParam>(rng, random_extents<3>(rng, 20000));
  });
}

/// Five inputs of one byte to 24, one output.
struct Gather {
  template <class A, class B, class C, class D, class E, class I>
  KOKKOS_FUNCTION double operator()(A const& a, B const& b, C const& c, D const& d, E const& e, I, I) const {
    return a(1, 0) + 2. * b(0, -1) + 3. * c(-1, 0) + 4. * d(0, 1).y + 5. * e().real();
  }
};

template <class P>
void try_gather(Rng& rng) {
  using Exec       = typename P::exec;
  using Shape      = Star<1, 1>;
  Index<2> const n = random_extents<2>(rng, 10000);
  Field<Exec, std::int8_t, 2> a(n, halo_for<Shape>(rng, 2), rng);
  Field<Exec, double, 2> b(n, halo_for<Shape>(rng, 2), rng);
  Field<Exec, std::int16_t, 2> c(n, halo_for<Shape>(rng, 2), rng);
  Field<Exec, Vec3<double>, 2> d(n, halo_for<Shape>(rng, 2), rng);
  Field<Exec, Kokkos::complex<float>, 2> e(n, halo_for<Shape>(rng, 2), rng);
  Field<Exec, double, 2> out(n, random_halo<2>(rng, 2), rng);
  std::apply([&](auto&... f) { (f.fill(rng), ...); }, std::tie(a, b, c, d, e));
  compare<P, Shape>(n, std::tie(a, b, c, d, e), std::tie(out), Exactly(), Gather());
}

TYPED_TEST(StencilTypes, five_inputs_of_unlike_sizes) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 4; ++n) try_gather<TypeParam>(rng);
  });
}

// ---- A lambda that names its neighborhood ----

template <class P>
void try_lambda(Rng& rng) {
  using Shape      = Star<1, 1, 1>;
  Index<3> const n = random_extents<3>(rng, 10000);
  Field<typename P::exec, double, 3> in(n, halo_for<Shape>(rng, 1), rng), out(n, random_halo<3>(rng, 1), rng);
  in.fill(rng);
  double const factor = 3;
  typename P::exec const exec;
  StencilPolicy<typename P::exec, Shape, typename P::backend> const policy(exec, n);
  parallel_stencil(
      "lambda", policy, in.view(), out.view(),
      KOKKOS_LAMBDA(Neighborhood<double, Shape> const& u, std::int64_t z, std::int64_t, std::int64_t x) {
        return factor * u(1, 0, 0) - u(0, 0, -1) + double(z - x);
      });
  exec.fence();
  for_each_index<3>(Index<3>{}, n, [&](Index<3> const& p) {
    out(p) = factor * in({p[0] + 1, p[1], p[2]}) - in({p[0], p[1], p[2] - 1}) + double(p[0] - p[2]);
  });
  EXPECT_TRUE(out.device_matches());
}

TYPED_TEST(StencilTypes, lambda_and_plain_views) {
  for_each_seed([](Rng& rng) { try_lambda<TypeParam>(rng); });
}

// ---- A functor that returns a reference ----

/// One of its arguments, which the library no longer holds when it stores the result.
struct LargerAtPoint {
  template <class U, class I>
  KOKKOS_FUNCTION double const& operator()(U const&, double const& a, double const& b, I, I) const {
    return a < b ? b : a;
  }
};

TYPED_TEST(StencilTypes, functor_that_returns_a_reference) {
  using Exec = typename TypeParam::exec;
  static_assert(std::is_same_v<decltype(Impl::call_for_value(LargerAtPoint(), 0, 1., 2., 0, 0)), double>);
  for_each_seed([](Rng& rng) {
    Index<2> const n = random_extents<2>(rng, 5000);
    Field<Exec, double, 2> u(n, {1, 1}, rng), a(n, {0, 0}, rng), b(n, {0, 0}, rng), out(n, {0, 0}, rng);
    a.fill(rng);
    b.fill(rng);
    StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy(Exec(), n);
    parallel_stencil("larger", policy, fields(u.view(), at_point(a.view()), at_point(b.view())), out.view(),
                     LargerAtPoint());
    Exec().fence();
    for_each_index<2>(Index<2>{}, n, [&](Index<2> const& p) { out(p) = std::max(a(p), b(p)); });
    EXPECT_TRUE(out.device_matches());
  });
}

}  // namespace
}  // namespace Koalesce::Test
