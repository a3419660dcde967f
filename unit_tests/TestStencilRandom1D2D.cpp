// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class StencilRandom1D : public ::testing::Test {};
TYPED_TEST_SUITE(StencilRandom1D, DefaultPaths::types, PathNames);

template <class P>
class StencilRandom2D : public ::testing::Test {};
TYPED_TEST_SUITE(StencilRandom2D, DefaultPaths::types, PathNames);

template <class P, class Shape>
void try_lengths() {
  for_each_seed([&](Rng& rng) {
    for (std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(64), random_int(rng, 3, 200),
                           random_int(rng, 200, 5000)})
      compare_once<P, Shape, double, Kokkos::LayoutRight, Kokkos::LayoutRight>(rng, Index<1>{n}, Probe<Shape>());
  });
}

template <class P, class Shape, class Layout>
void try_rectangles() {
  for_each_seed([&](Rng& rng) {
    for (int n = 0; n < 6; ++n)
      compare_once<P, Shape, double, Layout, Layout>(rng, random_extents<2>(rng, 25000), Probe<Shape>());
    for (Index<2> const& n : {Index<2>{1, 1}, {1, 1000}, {1000, 1}, {0, 7}, {7, 0}})
      compare_once<P, Shape, double, Layout, Layout>(rng, n, Probe<Shape>());
  });
}

TYPED_TEST(StencilRandom1D, box0) { try_lengths<TypeParam, Box<0>>(); }
TYPED_TEST(StencilRandom1D, box1) { try_lengths<TypeParam, Box<1>>(); }
TYPED_TEST(StencilRandom1D, star4) { try_lengths<TypeParam, Star<4>>(); }

TYPED_TEST(StencilRandom2D, box12) { try_rectangles<TypeParam, Box<1, 2>, Kokkos::LayoutRight>(); }
TYPED_TEST(StencilRandom2D, box40_left) { try_rectangles<TypeParam, Box<4, 0>, Kokkos::LayoutLeft>(); }
TYPED_TEST(StencilRandom2D, star31) { try_rectangles<TypeParam, Star<3, 1>, Kokkos::LayoutRight>(); }
TYPED_TEST(StencilRandom2D, star13_left) { try_rectangles<TypeParam, Star<1, 3>, Kokkos::LayoutLeft>(); }

}  // namespace
}  // namespace Koalesce::Test
