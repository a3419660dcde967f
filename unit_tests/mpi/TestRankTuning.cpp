// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RankSupport.hpp"

#include <Koalesce/Tuning.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

/// Choices that all processes make alike.
namespace Koalesce::Test {
namespace {

/// Calls of one label: candidates that take so many milliseconds in this process. Returns what ran last.
struct TimedCandidates {
  Impl::RankTuning tuning;
  std::string last{};

  TimedCandidates(Domain<1> const& domain, std::string const& label)
      : tuning(*domain.state(), {"distributed", label, "kernel", "extents", {"device", "software"}}) {}

  void call(std::string const& role, std::vector<std::string> const& candidates, std::vector<int> const& milliseconds) {
    Impl::TuningGroup::Scope const scope(&tuning, role);
    Impl::TuningGroup::current()->run(Kokkos::DefaultHostExecutionSpace(), 1, candidates, 0, [&](std::size_t i) {
      last = candidates[i];
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds[i]));
    });
  }
};

TEST(RankTuning, the_slowest_process_decides) {
  Domain const domain(MPI_COMM_WORLD, {8}, {.time_limit = 40});
  int const rank = domain.coordinates()[0], size = domain.ranks()[0];
  TimedCandidates calls(domain, "slowest");
  for (int i = 0; i < 60; ++i) {
    calls.tuning.begin();
    // Fast on the first process alone, or on one process more.
    calls.call("all", {"a", "b", "c"}, rank == 0 ? std::vector{1, 6, 9} : std::vector{16, 6, 9});
    if (rank == 0) calls.call("one", {"a", "b"}, {5, 1});
    // The last process has no "b", so it is not compared.
    if (rank == size - 1 && size > 1) calls.call("some", {"a", "c"}, {4, 9});
    else calls.call("some", {"a", "b", "c"}, {4, 1, 9});
  }
  EXPECT_EQ(calls.tuning.comparisons(), 2);
  std::vector<std::string> chosen;
  for (auto const& decision : calls.tuning.decisions()) chosen.push_back(decision.choice);
  EXPECT_EQ(chosen, (std::vector<std::string>{size > 1 ? "b" : "a", "b", size > 1 ? "a" : "b"}));
}

TEST(RankTuning, rank_0_remembers_for_all) {
  Domain const domain(MPI_COMM_WORLD, {8}, {.time_limit = 40});
  int const rank = domain.coordinates()[0];
  forget_tuning();
  {
    TimedCandidates calls(domain, "remembered");
    for (int i = 0; i < 26; ++i) {
      calls.tuning.begin();
      calls.call("all", {"a", "b"}, {4, 1});
    }
  }
  if (rank > 0) forget_tuning();  // what others remember does not count
  TimedCandidates calls(domain, "remembered");
  calls.call("all", {"a", "b"}, {0, 0});
  EXPECT_EQ(calls.last, "b");
  ASSERT_EQ(calls.tuning.decisions().size(), 1U);
  EXPECT_TRUE(calls.tuning.decisions()[0].remembered);
}

/// A second run begins with them.
TEST(RankTuning, choices_are_kept_in_a_file) {
  Domain const domain(MPI_COMM_WORLD, {8}, {.time_limit = 40});
  TestFile const file("rank_tuning");
  forget_tuning();
  set_tuning_file(file.path);
  {
    TimedCandidates calls(domain, "kept");
    for (int i = 0; i < 26; ++i) {
      calls.tuning.begin();
      calls.call("all", {"a", "b"}, {4, 1});
    }
  }
  set_tuning_file("");
  forget_tuning();
  set_tuning_file(file.path);
  TimedCandidates calls(domain, "kept");
  calls.call("all", {"a", "b"}, {0, 0});
  EXPECT_EQ(calls.last, "b");
  set_tuning_file("");
}

/// Steps per exchange are chosen after some calls; the bits stay those of one process.
TEST(RankTuning, steps_per_exchange) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Rng rng(7);
  Domain const domain(MPI_COMM_WORLD, {16, 9, 10},
                      {.ranks = {size_of_world() <= 4 ? size_of_world() : 0, 0, 0}, .time_limit = 40});
  Index<3> const halo{1, 1, 1}, wide{2, 2, 2};
  WholeAndPart<Exec, double, 3> u(domain, halo, wide, rng), scratch(domain, halo, wide, rng);
  u.fill(domain, rng, [](Rng& r) { return double(random_int(r, -1000, 1000)); });
  LinearStencil<double, Star<1, 1, 1>> const mean(
      [](int z, int y, int x) { return std::abs(z) + std::abs(y) + std::abs(x) == 0 ? 0.25 : 0.125; });
  for (int call = 0; call < 20; ++call) {
    parallel_stencil_steps("whole", StencilPolicy(Exec(), Star<1, 1, 1>(), domain.global_extents()), u.whole.view(),
                           scratch.whole.view(), 8, mean);
    parallel_stencil_steps("tuned steps", StencilPolicy(Exec(), Star<1, 1, 1>(), domain), u.part.view(),
                           scratch.part.view(), 8, mean);
    ASSERT_TRUE(u.agrees()) << domain << ", call " << call;
  }
  bool chosen = false;
  for (auto const& decision : tuning_decisions())
    if (decision.label.find("tuned steps") != std::string::npos && decision.extents.starts_with("steps per exchange"))
      chosen = chosen || decision.decided;
  EXPECT_TRUE(chosen || tuning_mode() == TuningMode::by_extents);
}

}  // namespace
}  // namespace Koalesce::Test
