// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TestSupport.hpp"
#include "TuningFolder.hpp"

#include <Koalesce/Placement.hpp>
#include <Koalesce/Tuning.hpp>

#include <filesystem>
#include <thread>

/// tune_placement() with kernels whose times are known.
namespace Koalesce::Test {
namespace {

template <class P>
class PlacementTuned : public ::testing::Test {
 protected:
  PlacementTuned() { forget_tuning(); }
};
TYPED_TEST_SUITE(PlacementTuned, DefaultPaths::types, PathNames);

// ---- A kernel whose arrays cost what the test says ----

template <class Array>
inline constexpr bool in_memory = false;
template <class Shape>
inline constexpr bool in_memory<Impl::ThreadElements<Shape>> = true;
template <class Shape>
inline constexpr bool in_memory<Impl::TeamElements<Shape>> = true;

/// Three arrays: two of threads, whose places show in their type, and one of the team.
template <class P>
struct Slow {
  using Exec = typename P::exec;
  using View = Kokkos::View<int*, typename Exec::memory_space>;

  /// Rounds that each place costs.
  struct Costs {
    int a_scratch = 0, a_registers = 0, b_scratch = 0, b_registers = 0;
  };

  Costs costs;
  View out;   // a league rank's result, the same in every place
  View seen;  // [0], [1]: where a and b lay; [2]: how often the kernel ran

  explicit Slow(Costs const& c) : costs(c), out("out", 64), seen("seen", 3) {}

  KOKKOS_FUNCTION static unsigned waste(int rounds) {
    unsigned x = 1;
    for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
    return x;
  }

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team, auto& a, auto& b,
                                  auto& c) const {
    constexpr bool a_in_memory = in_memory<std::remove_reference_t<decltype(a)>>;
    constexpr bool b_in_memory = in_memory<std::remove_reference_t<decltype(b)>>;
    int const r = team.team_rank(), l = team.league_rank();
    for (int k = 0; k < 4; ++k) a(r, k) = l + k;  // 8 + 1 accesses per thread
    b(r)       = a(r, 0) + a(r, 1) + a(r, 2) + a(r, 3);
    unsigned x = waste(a_in_memory ? costs.a_scratch : costs.a_registers);
    x += waste(b_in_memory ? costs.b_scratch : costs.b_registers);
    if (r == 0) {
      c()    = b(r) + (x == 12345u ? 1 : 0);
      out(l) = c();
    }
    if (r == 0 && l == 0) seen(0) = a_in_memory, seen(1) = b_in_memory, ++seen(2);
  }

  static auto arrays() { return OnChip(ThreadArray<int[4]>("a"), ThreadArray<int>("b"), TeamArray<int>("c")); }
  static auto policy(int league = 64) { return PlacementPolicy(Exec(), league, 1).with_backend(typename P::backend()); }

  TunedPlacement tune(PlacementTuning const& tuning, std::string const& label = "slow") const {
    return tune_placement(label, policy(), arrays(), *this, tuning);
  }
  void run(std::string const& label = "slow") const {
    parallel_placed(label, policy(), arrays(), *this);
    Kokkos::fence();
  }
  std::vector<int> places_seen() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen);
    return {host(0), host(1)};
  }
  int runs() const { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen)(2); }
};

/// Enough rounds to show beside a launch.
constexpr int slow = 200000;

PlacementTuning const unremembered = PlacementTuning().without_memory().with_search(PlacementSearch::greedy);

// ---- The search ----

/// Other work on the machine may disturb a measurement, but not five of them.
template <class Kernel>
TunedPlacement find(Kernel const& kernel, PlacementTuning const& tuning, std::vector<Place> const& expected) {
  TunedPlacement found;
  for (int i = 0; i < 5; ++i) {
    found = kernel.tune(tuning);
    if (found.placement[0] == expected[0] && found.placement[1] == expected[1]) return found;
  }
  ADD_FAILURE() << found.log;
  return found;
}

TYPED_TEST(PlacementTuned, keeps_what_is_faster_and_undoes_what_is_slower) {
  using S = Slow<TypeParam>;
  S const a_gains({slow, 0, 0, slow / 2}), b_gains({0, slow / 2, slow, 0});
  auto const first = find(a_gains, unremembered, {Place::registers, Place::scratch});
  EXPECT_LE(first.log.result.trials.size(), 4u);
  EXPECT_EQ(first.log.source, PlacementSource::measured);
  auto const second = find(b_gains, unremembered, {Place::scratch, Place::registers});
  EXPECT_EQ(second.log.result.trials[1].outcome, PlacementOutcome::undone) << second.log;
}

TYPED_TEST(PlacementTuned, leaves_everything_where_it_is_best) {
  Slow<TypeParam> const scratch_gains({0, slow / 2, 0, slow / 2});
  find(scratch_gains, unremembered, {Place::scratch, Place::scratch});
}

TYPED_TEST(PlacementTuned, the_published_search_stops_where_it_gets_slower) {
  Slow<TypeParam> const b_gains({0, slow / 2, slow, 0});
  auto const tuning = unremembered.with_search(PlacementSearch::published);
  auto const found  = find(b_gains, tuning, {Place::scratch, Place::scratch});
  EXPECT_EQ(found.log.result.trials.size(), 2u) << found.log;
}

TYPED_TEST(PlacementTuned, arrays_of_threads_move_together) {
  Slow<TypeParam> const a_gains({slow, 0, 0, slow / 2});
  auto const found = find(a_gains, PlacementTuning().without_memory(), {Place::registers, Place::scratch});
  EXPECT_EQ(found.log.result.trials.size(), 4u);
  EXPECT_EQ(found.log.result.trials[1].placement, (Placement{Place::registers, Place::registers, Place::scratch}));
}

TYPED_TEST(PlacementTuned, an_exhaustive_search_tries_everything) {
  Slow<TypeParam> const b_gains({0, slow / 2, slow, 0});
  auto const tuning = unremembered.with_search(PlacementSearch::exhaustive);
  auto const found  = find(b_gains, tuning, {Place::scratch, Place::registers});
  EXPECT_EQ(found.log.result.trials.size(), 8u);
}

TYPED_TEST(PlacementTuned, arrays_are_counted_and_tried_in_that_order) {
  Slow<TypeParam> const kernel({});
  auto const log = kernel.tune(unremembered).log;
  ASSERT_EQ(log.arrays.size(), 3u);
  EXPECT_TRUE(log.counted);
  EXPECT_EQ(log.arrays[0].count, 8);
  EXPECT_EQ(log.arrays[1].count, 2);
  EXPECT_EQ(log.arrays[2].count, 2);
  ASSERT_EQ(log.result.trials.size(), 4u);
  for (std::size_t t = 1; t < 4; ++t) EXPECT_EQ(log.result.trials[t].array, t - 1);
}

TYPED_TEST(PlacementTuned, stated_accesses_are_not_counted) {
  using P = TypeParam;
  Slow<P> const kernel({});
  auto const few = AccessEstimate().access(), many = AccessEstimate().in_loop(100);
  OnChip const arrays(ThreadArray<int[4]>("a").accesses(few), ThreadArray<int>("b").accesses(many),
                      TeamArray<int>("c").accesses(few));
  KernelRecorder const recorder;
  auto const log = tune_placement("slow", kernel.policy(), arrays, kernel, unremembered).log;
  for (auto const& run : recorder.kernels) EXPECT_EQ(run.name.find("[count]"), std::string::npos);
  EXPECT_FALSE(log.counted);
  EXPECT_EQ(log.arrays[1].count, 100);
  EXPECT_EQ(log.result.trials[1].array, 1u);
}

TYPED_TEST(PlacementTuned, runs_on_the_given_instance) {
  using P = TypeParam;
  Slow<P> const kernel({});
  KernelRecorder const recorder;
  kernel.tune(unremembered);
  ASSERT_GT(recorder.kernels.size(), 4u);
  auto const device = Kokkos::Tools::Experimental::device_id(typename P::exec());
  for (auto const& run : recorder.kernels) {
    if (run.name.find("slow") == std::string::npos) continue;
    EXPECT_EQ(run.device, device) << run.name;
    EXPECT_EQ(run.name.rfind(std::string("Koalesce::") + P::backend::name + "::slow", 0), 0u) << run.name;
  }
}

TYPED_TEST(PlacementTuned, a_league_without_teams_is_not_measured) {
  using P = TypeParam;
  Slow<P> const kernel({});
  auto const found = tune_placement("slow", kernel.policy(0), kernel.arrays(), kernel, unremembered);
  EXPECT_EQ(found.placement, Placement(3));
  EXPECT_TRUE(found.log.result.trials.empty());
  EXPECT_EQ(found.log.notes.size(), 1u);
  EXPECT_EQ(kernel.runs(), 0);
}

// ---- What does not fit ----

/// An array of as many bytes as the test says.
template <class P>
struct Large {
  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<typename P::exec>::member_type const&,
                                  auto& array) const {
    array(0) = 1;
  }

  static TunedPlacement tune(std::int64_t elements) {
    auto const policy = PlacementPolicy(typename P::exec(), 3, 1).with_backend(typename P::backend());
    OnChip const arrays(TeamArray<double*>("large", elements));
    return tune_placement("large", policy, arrays, Large(), unremembered);
  }

  static std::int64_t most(int level) {
    return Kokkos::TeamPolicy<typename P::exec>(1, 1).scratch_size_max(level) / std::int64_t(sizeof(double));
  }
};

TYPED_TEST(PlacementTuned, what_scratch_memory_cannot_hold_goes_elsewhere) {
  using L          = Large<TypeParam>;
  auto const found = L::tune(L::most(0) + 1);
  EXPECT_EQ(found.placement, Placement{Place::global_memory}) << found.log;
  EXPECT_EQ(found.log.result.trials.front().outcome, PlacementOutcome::impossible);
  EXPECT_NE(found.log.result.trials.front().measured.why.find("of scratch memory"), std::string::npos);
}

TYPED_TEST(PlacementTuned, what_fits_nowhere_is_an_error) {
  using L = Large<TypeParam>;
  EXPECT_THROW(L::tune(L::most(1) + 1), Error);
}

// ---- Repeating and checking ----

/// Adds to what it reads; in registers it may add something else.
template <class P>
struct Adds {
  using View = Kokkos::View<double*, typename P::exec::memory_space>;

  View values;
  double wrong;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<typename P::exec>::member_type const& team,
                                  auto& a) const {
    bool const local           = !in_memory<std::remove_reference_t<decltype(a)>>;
    a(0)                       = values(team.league_rank());
    values(team.league_rank()) = a(0) + 1 + (local ? wrong : 0);
  }

  TunedPlacement tune(PlacementTuning const& tuning) const {
    auto const policy =
        PlacementPolicy(typename P::exec(), int(values.extent(0)), 1).with_backend(typename P::backend());
    return tune_placement("adds", policy, OnChip(ThreadArray<double>("a")), *this, tuning.without_memory());
  }
};

TYPED_TEST(PlacementTuned, a_reset_makes_a_kernel_repeatable) {
  Adds<TypeParam> const kernel{typename Adds<TypeParam>::View("values", 9), 0};
  int resets       = 0;
  auto const reset = [&] { Kokkos::deep_copy(kernel.values, 3.0), ++resets; };
  auto const log   = kernel.tune(PlacementTuning().with_reset(reset).with_check(kernel.values)).log;
  EXPECT_EQ(log.result.trials.size(), 2u);
  EXPECT_EQ(resets, 4);  // before the counts, before each trial, after the last one
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.values)(8), 3.0);
}

TYPED_TEST(PlacementTuned, results_that_differ_are_an_error) {
  Adds<TypeParam> const kernel{typename Adds<TypeParam>::View("values", 9), 0.25};
  auto const tuning = PlacementTuning().with_reset([&] { Kokkos::deep_copy(kernel.values, 3.0); });
  try {
    kernel.tune(tuning.with_check(kernel.values));
    FAIL() << "the results of the trials differ";
  } catch (Error const& e) {
    std::string const text = e.what();
    for (std::string const phrase :
         {"tune_placement(\"adds\"): ", "View \"values\" differs at element 0", "a: registers"})
      EXPECT_NE(text.find(phrase), std::string::npos) << text;
  }
  EXPECT_NO_THROW(kernel.tune(tuning.with_check(kernel.values, 0.1)));
  EXPECT_NO_THROW(kernel.tune(tuning));
}

/// Whatever a search ends with.
TYPED_TEST(PlacementTuned, a_search_that_fails_resets_the_data) {
  Adds<TypeParam> const kernel{typename Adds<TypeParam>::View("values", 9), 0.25};
  auto const tuning =
      PlacementTuning().with_reset([&] { Kokkos::deep_copy(kernel.values, 3.0); }).with_check(kernel.values);
  EXPECT_THROW(kernel.tune(tuning), Error);
  Kokkos::fence();
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.values)(8), 3.0);
}

TEST(PlacementTuning, a_view_with_gaps_cannot_be_checked) {
  Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> const view("view", 4, 4);
  EXPECT_THROW(PlacementTuning().with_check(Kokkos::subview(view, Kokkos::ALL, std::pair(1, 3))), Error);
}

// ---- Remembering ----

TYPED_TEST(PlacementTuned, the_winner_is_remembered_in_a_file) {
  TuningFolder const folder;
  EXPECT_EQ(tuning_file(), folder.file());
  Slow<TypeParam> const kernel({slow, 0, 0, slow / 2});
  auto const found = kernel.tune({});
  EXPECT_TRUE(found.log.notes.empty()) << found.log;
  EXPECT_TRUE(std::filesystem::exists(folder.file()));
  forget_tuning();  // as another process knows nothing but the file
  int const before = kernel.runs();
  auto const known = kernel.tune({});
  EXPECT_EQ(kernel.runs(), before);
  EXPECT_EQ(known.log.source, PlacementSource::remembered);
  EXPECT_TRUE(known.log.result.trials.empty());
  EXPECT_EQ(known.placement, found.placement);
  EXPECT_EQ(known.log.result.seconds, found.log.result.seconds);
}

TYPED_TEST(PlacementTuned, what_is_remembered_runs) {
  TuningFolder const folder;
  Slow<TypeParam> const kernel({slow, 0, slow, 0});
  kernel.run();
  EXPECT_EQ(kernel.places_seen(), (std::vector{1, 1})) << "nothing is known yet";
  auto const found = kernel.tune({}).placement;
  std::vector const places{int(found[0] == Place::scratch), int(found[1] == Place::scratch)};
  EXPECT_NE(places, (std::vector{1, 1}));
  for (int i = 0; i < 2; ++i, forget_tuning()) {
    kernel.run("other");
    EXPECT_EQ(kernel.places_seen(), (std::vector{1, 1}));
    kernel.run();
    EXPECT_EQ(kernel.places_seen(), places);
  }
}

/// Calls that take turns, so that what is known of one must not be taken for another's.
TYPED_TEST(PlacementTuned, calls_that_take_turns_run_what_is_known_of_each) {
  using P = TypeParam;
  TuningFolder const folder;
  Slow<P> const kernel({});
  auto const arrays = kernel.arrays();
  auto const choose = [&](std::string const& label, int league, std::string const& places) {
    auto const policy = kernel.policy(league);
    Impl::PlacementCall<typename P::backend, std::decay_t<decltype(policy)>, Slow<P>, ThreadArray<int[4]>,
                        ThreadArray<int>, TeamArray<int>> const call("f", label, policy, arrays, kernel);
    EXPECT_EQ(Impl::TuningMemory::instance().put(call.key(), {places, 1}), "");
    Impl::TuningRegistry::instance().forget(call.key());
  };
  for (int league = 1; league < 12; ++league) choose("slow", league, "sss");
  choose("other", 7, "sss");
  auto const a_in_memory = [&](std::string const& label, int league) {
    parallel_placed(label, kernel.policy(league), arrays, kernel);
    Kokkos::fence();
    return kernel.places_seen()[0];
  };
  for (int round = 0; round < 3; ++round) {
    for (int league = 1; league < 12; ++league)
      EXPECT_EQ(a_in_memory("slow", league), round == 0 || league < 4 || league > 7)
          << "round " << round << ", " << league;
    EXPECT_EQ(a_in_memory("other", 7), round < 2);
    if (round == 0) choose("slow", 7, "rss");
    if (round == 1) choose("other", 7, "rss");
  }
}

TYPED_TEST(PlacementTuned, what_another_thread_finds_runs) {
  TuningFolder const folder;
  Slow<TypeParam> const kernel({slow, 0, slow, 0});
  kernel.run();
  EXPECT_EQ(kernel.places_seen(), (std::vector{1, 1}));
  std::vector<int> places;
  std::thread([&] {
    auto const found = kernel.tune({}).placement;
    places           = {int(found[0] == Place::scratch), int(found[1] == Place::scratch)};
  }).join();
  EXPECT_NE(places, (std::vector{1, 1}));
  kernel.run();
  EXPECT_EQ(kernel.places_seen(), places);
}

TYPED_TEST(PlacementTuned, other_sizes_labels_and_arrays_are_measured) {
  using P = TypeParam;
  TuningFolder const folder;
  Slow<P> const kernel({});
  kernel.tune({});
  auto const source = [&](auto const& label, auto const& policy, auto const& arrays) {
    return tune_placement(label, policy, arrays, kernel).log.source;
  };
  using enum PlacementSource;
  EXPECT_EQ(source("slow", kernel.policy(), kernel.arrays()), remembered);
  EXPECT_EQ(source("other", kernel.policy(), kernel.arrays()), measured);
  EXPECT_EQ(source("slow", kernel.policy(63), kernel.arrays()), measured);
  OnChip const others(ThreadArray<int[4]>("a"), ThreadArray<int>("b"), TeamArray<int>("d"));
  EXPECT_EQ(source("slow", kernel.policy(), others), measured);
  EXPECT_EQ(source("slow", kernel.policy(), kernel.arrays()), remembered);
}

TYPED_TEST(PlacementTuned, without_memory_everything_is_measured) {
  TuningFolder const folder;
  Slow<TypeParam> const kernel({});
  EXPECT_EQ(kernel.tune({}).log.source, PlacementSource::measured);
  EXPECT_EQ(kernel.tune({}).log.source, PlacementSource::remembered);
  EXPECT_EQ(kernel.tune(PlacementTuning().without_memory()).log.source, PlacementSource::measured);
}

TYPED_TEST(PlacementTuned, where_nothing_can_be_remembered_the_log_says_so) {
  TuningFolder const folder;
  set_tuning_file("");
  Slow<TypeParam> const kernel({});
  auto const log = kernel.tune({}).log;
  ASSERT_EQ(log.notes.size(), 1u);
  EXPECT_NE(log.notes[0].find("KOALESCE_TUNING_FILE"), std::string::npos) << log.notes[0];
  EXPECT_EQ(kernel.tune({}).log.source, PlacementSource::remembered) << "by this process";
}

TYPED_TEST(PlacementTuned, a_placement_for_other_arrays_in_the_file_is_not_taken) {
  using P = TypeParam;
  TuningFolder const folder;
  Slow<P> const kernel({});
  auto const policy = kernel.policy();
  auto const arrays = kernel.arrays();
  std::string const label("slow");
  Impl::PlacementCall<typename P::backend, std::decay_t<decltype(policy)>, Slow<P>, ThreadArray<int[4]>,
                      ThreadArray<int>, TeamArray<int>> const call("f", label, policy, arrays, kernel);
  for (std::string const bad : {"", "ss", "ssss", "ssr", "sts", "scratch", "S S"}) {
    forget_tuning();
    EXPECT_EQ(Impl::TuningFile(folder.file()).append(call.key(), {bad, 1}), "");
    kernel.run();
    EXPECT_EQ(kernel.tune({}).log.source, PlacementSource::measured) << bad;
  }
}

// ---- Calls that find out by themselves ----

/// Calls until the label's choice is made, and returns it.
template <class Kernel>
TuningDecision decide(Kernel const& kernel, std::string const& label) {
  for (int call = 0; call < 100; ++call) {
    kernel.run(label);
    auto const all = tuning_decisions(label);
    if (all.size() == 1 && all[0].decided) return all[0];
  }
  ADD_FAILURE() << "nothing was decided";
  return {};
}

TYPED_TEST(PlacementTuned, calls_without_a_placement_find_the_fastest) {
  TuningFolder const folder;
  Slow<TypeParam> const kernel({slow, 0, slow, 0});
  kernel.run("calls");
  EXPECT_EQ(kernel.places_seen(), (std::vector{1, 1})) << "nothing is known yet";
  auto const decision = decide(kernel, "calls");
  EXPECT_EQ(decision.pattern, "placement");
  EXPECT_EQ(decision.choice.substr(0, 2), "rr") << decision;
  EXPECT_EQ(decision.trials.size(), 6u) << decision;  // none, three alone, those of threads, all
  int const before = kernel.runs();
  kernel.run("calls");
  EXPECT_EQ(kernel.runs(), before + 1) << "a call runs the kernel once";
  EXPECT_EQ(kernel.places_seen(), (std::vector{0, 0}));
  forget_tuning();  // as another process knows nothing but the file
  kernel.run("calls");
  EXPECT_EQ(kernel.places_seen(), (std::vector{0, 0}));
  EXPECT_TRUE(tuning_decisions("calls").at(0).remembered);
  EXPECT_EQ(kernel.tune({}, "calls").log.source, PlacementSource::remembered);
}

TYPED_TEST(PlacementTuned, extents_alone_mean_scratch_memory) {
  TuningFolder const folder;
  Slow<TypeParam> const kernel({slow, 0, slow, 0});
  EXPECT_EQ(kernel.tune({}).log.source, PlacementSource::measured);
  {
    TuningModeScope const scope(TuningMode::by_extents);
    for (int call = 0; call < 30; ++call) {
      kernel.run();
      EXPECT_EQ(kernel.places_seen(), (std::vector{1, 1}));
    }
    int const before = kernel.runs();
    EXPECT_EQ(kernel.tune({}).placement, Placement(3));
    EXPECT_EQ(kernel.runs(), before) << "nothing is measured";
  }
  kernel.run();
  EXPECT_NE(kernel.places_seen(), (std::vector{1, 1}));
}

}  // namespace
}  // namespace Koalesce::Test
