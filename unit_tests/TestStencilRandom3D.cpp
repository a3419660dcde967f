// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class StencilRandom3D : public ::testing::Test {};
TYPED_TEST_SUITE(StencilRandom3D, DefaultPaths::types, PathNames);

/// Random extents, and those that tend to be forgotten.
template <class P, class Shape>
void try_extents(std::int64_t points) {
  using Kokkos::LayoutRight;
  for_each_seed([&](Rng& rng) {
    for (int n = 0; n < 6; ++n)
      compare_once<P, Shape, double, LayoutRight, LayoutRight>(rng, random_extents<3>(rng, points), Probe<Shape>());
  });
  Rng rng(1);
  for (Index<3> const& n : {Index<3>{1, 1, 1}, {1, 17, 33}, {40, 1, 1}, {1, 1, 300}, {2, 40, 1}, {3, 0, 5}, {0, 4, 4}})
    compare_once<P, Shape, double, LayoutRight, LayoutRight>(rng, n, Probe<Shape>());
}

TYPED_TEST(StencilRandom3D, box111) { try_extents<TypeParam, Box<1, 1, 1>>(25000); }
TYPED_TEST(StencilRandom3D, box021) { try_extents<TypeParam, Box<0, 2, 1>>(25000); }
TYPED_TEST(StencilRandom3D, box300) { try_extents<TypeParam, Box<3, 0, 0>>(25000); }
TYPED_TEST(StencilRandom3D, box444) { try_extents<TypeParam, Box<4, 4, 4>>(4000); }
TYPED_TEST(StencilRandom3D, star111) { try_extents<TypeParam, Star<1, 1, 1>>(25000); }
TYPED_TEST(StencilRandom3D, star608) { try_extents<TypeParam, Star<6, 0, 8>>(25000); }
TYPED_TEST(StencilRandom3D, star024) { try_extents<TypeParam, Star<0, 2, 4>>(25000); }

}  // namespace
}  // namespace Koalesce::Test
