// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TestSupport.hpp"

#include <Koalesce/Placement.hpp>
#include <Koalesce/Tuning.hpp>

#include <functional>
#include <limits>

/// What a placed kernel is refused for before anything runs.
namespace Koalesce::Test {

/// Tells that it ran.
template <class Exec>
struct RaiseFlag {
  using View = Kokkos::View<int, typename Exec::memory_space>;

  View flag = View("flag");

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const&, auto&...) const {
    Kokkos::atomic_store(&flag(), 1);  // All teams do.
  }
};

namespace {

/// Core checks and launches placed kernels, for every backend alike.
template <class P>
class PlacementErrors : public ::testing::Test {};
TYPED_TEST_SUITE(PlacementErrors, NativePath::types, PathNames);

/// Expects an Error that begins with `function("p"): ` and has the phrases for problem, why and what to do in order.
void expect_text(std::string const& function, Strings const& phrases, std::function<void()> const& call) {
  expect_error({"Koalesce::" + function + "(\"p\"): "}, call);
  try {
    call();
  } catch (Error const& e) {
    std::string const text = e.what();
    EXPECT_EQ(text.rfind("Koalesce::" + function + "(\"p\"): ", 0), 0u) << text;
    std::size_t from = 0;
    for (auto const& phrase : phrases) {
      auto const at = text.find(phrase, from);
      ASSERT_NE(at, text.npos) << "\"" << phrase << "\" is not where it belongs in\n" << text;
      from = at + phrase.size();
    }
  }
}

template <class P, class Policy, class Arrays, class Places>
void expect_refusal(Policy const& policy, Arrays const& arrays, Places const& places, Strings const& phrases) {
  RaiseFlag<typename P::exec> const kernel;
  expect_text("parallel_placed", phrases, [&] { parallel_placed("p", policy, arrays, places, kernel); });
  policy.space().fence();
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.flag)(), 0);
}

template <class P>
auto some_teams(std::int64_t league = 3, int threads = 1) {
  return PlacementPolicy(typename P::exec(), league, threads).with_backend(typename P::backend());
}

template <class Array>
inline constexpr Place in_scratch = Place::scratch;

/// Bad declarations, for a kernel that is compiled once.
template <class P, class... Arrays>
void expect_refused_arrays(OnChip<Arrays...> const& arrays, Strings const& phrases) {
  expect_refusal<P>(some_teams<P>(), arrays, FixedPlacement<in_scratch<Arrays>...>(), phrases);
}

// ---- Teams ----

TYPED_TEST(PlacementErrors, league_sizes) {
  OnChip const arrays(TeamArray<int>("a"));
  std::int64_t const most = std::int64_t(1) << 30;
  for (std::int64_t const league :
       {std::int64_t(-1), most + 1, 2 * most - 1, 2 * most, 4 * most, std::numeric_limits<std::int64_t>::min()})
    expect_refusal<TypeParam>(some_teams<TypeParam>(league), arrays, Placement(1),
                              {"the league has " + std::to_string(league) + " teams; ",
                               "Kokkos counts on from the last team in an int; ", "give 0 to 1073741824"});
}

TYPED_TEST(PlacementErrors, team_sizes_below_one) {
  OnChip const arrays(TeamArray<int>("a"));
  for (int const threads : {0, -1, std::numeric_limits<int>::min()})
    expect_refusal<TypeParam>(
        some_teams<TypeParam>(3, threads), arrays, Placement(1),
        {"the teams have " + std::to_string(threads) + " threads; ", "a team needs at least one", "; give 1 or more"});
}

TYPED_TEST(PlacementErrors, team_sizes_beyond_the_device) {
  OnChip const arrays(TeamArray<int>("a"));
  for (int const threads : {100000, std::numeric_limits<int>::max()})
    for (Place const place : {Place::scratch, Place::global_memory})
      expect_refusal<TypeParam>(
          some_teams<TypeParam>(3, threads), arrays, Placement(1, place),
          {"the placement does not fit (a: TeamArray of 4 bytes ): ",
           "a team has " + std::to_string(threads) + " threads, but at most ",
           Backend::on_host<typename TypeParam::exec> ? " of this execution space's threads form one"
                                                      : " fit with this kernel's registers and memory",
           "; use fewer threads per team, or another placement"});
}

// ---- Arrays ----

TYPED_TEST(PlacementErrors, arrays_without_a_name) {
  Strings const why{"has no name; ", "logs and the tuning file identify arrays by name; ", "give it a name"};
  OnChip const first(TeamArray<int>(""));
  OnChip const second(TeamArray<int>("a"), ThreadArray<int[2]>(""));
  expect_refused_arrays<TypeParam>(first, {"array 0 ", why[0], why[1], why[2]});
  expect_refused_arrays<TypeParam>(second, {"array 1 ", why[0], why[1], why[2]});
}

TYPED_TEST(PlacementErrors, two_arrays_of_one_name) {
  OnChip const arrays(TeamArray<int>("a"), ThreadArray<int*>("b", 2), ThreadArray<char>("a"));
  expect_refused_arrays<TypeParam>(arrays, {"two arrays are called \"a\"; ",
                                            "logs and the tuning file identify arrays by name; ", "give each its own"});
}

template <class P, class Array>
void expect_bad_extents(Array const& array, std::string const& extents, std::string const& why = "too many elements") {
  expect_refused_arrays<P>(OnChip(TeamArray<int>("good"), array),
                           {"array \"bad\" has " + why + " (", "bad: ", extents, "; ", "arrays on chip are small; ",
                            "give extents whose product is below 2^25"});
}

TYPED_TEST(PlacementErrors, extents_below_zero) {
  std::string const why = "a negative extent";
  expect_bad_extents<TypeParam>(TeamArray<char*>("bad", -1), "TeamArray of 1 bytes [-1] at run time", why);
  expect_bad_extents<TypeParam>(ThreadArray<char** [3]>("bad", 0, -7), "ThreadArray of 1 bytes [0][-7][3] at run time",
                                why);
  expect_bad_extents<TypeParam>(TeamArray<char**>("bad", -7, -7), "[-7][-7]", why);
}

/// What is no int shows as the closest one.
TYPED_TEST(PlacementErrors, extents_that_are_no_int) {
  auto const most = std::int64_t(std::numeric_limits<int>::max());
  expect_bad_extents<TypeParam>(TeamArray<char*>("bad", most + 1), "[2147483647 or more]");
  expect_bad_extents<TypeParam>(TeamArray<char*>("bad", std::int64_t(1) << 32), "[2147483647 or more]");
  expect_bad_extents<TypeParam>(TeamArray<char * [1 << 13]>("bad", ~std::size_t(0)), "[2147483647 or more][8192]");
  expect_bad_extents<TypeParam>(TeamArray<char*>("bad", std::numeric_limits<std::int64_t>::min()),
                                "[-2147483648 or less]", "a negative extent");
}

TYPED_TEST(PlacementErrors, too_many_elements) {
  expect_bad_extents<TypeParam>(TeamArray<char*>("bad", 1 << 25), "[33554432]");
  expect_bad_extents<TypeParam>(TeamArray<char*>("bad", std::numeric_limits<int>::max()), "[2147483647 or more]");
  expect_bad_extents<TypeParam>(TeamArray<char**>("bad", 1 << 16, 1 << 16), "[65536][65536]");
  expect_bad_extents<TypeParam>(TeamArray<char****>("bad", 1 << 16, 1 << 16, 1 << 16, 1 << 16), "[65536][65536]");
  expect_bad_extents<TypeParam>(TeamArray<char * [1 << 13]>("bad", 1 << 12), "[4096][8192]");
  expect_bad_extents<TypeParam>(TeamArray<char[1 << 25]>("bad"), "TeamArray of 1 bytes [33554432]");
}

/// Whatever is asked of the kernel.
TYPED_TEST(PlacementErrors, of_every_function) {
  RaiseFlag<typename TypeParam::exec> const kernel;
  OnChip const arrays(TeamArray<int*>("a", -1));
  auto const policy = some_teams<TypeParam>();
  auto const tuning = PlacementTuning().without_memory();
  Strings const phrases{"array \"a\" has a negative extent"};
  expect_text("parallel_placed", phrases, [&] { parallel_placed("p", policy, arrays, kernel); });
  expect_text("count_accesses", phrases, [&] { count_accesses("p", policy, arrays, kernel); });
  expect_text("tune_placement", phrases, [&] { tune_placement("p", policy, arrays, kernel, tuning); });
}

// ---- Placements ----

TYPED_TEST(PlacementErrors, placements_for_other_arrays) {
  OnChip const arrays(TeamArray<int>("a"), ThreadArray<int>("b"), ThreadArray<int*>("c", 2));
  for (std::size_t const size : {0, 2, 4})
    expect_refusal<TypeParam>(some_teams<TypeParam>(), arrays, Placement(size),
                              {"the placement is for " + std::to_string(size) + " arrays, but the kernel has 3; ",
                               "a placement has one place per array; ", "give one that was made for this kernel"});
}

TYPED_TEST(PlacementErrors, impossible_places) {
  OnChip const arrays(TeamArray<int>("team"), ThreadArray<int>("own"), ThreadArray<int*>("stack", 2));
  auto const expect_impossible = [&](std::size_t array, Place place, std::string const& name,
                                     std::string const& sound) {
    Placement places(3);
    places[array] = place;
    expect_refusal<TypeParam>(
        some_teams<TypeParam>(), arrays, places,
        {"array \"" + name + "\" cannot lie in " + to_string(place) + " by a placement chosen at run",
         "; the kernel is compiled only for scratch memory and " + sound, "; use one of these, or a FixedPlacement"});
  };
  expect_impossible(0, Place::registers, "team", "global memory");
  expect_impossible(0, Place::thread_memory, "team", "global memory");
  expect_impossible(1, Place::thread_memory, "own", "registers");
  expect_impossible(1, Place::global_memory, "own", "registers");
  expect_impossible(2, Place::registers, "stack", "thread memory");
  expect_impossible(2, Place::global_memory, "stack", "thread memory");
}

/// More than 80 MiB, the most that Kokkos gives a team, or than 1 MiB on chip.
TYPED_TEST(PlacementErrors, too_little_memory) {
  Strings const todo{", but there are ", "; use fewer threads per team, or another placement"};
  auto const refused = [&](auto const& arrays, auto const& places, std::string const& text, std::string const& need) {
    expect_refusal<TypeParam>(some_teams<TypeParam>(), arrays, places,
                              {"the placement does not fit (" + text, "): a team needs " + need, todo[0], todo[1]});
  };
  OnChip const large(TeamArray<double*>("a", 1000000)), larger(TeamArray<double*>("a", 12000000));
  refused(large, Placement(1), "a: TeamArray of 8 bytes [1000000] at run time", "8000016 bytes of scratch memory");
  refused(large, FixedPlacement<Place::scratch>(), "a: TeamArray", "8000016 bytes of scratch memory");
  refused(larger, promoted_placement(larger), "a: TeamArray of 8 bytes [12000000] at run time",
          "96000016 bytes of global memory");
  OnChip const two(TeamArray<char[3000001]>("a"), ThreadArray<char[2][3]>("b"));
  refused(two, FixedPlacement<Place::scratch, Place::scratch>(),
          "a: TeamArray of 1 bytes [3000001]; b: ThreadArray of 1 bytes [2][3]", "3000048 bytes");
}

/// Bytes beyond an int, too.
TYPED_TEST(PlacementErrors, memory_beyond_an_int) {
  OnChip const arrays(ThreadArray<Vec3<double>*>("a", (1 << 25) - 1), ThreadArray<Vec3<double>***>("b", 32, 32, 32766),
                      ThreadArray<Vec3<double>*>("c", (1 << 25) - 1));
  auto const refused = [&](auto const& places) {
    expect_refusal<TypeParam>(
        some_teams<TypeParam>(), arrays, places,
        {"the placement does not fit (a: ", "a team needs 2415869936 bytes", "; use fewer threads"});
  };
  refused(FixedPlacement<Place::scratch, Place::scratch, Place::scratch>());
  refused(FixedPlacement<Place::thread_memory, Place::thread_memory, Place::thread_memory>());
}

/// A call that ran says nothing of one that differs from it in one thing alone.
TYPED_TEST(PlacementErrors, after_a_call_that_ran) {
  using Exec = typename TypeParam::exec;
  RaiseFlag<Exec> const kernel;
  auto const run = [&](auto const& policy, auto const& arrays, auto const&... places) {
    parallel_placed("p", policy, arrays, places..., kernel);
  };
  auto const few = [](std::string const& name, std::int64_t length) {
    return OnChip(TeamArray<double*>(name, length), ThreadArray<int>("b"));
  };
  for (int i = 0; i < 2; ++i) {
    run(some_teams<TypeParam>(), few("a", 5), Placement(2));
    run(some_teams<TypeParam>(), few("a", 5));
  }
  Kokkos::fence();
  Kokkos::deep_copy(kernel.flag, 0);
  auto const refused = [&](Strings const& phrases, auto const&... arguments) {
    expect_text("parallel_placed", phrases, [&] { run(arguments...); });
  };
  auto const all_refused = [&](Strings const& phrases, auto const&... arguments) {
    refused(phrases, arguments...);
    refused(phrases, arguments..., Placement(2));
  };
  all_refused({"the league has -1 teams"}, some_teams<TypeParam>(-1), few("a", 5));
  all_refused({"the teams have 0 threads"}, some_teams<TypeParam>(3, 0), few("a", 5));
  refused({"the placement does not fit"}, some_teams<TypeParam>(3, 100000), few("a", 5), Placement(2));
  refused({"no placement could run"}, some_teams<TypeParam>(3, 100000), few("a", 5));
  all_refused({"two arrays are called \"b\""}, some_teams<TypeParam>(), few("b", 5));
  all_refused({"array \"a\" has a negative extent"}, some_teams<TypeParam>(), few("a", -5));
  refused({"a team needs 8000032 bytes"}, some_teams<TypeParam>(), few("a", 1000000), Placement(2));
  refused({"the placement is for 3 arrays"}, some_teams<TypeParam>(), few("a", 5), Placement(3));
  refused({"\"a\" cannot lie in registers"}, some_teams<TypeParam>(), few("a", 5),
          Placement{Place::registers, Place::scratch});
  Kokkos::fence();
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.flag)(), 0);
}

/// The other placement of the same arrays runs.
TYPED_TEST(PlacementErrors, what_is_refused_runs_elsewhere) {
  OnChip const arrays(TeamArray<double*>("a", 1000000));
  RaiseFlag<typename TypeParam::exec> const kernel;
  parallel_placed("p", some_teams<TypeParam>(), arrays, promoted_placement(arrays), kernel);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.flag)(), 1);
}

/// The file may be of a kernel that needed less.
TYPED_TEST(PlacementErrors, what_is_remembered_and_does_not_fit_is_not_taken) {
  using Exec = typename TypeParam::exec;
  using Tag  = typename TypeParam::backend;
  OnChip const arrays(TeamArray<double*>("a", 1000000), ThreadArray<int>("b"));
  RaiseFlag<Exec> const kernel;
  auto const policy = some_teams<TypeParam>();
  std::string const label("forgets");
  Impl::PlacementCall<Tag, std::decay_t<decltype(policy)>, RaiseFlag<Exec>, TeamArray<double*>, ThreadArray<int>> const
      call("f", label, policy, arrays, kernel);
  forget_tuning();
  for (std::string const places : {"sr", "ss"}) {
    (void)Impl::TuningMemory::instance().put(call.key(), {places, 1});
    Impl::TuningRegistry::instance().forget(call.key());
    EXPECT_NO_THROW(parallel_placed(label, policy, arrays, kernel)) << places;
    EXPECT_EQ(tune_placement(label, policy, arrays, kernel).log.source, PlacementSource::measured) << places;
  }
  forget_tuning();
}

/// No teams are as many as any.
TYPED_TEST(PlacementErrors, what_does_not_fit_refuses_no_empty_league) {
  OnChip const arrays(TeamArray<double*>("a", 1000000), ThreadArray<int>("b"));
  auto const none = some_teams<TypeParam>(0);
  RaiseFlag<typename TypeParam::exec> const kernel;
  EXPECT_NO_THROW(parallel_placed("empty", none, arrays, kernel));
  auto const found = tune_placement("empty", none, arrays, kernel, PlacementTuning().without_memory());
  EXPECT_EQ(found.placement, (Placement{Place::global_memory, Place::scratch}));
  EXPECT_NO_THROW(parallel_placed("empty", none, arrays, found.placement, kernel));
  none.space().fence();
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.flag)(), 0);
}

/// Where nothing is measured, too: no teams, or by extents.
TYPED_TEST(PlacementErrors, what_fits_nowhere) {
  OnChip const arrays(TeamArray<double*>("a", 12000000).accesses(AccessEstimate()));
  RaiseFlag<typename TypeParam::exec> const kernel;
  Strings const phrases{
      "no placement could run (a: TeamArray of 8 bytes [12000000] at run time): a team needs 96000016 bytes",
      "; use fewer threads per team, or smaller arrays"};
  auto const refused = [&](std::int64_t league) {
    if (league > 0)
      expect_text("parallel_placed", phrases,
                  [&] { parallel_placed("p", some_teams<TypeParam>(league), arrays, kernel); });
    expect_text("tune_placement", phrases, [&] {
      (void)tune_placement("p", some_teams<TypeParam>(league), arrays, kernel, PlacementTuning().without_memory());
    });
  };
  refused(3);
  refused(0);
  TuningModeScope const scope(TuningMode::by_extents);
  refused(3);
}

/// Without a placement, those that do not fit are not tried.
TYPED_TEST(PlacementErrors, what_does_not_fit_is_not_tried) {
  using Exec = typename TypeParam::exec;
  for (TuningMode const mode : {TuningMode::by_time, TuningMode::by_extents}) {
    TuningModeScope const scope(mode);
    RaiseFlag<Exec> const kernel;
    OnChip const arrays(TeamArray<double*>("a", 1000000), ThreadArray<int>("b"));
    for (int call = 0; call < 20; ++call) {
      Kokkos::deep_copy(kernel.flag, 0);
      parallel_placed("p", some_teams<TypeParam>(), arrays, kernel);
      Kokkos::fence();
      EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.flag)(), 1);
    }
  }
}

}  // namespace
}  // namespace Koalesce::Test
