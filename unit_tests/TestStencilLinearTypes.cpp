// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LinearOracle.hpp"

#include <limits>

namespace Koalesce::Test {
namespace {

template <class P>
class StencilLinearTypes : public ::testing::Test {};
TYPED_TEST_SUITE(StencilLinearTypes, DefaultPaths::types, PathNames);

TYPED_TEST(StencilLinearTypes, integer_weights_on_doubles) { try_exact<TypeParam, Star<1, 2, 1>, int, double>(10000); }
TYPED_TEST(StencilLinearTypes, integers) { try_exact<TypeParam, Box<1, 1>, std::int32_t, std::int64_t>(10000); }
TYPED_TEST(StencilLinearTypes, real_weights_on_complex) {
  try_exact<TypeParam, Star<1, 1, 1>, double, Kokkos::complex<double>>(10000);
}

double random_real(Rng& rng) { return double(random_int(rng, -1000000, 1000000)) / 1000000; }

/// The relative rounding error of a field's elements; of either kind of half precision, which hosts may not have.
template <class T>
constexpr double epsilon_of() {
  if constexpr (sizeof(T) == 2) return 0x1p-7;
  else return std::numeric_limits<T>::epsilon();
}

/// Any numbers: the terms' rounding errors, and those of their sums, bound the difference.
template <class P, class Shape, class W, class T>
void try_rounding(Rng& rng) {
  double sum = 0;
  LinearStencil<W, Shape> const weights([&](auto...) {
    double const w = random_real(rng);
    sum += std::abs(w);
    return W(w);
  });
  auto const n = random_extents<3>(rng, 20000);
  Field<typename P::exec, T, 3> in(n, halo_for<Shape>(rng, 2), rng), out(n, random_halo<3>(rng, 2), rng);
  in.fill(rng, [](Rng& r) { return T(random_real(r)); });
  // Sums are in the wider type, results in the field's.
  double const epsilon = std::numeric_limits<decltype(W() * T())>::epsilon();
  double const bound   = sum * (epsilon * Shape::size + epsilon_of<T>());
  auto const same      = [=](T a, T b) { return std::abs(double(a) - double(b)) <= bound; };
  compare<P, Shape>(n, std::tie(in), std::tie(out), same, weights);
}

TYPED_TEST(StencilLinearTypes, rounding_of_doubles) {
  for_each_seed([](Rng& rng) { try_rounding<TypeParam, Box<0, 1, 1>, double, double>(rng); });
}
TYPED_TEST(StencilLinearTypes, rounding_of_double_weights_on_floats) {
  for_each_seed([](Rng& rng) { try_rounding<TypeParam, Star<2, 1, 1>, double, float>(rng); });
}

TYPED_TEST(StencilLinearTypes, rounding_of_float_weights_on_halves) {
  for_each_seed([](Rng& rng) { try_rounding<TypeParam, Star<0, 1, 1>, float, Kokkos::Experimental::half_t>(rng); });
}

}  // namespace
}  // namespace Koalesce::Test
