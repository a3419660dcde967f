// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BitOracle.hpp"

/// Known weights give the same bits however they are computed.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilBits : public ::testing::Test {};
TYPED_TEST_SUITE(StencilBits, DefaultPaths::types, PathNames);

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

TYPED_TEST(StencilBits, star111) { try_weights<TypeParam, Star<1, 1, 1>, double, double>(20000); }
TYPED_TEST(StencilBits, star421_left) { try_weights<TypeParam, Star<4, 2, 1>, double, double, LayoutLeft>(10000); }
TYPED_TEST(StencilBits, box111) { try_weights<TypeParam, Box<1, 1, 1>, double, double>(20000); }
TYPED_TEST(StencilBits, box212_stride) { try_weights<TypeParam, Box<2, 1, 2>, double, double, LayoutStride>(5000); }
TYPED_TEST(StencilBits, box222_left_to_right) {
  try_weights<TypeParam, Box<2, 2, 2>, float, float, LayoutLeft, LayoutRight>(5000);
}

/// Both stages' weights: what lies between them has the type of the first sum.
template <class P, class First, class Second, class Layout>
void try_stages(std::int64_t points) {
  using Shape        = Staged<First, Second>;
  using Exec         = typename P::exec;
  constexpr int rank = Shape::rank;
  for_each_seed([&](Rng& rng) {
    for (int round = 0; round < 3; ++round) {
      auto const n = random_extents<rank>(rng, points);
      Field<Exec, float, rank, Layout> in(n, halo_for<Shape>(rng, 1), rng), out(n, some_halo<rank>(rng), rng);
      in.fill(rng, [](Rng& r) { return RandomNumber<float>::make(r); });
      auto const first  = random_weights<double, First>(rng);
      auto const second = random_weights<float, Second>(rng);
      bool const last   = marches_last(out.view());
      OrderedSum<Exec, LinearStencil<double, First>> const first_sum{first, last};
      OrderedSum<Exec, LinearStencil<float, Second>> const second_sum{second, last};
      auto const mid    = [&](Index<rank> const& p) { return first_sum(ValuesAround<rank, decltype(in)>{in, p}); };
      auto const oracle = [&](Index<rank> const& p, Index<rank> const&) {
        return float(second_sum(ValuesAround<rank, decltype(mid)>{mid, p}));
      };
      compare_bits<P, Shape>(rng, in, out, oracle, first, second);
    }
  });
}

TYPED_TEST(StencilBits, two_stages) { try_stages<TypeParam, Star<1, 1, 1>, Box<1, 1, 1>, LayoutRight>(5000); }
TYPED_TEST(StencilBits, two_stages_left) { try_stages<TypeParam, Box<1, 0, 2>, Star<2, 1, 1>, LayoutLeft>(5000); }

/// In a functor of the caller's the first offset is the slowest, whatever the layout.
template <class Shape>
struct Twice {
  LinearStencil<double, Shape> weights;

  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, I... i) const {
    return Kokkos::fmax(weights(u), weights(u, i...));
  }
};

template <class P>
void try_in_a_functor(Rng& rng) {
  using Shape  = Box<1, 1, 1>;
  using Exec   = typename P::exec;
  auto const n = random_extents<3>(rng, 5000);
  Field<Exec, double, 3, LayoutLeft> in(n, halo_for<Shape>(rng, 1), rng), out(n, {}, rng);
  in.fill(rng, [](Rng& r) { return RandomNumber<double>::make(r); });
  auto const weights = random_weights<double, Shape>(rng);
  OrderedSum<Exec, LinearStencil<double, Shape>> const sum{weights, false};
  auto const oracle = [&](Index<3> const& p, Index<3> const&) { return sum(ValuesAround<3, decltype(in)>{in, p}); };
  compare_bits<P, Shape>(rng, in, out, oracle, Twice<Shape>{weights});
}

TYPED_TEST(StencilBits, weights_in_a_functor) {
  for_each_seed([](Rng& rng) { try_in_a_functor<TypeParam>(rng); });
}

}  // namespace
}  // namespace Koalesce::Test
