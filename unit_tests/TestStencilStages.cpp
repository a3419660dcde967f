// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

/// Three stages and more. Values are whole numbers, so that results are exact.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilStages : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStages, DefaultPaths::types, PathNames);

/// A probe, and twice the value of the first input.
template <class Shape>
struct LaterProbe {
  template <class M, class C, class... I>
  KOKKOS_FUNCTION auto operator()(M const& m, C const& c, I... i) const {
    return Probe<Shape>()(m, i...) + 2 * c;
  }
};

template <class P, class Shape, class Layout, class... Functors>
void try_stages(std::int64_t points, Functors const&... functors) {
  constexpr int rank = Shape::rank;
  using TestField    = Field<typename P::exec, double, rank, Layout>;
  for_each_seed([&](Rng& rng) {
    auto const run = [&](Index<rank> const& n) {
      TestField in(n, halo_for<Shape>(rng, 2), rng), out(n, random_halo<rank>(rng, 3), rng);
      in.fill(rng);
      compare<P, Shape>(n, std::tie(in), std::tie(out), Exactly(), functors...);
    };
    for (int n = 0; n < 3; ++n) run(random_extents<rank>(rng, points));
    for (std::int64_t n : {0, 1, 2}) run(index_of<rank>(n));
  });
}

template <class P, class Layout, class First, class... More>
void try_probes(std::int64_t points) {
  try_stages<P, Staged<First, More...>, Layout>(points, Probe<First>(), LaterProbe<More>()...);
}

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

TYPED_TEST(StencilStages, three_stars) {
  using Shape = Star<1, 1, 1>;
  try_probes<TypeParam, LayoutRight, Shape, Shape, Shape>(8000);
}
TYPED_TEST(StencilStages, unlike_shapes) {
  try_probes<TypeParam, LayoutRight, Box<1, 2, 0>, Star<0, 1, 2>, Box<2, 0, 1>>(3000);
}
TYPED_TEST(StencilStages, unlike_shapes_left) {
  try_probes<TypeParam, LayoutLeft, Star<0, 2, 1>, Box<1, 0, 1>, Star<1, 1, 2>>(3000);
}
TYPED_TEST(StencilStages, far_in_the_last) {
  try_probes<TypeParam, LayoutRight, Star<0, 1, 1>, Star<1, 0, 0>, Star<4, 1, 0>>(3000);
}
TYPED_TEST(StencilStages, two_dimensions) {
  try_probes<TypeParam, LayoutStride, Box<1, 1>, Star<2, 1>, Box<1, 3>>(4000);
}
TYPED_TEST(StencilStages, one_dimension) { try_probes<TypeParam, LayoutRight, Box<2>, Star<3>, Box<1>>(4000); }
TYPED_TEST(StencilStages, first_of_one_point) {
  try_probes<TypeParam, LayoutRight, Box<0, 0, 0>, Star<1, 1, 1>, Star<1, 0, 2>>(3000);
}
TYPED_TEST(StencilStages, second_of_one_point) {
  try_probes<TypeParam, LayoutRight, Star<1, 1, 1>, Box<0, 0, 0>, Star<1, 2, 1>>(3000);
}
TYPED_TEST(StencilStages, third_of_one_point) {
  try_probes<TypeParam, LayoutLeft, Star<1, 2>, Box<1, 1>, Box<0, 0>>(3000);
}
TYPED_TEST(StencilStages, four_stages) {
  try_probes<TypeParam, LayoutRight, Star<1, 1>, Star<1, 2>, Star<0, 1>, Box<1, 1>>(3000);
}

template <class Shape>
LinearStencil<double, Shape> probe_weights() {
  return LinearStencil<double, Shape>([](auto... offset) { return double(Probe<Shape>::weight(offset...)); });
}

TYPED_TEST(StencilStages, known_weights) {
  using A = Star<1, 1, 1>;
  using B = Box<1, 0, 1>;
  try_stages<TypeParam, Staged<A, B, A>, LayoutRight>(5000, probe_weights<A>(), probe_weights<B>(), probe_weights<A>());
  try_stages<TypeParam, Staged<A, B, A>, LayoutLeft>(5000, Probe<A>(), probe_weights<B>(), LaterProbe<A>());
}

// ---- Several inputs, outputs and fields between the stages ----

using Along  = Star<1, 0, 2>;
using Across = Star<0, 2, 1>;
using Near   = Box<1, 1, 0>;
using Two    = Offsets<At<0, 0, 0>, At<-2, 0, 1>>;

/// Two fields, of two types.
struct FirstOfSeveral {
  template <class U, class V, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, V const& v, double a, float b, I... i) const {
    double const sum = Probe<Along>()(u, i...) + 3 * v(-2, 0, 1) - double(v());
    return values(sum + a, float(Probe<Two>()(v, i...) - 2 * b));
  }
};

/// Of the values at the point in every stage.
KOKKOS_INLINE_FUNCTION double sum_at(double u, float v, double a, float b) {
  return u + 3 * double(v) + 5 * a + 7 * double(b);
}

/// Three fields.
struct SecondOfSeveral {
  template <class M, class N, class... I>
  KOKKOS_FUNCTION auto operator()(M const& m, N const& n, double u, float v, double a, float b, I... i) const {
    double const p = Probe<Across>()(m, i...);
    return values(Vec3<double>{p, u, a}, std::int64_t(n(0, 2, 0)) + std::int64_t(n()), p + sum_at(u, v, a, b));
  }
};

/// Two outputs.
struct ThirdOfSeveral {
  template <class Q, class K, class S, class... I>
  KOKKOS_FUNCTION auto operator()(Q const& q, K const& k, S const& s, double u, float v, double a, float b,
                                  I... i) const {
    double const sum = q(1, 1, 0).x - 2 * q(0, -1, 0).y + q().z + double(k(-1, 0, 0) - 3 * k());
    return values(sum + Probe<Near>()(s, i...), std::int64_t(sum_at(u, v, a, b)));
  }
};

template <class P, class Layout>
void try_several() {
  using Exec  = typename P::exec;
  using Shape = Staged<Along, Across, Near>;
  using Later = Staged<Across, Near>;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 4; ++run) {
      auto const n = run == 0 ? Index<3>{1, 3, 1} : random_extents<3>(rng, 6000);
      Field<Exec, double, 3, Layout> u(n, halo_for<Shape>(rng, 1), rng), a(n, halo_for<Later>(rng, 1), rng),
          out(n, random_halo<3>(rng, 2), rng);
      Field<Exec, float, 3, Layout> v(n, halo_for<Staged<Two, Across, Near>>(rng, 1), rng);
      Field<Exec, float, 3> b(n, halo_for<Later>(rng, 1), rng);
      Field<Exec, std::int64_t, 3> more(n, random_halo<3>(rng, 2), rng);
      std::apply([&](auto&... f) { (f.fill(rng), ...); }, std::tie(u, v, a, b));
      PointField<decltype(a)> at_a{a};
      PointField<decltype(b)> at_b{b};
      ShapedField<Two, decltype(v)> around_v{v};
      compare<P, Shape>(n, std::tie(at_a, u, around_v, at_b), std::tie(out, more), Exactly(), FirstOfSeveral(),
                        SecondOfSeveral(), ThirdOfSeveral());
    }
  });
}

TYPED_TEST(StencilStages, several_fields) { try_several<TypeParam, LayoutRight>(); }
TYPED_TEST(StencilStages, several_fields_strided) { try_several<TypeParam, LayoutStride>(); }

// ---- Reductions ----

/// The last stage, which also reduces.
template <class Shape>
struct ReducingProbe {
  template <class M, class I>
  KOKKOS_FUNCTION double operator()(M const& m, double c, I y, I x, double& sum, float& most) const {
    double const value = LaterProbe<Shape>()(m, c, y, x);
    sum += value;
    most = Kokkos::max(most, float(value));
    return value;
  }
};

/// The same without outputs.
template <class Shape>
struct OnlyReducing {
  template <class M, class I>
  KOKKOS_FUNCTION void operator()(M const& m, double c, I y, I x, double& sum) const {
    sum += LaterProbe<Shape>()(m, c, y, x);
  }
};

TYPED_TEST(StencilStages, reduction) {
  using A     = Star<1, 1>;
  using B     = Box<1, 2>;
  using Shape = Staged<A, B, A>;
  using Exec  = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 4; ++run) {
      auto const n = run == 0 ? Index<2>{0, 3} : random_extents<2>(rng, 5000);
      SCOPED_TRACE("interior " + to_string<2>(n));
      Field<Exec, double, 2> in(n, halo_for<Shape>(rng, 2), rng), out(n, random_halo<2>(rng, 2), rng);
      in.fill(rng);
      auto const from = std::tie(in);
      auto const to   = std::tie(out);
      run_oracle<2>(n, from, to, Probe<A>(), LaterProbe<B>(), LaterProbe<A>());
      double expected = 0, sum = -1, again = -1;
      float highest = Kokkos::reduction_identity<float>::max(), most = 0;
      for_each_index<2>({}, n, [&](Index<2> const& p) {
        expected += out(p);
        highest = std::max(highest, float(out(p)));
      });
      StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(Exec(), n);
      parallel_stencil_reduce("reduce", policy, in.view(), out.view(), Probe<A>(), LaterProbe<B>(), ReducingProbe<A>(),
                              sum, Kokkos::Max<float>(most));
      parallel_stencil_reduce("reduce", policy, in.view(), fields(), Probe<A>(), LaterProbe<B>(), OnlyReducing<A>(),
                              again);
      EXPECT_EQ(sum, expected);
      EXPECT_EQ(most, highest);
      EXPECT_EQ(again, expected);
      EXPECT_TRUE(out.device_matches());
    }
  });
}

// ---- Boundaries ----

template <class Shape>
struct FirstAndValue {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, double a, I y, I x) const {
    return Probe<Shape>()(u, y, x) + 3 * a;
  }
};
template <class Shape>
struct LaterAndValue {
  template <class M, class I>
  KOKKOS_FUNCTION double operator()(M const& m, double u, double a, I y, I x) const {
    return Probe<Shape>()(m, y, x) + 5 * u - 7 * a;
  }
};

/// Copies of a field's interior, one bare and one with a halo that holds the conditions.
template <class TestField, class... Conditions>
void fill_both(Rng& rng, TestField& bare, TestField& filled, Conditions const&... conditions) {
  bare.fill(rng);
  for_each_index<2>({}, bare.interior(), [&](Index<2> const& p) { filled(p) = bare(p); });
  filled.upload();
  fill_halo(typename TestField::Block::execution_space(), filled.view(), bare.interior(), conditions...);
}

/// As fill_halo to the sum of all radii and a plain sweep.
TYPED_TEST(StencilStages, boundaries) {
  using A         = Star<1, 1>;
  using B         = Box<1, 0>;
  using C         = Star<0, 2>;
  using Shape     = Staged<A, B, C>;
  using Exec      = typename TypeParam::exec;
  using TestField = Field<Exec, double, 2>;
  for_each_seed([](Rng& rng) {
    auto const run = [&](Index<2> const& n, auto const&... conditions) {
      SCOPED_TRACE("interior " + to_string<2>(n));
      TestField u(n, random_halo<2>(rng, 2), rng), a(n, random_halo<2>(rng, 2), rng), out(n, {}, rng),
          plain(n, {}, rng), filled_u(n, halo_for<Shape>(rng, 0), rng),
          filled_a(n, halo_for<Staged<B, C>>(rng, 0), rng);
      fill_both(rng, u, filled_u, conditions...);
      fill_both(rng, a, filled_a, conditions...);
      Exec const exec;
      StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(exec, n);
      auto const sweep = [&](auto const& given, auto const& from_u, auto const& from_a, auto const& to) {
        parallel_stencil("stages", given, fields(from_u.view(), at_point(from_a.view())), to.view(), FirstAndValue<A>(),
                         LaterAndValue<B>(), LaterAndValue<C>());
      };
      sweep(policy, filled_u, filled_a, plain);
      sweep(policy.with_boundary(conditions...), u, a, out);
      exec.fence();
      auto const expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain.view());
      for_each_index<2>({}, n, [&](Index<2> const& p) { out(p) = expected(p[0], p[1]); });
      EXPECT_TRUE(out.device_matches());
    };
    run({4, 5}, Mirror(), sides(Dirichlet(1.), Extrapolation(2)));
    run({2, 7}, Periodic(), sides(Neumann(2.), Mirror()));
    run({31, 47}, Mirror(), sides(Dirichlet(1.), Extrapolation(2)));
    run({1, 1}, Periodic(), Dirichlet(3.));
  });
}

// ---- Blocks ----

/// Any stage: a probe of the block's number, too.
template <class Shape>
struct BlockProbe {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t block, I y, I x) const {
    return Probe<Shape>()(u, y, x) - 3 * double(block);
  }
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, double c, std::int64_t block, I y, I x) const {
    return Probe<Shape>()(u, y, x) + 2 * c - 3 * double(block);
  }
};

/// A probe of one block, whose number is known.
template <class Shape>
struct InBlock {
  std::int64_t block;

  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, I y, I x) const {
    return BlockProbe<Shape>()(u, block, y, x);
  }
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, double c, I y, I x) const {
    return BlockProbe<Shape>()(u, c, block, y, x);
  }
};

TYPED_TEST(StencilStages, blocks) {
  using A     = Star<1, 1>;
  using B     = Box<1, 1>;
  using C     = Star<2, 1>;
  using Shape = Staged<A, B, C>;
  using Exec  = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (std::int64_t count : {0, 1, 3, 7}) {
      auto const n     = random_extents<2>(rng, 2000);
      Index<2> const h = halo_for<Shape>(rng, 1);
      SCOPED_TRACE(std::to_string(count) + " blocks of " + to_string<2>(n));
      Field<Exec, double, 3> in({count, n[0], n[1]}, {0, h[0], h[1]}, rng), out({count, n[0], n[1]}, {0, 1, 0}, rng);
      in.fill(rng);
      out.poison_all();
      for (std::int64_t b = 0; b < count; ++b) {
        auto one   = [&](Index<2> const& p) -> double& { return in({b, p[0], p[1]}); };
        auto other = [&](Index<2> const& p) -> double& { return out({b, p[0], p[1]}); };
        run_oracle<2>(n, std::tie(one), std::tie(other), InBlock<A>{b}, InBlock<B>{b}, InBlock<C>{b});
      }
      Exec const exec;
      auto const policy = StencilPolicy<Exec, Shape, typename TypeParam::backend>(exec, n).with_blocks(count);
      parallel_stencil("blocks", policy, in.view(), out.view(), BlockProbe<A>(), BlockProbe<B>(), BlockProbe<C>());
      exec.fence();
      EXPECT_TRUE(out.device_matches());
    }
  });
}

// ---- Errors ----

struct Same {
  template <class U, class... Rest>
  KOKKOS_FUNCTION double operator()(U const& u, Rest...) const {
    return u();
  }
};

TYPED_TEST(StencilStages, say_what_is_wrong) {
  using Exec  = typename TypeParam::exec;
  using Shape = Staged<Star<1, 1>, Star<0, 1>, Star<1, 1>>;
  using View  = Kokkos::View<double**, typename Exec::memory_space>;
  View const u("u", 12, 14), narrow("narrow", 14, 12), v("v", 10, 12), out("out", 8, 8);
  StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(Exec(), {8, 8});
  auto const run = [&](auto const& in, auto const& to) {
    parallel_stencil("stages", policy, in, to, Same(), Same(), Same());
  };
  EXPECT_NO_THROW(run(u, out));
  EXPECT_NO_THROW(run(fields(u, at_point(v)), out));
  expect_error({"input field 0 (\"narrow\") has a halo of 2 points in dimension 1", "radius 3", "extent 14 or more"},
               [&] { run(narrow, out); });
  expect_error({"input field 1 (\"out\") has a halo of 0 points in dimension 0", "radius 1"},
               [&] { run(fields(u, at_point(out)), v); });
  expect_error({"overlap in memory"}, [&] { run(fields(u, at_point(v)), v); });
  Exec().fence();
}

}  // namespace
}  // namespace Koalesce::Test
