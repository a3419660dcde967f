// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BitOracle.hpp"

/// A functor gives the same bits however it is called, in a program whose compiler contracts no product and sum: this
/// file is compiled so.
namespace Koalesce::Test {
namespace {

template <class P>
class FunctorBits : public ::testing::Test {};
TYPED_TEST_SUITE(FunctorBits, DefaultPaths::types, PathNames);

/// Products, sums, quotients and square roots, all of which IEEE arithmetic defines to the bit.
template <class Shape>
struct Rounding {
  template <class U, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, I... i) const {
    using T  = std::decay_t<decltype(u())>;
    T sum    = T(0.1) * T(Probe<Shape>::position(int(i % 13)...));
    T square = T(1);
    for_each_offset<Shape>([&](auto... offset) {
      T const v = u(offset...);
      sum += (T(Probe<Shape>::weight(offset...)) + T(0.3)) * v;
      square += v * v;
    });
    return sum / Kokkos::sqrt(square) + T(0.7) * u();
  }
};

template <class Shape>
struct RoundingSecond {
  template <class M, class C, class... I>
  KOKKOS_FUNCTION auto operator()(M const& m, C const& c, I... i) const {
    return Rounding<Shape>()(m, i...) * c + m();
  }
};

template <class P, class Shape, class T, class Layout>
void try_functor(std::int64_t points) {
  constexpr int rank = Shape::rank;
  for_each_seed([&](Rng& rng) {
    for (int round = 0; round < 4; ++round) {
      auto const n = random_extents<rank>(rng, points);
      Field<typename P::exec, T, rank, Layout> in(n, halo_for<Shape>(rng, 1), rng), out(n, {}, rng);
      in.fill(rng, [](Rng& r) { return RandomNumber<T>::make(r); });
      // A part of the interior counts its points from its own first one.
      auto const oracle = [&](Index<rank> const& p, Index<rank> const& i) {
        return Impl::get<0>(call<rank>(Rounding<Shape>(), i, std::tuple(ValuesAround<rank, decltype(in)>{in, p})));
      };
      compare_bits<P, Shape>(rng, in, out, oracle, Rounding<Shape>());
    }
  });
}

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;

TYPED_TEST(FunctorBits, star) { try_functor<TypeParam, Star<1, 1, 1>, double, LayoutRight>(20000); }
TYPED_TEST(FunctorBits, box) { try_functor<TypeParam, Box<1, 1, 1>, float, LayoutRight>(20000); }
TYPED_TEST(FunctorBits, box_left) { try_functor<TypeParam, Box<2, 0, 1>, double, LayoutLeft>(20000); }
TYPED_TEST(FunctorBits, plane) { try_functor<TypeParam, Box<1, 2>, float, LayoutRight>(10000); }
TYPED_TEST(FunctorBits, line) { try_functor<TypeParam, Box<4>, double, LayoutRight>(300); }

template <class P>
void try_stages(Rng& rng) {
  using First    = Star<1, 1, 1>;
  using Second   = Box<1, 0, 1>;
  using Shape    = Staged<First, Second>;
  using OneField = Field<typename P::exec, double, 3>;
  auto const n   = random_extents<3>(rng, 5000);
  OneField in(n, halo_for<Shape>(rng, 1), rng), out(n, {}, rng);
  in.fill(rng, [](Rng& r) { return RandomNumber<double>::make(r); });
  auto const oracle = [&](Index<3> const& p, Index<3> const& i) {
    // The middle field around p, whose points count as the stencil's own.
    auto const mid = [&](Index<3> const& q) {
      Index<3> const j{i[0] + q[0] - p[0], i[1] + q[1] - p[1], i[2] + q[2] - p[2]};
      return Impl::get<0>(call<3>(Rounding<First>(), j, std::tuple(ValuesAround<3, OneField>{in, q})));
    };
    return Impl::get<0>(
        call<3>(RoundingSecond<Second>(), i, std::tuple(ValuesAround<3, decltype(mid)>{mid, p}), std::tuple(in(p))));
  };
  compare_bits<P, Shape>(rng, in, out, oracle, Rounding<First>(), RoundingSecond<Second>());
}

TYPED_TEST(FunctorBits, two_stages) {
  for_each_seed([](Rng& rng) {
    for (int round = 0; round < 3; ++round) try_stages<TypeParam>(rng);
  });
}

/// A boundary in the sweep, and a halo that is filled before it.
TYPED_TEST(FunctorBits, boundary) {
  using Shape = Box<1, 1, 1>;
  using Exec  = typename TypeParam::exec;
  using View  = Kokkos::View<double***, Kokkos::LayoutRight, typename Exec::memory_space>;
  Exec const exec;
  Rng rng(7);
  Index<3> const n{9, 11, 40};
  Field<Exec, double, 3> in(n, {1, 1, 1}, rng);
  in.fill(rng, [](Rng& r) { return RandomNumber<double>::make(r); });
  View const swept("swept", n[0], n[1], n[2]), filled("filled", n[0], n[1], n[2]);
  StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(exec, n);
  auto const high = sides(Mirror(about_point), Neumann(0.3));
  parallel_stencil("swept", policy.with_boundary(Extrapolation(2), high, Periodic()), in.view(), swept,
                   Rounding<Shape>());
  fill_halo(exec, in.view(), n, Extrapolation(2), high, Periodic());
  parallel_stencil("filled", policy, in.view(), filled, Rounding<Shape>());
  exec.fence();
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), swept),
             b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), filled);
  for (std::size_t i = 0; i < a.span(); ++i) ASSERT_EQ(a.data()[i], b.data()[i]) << i;
}

}  // namespace
}  // namespace Koalesce::Test
