// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/placement/AccessEstimate.hpp>

#include <gtest/gtest.h>

namespace Koalesce::Test {
namespace {

TEST(AccessEstimate, counts) {
  EXPECT_EQ(AccessEstimate().count(), 0);
  EXPECT_EQ(AccessEstimate().access().count(), 1);
  EXPECT_EQ(AccessEstimate().access(3).count(), 3);
  EXPECT_EQ(AccessEstimate().in_condition().count(), 0.5);
  EXPECT_EQ(AccessEstimate().in_condition(5).count(), 2.5);
  EXPECT_EQ(AccessEstimate().in_loop(8).count(), 8);
  EXPECT_EQ(AccessEstimate().in_loop(8, 3).count(), 24);
  EXPECT_EQ(AccessEstimate().in_unknown_loop().count(), learned_trips);
  EXPECT_EQ(AccessEstimate(100).in_unknown_loop(2).count(), 200);
}

TEST(AccessEstimate, adds_up) {
  EXPECT_EQ(AccessEstimate(10).access(2).in_condition(3).in_loop(4, 5).in_unknown_loop(6).count(), 2 + 1.5 + 20 + 60);
}

TEST(AccessEstimate, nested) {
  EXPECT_EQ(AccessEstimate().in_loop(8, AccessEstimate().in_condition()).count(), 4);
  EXPECT_EQ(AccessEstimate().in_condition(AccessEstimate().in_loop(8, 3)).count(), 12);
  EXPECT_EQ(AccessEstimate().in_condition(AccessEstimate().in_condition()).count(), 0.25);
  EXPECT_EQ(AccessEstimate(10).in_unknown_loop(AccessEstimate(7).in_unknown_loop().access()).count(), 80);
  EXPECT_EQ(AccessEstimate().in_loop(2, AccessEstimate().in_loop(3, AccessEstimate().in_loop(5))).access().count(), 31);
}

TEST(AccessEstimate, in_a_constant) {
  constexpr double count = AccessEstimate(3).access().in_unknown_loop().in_loop(2, AccessEstimate().access(4)).count();
  static_assert(count == 12);
  EXPECT_EQ(count, 12);
}

TEST(AccessEstimate, what_the_learned_average_is_made_of) {
  TripCounts trips;
  EXPECT_EQ(trips.loops(), 0);
  EXPECT_EQ(trips.average(), 0);
  trips.add(3);
  EXPECT_EQ(trips.average(), 3);
  trips.add(0), trips.add(9);
  EXPECT_EQ(trips.loops(), 3);
  EXPECT_EQ(trips.average(), 4);
  EXPECT_EQ(AccessEstimate(trips.average()).in_unknown_loop(2).count(), 8);
}

}  // namespace
}  // namespace Koalesce::Test
