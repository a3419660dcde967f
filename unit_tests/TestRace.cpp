// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/tuning/impl/Race.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace {

using Koalesce::Impl::Race;
using Candidates = std::vector<std::size_t>;

/// Runs a race between kernels whose timed calls take this long, and returns which ran until it was over.
Candidates run(Race& race, std::vector<std::vector<double>> const& seconds) {
  Candidates ran;
  std::vector<std::size_t> timed(seconds.size(), 0);
  while (!race.is_over() && ran.size() < 1000) {
    auto const turn = race.next();
    EXPECT_TRUE(turn.timed);
    ran.push_back(turn.candidate);
    race.record(turn, seconds.at(turn.candidate).at(timed[turn.candidate]++));
  }
  return ran;
}

TEST(Race, all_take_turns_and_the_fastest_stays) {
  Race race(3);
  EXPECT_EQ(run(race, {{1.1, 1.1, 1.1}, {1.2, 1.2, 1.2}, {1.0, 1.0, 1.0}}), (Candidates{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(race.leader(), 2u);
  EXPECT_EQ(race.next().candidate, 2u);
  EXPECT_FALSE(race.next().timed);
}

TEST(Race, any_number_of_candidates) {
  for (std::size_t n = 1; n < 40; ++n)
    for (std::size_t best = 0; best < n; ++best) {
      std::vector<std::vector<double>> seconds(n, {1.0, 1.0, 1.0});
      seconds[best] = {0.9, 0.9, 0.9};
      Race race(n);
      EXPECT_EQ(run(race, seconds).size(), n == 1 ? 0 : 3 * n);
      EXPECT_EQ(race.leader(), best);
    }
}

TEST(Race, the_fastest_call_counts) {
  Race race(2);
  run(race, {{1.2, 1.0, 1.2}, {1.1, 1.1, 1.1}});
  EXPECT_EQ(race.leader(), 0u);
}

TEST(Race, a_slow_first_call_does_not_count) {
  Race race(2);
  run(race, {{1.0, 1.0, 1.0}, {7.0, 0.5, 0.5}});
  EXPECT_EQ(race.leader(), 1u);
}

/// It pays for what all share.
TEST(Race, the_very_first_call_drops_nobody) {
  Race race(2);
  run(race, {{50, 1.0, 1.0}, {5, 1.5, 1.5}});
  EXPECT_EQ(race.leader(), 0u);
}

TEST(Race, little_gain_keeps_the_first) {
  Race race(2);
  run(race, {{1.0, 1.0, 1.0}, {0.99, 0.99, 0.99}});
  EXPECT_EQ(race.leader(), 0u);
}

TEST(Race, a_slow_one_is_dropped) {
  Race slow_second(2), slow_first(2), very_slow(2);
  EXPECT_EQ(run(slow_second, {{1.0, 1.0, 1.0}, {2.5, 2.5}}), (Candidates{0, 1, 0, 1, 0}));
  EXPECT_TRUE(slow_second.trials()[1].dropped);
  EXPECT_EQ(run(slow_first, {{2.5, 2.5}, {1.0, 1.0, 1.0}}), (Candidates{0, 1, 0, 1, 1}));
  EXPECT_EQ(slow_first.leader(), 1u);
  EXPECT_EQ(run(very_slow, {{1.0, 1.0, 1.0}, {9.0}}), (Candidates{0, 1, 0, 0}));
}

TEST(Race, times_may_come_late_or_never) {
  Race race(2);
  std::vector<Race::Turn> turns;
  for (auto turn = race.next(); turn.timed; turn = race.next()) turns.push_back(turn);
  EXPECT_EQ(turns.size(), 6u);
  EXPECT_EQ(race.leader(), 0u) << "nothing is known";
  for (std::size_t i = turns.size(); i-- > 1;) {
    EXPECT_FALSE(race.is_over());
    if (i % 4 == 0) race.lost(turns[i]);
    else if (i % 4 == 2) race.record(turns[i], std::numeric_limits<double>::quiet_NaN());
    else race.record(turns[i], 1.0 + double(turns[i].candidate));
  }
  EXPECT_TRUE(race.is_pending());
  race.lost(turns[0]);
  EXPECT_TRUE(race.is_over());
  EXPECT_EQ(race.leader(), 1u) << "the other one has no time";
}

}  // namespace
