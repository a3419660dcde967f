// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationBalance.hpp"
#include "EveryPattern.hpp"
#include "FailingLaunch.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

/// What many calls, many threads and launches that throw leave behind. They are in one file because EveryPattern takes
/// long to compile.
namespace Koalesce::Test {
namespace {

template <class P>
class LongRuns : public ::testing::Test {};
TYPED_TEST_SUITE(LongRuns, EveryPath::types, PathNames);

#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || !sees_team_barriers;
#else
constexpr bool is_sanitized = !sees_team_barriers;
#endif

/// Of the process, in bytes.
std::int64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

/// KOALESCE_TEST_CALLS, for a soak: a call is ten launches or more.
int wanted_calls() {
  char const* const text = std::getenv("KOALESCE_TEST_CALLS");
  return text == nullptr ? 300 : std::max(100, std::atoi(text));
}

TYPED_TEST(LongRuns, memory_does_not_grow) {
  EveryPattern<TypeParam> every;
  // What is kept on purpose is there after some calls: scratch memory, loops' decisions, pools of the runtime.
  for (int call = 0; call < 100; ++call) every.run();
  ASSERT_TRUE(every.is_right());
  AllocationBalance const balance;
  auto const before = resident_memory();
  int const calls   = wanted_calls();
  for (int call = 1; call <= calls; ++call) {
    every.run();
    if (call % 1000 == 0) {
      ASSERT_TRUE(every.is_right());
      std::cerr << call << " of " << calls << " calls\n";
    }
  }
  ASSERT_TRUE(every.is_right());
  EXPECT_EQ(balance.bytes(), 0);
  // Sanitizers keep what was freed, and look for leaks themselves.
  if (!is_sanitized) {
    EXPECT_LT(resident_memory() - before, std::int64_t(4) << 20);
  }
}

/// Threads of the host, each with Views and an instance of its own.
TYPED_TEST(LongRuns, host_threads_with_their_own_instances) {
  auto const instances = two_instances<typename TypeParam::exec>();
  std::vector<EveryPattern<TypeParam>> calls;
  for (auto const& exec : instances) calls.emplace_back(exec);
  std::vector<std::thread> threads;
  for (auto& call : calls)
    threads.emplace_back([&call] {
      for (int i = 0; i < 40; ++i) call.run();
      EXPECT_EQ(call.count_accesses().size(), 2u);
    });
  for (auto& thread : threads) thread.join();
  for (auto const& call : calls) EXPECT_TRUE(call.is_right());
}

/// Kokkos does not tell the instances of CPU threads apart, but the kernels have the threads of theirs.
TYPED_TEST(LongRuns, kernels_have_the_threads_of_the_callers_instance) {
  using Exec = typename TypeParam::exec;
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
    if (Exec().concurrency() == 1) GTEST_SKIP() << "every instance has one thread";
    for (int const threads : {1, Exec().concurrency()}) {
      EveryPattern<TypeParam> every(Exec{threads});
      max_threads = 0;
      for (int call = 0; call < 40; ++call) every.run();  // choices by time try every kernel
      EXPECT_TRUE(every.is_right());
      EXPECT_EQ(max_threads, threads);
    }
    return;
  }
#endif
  GTEST_SKIP() << Exec::name() << " has no instances of fewer threads";
}

// ---- Launches that throw ----

/// The calls after them find everything as if the call that failed had never been made.
template <class P>
class LaunchFailures : public ::testing::Test {};
TYPED_TEST_SUITE(LaunchFailures, EveryPath::types, PathNames);

/// Calls while the launch of this number throws; whether there was one, and the call passed the exception on.
template <class Call>
bool fails_at(int number, Call const& call) {
  FailingLaunch const failing([&](std::string const&, int n) { return n == number; });
  bool thrown = false;
  try {
    call();
  } catch (std::runtime_error const&) {
    thrown = true;
  }
  EXPECT_EQ(thrown, failing.failures() > 0);
  return thrown;
}

TYPED_TEST(LaunchFailures, every_pattern_runs_right_after_any_of_its_launches) {
  int number = 0;
  for (bool again = true; again; ++number) {
    EveryPattern<TypeParam> failing;
    again = fails_at(number, [&] { failing.run(); });
    EveryPattern<TypeParam> every;
    every.run();
    EXPECT_TRUE(every.is_right()) << "after launch " << number << " has thrown";
  }
  EXPECT_GT(number, 10);
}

/// Down the columns, but of no type that is known to go there.
struct DownColumns {
  std::int64_t rows, columns;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return k % rows * columns + k / rows; }
};

struct Sum {
  KOKKOS_FUNCTION void operator()(std::int64_t k, double value, double& sum) const { sum += double(k % 7) * value; }
};

/// One matrix, whose launches fail one after the other: the classification, the transposition, the read of the shadow.
TYPED_TEST(LaunchFailures, shadow_is_neither_lost_nor_taken_for_built) {
  using P     = TypeParam;
  using Exec  = typename P::exec;
  using Space = typename Exec::memory_space;
  Exec const exec;
  std::int64_t const rows = 96, columns = 64;
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const matrix("matrix", rows, columns);
  auto const host = Kokkos::create_mirror_view(matrix);
  double expected = 0;
  for (std::int64_t k = 0; k < rows * columns; ++k) {
    host(k % rows, k / rows) = double(k % 31);
    expected += double(k % 7) * double(k % 31);
  }
  Kokkos::deep_copy(matrix, host);
  ShadowView const shadow(matrix, ShadowBuild::first_read);
  auto const read = [&] {
    double sum = 0;
    parallel_read_reduce<typename P::backend>("read", exec, shadow, DownColumns{rows, columns}, Sum(), sum);
    return sum;
  };
  for (int const number : {0, 0, 1, 0}) {  // twice the classification, then the transposition after one, then alone
    EXPECT_TRUE(fails_at(number, read));
    EXPECT_FALSE(shadow.has_shadow());
  }
  EXPECT_EQ(read(), expected);
  EXPECT_TRUE(shadow.has_shadow());
  EXPECT_TRUE(fails_at(0, read));
  EXPECT_EQ(read(), expected);
}

/// The loop of EveryPattern, over more items: no kernels are compiled for it.
template <class P>
void check_kinds(std::string const& label) {
  using Space = typename P::exec::memory_space;
  Kokkos::View<std::int64_t*, Space> const out("out", 20000);
  auto const policy = RegroupPolicy(typename P::exec(), 3, 20000).with_backend(typename P::backend());
  parallel_regroup(label, policy, Paths(3), ThreeKinds(), AddByKind<Space>{out});
  policy.space().fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (std::int64_t i = 0; i < 20000; ++i) ASSERT_EQ(host(i), i < 3 ? 0 : 1 + ThreeKinds()(i) * i) << "item " << i;
}

TYPED_TEST(LaunchFailures, regrouped_loop_samples_and_decides_later) {
  forget_tuning();
  for (std::string const step :
       {"[sample]", "[plain]", "[team]", "[grid: count]", "[grid: scan]", "[grid: place]", "[grid]"}) {
    SCOPED_TRACE(step);
    auto const label = "fails " + step;
    {
      FailingLaunch const failing([&](std::string const& name, int) { return name.find(step) != name.npos; });
      for (int call = 0; call < 3; ++call) {
        try {
          check_kinds<TypeParam>(label);
        } catch (std::runtime_error const&) {
        }
      }
      EXPECT_GT(failing.failures(), 0);
    }
    std::vector<RegroupDecision> known;
    for (int call = 0; call < 100; ++call) {
      check_kinds<TypeParam>(label);
      known = regroup_decisions(label);
      if (known.size() == 1 && known[0].decided && known[0].sample.items > 0) break;
    }
    ASSERT_EQ(known.size(), 1u);
    EXPECT_TRUE(known[0].decided) << known[0];
    EXPECT_GT(known[0].sample.items, 0) << known[0];
  }
}

// ---- Times that cannot be read ----

/// An execution space whose clock fails.
struct Clockless : Kokkos::DefaultHostExecutionSpace {
  using execution_space = Clockless;
};

}  // namespace
}  // namespace Koalesce::Test

template <>
class Koalesce::Impl::Stopwatch<Koalesce::Test::Clockless> {
 public:
  explicit Stopwatch(Koalesce::Test::Clockless const&) {}
  void stop(Koalesce::Test::Clockless const&) {}
  std::optional<double> seconds() const { throw std::runtime_error("no time"); }
};

namespace Koalesce::Test {
namespace {

TEST(LaunchFailures, time_that_cannot_be_read_is_asked_for_once) {
  forget_tuning();
  Impl::RegroupLoop<Clockless> loop("clockless");
  std::vector<RegroupTrial> const trials{{RegroupVariant::plain}, {RegroupVariant::team}};
  auto const entry = Impl::RegroupEntry::find("clockless", "kernel", "none", {}, 1000, trials);
  auto choice      = entry->next(false);
  ASSERT_TRUE(choice.timed);
  loop.time({}, entry, choice, [] { return true; });
  EXPECT_THROW(loop.poll(), std::runtime_error);
  EXPECT_NO_THROW(loop.poll());
  for (int call = 0; call < 10 && (choice = entry->next(false)).timed; ++call) entry->record(choice, 1);
  EXPECT_TRUE(entry->regroup_decisions().at(0).decided) << "nothing waits for the time that was lost";
}

}  // namespace
}  // namespace Koalesce::Test
