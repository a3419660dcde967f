// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/placement/PlacementSearch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Test {
namespace {

using enum Place;
using Outcome = PlacementOutcome;
using Arrays  = std::vector<PlacementArray>;
using Time    = std::function<std::optional<double>(Placement const&)>;

PlacementSearch const all_searches[] = {PlacementSearch::published, PlacementSearch::greedy, PlacementSearch::grouped,
                                        PlacementSearch::exhaustive};
PlacementSearch const by_moves[]     = {PlacementSearch::published, PlacementSearch::greedy};

PlacementArray own(std::string name, double count) { return {std::move(name), count, false, true}; }

std::string numbered(std::size_t array) { return std::string("a").append(std::to_string(array)); }

/// So many arrays; the later one is declared, the more it is accessed.
Arrays own_arrays(std::size_t k) {
  Arrays arrays;
  for (std::size_t a = 0; a < k; ++a) arrays.push_back(own(numbered(a), double(a)));
  return arrays;
}

/// Runs in the given time; without one it does not fit.
PlacementResult search(Arrays const& arrays, PlacementSearch how, Time const& time) {
  return search_placement(arrays, how, [&](Placement const& placement) {
    auto const seconds = time(placement);
    return PlacementMeasurement{seconds, {}, seconds ? "" : "it does not fit"};
  });
}

/// A trial's time is the next of a list, in order of time.
PlacementResult search_list(Arrays const& arrays, PlacementSearch how,
                            std::vector<std::optional<double>> const& times) {
  std::size_t next = 0;
  return search(arrays, how, [&](Placement const&) { return times.at(next++); });
}

std::vector<Outcome> outcomes(PlacementResult const& result) {
  std::vector<Outcome> all;
  for (auto const& trial : result.trials) all.push_back(trial.outcome);
  return all;
}

std::vector<std::size_t> moved(PlacementResult const& result) {
  std::vector<std::size_t> all;
  for (auto const& trial : result.trials)
    if (trial.array) all.push_back(*trial.array);
  return all;
}

TEST(PlacementSearch, places_of_promoted_arrays) {
  EXPECT_EQ(promoted_place({"a", 1, false, true}), registers);
  EXPECT_EQ(promoted_place({"a", 1, false, false}), thread_memory);
  EXPECT_EQ(promoted_place({"a", 1, true, true}), global_memory);
  EXPECT_EQ(promoted_place({"a", 1, true, false}), global_memory);
}

TEST(PlacementSearch, placements_are_values) {
  Placement a(2), b{scratch, scratch};
  EXPECT_EQ(a, b);
  b[1] = registers;
  EXPECT_NE(a, b);
  EXPECT_EQ(b, Placement(std::vector<Place>{scratch, registers}));
  EXPECT_NE(a, Placement(3));
  EXPECT_EQ(Placement(2, global_memory)[1], global_memory);
  EXPECT_TRUE(Placement().empty());
  EXPECT_EQ(std::vector<Place>(b.begin(), b.end()), (std::vector<Place>{scratch, registers}));
}

TEST(PlacementSearch, text) {
  Arrays const arrays{own("tile", 1), own("next", 1)};
  EXPECT_EQ(to_string(Placement{scratch, registers}, arrays), "tile: scratch, next: registers");
  EXPECT_EQ(to_string(Placement{thread_memory, global_memory, scratch}, arrays),
            "tile: thread memory, next: global memory, array 2: scratch");
  EXPECT_EQ(to_string(Placement(), arrays), "no arrays");
  EXPECT_STREQ(to_string(PlacementSearch::published), "published");
  EXPECT_STREQ(to_string(PlacementSearch::greedy), "greedy");
  EXPECT_STREQ(to_string(PlacementSearch::grouped), "grouped");
  EXPECT_STREQ(to_string(PlacementSearch::exhaustive), "exhaustive");
}

TEST(PlacementSearch, starts_in_scratch_and_moves_the_most_accessed_first) {
  Arrays const arrays{{"few", 1, false, true}, {"many", 9, true, true}, {"some", 3, false, false}};
  auto const result = search_list(arrays, PlacementSearch::published, {4., 3., 2., 1.});
  ASSERT_EQ(result.trials.size(), 4u);
  EXPECT_EQ(result.trials[0].placement, Placement(3));
  EXPECT_EQ(result.trials[1].placement, (Placement{scratch, global_memory, scratch}));
  EXPECT_EQ(result.trials[2].placement, (Placement{scratch, global_memory, thread_memory}));
  EXPECT_EQ(result.trials[3].placement, (Placement{registers, global_memory, thread_memory}));
  EXPECT_EQ(moved(result), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::kept, Outcome::kept, Outcome::kept}));
  EXPECT_EQ(result.placement, result.trials[3].placement);
  EXPECT_EQ(result.seconds, 1.);
}

TEST(PlacementSearch, equal_counts_stay_as_declared) {
  Arrays const arrays{own("a", 1), own("b", 2), own("c", 1), own("d", 2), own("e", 2), own("f", 1)};
  auto const result = search(arrays, PlacementSearch::greedy, [](auto const&) { return 1.; });
  EXPECT_EQ(moved(result), (std::vector<std::size_t>{1, 3, 4, 0, 2, 5}));
}

TEST(PlacementSearch, counts_that_are_no_numbers_come_last) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  Arrays const arrays{own("a", nan), own("b", -1), own("c", nan), own("d", 2)};
  auto const result = search(arrays, PlacementSearch::greedy, [](auto const&) { return 1.; });
  EXPECT_EQ(moved(result), (std::vector<std::size_t>{3, 1, 0, 2}));
}

TEST(PlacementSearch, ties_are_kept) {
  for (auto const how : by_moves) {
    auto const result = search(own_arrays(3), how, [](auto const&) { return 5.; });
    EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::kept, Outcome::kept, Outcome::kept}));
    EXPECT_EQ(result.placement, Placement(3, registers));
  }
}

TEST(PlacementSearch, the_first_slowdown_ends_the_published_one) {
  constexpr std::size_t k = 5;
  for (std::size_t slow = 0; slow < k; ++slow) {  // of the moves, in order of time
    std::vector<std::optional<double>> times{100.};
    for (std::size_t move = 0; move < k; ++move) times.push_back(move == slow ? 200. : 99. - double(move));
    auto const published = search_list(own_arrays(k), PlacementSearch::published, times);
    EXPECT_EQ(published.trials.size(), slow + 2);
    EXPECT_EQ(published.trials.back().outcome, Outcome::undone);
    Placement expected(k);
    for (std::size_t move = 0; move < slow; ++move) expected[k - 1 - move] = registers;
    EXPECT_EQ(published.placement, expected);
    EXPECT_EQ(published.seconds, slow == 0 ? 100. : 100. - double(slow));

    auto const greedy = search_list(own_arrays(k), PlacementSearch::greedy, times);
    EXPECT_EQ(greedy.trials.size(), k + 1);
    EXPECT_EQ(greedy.trials[slow + 1].outcome, Outcome::undone);
    expected               = Placement(k, registers);
    expected[k - 1 - slow] = scratch;
    EXPECT_EQ(greedy.placement, expected);
    EXPECT_EQ(greedy.seconds, slow == k - 1 ? 96. : 95.);
  }
}

TEST(PlacementSearch, compares_with_the_best_not_with_the_last) {
  auto const result = search_list(own_arrays(3), PlacementSearch::greedy, {10., 20., 15., 9.});
  EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::undone, Outcome::undone, Outcome::kept}));
  EXPECT_EQ(result.placement, (Placement{registers, scratch, scratch}));
}

TEST(PlacementSearch, what_cannot_run_is_undone_and_does_not_end_it) {
  for (auto const how : by_moves) {
    auto const result = search_list(own_arrays(3), how, {10., {}, 8., {}});
    EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::impossible, Outcome::kept, Outcome::impossible}));
    EXPECT_EQ(result.trials[1].measured.why, "it does not fit");
    EXPECT_EQ(result.placement, (Placement{scratch, registers, scratch}));
    EXPECT_EQ(result.seconds, 8.);
  }
}

TEST(PlacementSearch, moves_stay_until_something_fits) {
  for (auto const how : by_moves) {  // at most two arrays fit
    auto const result = search(own_arrays(4), how, [](Placement const& p) -> std::optional<double> {
      auto const in_scratch = std::count(p.begin(), p.end(), scratch);
      return in_scratch > 2 ? std::nullopt : std::optional(10. - double(in_scratch));
    });
    std::vector expected{Outcome::impossible, Outcome::impossible, Outcome::kept, Outcome::undone};
    if (how == PlacementSearch::greedy) expected.push_back(Outcome::undone);
    EXPECT_EQ(outcomes(result), expected);
    EXPECT_EQ(result.placement, (Placement{scratch, scratch, registers, registers}));
    EXPECT_EQ(result.seconds, 8.);
  }
}

TEST(PlacementSearch, nothing_can_run) {
  for (auto const how : all_searches) {
    auto const result = search(own_arrays(3), how, [](auto const&) { return std::nullopt; });
    EXPECT_EQ(result.trials.size(), how == PlacementSearch::exhaustive ? 8u
                                    : how == PlacementSearch::grouped  ? 2u
                                                                       : 4u);
    for (auto const& trial : result.trials) EXPECT_EQ(trial.outcome, Outcome::impossible);
    EXPECT_EQ(result.placement, Placement(3));
    EXPECT_FALSE(result.seconds);
  }
}

TEST(PlacementSearch, times_that_are_no_positive_numbers) {
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double const bad : {0., -1., inf, -inf, nan})
    for (auto const how : all_searches) {
      auto const result = search(own_arrays(1), how, [&](Placement const& p) { return p == Placement(1) ? 7. : bad; });
      EXPECT_EQ(result.trials.back().outcome, Outcome::impossible);
      EXPECT_FALSE(result.trials.back().measured.seconds);
      EXPECT_FALSE(result.trials.back().measured.why.empty());
      EXPECT_EQ(result.placement, Placement(1));
      EXPECT_EQ(result.seconds, 7.);
    }
}

TEST(PlacementSearch, numbers_of_arrays) {
  for (auto const how : all_searches) {
    auto const none = search({}, how, [](auto const&) { return 3.; });
    EXPECT_EQ(outcomes(none), std::vector{Outcome::first});
    EXPECT_EQ(none.placement, Placement());
    EXPECT_EQ(none.seconds, 3.);

    auto const one = search(own_arrays(1), how, [](Placement const& p) { return p[0] == scratch ? 3. : 2.; });
    EXPECT_EQ(one.trials.size(), 2u);
    EXPECT_EQ(one.placement, Placement{registers});
  }
  for (auto const how : by_moves)
    EXPECT_EQ(search(own_arrays(100), how, [](auto const&) { return 3.; }).trials.size(), 101u);
}

TEST(PlacementSearch, exhaustive_limit) {
  auto const time = [](Placement const& p) {
    return 1. + double(std::count(p.begin(), p.end(), scratch)) + (p[0] == registers ? 0.5 : 0);
  };
  EXPECT_EQ(search(own_arrays(16), PlacementSearch::exhaustive, time).trials.size(), 65536u);
  int runs = 0;
  try {
    search(own_arrays(17), PlacementSearch::exhaustive, [&](auto const&) { return double(++runs); });
    FAIL() << "17 arrays are too many";
  } catch (Error const& e) {
    EXPECT_STREQ(e.what(),
                 "Koalesce::search_placement(): there are 17 arrays; an exhaustive search tries all 2^17 placements "
                 "and takes at most 16 arrays, so use PlacementSearch::greedy");
  }
  EXPECT_EQ(runs, 0);
}

TEST(PlacementSearch, exhaustive_tries_each_once_in_a_known_order) {
  Arrays const arrays{{"few", 1, false, true}, {"many", 2, true, true}};
  auto const result = search(arrays, PlacementSearch::exhaustive, [](auto const&) { return 1.; });
  ASSERT_EQ(result.trials.size(), 4u);
  EXPECT_EQ(result.trials[0].placement, (Placement{scratch, scratch}));
  EXPECT_EQ(result.trials[1].placement, (Placement{scratch, global_memory}));
  EXPECT_EQ(result.trials[2].placement, (Placement{registers, scratch}));
  EXPECT_EQ(result.trials[3].placement, (Placement{registers, global_memory}));
  EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::tried, Outcome::tried, Outcome::tried}));
  EXPECT_EQ(result.placement, Placement(2)) << "of equals the first stays";
}

TEST(PlacementSearch, exhaustive_finds_what_moves_do_not) {
  // Only together do they pay.
  auto const time = [](Placement const& p) {
    auto const n = std::count(p.begin(), p.end(), scratch);
    return n == 3 ? 10. : n == 0 ? 1. : 20.;
  };
  EXPECT_EQ(search(own_arrays(3), PlacementSearch::greedy, time).seconds, 10.);
  auto const result = search(own_arrays(3), PlacementSearch::exhaustive, time);
  EXPECT_EQ(result.seconds, 1.);
  EXPECT_EQ(result.placement, Placement(3, registers));
}

// ---- Arrays that no threads share, together ----

/// Shared ones, own ones: s0 and s1 have 5 and 7 accesses; o0, o1 and o2 have 2, 9 and 4.
Arrays const mixed{{"s0", 5, true, true}, own("o0", 2), own("o1", 9), {"s1", 7, true, true}, own("o2", 4)};

std::vector<std::string> tried(PlacementResult const& result) {
  std::vector<std::string> all;
  for (auto const& trial : result.trials) {
    all.emplace_back();
    for (Place const place : trial.placement) all.back() += to_string(place)[0];
  }
  return all;
}
using Codes = std::vector<std::string>;

TEST(PlacementSearch, a_group_that_pays_moves_first_and_is_thinned_out) {
  auto const result = search_list(mixed, PlacementSearch::grouped, {10., 8., 7., 9., 7., 5.});
  EXPECT_EQ(tried(result), (Codes{"sssss", "srrsr", "srrgr", "grrgr", "ssrgr", "srrgs"}));
  EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::kept, Outcome::kept, Outcome::undone,
                                           Outcome::undone, Outcome::kept}))
      << "what is no faster in scratch memory stays out of it";
  EXPECT_EQ(moved(result), (std::vector<std::size_t>{3, 0, 1, 4}));
  EXPECT_EQ(result.seconds, 5.);
}

TEST(PlacementSearch, a_group_that_does_not_pay_moves_one_by_one) {
  auto const result = search_list(mixed, PlacementSearch::grouped, {10., 11., 10., 12., 9., 9.});
  EXPECT_EQ(tried(result), (Codes{"sssss", "srrsr", "sssgs", "gssgs", "ssrgs", "ssrgr"}));
  EXPECT_EQ(outcomes(result), (std::vector{Outcome::first, Outcome::undone, Outcome::kept, Outcome::undone,
                                           Outcome::kept, Outcome::kept}));
  EXPECT_EQ(result.placement, (Placement{scratch, scratch, registers, global_memory, registers}));
}

TEST(PlacementSearch, a_group_finds_what_pays_only_together) {
  auto const time = [](Placement const& p) {
    auto const out = std::count(p.begin(), p.end(), registers);
    return out == 0 ? 10. : out == 3 ? 1. : 20.;
  };
  EXPECT_EQ(search(own_arrays(3), PlacementSearch::greedy, time).seconds, 10.);
  EXPECT_EQ(search(own_arrays(3), PlacementSearch::grouped, time).seconds, 1.);
}

TEST(PlacementSearch, a_group_of_one_and_none) {
  Arrays const one{own("o", 1), {"s", 2, true, true}}, none{{"s", 2, true, true}, {"t", 3, true, true}};
  auto const time = [](Placement const&) { return 1.; };
  EXPECT_EQ(tried(search(one, PlacementSearch::grouped, time)), (Codes{"ss", "rs", "rg"}));
  EXPECT_EQ(tried(search(none, PlacementSearch::grouped, time)), (Codes{"ss", "sg", "gg"}));
}

TEST(PlacementSearch, a_group_that_does_not_fit_waits_for_the_others) {
  auto const fits   = [](Placement const& p) { return p[3] != scratch; };
  auto const result = search(mixed, PlacementSearch::grouped,
                             [&](Placement const& p) { return fits(p) ? std::optional(4.) : std::nullopt; });
  EXPECT_EQ(tried(result), (Codes{"sssss", "srrsr", "srrgr", "grrgr", "gsrgr", "grrgs"}));
  EXPECT_EQ(result.seconds, 4.);
  EXPECT_EQ(result.placement, (Placement{global_memory, registers, registers, global_memory, registers}));
}

TEST(PlacementSearch, exceptions_pass) {
  for (auto const how : all_searches) {
    int runs = 0;
    EXPECT_THROW(search(own_arrays(3), how,
                        [&](auto const&) {
                          if (++runs == 2) throw std::logic_error("broken");
                          return 1.;
                        }),
                 std::logic_error);
    EXPECT_EQ(runs, 2);
  }
}

TEST(PlacementSearch, resources_are_kept) {
  auto const result = search_placement(own_arrays(1), PlacementSearch::published, [](Placement const& p) {
    return PlacementMeasurement{1., {p[0] == scratch ? 16 : 40, 8, 4096, 0.5}, ""};
  });
  EXPECT_EQ(result.trials[0].measured.resources.registers, 16);
  EXPECT_EQ(result.trials[1].measured.resources.registers, 40);
  EXPECT_EQ(result.trials[1].measured.resources.occupancy, 0.5);
}

// ---- Random times ----

struct Expected {
  std::set<std::size_t> out;  // of scratch memory
  double time = 0;            // 0: none
  std::vector<std::set<std::size_t>> tried;
};

/// The rule, as one would say it: takes the array with the most accesses off a list until the list is empty.
template <class TimeOf>
Expected by_the_rule(Arrays const& arrays, bool stop, TimeOf const& time_of) {
  std::set<std::size_t> list, out;
  for (std::size_t a = 0; a < arrays.size(); ++a) list.insert(a);
  Expected expected{out, time_of(out), {out}};
  while (!list.empty()) {
    std::size_t top = *list.begin();
    for (auto const a : list)
      if (arrays[a].count > arrays[top].count) top = a;
    list.erase(top);
    auto with = expected.out;
    with.insert(top);
    expected.tried.push_back(with);
    double const before = expected.time, after = time_of(with);
    if (before == 0) expected.out = with, expected.time = after;
    if (before == 0 || after == 0) continue;
    if (after > before && stop) break;
    if (after <= before) expected.out = with, expected.time = after;
  }
  if (expected.time == 0) expected.out.clear();
  return expected;
}

TEST(PlacementSearch, random_times_against_the_rule) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    auto const draw     = [&](unsigned n) { return rng() % n; };
    std::size_t const k = draw(7);
    Arrays arrays;
    for (std::size_t a = 0; a < k; ++a) arrays.push_back({numbered(a), double(draw(4)), draw(2) == 0, draw(2) == 0});
    unsigned const bad = draw(3) * 5;  // of 20 placements
    std::vector<double> times;
    for (std::size_t p = 0; p < std::size_t(1) << k; ++p) times.push_back(draw(20) < bad ? 0 : 1 + draw(6));

    auto const time_of = [&](std::set<std::size_t> const& out) {
      std::size_t p = 0;
      for (auto const a : out) p |= std::size_t(1) << a;
      return times[p];
    };
    auto const out_of = [](Placement const& placement) {
      std::set<std::size_t> out;
      for (std::size_t a = 0; a < placement.size(); ++a)
        if (placement[a] != scratch) out.insert(a);
      return out;
    };
    Time const time = [&](Placement const& placement) {
      double const t = time_of(out_of(placement));
      return t > 0 ? std::optional(t) : std::nullopt;
    };

    for (auto const how : by_moves) {
      auto const expected = by_the_rule(arrays, how == PlacementSearch::published, time_of);
      auto const result   = search(arrays, how, time);
      EXPECT_EQ(out_of(result.placement), expected.out);
      EXPECT_EQ(result.seconds.value_or(0), expected.time);
      ASSERT_EQ(result.trials.size(), expected.tried.size());
      for (std::size_t t = 0; t < expected.tried.size(); ++t)
        EXPECT_EQ(out_of(result.trials[t].placement), expected.tried[t]);
      EXPECT_LE(result.trials.size(), k + 1);
    }

    double least = 0;
    for (double const t : times)
      if (t > 0 && (least == 0 || t < least)) least = t;
    EXPECT_EQ(search(arrays, PlacementSearch::exhaustive, time).seconds.value_or(0), least);

    for (auto const how : all_searches) {
      auto const result = search(arrays, how, time);
      ASSERT_EQ(result.placement.size(), k);
      EXPECT_LE(result.trials.size(), how == PlacementSearch::exhaustive ? std::size_t(1) << k : k + 1);
      if (result.trials[0].measured.seconds) {
        EXPECT_LE(*result.seconds, *result.trials[0].measured.seconds);
      }
      for (std::size_t a = 0; a < k; ++a)
        EXPECT_TRUE(result.placement[a] == scratch || result.placement[a] == promoted_place(arrays[a]));
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace Koalesce::Test
