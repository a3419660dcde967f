// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationBalance.hpp"
#include "EveryPattern.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

/// What many calls and many threads leave behind.
namespace Koalesce::Test {
namespace {

template <class P>
class LongRuns : public ::testing::Test {};
TYPED_TEST_SUITE(LongRuns, AllPaths, PathNames);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
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
  if (instances.empty()) GTEST_SKIP() << "too few threads to be partitioned";
  std::vector<EveryPattern<TypeParam>> calls;
  for (auto const& exec : instances) calls.emplace_back(exec);
  std::vector<std::thread> threads;
  for (auto& call : calls)
    threads.emplace_back([&call] {
      for (int i = 0; i < 40; ++i) call.run();
    });
  for (auto& thread : threads) thread.join();
  for (auto const& call : calls) EXPECT_TRUE(call.is_right());
}

}  // namespace
}  // namespace Koalesce::Test
