// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LinearOracle.hpp"

#include <limits>

namespace Koalesce::Test {
namespace {

template <class P>
class StencilLinear : public ::testing::Test {};
TYPED_TEST_SUITE(StencilLinear, DefaultPaths::types, PathNames);

TYPED_TEST(StencilLinear, star121) { try_exact<TypeParam, Star<1, 2, 1>, double, double>(25000); }
TYPED_TEST(StencilLinear, star402) { try_exact<TypeParam, Star<4, 0, 2>, double, double>(25000); }
TYPED_TEST(StencilLinear, box111) { try_exact<TypeParam, Box<1, 1, 1>, double, double>(25000); }
TYPED_TEST(StencilLinear, box021_left) {
  try_exact<TypeParam, Box<0, 2, 1>, double, double, Kokkos::LayoutLeft>(25000);
}
TYPED_TEST(StencilLinear, star22_stride) {
  try_exact<TypeParam, Star<2, 2>, float, float, Kokkos::LayoutStride>(10000);
}
TYPED_TEST(StencilLinear, box4_line) { try_exact<TypeParam, Box<4>, double, double>(10000); }

/// A plane with more taps than there are vector registers. The portable kernels call weights as they call any functor.
template <class P>
class StencilLinearNative : public ::testing::Test {};
TYPED_TEST_SUITE(StencilLinearNative, NativePath::types, PathNames);

TYPED_TEST(StencilLinearNative, box131_float) { try_exact<TypeParam, Box<1, 3, 1>, float, float>(10000); }

/// A star has no business with the points off its axes, not even to multiply them by zero.
template <class P>
void try_nan_off_axes(Rng& rng) {
  using Shape  = Star<1, 2, 1>;
  auto const n = random_extents<3>(rng, 5000);
  Field<typename P::exec, double, 3> in(n, {1, 2, 1}, rng), out(n, {}, rng);
  in.fill(rng);
  for_each_index<3>(in.low(), in.high(), [&](Index<3> const& p) {
    int outside = 0;
    for (int d = 0; d < 3; ++d) outside += p[d] < 0 || p[d] >= n[d];
    if (outside > 1) in(p) = std::numeric_limits<double>::infinity();
  });
  in.upload();
  LinearStencil<double, Shape> const weights([](int a, int b, int c) { return 1. + a - 2 * b + 3 * c; });
  compare<P, Shape>(n, std::tie(in), std::tie(out), Exactly(), weights);
}

TYPED_TEST(StencilLinear, star_ignores_points_off_its_axes) {
  for_each_seed([](Rng& rng) { try_nan_off_axes<TypeParam>(rng); });
}

}  // namespace
}  // namespace Koalesce::Test
