// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Time steps with known weights, however many share a sweep, against single sweeps: to the bit, whatever is
/// contracted.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilStepsLinear : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStepsLinear, DefaultPaths::types, PathNames);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

/// Extents of so many points have several tiles on GPUs.
constexpr std::int64_t many_points = 40;

/// What becomes of a sum; it says so if it is given one that no field can have.
template <class T>
struct Damp {
  Kokkos::View<int, Kokkos::SharedSpace> strange;

  template <class K, class... I>
  KOKKOS_FUNCTION T operator()(std::int64_t step, T const& sum, K const& k, I...) const {
    if (!(sum > T(0.5) && sum < T(2.5))) strange() = 1;
    return sum + T(step % 3) * T(k) / 64;
  }
};

template <class View>
std::string to_text(View const& view) {
  std::string text;
  for (int d = 0; d < int(View::rank()); ++d) text += std::to_string(view.extent(d)) + " ";
  return text;
}

template <class View>
View random_field(Rng& rng, Index<View::rank()> const& n, int halo, double low, double high) {
  View view = [&]<std::size_t... d>(std::index_sequence<d...>) {
    return View("field", std::size_t(n[d] + 2 * halo)...);
  }(std::make_index_sequence<View::rank()>{});
  auto const host = Kokkos::create_mirror(view);
  for (std::size_t i = 0; i < host.span(); ++i)
    host.data()[i] = typename View::value_type(low + (high - low) * double(random_int(rng, 0, 1000)) / 1000);
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
::testing::AssertionResult equal_bits(View const& found, View const& expected) {
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t i = 0; i < a.span(); ++i)
    if (std::memcmp(a.data() + i, b.data() + i, sizeof(a.data()[i])) != 0)
      return ::testing::AssertionFailure() << "element " << i << " is " << a.data()[i] << ", not " << b.data()[i];
  return ::testing::AssertionSuccess();
}

/// Calls step(policy, state, scratch, steps) with one step per sweep and with more. Those of extents with many tiles
/// must share sweeps on GPUs.
template <class P, class Shape, class View>
void compare(Rng& rng, Index<Shape::rank> const& n, auto const& bound, auto const& step) {
  using Exec        = typename P::exec;
  auto const policy = bound(StencilPolicy<Exec, Shape, typename P::backend>({}, n));
  bool shares       = !Backend::on_host<Exec> && !std::is_same_v<typename P::backend, Backend::Portable>;
  int halo          = 0;
  for (int d = 0; d < Shape::rank; ++d) {
    halo   = std::max(halo, Shape::radius(d));
    shares = shares && n[d] >= many_points;
  }
  auto const first   = random_field<View>(rng, n, halo, 1, 2);
  auto const scratch = random_field<View>(rng, n, halo, 1, 2);
  View const one = random_field<View>(rng, n, halo, 0, 0), many = random_field<View>(rng, n, halo, 0, 0);
  for (int const steps : {1, 11}) {
    Kokkos::deep_copy(one, first);
    step(policy.with_fused_steps(1), one, scratch, steps);
    for (int const depth : depths<Exec>()) {
      SCOPED_TRACE(to_text(first) + ", steps " + std::to_string(steps) + ", depth " + std::to_string(depth));
      Kokkos::deep_copy(many, first);
      std::size_t kernels = 0;
      {
        KernelRecorder const record;
        step(policy.with_fused_steps(depth), many, scratch, steps);
        kernels = record.kernels.size();
      }
      ASSERT_TRUE(equal_bits(many, one));
      // Not for all smaller depths there is a kernel.
      if (shares && depth >= 8 && steps > depth) {
        EXPECT_LT(kernels, std::size_t(steps));
      }
    }
  }
}

template <class P, class Shape, class View, template <class, class> class Weights = LinearStencil>
void try_weights(Rng& rng, Index<Shape::rank> const& n, auto const& bound) {
  using T = typename View::value_type;
  Weights<T, Shape> const weights([&](auto...) { return T(random_int(rng, -99, 99)) / 777; });
  compare<P, Shape, View>(rng, n, bound, [&](auto const& policy, auto const& state, auto const& scratch, int steps) {
    parallel_stencil_steps("weights", policy, state, scratch, steps, weights);
  });
}

template <class P, class T, class Layout>
using PlaneOf = Kokkos::View<T**, Layout, typename P::exec::memory_space>;
template <class P, class T, class Layout>
using CubeOf = Kokkos::View<T***, Layout, typename P::exec::memory_space>;

/// Few points, or on GPUs so many that tiles have neighbors on all sides.
template <class P, int rank>
std::vector<Index<rank>> extents(Rng& rng) {
  bool const on_host = Backend::on_host<typename P::exec>;
  std::vector<Index<rank>> found{random_extents<rank>(rng, on_host ? 3000 : 10000)};
  if (on_host) return found;
  if constexpr (rank == 2) found.push_back({random_int(rng, many_points, 90), random_int(rng, 500, 600)});
  else found.push_back({random_int(rng, many_points, 75), random_int(rng, 66, 80), random_int(rng, many_points, 75)});
  return found;
}

auto const with_halo = [](auto const& policy) { return policy; };
auto const periodic  = [](auto const& policy) { return policy.with_boundary(Periodic()); };
auto const given     = [](auto const& policy) {
  return policy.with_boundary(Dirichlet(0.5), Periodic(), sides(Dirichlet(0.25), Dirichlet(0.75)));
};

TYPED_TEST(StencilStepsLinear, planes) {
  for_each_seed([](Rng& rng) {
    for (auto const& n : extents<TypeParam, 2>(rng)) {
      try_weights<TypeParam, Box<1, 1>, PlaneOf<TypeParam, double, LayoutRight>>(rng, n, with_halo);
      try_weights<TypeParam, Box<1, 1>, PlaneOf<TypeParam, float, LayoutLeft>>(rng, n, periodic);
    }
  });
}

TYPED_TEST(StencilStepsLinear, cubes_of_float) {
  using Cube   = CubeOf<TypeParam, float, LayoutLeft>;
  using Skewed = Offsets<At<0, 0, 0>, At<1, 1, 2>, At<-1, 0, -1>, At<0, 1, 0>, At<0, -1, -2>>;
  for_each_seed([](Rng& rng) {
    for (auto const& n : extents<TypeParam, 3>(rng)) {
      try_weights<TypeParam, Box<1, 1, 1>, CubeOf<TypeParam, float, LayoutRight>>(rng, n, given);
      try_weights<TypeParam, Skewed, Cube>(rng, n, with_halo);
      try_weights<TypeParam, Skewed, Cube>(rng, n, given);
    }
  });
}

/// Where rows read no others, no plane waits for those that warps leave.
TYPED_TEST(StencilStepsLinear, cubes_of_double) {
  using Cube = CubeOf<TypeParam, double, LayoutRight>;
  for_each_seed([](Rng& rng) {
    for (auto const& n : extents<TypeParam, 3>(rng)) {
      try_weights<TypeParam, Box<1, 1, 1>, Cube>(rng, n, periodic);
      try_weights<TypeParam, Box<1, 0, 1>, Cube>(rng, n, with_halo);
    }
  });
}

TYPED_TEST(StencilStepsLinear, of_weights_that_are_the_same_on_both_sides) {
  using Shape = Box<1, 1, 1>;
  for_each_seed([](Rng& rng) {
    for (auto const& n : extents<TypeParam, 3>(rng)) {
      try_weights<TypeParam, Shape, CubeOf<TypeParam, double, LayoutRight>, SymmetricStencil>(rng, n, with_halo);
      try_weights<TypeParam, Shape, CubeOf<TypeParam, float, LayoutLeft>, SymmetricStencil>(rng, n, given);
      try_weights<TypeParam, Box<1, 2, 1>, CubeOf<TypeParam, float, LayoutRight>, SymmetricStencil>(rng, n, periodic);
    }
    for (auto const& n : extents<TypeParam, 2>(rng))
      try_weights<TypeParam, Box<1, 1>, PlaneOf<TypeParam, double, LayoutRight>, SymmetricStencil>(rng, n, periodic);
  });
}

TYPED_TEST(StencilStepsLinear, cubes_of_complex) {
  for_each_seed([](Rng& rng) {
    for (auto const& n : extents<TypeParam, 3>(rng))
      try_weights<TypeParam, Box<1, 1, 1>, CubeOf<TypeParam, Kokkos::complex<double>, LayoutRight>>(rng, n, with_halo);
  });
}

TYPED_TEST(StencilStepsLinear, functors_of_sums) {
  using Shape        = Box<1, 1, 1>;
  using Cube         = CubeOf<TypeParam, double, LayoutRight>;
  auto const average = [](auto...) { return 1. / 27; };
  for_each_seed([&](Rng& rng) {
    for (auto const& n : extents<TypeParam, 3>(rng)) {
      auto const k = random_field<Cube>(rng, n, 0, -1, 0);
      Damp<double> const damp{Kokkos::View<int, Kokkos::SharedSpace>("strange")};
      auto const try_damp = [&](auto const& weights) {
        compare<TypeParam, Shape, Cube>(rng, n, with_halo,
                                        [&](auto const& policy, auto const& state, auto const& scratch, int steps) {
                                          parallel_stencil_steps("damp", policy, fields(state, constant(at_point(k))),
                                                                 scratch, steps, weights, with_step(damp));
                                        });
      };
      try_damp(LinearStencil<double, Shape>(average));
      try_damp(SymmetricStencil<double, Shape>(average));
      Kokkos::fence();
      EXPECT_EQ(damp.strange(), 0) << "a functor was given a sum of values that no field has";
    }
  });
}

}  // namespace
}  // namespace Koalesce::Test
