// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BitOracle.hpp"

/// Known weights give the same bits however they are computed: other types, ranks and mixtures of layouts.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilBitsTypes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilBitsTypes, DefaultPaths::types, PathNames);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

TYPED_TEST(StencilBitsTypes, star111_float) { try_weights<TypeParam, Star<1, 1, 1>, float, float>(20000); }
TYPED_TEST(StencilBitsTypes, box120_right_to_left) {
  try_weights<TypeParam, Box<1, 2, 0>, double, double, LayoutRight, LayoutLeft>(5000);
}
TYPED_TEST(StencilBitsTypes, plane) { try_weights<TypeParam, Box<2, 1>, double, double>(10000); }
TYPED_TEST(StencilBitsTypes, plane_left) { try_weights<TypeParam, Star<2, 3>, float, float, LayoutLeft>(10000); }
TYPED_TEST(StencilBitsTypes, line) { try_weights<TypeParam, Box<3>, double, double>(300); }
TYPED_TEST(StencilBitsTypes, double_weights_on_floats) { try_weights<TypeParam, Box<1, 1, 1>, double, float>(10000); }
TYPED_TEST(StencilBitsTypes, float_weights_on_doubles) { try_weights<TypeParam, Box<1, 1>, float, double>(10000); }
TYPED_TEST(StencilBitsTypes, complex_numbers) {
  try_weights<TypeParam, Star<1, 2>, Kokkos::complex<double>, Kokkos::complex<double>>(5000);
}
TYPED_TEST(StencilBitsTypes, real_weights_on_complex_numbers) {
  try_weights<TypeParam, Star<1, 1, 1>, double, Kokkos::complex<double>, LayoutLeft>(5000);
}

/// Types that no stencil's output has together.
TEST(WeightedSum, complex_weights_on_real_numbers_of_another_type) {
  using Shape = Star<1, 1>;
  LinearStencil<Kokkos::complex<float>, Shape> const weights(
      [](int a, int b) { return Kokkos::complex<float>(float(a), float(b)); });
  double const values[] = {0, 1, 0, 2, 3, 4, 0, 5, 0};
  Neighborhood<double, Shape> const u(values + 4, {3, 1});
  EXPECT_EQ(weights(u), Kokkos::complex<double>(5 - 1, 4 - 2));
}

}  // namespace
}  // namespace Koalesce::Test
