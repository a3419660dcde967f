// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

template <class P>
class StencilLayouts : public ::testing::Test {};
TYPED_TEST_SUITE(StencilLayouts, DefaultPaths::types, PathNames);

template <class P, class Shape, class In, class Out>
void try_layouts() {
  for_each_seed([&](Rng& rng) {
    for (int n = 0; n < 5; ++n)
      compare_once<P, Shape, float, In, Out>(rng, random_extents<Shape::rank>(rng, 15000), Probe<Shape>());
  });
}

TYPED_TEST(StencilLayouts, left) { try_layouts<TypeParam, Box<2, 1, 1>, LayoutLeft, LayoutLeft>(); }
TYPED_TEST(StencilLayouts, left_star) { try_layouts<TypeParam, Star<1, 2, 3>, LayoutLeft, LayoutLeft>(); }
TYPED_TEST(StencilLayouts, right_to_left) { try_layouts<TypeParam, Box<1, 2, 0>, LayoutRight, LayoutLeft>(); }
TYPED_TEST(StencilLayouts, left_to_right) { try_layouts<TypeParam, Box<1, 0, 2>, LayoutLeft, LayoutRight>(); }
TYPED_TEST(StencilLayouts, stride) { try_layouts<TypeParam, Box<1, 1, 2>, LayoutStride, LayoutStride>(); }
TYPED_TEST(StencilLayouts, stride_to_left) { try_layouts<TypeParam, Star<2, 1, 1>, LayoutStride, LayoutLeft>(); }
TYPED_TEST(StencilLayouts, stride_1d) { try_layouts<TypeParam, Box<2>, LayoutStride, LayoutStride>(); }
TYPED_TEST(StencilLayouts, stride_2d) { try_layouts<TypeParam, Box<2, 1>, LayoutStride, LayoutStride>(); }

struct Difference {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, U const& v, I, I, I) const {
    return u(1, 0, 0) - 2 * v(0, 0, -1);
  }
};

/// Component 1 of an array of vectors, read and written in place of a field of its own: Kokkos' own sub-views.
template <class P>
void try_components() {
  using Shape = Star<1, 1, 1>;
  using Exec  = typename P::exec;
  Exec const exec;
  Kokkos::View<double****, LayoutRight, typename Exec::memory_space> const u("u", 6, 9, 35, 3);
  auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), u);
  for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = double(i % 97);
  Kokkos::deep_copy(u, host);
  auto const component = [&](int c) { return Kokkos::subview(u, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL, c); };
  StencilPolicy<Exec, Shape, typename P::backend> const policy(exec, {4, 7, 33});
  parallel_stencil("components", policy, fields(component(2), component(0)), component(1), Difference());
  exec.fence();
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  for_each_index<3>({1, 1, 1}, {5, 8, 34}, [&](Index<3> const& p) {
    host(p[0], p[1], p[2], 1) = host(p[0] + 1, p[1], p[2], 2) - 2 * host(p[0], p[1], p[2] - 1, 0);
  });
  for (std::size_t i = 0; i < host.span(); ++i) ASSERT_EQ(result.data()[i], host.data()[i]) << "element " << i;
}

TYPED_TEST(StencilLayouts, components_of_vectors) { try_components<TypeParam>(); }

/// A window of a larger field: interior and halo are its own, the field around it stays.
template <class P>
void try_window() {
  using Shape = Box<1, 1>;
  using Exec  = typename P::exec;
  Exec const exec;
  Kokkos::View<int**, LayoutRight, typename Exec::memory_space> const in("in", 50, 90), out("out", 50, 90);
  auto const host     = Kokkos::create_mirror(Kokkos::HostSpace(), in);
  auto const expected = Kokkos::create_mirror(Kokkos::HostSpace(), in);
  for (int i = 0; i < 50 * 90; ++i) host.data()[i] = i % 101;
  Kokkos::deep_copy(in, host);
  auto const rows = Kokkos::make_pair(10, 31), cols = Kokkos::make_pair(5, 83);
  StencilPolicy<Exec, Shape, typename P::backend> const policy(exec, {19, 76});
  parallel_stencil("window", policy, Kokkos::subview(in, rows, cols), Kokkos::subview(out, rows, cols),
                   LinearStencil<int, Shape>([](int a, int b) { return 3 * a + b + 5; }));
  exec.fence();
  for_each_index<2>({11, 6}, {30, 82}, [&](Index<2> const& p) {
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b) expected(p[0], p[1]) += (3 * a + b + 5) * host(p[0] + a, p[1] + b);
  });
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (int i = 0; i < 50 * 90; ++i) ASSERT_EQ(result.data()[i], expected.data()[i]) << "element " << i;
}

TYPED_TEST(StencilLayouts, window_of_a_field) { try_window<TypeParam>(); }

}  // namespace
}  // namespace Koalesce::Test
