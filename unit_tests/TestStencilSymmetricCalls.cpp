// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

#include <cstddef>
#include <vector>

/// Every kind of call with a SymmetricStencil, against the same weights as a LinearStencil. Whole numbers: both sums
/// are exact.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilSymmetricCalls : public ::testing::Test {};
TYPED_TEST_SUITE(StencilSymmetricCalls, DefaultPaths::types, PathNames);

template <class P>
using Cube = Kokkos::View<double***, Kokkos::LayoutRight, typename P::exec>;

/// Distances as whole numbers that tell them apart.
struct Weight {
  template <class... D>
  double operator()(D... d) const {
    int w = 1;
    ((w = 3 * w + (d < 0 ? -d : d)), ...);
    return w % 7 - 3;
  }
};

template <class View>
View random_field(Rng& rng, View const& view) {
  auto const host = Kokkos::create_mirror(view);
  for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = typename View::value_type(random_int(rng, -2, 2));
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
void expect_same(View const& found, View const& expected) {
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t i = 0; i < a.span(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << "element " << i;
}

/// Calls call(policy, input, output, weights) with both kinds of weights.
template <class P, class Shape>
void compare_calls(auto const& call) {
  static constexpr int r = 2;
  for_each_seed([&](Rng& rng) {
    auto const n = random_extents<3>(rng, 6000);
    Cube<P> const in("in", n[0] + 2 * r, n[1] + 2 * r, n[2] + 2 * r), first("first", n[0], n[1], n[2]),
        second("second", n[0], n[1], n[2]);
    random_field(rng, in);
    for (StencilTaps const taps : taps_of<typename P::backend>()) {
      SCOPED_TRACE("interior " + to_string<3>(n) + ", taps " + std::to_string(int(taps)));
      auto const policy = StencilPolicy<typename P::exec, Shape, typename P::backend>({}, n).with_taps(taps);
      Kokkos::deep_copy(first, -1);
      Kokkos::deep_copy(second, -1);
      call(policy, in, first, LinearStencil<double, Shape>(Weight()));
      call(policy, in, second, SymmetricStencil<double, Shape>(Weight()));
      Kokkos::fence("before results are compared");
      expect_same(second, first);
    }
  });
}

struct Next {
  KOKKOS_FUNCTION double operator()(double sum, double v, std::int64_t z, std::int64_t, std::int64_t x) const {
    return sum - 3 * v + double(z % 3) + double(x % 5);
  }
};

TYPED_TEST(StencilSymmetricCalls, functor_of_the_sum) {
  compare_calls<TypeParam, Box<2, 1, 2>>([](auto const& policy, auto const& in, auto const& out, auto const& weights) {
    parallel_stencil("then", policy, fields(in, at_point(in)), out, weights, Next());
  });
}

TYPED_TEST(StencilSymmetricCalls, boundary) {
  compare_calls<TypeParam, Box<1, 1, 1>>([](auto const& policy, auto const& in, auto const& out, auto const& weights) {
    parallel_stencil("bounded", policy.with_boundary(Periodic(), Mirror(), sides(Dirichlet(2.), Neumann(0.))), in, out,
                     weights);
  });
}

TYPED_TEST(StencilSymmetricCalls, period) {
  compare_calls<TypeParam, Box<1, 1, 1>>([](auto const& policy, auto const& in, auto const& out, auto const& weights) {
    parallel_stencil("periodic", policy.with_boundary(Periodic()), in, out, weights);
  });
}

TYPED_TEST(StencilSymmetricCalls, active_points) {
  compare_calls<TypeParam, Box<1, 1, 1>>([](auto const& policy, auto const& in, auto const& out, auto const& weights) {
    Kokkos::View<int***, Kokkos::LayoutRight, typename TypeParam::exec> const mask("mask", out.extent(0), out.extent(1),
                                                                                   out.extent(2));
    Rng rng(7);
    random_field(rng, mask);
    ActivePoints const active(policy, mask);
    parallel_stencil("active", policy.with_active(active), in, out, weights);
  });
}

struct SumUp {
  KOKKOS_FUNCTION double operator()(double sum, std::int64_t, std::int64_t, std::int64_t, double& total) const {
    total += sum;
    return sum;
  }
};

TYPED_TEST(StencilSymmetricCalls, reduction) {
  std::vector<double> totals;
  compare_calls<TypeParam, Box<1, 1, 1>>([&](auto const& policy, auto const& in, auto const& out, auto const& weights) {
    parallel_stencil_reduce("reduce", policy, in, out, weights, SumUp(), totals.emplace_back());
  });
  for (std::size_t i = 0; i < totals.size(); i += 2) EXPECT_EQ(totals[i], totals[i + 1]);
}

/// Steps, of which a sweep makes several where that is faster.
template <class P>
void run_steps(auto const& policy, auto const& in, auto const& out, auto const& weights) {
  Cube<P> const state("state", in.extent(0), in.extent(1), in.extent(2)),
      scratch("scratch", in.extent(0), in.extent(1), in.extent(2));
  Kokkos::deep_copy(state, in);
  parallel_stencil_steps("steps", policy.with_boundary(Periodic()).with_fused_steps(2), state, scratch, 4, weights);
  auto const inner = [&](int d) { return Kokkos::make_pair(std::size_t(2), 2 + out.extent(d)); };
  Kokkos::deep_copy(out, Kokkos::subview(state, inner(0), inner(1), inner(2)));
}

TYPED_TEST(StencilSymmetricCalls, steps) {
  compare_calls<TypeParam, Box<1, 1, 1>>([](auto const&... arguments) { run_steps<TypeParam>(arguments...); });
}
TYPED_TEST(StencilSymmetricCalls, steps_of_a_star) {
  compare_calls<TypeParam, Star<1, 2, 1>>([](auto const&... arguments) { run_steps<TypeParam>(arguments...); });
}

}  // namespace
}  // namespace Koalesce::Test
