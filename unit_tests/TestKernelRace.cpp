// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/tuning/impl/KernelRace.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using Koalesce::Impl::KernelRace;

/// Runs a race between kernels that take this long, and returns which ran, call by call, until it is over.
std::vector<int> run(KernelRace& race, std::vector<double> const& seconds_of_first,
                     std::vector<double> const& seconds_of_second) {
  std::vector<int> ran;
  std::size_t timed[2] = {0, 0};
  while (!race.over() && ran.size() < 100) {
    int const kernel = race.next();
    ran.push_back(kernel);
    auto const& seconds = kernel == 0 ? seconds_of_first : seconds_of_second;
    if (race.is_timed()) race.ran(seconds.at(timed[kernel]++));
    else race.ran();
  }
  return ran;
}

TEST(KernelRace, both_take_turns_and_the_faster_one_stays) {
  KernelRace race;
  EXPECT_EQ(race.next(), 0);
  EXPECT_FALSE(race.is_timed());
  EXPECT_EQ(run(race, {1.1, 1.1, 1.1}, {1.0, 1.0, 1.0}), (std::vector{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(race.over());
  EXPECT_EQ(race.leader(), 1);
  EXPECT_EQ(race.next(), 1);
  EXPECT_FALSE(race.is_timed());
}

TEST(KernelRace, the_fastest_call_counts) {
  KernelRace race;
  run(race, {1.2, 1.0, 1.2}, {1.1, 1.1, 1.1});
  EXPECT_EQ(race.leader(), 0);
}

TEST(KernelRace, little_gain_keeps_the_first) {
  KernelRace race;
  run(race, {1.0, 1.0, 1.0}, {0.99, 0.99, 0.99});
  EXPECT_EQ(race.leader(), 0);
}

TEST(KernelRace, a_hopeless_one_is_not_tried_again) {
  KernelRace slow_second, slow_first;
  EXPECT_EQ(run(slow_second, {1.0}, {1.5}), (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(slow_second.leader(), 0);
  EXPECT_EQ(run(slow_first, {1.5}, {1.0}), (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(slow_first.leader(), 1);
}

TEST(KernelRace, before_anything_is_known_the_first_leads) {
  KernelRace race;
  EXPECT_EQ(race.leader(), 0);
  race.ran();
  race.ran();
  race.ran(5.0);
  EXPECT_EQ(race.leader(), 0);
  race.ran(4.0);
  EXPECT_EQ(race.leader(), 1);
}

}  // namespace
