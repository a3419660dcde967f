// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

static_assert(Box<1, 1, 1>::size == 27 && Box<2, 0>::size == 5 && Box<0>::size == 1);
static_assert(Star<1, 1, 1>::size == 7 && Star<4, 0, 1>::size == 11 && Star<0, 0>::size == 1);
static_assert(Box<3, 1, 2>::rank == 3 && Box<3, 1, 2>::radius(0) == 3 && Box<3, 1, 2>::radius(2) == 2);
static_assert(Box<1, 2>::contains(-1, 2) && !Box<1, 2>::contains(2, 1) && !Box<1, 2>::contains(0, -3));
static_assert(Star<1, 2>::contains(0, -2) && !Star<1, 2>::contains(1, 1) && !Star<1, 2>::contains(2, 0));
static_assert(Star<2>::contains(-2) && !Star<2>::contains(3));

using OneSided = Offsets<At<0, 0>, At<0, 1>, At<-2, 1>, At<0, 1>>;
static_assert(OneSided::rank == 2 && OneSided::size == 3 && OneSided::radius(0) == 2 && OneSided::radius(1) == 1);
static_assert(OneSided::contains(-2, 1) && !OneSided::contains(2, 1) && !OneSided::contains(0, -1));

using Composite = Staged<Box<1, 0, 2>, Star<3, 1, 0>>;
static_assert(Composite::rank == 3 && Composite::radius(0) == 4 && Composite::radius(1) == 1 &&
              Composite::radius(2) == 2);

static_assert(std::is_same_v<Neighborhood<int, Star<1>>::value_type, int>);
static_assert(LinearStencil<float, Star<1, 2>>::rank == 2);

template <class Shape>
void expect_size_points() {
  int points = 0;
  for_each_offset<Shape>([&](auto...) { ++points; });
  EXPECT_EQ(points, Shape::size);
}

TEST(Shapes, size_counts_the_points_contained) {
  expect_size_points<Box<2, 1, 3>>();
  expect_size_points<Star<2, 1, 3>>();
  expect_size_points<Box<4, 2>>();
  expect_size_points<Star<0, 2>>();
  expect_size_points<Star<4>>();
  expect_size_points<OneSided>();
  expect_size_points<Offsets<At<3>, At<-1>>>();
}

/// No two points of a shape share a place, and stars take few.
template <class Shape>
void expect_own_places(int at_most) {
  using Places = Impl::ShapePlaces<Shape>;
  std::vector<bool> taken(Places::size);
  for_each_offset<Shape>([&](auto... offset) {
    int const place = Places::place(offset...);
    ASSERT_TRUE(place >= 0 && place < Places::size);
    EXPECT_FALSE(taken[place]);
    taken[place] = true;
  });
  EXPECT_LE(Places::size, at_most);
}

TEST(Shapes, points_have_places_of_their_own) {
  expect_own_places<Box<2, 1, 3>>(5 * 3 * 7);
  expect_own_places<Star<8, 8, 8>>(400);
  expect_own_places<Star<2, 1, 3>>(40);
  expect_own_places<Star<1, 4>>(20);
  expect_own_places<OneSided>(15);
  expect_own_places<Offsets<At<1, 0, 1>, At<1, 1, 0>, At<-1, 0, 0>>>(27);
  expect_own_places<Offsets<At<3>, At<-1>>>(7);
}

TEST(Shapes, policies_take_extents_of_any_integer_type) {
  using Policy           = StencilPolicy<Kokkos::DefaultHostExecutionSpace, Box<1, 1, 1>>;
  std::size_t const size = 5;
  Policy const policy({}, size, 6, short(7)), same({}, {5, 6, 7}), on_default_instance({5, 6, 7});
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(policy.extents()[d], 5 + d);
    EXPECT_EQ(same.extents()[d], 5 + d);
    EXPECT_EQ(on_default_instance.extents()[d], 5 + d);
  }
  EXPECT_EQ((StencilPolicy<Kokkos::DefaultHostExecutionSpace, Box<1>>({}, size).extents()[0]), 5);
  static_assert(!std::is_constructible_v<Policy, Kokkos::DefaultHostExecutionSpace, int, int>);
  static_assert(!std::is_constructible_v<Policy, Kokkos::DefaultHostExecutionSpace, double, int, int>);
}

TEST(Shapes, weights_start_at_zero_and_keep_what_they_are_given) {
  LinearStencil<double, Star<1, 1, 2>> w;
  for_each_offset<Star<1, 1, 2>>([&](int a, int b, int c) { EXPECT_EQ(w(a, b, c), 0); });
  w(0, 0, -2) = 5;
  w(1, 0, 0)  = 7;
  EXPECT_EQ(w(0, 0, -2), 5);
  EXPECT_EQ(w(1, 0, 0), 7);
  EXPECT_EQ(w(0, 0, 2), 0);
}

TEST(Shapes, weights_are_asked_for_once_for_each_point_of_the_shape) {
  int calls    = 0;
  auto const f = [&](int a, int b, int c) {
    ++calls;
    return 100 * a + 10 * b + c;
  };
  LinearStencil<int, Star<2, 0, 1>> const star(f);
  EXPECT_EQ(calls, (Star<2, 0, 1>::size));
  for_each_offset<Star<2, 0, 1>>([&](int a, int b, int c) { EXPECT_EQ(star(a, b, c), 100 * a + 10 * b + c); });
  int points = 0;
  LinearStencil<int, OneSided> const one_sided([&](int a, int b) { return ++points, 10 * a + b; });
  EXPECT_EQ(points, 3);
  EXPECT_EQ(one_sided(-2, 1), -19);
  LinearStencil<int, Box<3>> const line([](int a) { return 2 * a; });
  EXPECT_EQ(line(-3), -6);
  LinearStencil<int, Box<1, 1>> const square([](int a, int b) { return 10 * a + b; });
  EXPECT_EQ(square(1, -1), 9);
}

TEST(Shapes, neighborhood_reads_by_strides) {
  int data[60];
  for (int i = 0; i < 60; ++i) data[i] = i;
  Neighborhood<int, Box<1, 1, 2>> const u(data + 30, {20, 5, 1});
  EXPECT_EQ(u(), 30);
  EXPECT_EQ(u(-1, 1, -2), 30 - 20 + 5 - 2);
  EXPECT_EQ(u(1, -1, 2), 30 + 20 - 5 + 2);
}

/// Planes of 4 elements in a plane queue of 3; the point's own plane is in each slot in turn.
TEST(Shapes, neighborhood_wraps_in_its_ring) {
  int data[12];
  for (int i = 0; i < 12; ++i) data[i] = i;
  for (int slot = 0; slot < 3; ++slot) {
    Neighborhood<int, Box<1, 1>> const u(data + 4 * slot + 1, {4, 1}, 0, 3, slot);
    for (int dz = -1; dz <= 1; ++dz) EXPECT_EQ(u(dz, 1), 4 * ((slot + dz + 3) % 3) + 2);
    Neighborhood<int, Box<1, 1>> const left(data + 4 * slot + 1, {1, 4}, 1, 3, slot);
    for (int dz = -1; dz <= 1; ++dz) EXPECT_EQ(left(-1, dz), 4 * ((slot + dz + 3) % 3));
  }
}

/// The shape and the extents are deduced, and setters change a copy.
TEST(Shapes, policy_deduces) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  std::int64_t const ny = 5;
  std::size_t const nx  = 7;
  StencilPolicy const braces(exec, Star<1, 2>{}, {ny, 7});
  StencilPolicy const arguments(exec, Star<1, 2>{}, ny, nx);
  static_assert(std::is_same_v<decltype(braces), StencilPolicy<Exec, Star<1, 2>> const>);
  static_assert(std::is_same_v<decltype(arguments), decltype(braces)>);
  for (auto const& policy : {braces, arguments}) {
    EXPECT_EQ(policy.extents()[0], 5);
    EXPECT_EQ(policy.extents()[1], 7);
    EXPECT_EQ(policy.space(), exec);
  }
  auto const portable = braces.with_taps(StencilTaps::queue).with_backend(Backend::Portable{});
  static_assert(std::is_same_v<decltype(portable), StencilPolicy<Exec, Star<1, 2>, Backend::Portable> const>);
  static_assert(std::is_same_v<decltype(portable.with_backend(Backend::Native{})), StencilPolicy<Exec, Star<1, 2>>>);
  EXPECT_EQ(portable.taps(), StencilTaps::queue);
  EXPECT_EQ(portable.extents()[1], 7);
  EXPECT_EQ(braces.taps(), StencilTaps::automatic);
}

}  // namespace
}  // namespace Koalesce::Test
