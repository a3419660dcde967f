// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BitOracle.hpp"
#include "KernelRecorder.hpp"
#include "LinearOracle.hpp"

#include <string>
#include <vector>

/// Weights that are the same on both sides: sums in the order that SymmetricStencil promises, to the bit.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilSymmetric : public ::testing::Test {};
TYPED_TEST_SUITE(StencilSymmetric, DefaultPaths::types, PathNames);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

/// The nearest neighbors but for the corners.
using Nineteen = Offsets<At<0, 0, 0>, At<1, 0, 0>, At<-1, 0, 0>, At<0, 1, 0>, At<0, -1, 0>, At<0, 0, 1>, At<0, 0, -1>,
                         At<1, 1, 0>, At<1, -1, 0>, At<-1, 1, 0>, At<-1, -1, 0>, At<1, 0, 1>, At<1, 0, -1>,
                         At<-1, 0, 1>, At<-1, 0, -1>, At<0, 1, 1>, At<0, 1, -1>, At<0, -1, 1>, At<0, -1, -1>>;

/// Planes with no point, and one with a single term.
using Far = Offsets<At<2, 0, 0>, At<-2, 0, 0>, At<0, 1, 2>, At<0, 1, -2>, At<0, -1, 2>, At<0, -1, -2>, At<0, 0, 0>>;

TYPED_TEST(StencilSymmetric, exact_box121) {
  try_exact_weights<TypeParam, SymmetricStencil<double, Box<1, 2, 1>>, double, LayoutRight>(25000);
}
TYPED_TEST(StencilSymmetric, exact_plane_stride) {
  try_exact_weights<TypeParam, SymmetricStencil<float, Box<2, 1>>, float, LayoutStride>(10000);
}
TYPED_TEST(StencilSymmetric, exact_line) {
  try_exact_weights<TypeParam, SymmetricStencil<double, Box<4>>, double, LayoutRight>(10000);
}

TYPED_TEST(StencilSymmetric, bits_box111) {
  try_bits<TypeParam, SymmetricStencil<double, Box<1, 1, 1>>, double>(20000);
}
TYPED_TEST(StencilSymmetric, bits_box222_left_to_right) {
  try_bits<TypeParam, SymmetricStencil<float, Box<2, 2, 2>>, float, LayoutLeft, LayoutRight>(5000);
}
TYPED_TEST(StencilSymmetric, bits_box201_left) {
  try_bits<TypeParam, SymmetricStencil<double, Box<2, 0, 1>>, double, LayoutLeft>(5000);
}
TYPED_TEST(StencilSymmetric, bits_of_19_points) {
  try_bits<TypeParam, SymmetricStencil<double, Nineteen>, double>(10000);
}
TYPED_TEST(StencilSymmetric, bits_of_planes_of_one_point) {
  try_bits<TypeParam, SymmetricStencil<float, Far>, float>(10000);
}
TYPED_TEST(StencilSymmetric, bits_of_a_star) {
  try_bits<TypeParam, SymmetricStencil<double, Star<1, 3, 2>>, double, LayoutLeft>(10000);
}
TYPED_TEST(StencilSymmetric, bits_of_a_line) { try_bits<TypeParam, SymmetricStencil<double, Box<4>>, double>(300); }
TYPED_TEST(StencilSymmetric, bits_of_a_plane) {
  try_bits<TypeParam, SymmetricStencil<double, Box<2, 2>>, double>(10000);
}
TYPED_TEST(StencilSymmetric, bits_of_double_weights_on_floats) {
  try_bits<TypeParam, SymmetricStencil<double, Box<1, 1>>, float, LayoutLeft>(10000);
}
TYPED_TEST(StencilSymmetric, bits_of_complex_numbers) {
  try_bits<TypeParam, SymmetricStencil<double, Box<1, 1, 1>>, Kokkos::complex<double>>(5000);
}

TEST(SymmetricStencil, has_a_weight_for_each_distance) {
  SymmetricStencil<double, Box<1, 2>> w([](int a, int b) { return a < 0 || b < 0 ? -1. : 10. * a + b; });
  EXPECT_EQ(w(-1, 2), 12);
  EXPECT_EQ(w(1, -2), 12);
  EXPECT_EQ(w(0, 0), 0);
  w(-1, -1) = 5;
  EXPECT_EQ(w(1, 1), 5);
  static_assert(sizeof(SymmetricStencil<double, Box<2, 2, 2>>) <= 63 * sizeof(double));
}

TEST(SymmetricStencil, takes_the_weights_of_a_linear_stencil) {
  LinearStencil<float, Star<1, 2>> const linear([](int a, int b) { return float(3 * a * a + b * b); });
  SymmetricStencil<float, Star<1, 2>> const w(linear);
  SymmetricStencil<double, Star<1, 2>> const wide(linear);
  for_each_offset<Star<1, 2>>([&](auto... offset) {
    EXPECT_EQ(w(offset...), linear(offset...));
    EXPECT_EQ(wide(offset...), linear(offset...));
  });
}

TEST(SymmetricStencil, refuses_weights_that_differ) {
  LinearStencil<double, Box<1, 1>> linear([](int, int) { return 1.; });
  linear(-1, 1)                          = 2;
  std::vector<std::string> const phrases = {"Koalesce::SymmetricStencil",
                                            "the weights at (-1, 1) and (1, 1) are not equal", "LinearStencil"};
  expect_error(phrases, [&] { SymmetricStencil<double, Box<1, 1>>{linear}; });
  expect_error(phrases, [&] { SymmetricStencil<float, Box<1, 1>>{linear}; });
}

}  // namespace
}  // namespace Koalesce::Test
