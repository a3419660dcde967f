// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/regroup/impl/RegroupTuner.hpp>

#include <cmath>
#include <limits>
#include <map>

namespace Koalesce::Test {
namespace {

using Impl::RegroupTuner;
using Choice = RegroupTuner::Choice;
using Times  = std::map<RegroupVariant, double>;
using enum RegroupVariant;

std::vector<RegroupTrial> const three{{plain}, {team}, {grid}};

RegroupTuner tuner_of(std::vector<RegroupTrial> const& candidates = three) { return {"loop", 20, candidates}; }

/// 256 runs of two paths; every run has both, except those whose items all take one path.
PathSample two_paths(int percent_of_path_0, bool mixed = true) {
  PathSample sample;
  sample.paths         = 2;
  sample.runs          = 256;
  sample.items         = 256 * 32;
  sample.paths_in_runs = mixed ? 2 * 256 : 256;
  sample.histogram[0]  = sample.items * percent_of_path_0 / 100;
  sample.histogram[1]  = sample.items - sample.histogram[0];
  return sample;
}

/// Runs that each take one path, which is drawn: the noisiest of loops.
PathSample clustered(Rng& rng, int paths, int runs) {
  PathSample sample;
  sample.paths         = paths;
  sample.runs          = runs;
  sample.items         = 32 * runs;
  sample.paths_in_runs = runs;
  for (int r = 0; r < runs; ++r) sample.histogram[random_int(rng, 0, paths - 1)] += 32;
  return sample;
}

/// A call that ends before the next one begins.
Choice call(RegroupTuner& tuner, Times const& times, PathSample const& sample = two_paths(50)) {
  bool const samples  = tuner.wants_sample();
  Choice const choice = tuner.next();
  if (choice.timed) tuner.record(choice, times.at(choice.variant));
  if (samples) tuner.observe(sample);
  return choice;
}

/// How many of the calls were timed.
int calls(RegroupTuner& tuner, int count, Times const& times, PathSample const& sample = two_paths(50)) {
  int timed = 0;
  for (int i = 0; i < count; ++i) timed += call(tuner, times, sample).timed;
  return timed;
}

Times times_where(RegroupVariant fastest) {
  Times times{{plain, 2.}, {team, 2.2}, {grid, 2.4}};
  times[fastest] = 1.5;
  return times;
}

TEST(RegroupTuner, keeps_whichever_way_is_fastest) {
  for (RegroupVariant const fastest : {plain, team, grid}) {
    auto tuner = tuner_of();
    EXPECT_EQ(calls(tuner, 100, times_where(fastest)), 9);
    ASSERT_TRUE(tuner.current().decided);
    EXPECT_EQ(tuner.current().variant, fastest);
    EXPECT_EQ(tuner.next().variant, fastest);
    for (auto const& trial : tuner.current().trials) {
      EXPECT_EQ(trial.calls, 3);
      EXPECT_EQ(trial.seconds, times_where(fastest).at(trial.variant));
    }
  }
}

TEST(RegroupTuner, times_the_candidates_in_turn) {
  auto tuner = tuner_of();
  for (int round = 0; round < 3; ++round)
    for (RegroupVariant const variant : {plain, team, grid}) {
      auto const choice = call(tuner, times_where(team));
      EXPECT_EQ(choice.variant, variant);
      EXPECT_TRUE(choice.timed);
    }
  EXPECT_FALSE(call(tuner, times_where(team)).timed);
}

TEST(RegroupTuner, a_tie_goes_to_the_first) {
  for (double const other : {1., 0.99, 0.981}) {
    auto tuner = tuner_of();
    calls(tuner, 9, {{plain, 1.}, {team, other}, {grid, other}});
    EXPECT_EQ(tuner.current().variant, plain) << other;
  }
  auto tuner = tuner_of();
  calls(tuner, 9, {{plain, 1.}, {team, 0.979}, {grid, 1.}});
  EXPECT_EQ(tuner.current().variant, team);
}

TEST(RegroupTuner, says_why) {
  auto faster = tuner_of(), slower = tuner_of(), alone = tuner_of({{grid}});
  calls(faster, 9, {{plain, 3.42}, {team, 2.}, {grid, 1.}});
  EXPECT_EQ(faster.current().why, "grid is 3.42 times as fast as plain");
  calls(slower, 9, {{plain, 1.}, {team, 1.2}, {grid, 1.4}});
  EXPECT_EQ(slower.current().why, "plain is as fast as any (team takes 1.20 times its time)");
  EXPECT_EQ(alone.current().why, "grid is the only one allowed");
}

TEST(RegroupTuner, the_fastest_call_counts) {
  auto tuner = tuner_of();
  std::map<RegroupVariant, std::vector<double>> const times{
      {plain, {9, 5, 6}}, {team, {20, 4.5, 9}}, {grid, {9, 7, 5}}};
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 3; ++i) {
      auto const choice = tuner.next();
      tuner.record(choice, times.at(choice.variant)[std::size_t(round)]);
    }
  EXPECT_EQ(tuner.current().variant, team);
  EXPECT_EQ(tuner.current().trials[1].seconds, 4.5);
}

TEST(RegroupTuner, times_of_other_sizes_are_compared_by_size) {
  auto tuner = tuner_of({{plain}, {team}});
  for (int i = 0; i < 6; ++i) {
    auto choice = tuner.next();
    choice.size = choice.variant == team ? 1.9 : 1;  // team always has the longer loop
    tuner.record(choice, choice.size * (choice.variant == team ? 0.6 : 1));
  }
  EXPECT_EQ(tuner.current().variant, team);
}

TEST(RegroupTuner, losers_drop_out_of_the_race) {
  auto tuner = tuner_of();
  std::map<RegroupVariant, int> timed;
  for (int i = 0; i < 20; ++i) {
    auto const choice = call(tuner, {{plain, 1.}, {team, 3.}, {grid, 100.}});
    timed[choice.variant] += choice.timed;
  }
  EXPECT_EQ(timed[plain], 3);
  EXPECT_EQ(timed[team], 2);  // the first call may have been slow to start
  EXPECT_EQ(timed[grid], 1);  // but not that slow
  EXPECT_FALSE(tuner.current().trials[0].dropped);
  EXPECT_TRUE(tuner.current().trials[1].dropped);
  EXPECT_TRUE(tuner.current().trials[2].dropped);
}

TEST(RegroupTuner, the_plain_loop_may_drop_out) {
  auto tuner = tuner_of();
  EXPECT_EQ(calls(tuner, 50, {{plain, 100.}, {team, 1.1}, {grid, 1.}}), 8);
  EXPECT_EQ(tuner.current().variant, grid);
}

TEST(RegroupTuner, warming_up_costs_nobody_the_race) {
  auto tuner = tuner_of();
  std::map<RegroupVariant, int> seen;
  for (int i = 0; i < 9; ++i) {
    auto const choice = tuner.next();
    bool const first  = seen[choice.variant]++ == 0;
    tuner.record(choice, choice.variant == grid ? (first ? 7. : 0.5) : 1.);
  }
  EXPECT_EQ(tuner.current().variant, grid);
}

// ---- Times that come late, or never ----

TEST(RegroupTuner, late_times) {
  auto tuner = tuner_of();
  std::vector<Choice> timed;
  for (int i = 0; i < 50; ++i) {
    auto const choice = tuner.next();
    if (choice.timed) timed.push_back(choice);
    else EXPECT_EQ(choice.variant, plain) << "nothing is known yet";
  }
  ASSERT_EQ(timed.size(), 9u);
  for (auto const& choice : timed) {
    EXPECT_FALSE(tuner.current().decided);
    tuner.record(choice, times_where(grid).at(choice.variant));
  }
  EXPECT_TRUE(tuner.current().decided);
  EXPECT_EQ(tuner.current().variant, grid);
}

TEST(RegroupTuner, the_best_so_far_runs_while_times_are_missing) {
  auto tuner = tuner_of();
  std::vector<Choice> timed;
  for (int i = 0; i < 9; ++i) timed.push_back(tuner.next());
  for (int i = 0; i < 8; ++i) tuner.record(timed[std::size_t(i)], times_where(team).at(timed[std::size_t(i)].variant));
  EXPECT_FALSE(tuner.current().decided);
  EXPECT_EQ(tuner.next().variant, team);
  EXPECT_FALSE(tuner.next().timed);
}

TEST(RegroupTuner, times_that_come_last_make_losers_and_decide) {
  auto tuner       = tuner_of({{plain}, {team}});
  auto const first = tuner.next(), second = tuner.next(), third = tuner.next();
  tuner.record(first, 1.);
  tuner.record(third, 1.);
  EXPECT_TRUE(tuner.next().timed);  // team's second
  tuner.record(second, 50.);
  EXPECT_TRUE(tuner.current().trials[1].dropped);
}

TEST(RegroupTuner, lost_calls_do_not_hold_up_the_decision) {
  auto tuner = tuner_of();
  for (int i = 0; i < 9; ++i) {
    auto const choice = tuner.next();
    if (i % 2 == 0) tuner.record(choice, times_where(team).at(choice.variant));
    if (i % 2 == 1) tuner.lost(choice);
  }
  ASSERT_TRUE(tuner.current().decided);
  EXPECT_EQ(tuner.current().variant, team);
}

TEST(RegroupTuner, a_way_without_a_time_is_not_chosen) {
  auto tuner = tuner_of();
  for (int i = 0; i < 9; ++i) {
    auto const choice = tuner.next();
    if (choice.variant == team) tuner.record(choice, 1.);
    if (choice.variant == plain) tuner.lost(choice);
    if (choice.variant == grid) tuner.record(choice, std::numeric_limits<double>::quiet_NaN());
  }
  ASSERT_TRUE(tuner.current().decided);
  EXPECT_EQ(tuner.current().variant, team);
  EXPECT_EQ(tuner.current().why, "team is the fastest that could be timed (plain could not)");
}

TEST(RegroupTuner, everything_lost) {
  auto tuner = tuner_of();
  for (int i = 0; i < 9; ++i) tuner.lost(tuner.next());
  EXPECT_TRUE(tuner.current().decided);
  EXPECT_EQ(tuner.current().variant, plain);
  EXPECT_EQ(tuner.current().why, "plain, because no times could be taken");
}

TEST(RegroupTuner, a_time_counts_for_its_own_measurement_only) {
  auto tuner = tuner_of();
  tuner.observe(two_paths(90));
  auto const late = tuner.next();
  tuner.observe(two_paths(10));  // moved: measured from the beginning
  auto const first = tuner.next();
  tuner.record(late, 1e-3);
  tuner.lost(late);
  EXPECT_EQ(tuner.current().trials[0].calls, 0);
  tuner.record(first, 2.);
  EXPECT_EQ(calls(tuner, 50, times_where(team), two_paths(10)), 8);
  EXPECT_EQ(tuner.current().trials[0].seconds, 2.);
}

TEST(RegroupTuner, no_time_is_too_short) {
  auto tuner = tuner_of();
  calls(tuner, 9, {{plain, 0.}, {team, 0.}, {grid, 0.}});
  EXPECT_TRUE(tuner.current().decided);
  EXPECT_EQ(tuner.current().variant, plain);
}

TEST(RegroupTuner, a_single_candidate_is_not_timed) {
  auto tuner = tuner_of({{grid}});
  EXPECT_TRUE(tuner.current().decided);
  EXPECT_TRUE(tuner.wants_sample());
  EXPECT_EQ(calls(tuner, 100, {{grid, 1.}}, two_paths(90)), 0);
  EXPECT_EQ(tuner.next().variant, grid);
  EXPECT_FALSE(tuner.wants_sample());
  tuner.observe(two_paths(10));
  EXPECT_EQ(tuner.decisions().size(), 1u);
}

// ---- Paths that move ----

TEST(RegroupTuner, samples_at_first_when_deciding_and_now_and_then) {
  auto tuner = tuner_of();
  std::vector<int> sampled;
  for (int i = 0; i < 400; ++i) {
    if (tuner.wants_sample()) sampled.push_back(i);
    call(tuner, times_where(team));
  }
  EXPECT_EQ(sampled, (std::vector<int>{0, 9, 41, 105, 233, 361}));
}

TEST(RegroupTuner, samples_more_often_again_when_paths_move) {
  auto tuner = tuner_of();
  calls(tuner, 1000, times_where(team), two_paths(50));
  int moved = 0;
  while (tuner.decisions().size() == 1) call(tuner, times_where(team), two_paths(99)), ++moved;
  EXPECT_LE(moved, 129);
  std::vector<int> sampled;
  for (int i = 0; i < 100; ++i) {
    if (tuner.wants_sample()) sampled.push_back(i);
    call(tuner, times_where(team), two_paths(99));
  }
  EXPECT_EQ(sampled, (std::vector<int>{0, 9, 41}));
}

constexpr int until_noticed = 140;  // calls

TEST(RegroupTuner, measures_again_when_paths_move) {
  auto tuner = tuner_of();
  calls(tuner, 50, times_where(grid), two_paths(50));
  EXPECT_EQ(calls(tuner, until_noticed, times_where(plain), two_paths(99)), 9);
  EXPECT_EQ(tuner.current().variant, plain);
  auto const all = tuner.decisions();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].variant, grid);
  EXPECT_EQ(all[0].sample.histogram[0], two_paths(50).histogram[0]);
  EXPECT_EQ(all[1].variant, plain);
  EXPECT_EQ(all[1].sample.histogram[0], two_paths(99).histogram[0]);
}

TEST(RegroupTuner, measures_again_when_paths_mix) {
  auto tuner = tuner_of();
  calls(tuner, 50, times_where(plain), two_paths(50, false));
  EXPECT_EQ(calls(tuner, until_noticed, times_where(grid), two_paths(50, true)), 9);
  EXPECT_EQ(tuner.current().variant, grid);
}

TEST(RegroupTuner, paths_that_move_back_are_known) {
  auto tuner = tuner_of();
  calls(tuner, 50, times_where(grid), two_paths(50));
  calls(tuner, until_noticed, times_where(plain), two_paths(99));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(calls(tuner, until_noticed, times_where(team), two_paths(50)), 0);
    EXPECT_EQ(tuner.current().variant, grid);
    EXPECT_EQ(calls(tuner, until_noticed, times_where(team), two_paths(99)), 0);
    EXPECT_EQ(tuner.current().variant, plain);
  }
  EXPECT_EQ(tuner.decisions().size(), 2u);
}

TEST(RegroupTuner, moving_back_while_measuring) {
  auto tuner = tuner_of();
  calls(tuner, 50, times_where(grid), two_paths(50));
  tuner.observe(two_paths(99));
  auto const late = tuner.next();
  EXPECT_TRUE(late.timed);
  tuner.observe(two_paths(50));
  tuner.record(late, 1.);
  EXPECT_TRUE(tuner.current().decided);
  EXPECT_EQ(tuner.current().variant, grid);
  EXPECT_EQ(tuner.decisions().size(), 1u) << "what was not decided is forgotten";
}

TEST(RegroupTuner, noise_is_no_move) {
  for_each_seed([](Rng& rng) {
    for (int const paths : {1, 2, 4, 16, 64})
      for (int const runs : {1, 8, 64, 256}) {
        int moved = 0;
        for (int i = 0; i < 200; ++i)
          moved += Impl::paths_moved(clustered(rng, paths, runs), clustered(rng, paths, runs));
        EXPECT_LE(moved, 1) << paths << " paths, " << runs << " runs";
      }
  });
}

TEST(RegroupTuner, a_real_move_shows_through_noise) {
  for_each_seed([](Rng& rng) {
    for (int const paths : {4, 16, 64})
      for (int i = 0; i < 100; ++i) {
        auto const then = clustered(rng, paths, 256), now = clustered(rng, paths / 4, 256);
        EXPECT_TRUE(Impl::paths_moved(then, now)) << paths << " paths";
      }
  });
}

TEST(RegroupTuner, measures_again_a_few_times_only_while_paths_move) {
  auto tuner = tuner_of();
  int timed  = 0;
  for (int i = 0; i < 100; ++i) {
    auto const choice = tuner.next();
    timed += choice.timed;
    if (choice.timed) tuner.record(choice, times_where(team).at(choice.variant));
    if (!tuner.current().decided) tuner.observe(two_paths(i % 5 * 25));
  }
  EXPECT_TRUE(tuner.current().decided);
  EXPECT_LE(timed, 9 + 2 * 9);
}

/// A loop whose items all take one path: 64 histograms to tell from each other.
PathSample on_path(int path) {
  PathSample sample = two_paths(0);
  sample.paths      = 64;
  std::fill(std::begin(sample.histogram), std::end(sample.histogram), 0);
  sample.histogram[path % 64] = sample.items;
  return sample;
}

TEST(RegroupTuner, backs_off_when_paths_move_for_ever) {
  auto tuner = tuner_of();
  std::vector<int> timed(5, 0);
  for (int i = 0; i < 50000; ++i)
    timed[std::size_t(i / 10000)] += call(tuner, times_where(team), on_path(i / 20)).timed;
  EXPECT_GT(timed[0], 9 * 4);
  EXPECT_LT(timed[0], 300);
  EXPECT_LT(timed[4], 60);
  EXPECT_LE(tuner.decisions().size(), 8u);
}

TEST(RegroupTuner, measures_readily_again_after_a_quiet_time) {
  auto tuner = tuner_of();
  for (int i = 0; i < 5000; ++i) call(tuner, times_where(team), on_path(i / 20));
  EXPECT_EQ(calls(tuner, 300, times_where(team), two_paths(50)), 0);  // not yet
  calls(tuner, 6000, times_where(team), on_path(1));
  EXPECT_EQ(calls(tuner, until_noticed, times_where(team), two_paths(50)), 9);
  EXPECT_EQ(calls(tuner, until_noticed, times_where(team), two_paths(99)), 9);
}

TEST(RegroupTuner, keeps_eight_decisions_and_drops_the_least_recently_used) {
  auto tuner       = tuner_of();
  auto const visit = [&](int path) { return calls(tuner, 2000, times_where(team), on_path(path)); };
  for (int path = 0; path < 8; ++path) EXPECT_EQ(visit(path), 9);
  EXPECT_EQ(visit(0), 0);
  EXPECT_EQ(visit(8), 9);  // in place of 1
  EXPECT_EQ(tuner.decisions().size(), 8u);
  EXPECT_EQ(visit(0), 0);
  EXPECT_EQ(visit(2), 0);
  EXPECT_EQ(visit(1), 9);
}

TEST(RegroupTuner, an_empty_sample_says_nothing) {
  auto tuner = tuner_of();
  calls(tuner, 50, times_where(team), PathSample());
  EXPECT_EQ(tuner.current().sample.items, 0);
  calls(tuner, 50, times_where(team), two_paths(50));
  tuner.observe(PathSample());
  EXPECT_EQ(tuner.decisions().size(), 1u);
  EXPECT_EQ(tuner.current().sample.items, two_paths(50).items);
}

}  // namespace
}  // namespace Koalesce::Test
