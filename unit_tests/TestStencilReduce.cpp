// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

/// Sweeps that also reduce. Values are whole numbers, whose sums are exact in any order.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilReduce : public ::testing::Test {};
TYPED_TEST_SUITE(StencilReduce, DefaultPaths::types, PathNames);

/// A sum, a maximum with its place in a user's own type of value, and a number of points.
struct Results {
  double sum = -1;
  Kokkos::MinMaxScalar<float> range{-1, -1};
  std::int64_t points = -1;

  bool operator==(Results const& other) const {
    return sum == other.sum && range.min_val == other.range.min_val && range.max_val == other.range.max_val &&
           points == other.points;
  }
  friend std::ostream& operator<<(std::ostream& s, Results const& r) {
    return s << "sum " << r.sum << ", range " << r.range.min_val << " to " << r.range.max_val << ", points "
             << r.points;
  }
};

/// Adds a point's value to what a functor reduces.
template <class T>
KOKKOS_FUNCTION T add(T value, double& sum, Kokkos::MinMaxScalar<float>& range, std::int64_t& points) {
  sum += double(value);
  range.min_val = float(value) < range.min_val ? float(value) : range.min_val;
  range.max_val = float(value) > range.max_val ? float(value) : range.max_val;
  ++points;
  return value;
}

/// A probe, or what comes after a sum or a first stage, that reduces its results.
template <class F>
struct Reducing {
  using Range = Kokkos::MinMaxScalar<float>;

  F functor;

  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, std::int64_t x, double& sum, Range& range, std::int64_t& points) const {
    return add(functor(u, x), sum, range, points);
  }
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, std::int64_t z, std::int64_t x, double& sum, Range& range,
                                  std::int64_t& points) const {
    return add(functor(u, z, x), sum, range, points);
  }
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, std::int64_t z, std::int64_t y, std::int64_t x, double& sum, Range& range,
                                  std::int64_t& points) const {
    return add(functor(u, z, y, x), sum, range, points);
  }
  /// After two stages: the input's value, too.
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, double at, std::int64_t z, std::int64_t x, double& sum, Range& range,
                                  std::int64_t& points) const {
    return add(functor(u, z, x) + at, sum, range, points);
  }
};

struct SumAndPlace {
  template <class Sum, class... I>
  KOKKOS_FUNCTION auto operator()(Sum sum, I... i) const {
    return 2 * sum + Probe<Box<0>>::position(int(i % 13)...);
  }
};

template <class Shape>
LinearStencil<double, Shape> probe_weights() {
  return LinearStencil<double, Shape>([](auto... offset) { return double(Probe<Shape>::weight(offset...)); });
}

template <class F>
Reducing<F> reducing(F const& functor) {
  return {functor};
}

/// The functors as parallel_stencil takes them, which reduce nothing.
template <class F>
F const& plain(Reducing<F> const& f) {
  return f.functor;
}
template <class F>
F const& plain(F const& f) {
  return f;
}
template <class Shape>
struct PlainSecond {
  template <class M, class... I>
  KOKKOS_FUNCTION double operator()(M const& m, double at, I... i) const {
    return Probe<Shape>()(m, i...) + at;
  }
};

/// What the results of a field's points are.
template <int Rank, class TestField>
Results results_of(TestField const& out, Index<Rank> const& n) {
  Results all{0, {}, 0};
  Kokkos::MinMax<float>(all.range).init(all.range);
  for_each_index<Rank>({}, n, [&](Index<Rank> const& p) { add(out(p), all.sum, all.range, all.points); });
  return all;
}

/// Runs a sweep and compares the results, a variable, a reducer and a View, with those of the oracle's output.
template <class P, class Shape, class T, class Layout, class... Functors>
void try_reduce(Rng& rng, Index<Shape::rank> const& n, Functors const&... functors) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  SCOPED_TRACE("interior " + to_string<rank>(n));
  Field<Exec, T, rank, Layout> in(n, halo_for<Shape>(rng, 2), rng), out(n, random_halo<rank>(rng, 2), rng);
  in.fill(rng);
  out.poison_all();
  auto const ins = std::tie(in);
  auto const to  = std::tie(out);
  if constexpr (Impl::is_staged<Shape>)
    run_oracle<rank>(n, ins, to, Probe<typename Shape::first>(), PlainSecond<typename Shape::second>());
  else run_oracle<rank>(n, ins, to, on_host(plain(functors)...));
  Results const expected = results_of<rank>(out, n);

  Exec const exec;
  Kokkos::View<std::int64_t, typename Exec::memory_space> const points("points");
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    out.poison_device();
    Results results;
    auto const policy = StencilPolicy<Exec, Shape, typename P::backend>(exec, n).with_taps(taps);
    parallel_stencil_reduce("reduce", policy, in.view(), out.view(), functors..., results.sum,
                            Kokkos::MinMax<float>(results.range), points);
    Kokkos::deep_copy(exec, results.points, points);
    exec.fence();
    EXPECT_EQ(results, expected);
    EXPECT_TRUE(out.device_matches());
  }
}

template <class P, class Shape, class T, class Layout, class... Functors>
void try_extents(std::int64_t points, Functors const&... functors) {
  for_each_seed([&](Rng& rng) {
    for (int run = 0; run < 3; ++run)
      try_reduce<P, Shape, T, Layout>(rng, random_extents<Shape::rank>(rng, points), functors...);
    for (std::int64_t n : {0, 1, 2}) try_reduce<P, Shape, T, Layout>(rng, index_of<Shape::rank>(n), functors...);
  });
}

TYPED_TEST(StencilReduce, three_dimensions) {
  using Shape = Star<1, 2, 1>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutRight>(20000, reducing(Probe<Shape>()));
}
TYPED_TEST(StencilReduce, two_dimensions_strided) {
  using Shape = Box<1, 1>;
  try_extents<TypeParam, Shape, float, Kokkos::LayoutStride>(10000, reducing(Probe<Shape>()));
}
TYPED_TEST(StencilReduce, one_dimension) {
  using Shape = Star<3>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutLeft>(5000, reducing(Probe<Shape>()));
}
TYPED_TEST(StencilReduce, after_a_sum) {
  using Shape = Box<1, 1, 1>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutRight>(20000, probe_weights<Shape>(), reducing(SumAndPlace()));
}
TYPED_TEST(StencilReduce, after_a_sum_of_a_star) {
  using Shape = Star<2, 2, 2>;
  try_extents<TypeParam, Shape, float, Kokkos::LayoutLeft>(20000, probe_weights<Shape>(), reducing(SumAndPlace()));
}
TYPED_TEST(StencilReduce, two_stages) {
  using Shape = Staged<Star<1, 1>, Box<1, 2>>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutRight>(10000, Probe<Star<1, 1>>(), reducing(Probe<Box<1, 2>>()));
}

// ---- With boundaries ----

TYPED_TEST(StencilReduce, boundaries) {
  using Shape = Star<2, 1, 1>;
  using Exec  = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 4; ++run) {
      auto n = random_extents<3>(rng, 10000);
      for (auto& extent : n) extent = run == 0 ? 2 : std::max<std::int64_t>(extent, 2);
      Field<Exec, double, 3> in(n, {2, 1, 1}, rng), out(n, random_halo<3>(rng, 2), rng);
      in.fill(rng);
      Exec const exec;
      StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(exec, n);
      Results filled, swept;
      auto const reduce = [&](auto const& given, Results& results) {
        parallel_stencil_reduce("reduce", given, in.view(), out.view(), reducing(Probe<Shape>()), results.sum,
                                Kokkos::MinMax<float>(results.range), results.points);
      };
      reduce(policy.with_boundary(Periodic(), Mirror(about_face), Dirichlet(2.)), swept);
      fill_halo(exec, in.view(), n, Periodic(), Mirror(about_face), Dirichlet(2.));
      reduce(policy, filled);
      EXPECT_EQ(swept, filled);
      EXPECT_EQ(swept.points, n[0] * n[1] * n[2]);
    }
  });
}

// ---- Without outputs ----

struct SquareOfDifference {
  template <class U, class I>
  KOKKOS_FUNCTION void operator()(U const& u, double f, I, I, double& sum) const {
    double const r = u(0, 1) - u(1, 0) - f;
    sum += r * r;
  }
};

TYPED_TEST(StencilReduce, no_outputs) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 10000);
    Field<Exec, double, 2, Kokkos::LayoutLeft> u(n, {1, 1}, rng), f(n, {0, 0}, rng);
    u.fill(rng);
    f.fill(rng);
    double expected = 0, sum = -1;
    for_each_index<2>({}, n, [&](Index<2> const& p) {
      double const r = u({p[0], p[1] + 1}) - u({p[0] + 1, p[1]}) - f(p);
      expected += r * r;
    });
    StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy(Exec(), n);
    parallel_stencil_reduce("norm", policy, fields(u.view(), at_point(f.view())), fields(), SquareOfDifference(), sum);
    EXPECT_EQ(sum, expected);
  });
}

// ---- The order of sums ----

struct SumOfReals {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, I z, I y, I x, double& sum) const {
    double const value = (u(0, 0, 1) + u(1, 0, 0)) / (1.5 + double(z + 3 * y + 7 * x));
    sum += value;
    return value;
  }
};

TYPED_TEST(StencilReduce, sums_of_a_kernel_have_one_order) {
  using Exec = typename TypeParam::exec;
  Rng rng(7);
  Index<3> const n{37, 53, 131};
  Field<Exec, double, 3> u(n, {1, 1, 1}, rng), out(n, {0, 0, 0}, rng);
  u.fill(rng);
  StencilPolicy<Exec, Star<1, 1, 1>, typename TypeParam::backend> const policy(Exec(), n);
  for (StencilTaps const taps : {StencilTaps::queue, StencilTaps::cache, StencilTaps::tile}) {
    double first = 0;
    parallel_stencil_reduce("reals", policy.with_taps(taps), u.view(), out.view(), SumOfReals(), first);
    for (int again = 0; again < 5; ++again) {
      double sum = 0;
      parallel_stencil_reduce("reals", policy.with_taps(taps), u.view(), out.view(), SumOfReals(), sum);
      EXPECT_EQ(sum, first);
    }
  }
}

/// Its values have no products, which the compiler could contract; so they have the same bits everywhere.
template <class T>
struct ReproducibleSumOfReals {
  template <class U, class I>
  KOKKOS_FUNCTION static T value(U const& u, I z, I y, I x) {
    return u(0, 0, 1) - u(1, 0, 0) + T(z + 3 * y + 7 * x);
  }
  template <class U, class I>
  KOKKOS_FUNCTION T operator()(U const& u, I z, I y, I x, ReproducibleSum<T>& sum, T& most) const {
    T const v = value(u, z, y, x);
    sum += v;
    most = Kokkos::max(most, v);
    return v;
  }
};

template <class P, class T>
void try_reproducible_sums(Rng& rng, Index<3> const& n) {
  SCOPED_TRACE("interior " + to_string<3>(n));
  using Exec = typename P::exec;
  Field<Exec, T, 3> u(n, {1, 1, 1}, rng), out(n, {0, 0, 0}, rng);
  u.fill(rng, [](Rng& r) { return std::ldexp(T(random_int(r, -1000, 1000)) / 7, int(random_int(r, -60, 60))); });
  ReproducibleSum<T> expected;
  T largest = Kokkos::reduction_identity<T>::max();
  for_each_index<3>({}, n, [&](Index<3> const& p) {
    auto const around = [&](int z, int y, int x) { return u({p[0] + z, p[1] + y, p[2] + x}); };
    T const v         = ReproducibleSumOfReals<T>::value(around, p[0], p[1], p[2]);
    expected += v;
    largest = std::max(largest, v);
  });
  Kokkos::View<ReproducibleSum<T>, typename Exec::memory_space> const kept("kept");
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    auto const policy = StencilPolicy<Exec, Star<1, 1, 1>, typename P::backend>(Exec(), n).with_taps(taps);
    ReproducibleSum<T> sum, from_view;
    sum += T(7);  // results do not add to what was there
    T most = 0;
    ReproducibleSumOfReals<T> const functor;
    parallel_stencil_reduce("reals", policy, u.view(), out.view(), functor, sum, Kokkos::Max<T>(most));
    EXPECT_EQ(std::memcmp(&sum, &expected, sizeof sum), 0) << sum.value() << " and " << expected.value();
    EXPECT_EQ(most, largest);
    parallel_stencil_reduce("reals", policy, u.view(), out.view(), functor, kept, Kokkos::Max<T>(most));
    Kokkos::deep_copy(from_view, kept);
    EXPECT_EQ(std::memcmp(&from_view, &expected, sizeof sum), 0);
  }
}

/// The bits of a loop, whatever the kernel, its blocks and its threads.
TYPED_TEST(StencilReduce, reproducible_sums) {
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 3; ++run) {
      try_reproducible_sums<TypeParam, double>(rng, random_extents<3>(rng, 20000));
      try_reproducible_sums<TypeParam, float>(rng, random_extents<3>(rng, 20000));
    }
    for (std::int64_t n : {0, 1}) try_reproducible_sums<TypeParam, double>(rng, index_of<3>(n));
  });
}

/// Every instance has partial results of its own, which the next call on it may use while this one's kernels run.
TYPED_TEST(StencilReduce, many_calls_on_two_instances) {
  using Exec = typename TypeParam::exec;
  Rng rng(11);
  Index<3> const n{9, 17, 65};
  Field<Exec, double, 3> u(n, {1, 1, 1}, rng), a(n, {0, 0, 0}, rng), b(n, {0, 0, 0}, rng);
  u.fill(rng);
  auto const instances = two_instances<Exec>();
  using View           = Kokkos::View<double, typename Exec::memory_space>;
  constexpr int calls  = 20;
  std::vector<View> sums;
  for (int call = 0; call < 2 * calls; ++call) sums.emplace_back("sum");
  Exec().fence();
  for (int call = 0; call < 2 * calls; ++call) {
    StencilPolicy<Exec, Star<1, 1, 1>, typename TypeParam::backend> const policy(instances[call % 2], n);
    parallel_stencil_reduce("reals", policy.with_taps(StencilTaps::cache), u.view(), (call % 2 ? a : b).view(),
                            SumOfReals(), sums[call]);
  }
  for (auto const& instance : instances) instance.fence();
  double first = 0;
  Kokkos::deep_copy(first, sums[0]);
  EXPECT_NE(first, 0.);
  for (auto const& sum : sums) {
    double value = 0;
    Kokkos::deep_copy(value, sum);
    EXPECT_EQ(value, first);
  }
}

/// A reducer of a user's, which does not say what its result is.
template <class Space>
struct LargestOfAll {
  using reducer          = LargestOfAll;
  using value_type       = double;
  using result_view_type = Kokkos::View<double, Space>;

  result_view_type result;

  KOKKOS_FUNCTION void join(double& a, double const& b) const { a = b > a ? b : a; }
  KOKKOS_FUNCTION void init(double& a) const { a = -1e300; }
  KOKKOS_FUNCTION double& reference() const { return *result.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result; }
};

struct LargestOfSquares {
  template <class U, class I>
  KOKKOS_FUNCTION void operator()(U const& u, I, I, double& largest) const {
    largest = u() * u() > largest ? u() * u() : largest;
  }
};

TYPED_TEST(StencilReduce, waits_for_reducers_that_do_not_say_what_they_refer_to) {
  using Exec  = typename TypeParam::exec;
  using Space = typename Exec::memory_space;
  Kokkos::View<double**, Space> const u("u", 6, 7);
  Kokkos::deep_copy(u, -3.);
  StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy(Exec(), {4, 5});
  Kokkos::View<double, Space> const result("result");
  auto const run = [&](auto const& reducer) {
    parallel_stencil_reduce("largest", policy.with_taps(StencilTaps::cache), u, fields(), LargestOfSquares(), reducer);
  };
  auto const fences_of = [&](auto const& reducer) {
    run(reducer);
    KernelRecorder const record;
    run(reducer);
    return record.fences.size();
  };
  EXPECT_EQ(fences_of(Kokkos::Max<double, Space>(result)), 0u);
  EXPECT_EQ(fences_of(LargestOfAll<Space>{result}), 1u);
  double value = 0;
  Kokkos::deep_copy(value, result);
  EXPECT_EQ(value, 9.);
}

// ---- Errors ----

TYPED_TEST(StencilReduce, result_without_memory) {
  using Exec = typename TypeParam::exec;
  Rng rng(3);
  Index<2> const n{4, 5};
  Field<Exec, double, 2> u(n, {1, 1}, rng), f(n, {0, 0}, rng);
  StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy(Exec(), n);
  Kokkos::View<double, typename Exec::memory_space> const none;
  expect_error({"Koalesce::parallel_stencil_reduce(\"norm\"): result 0", "has no memory", "allocate it first"}, [&] {
    parallel_stencil_reduce("norm", policy, fields(u.view(), at_point(f.view())), fields(), SquareOfDifference(), none);
  });
}

}  // namespace
}  // namespace Koalesce::Test
