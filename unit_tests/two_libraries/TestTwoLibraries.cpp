// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

extern "C" bool koalesce_first_library(int calls);
extern "C" bool koalesce_second_library(int calls);

namespace Koalesce::Test {
namespace {

/// By turns: what is remembered for a label, memory that is kept and measurements under way are met by the other's.
TEST(TwoLibraries, use_the_patterns_by_turns) {
  for (int calls = 1; calls < 25; ++calls) {
    EXPECT_TRUE(koalesce_first_library(calls));
    EXPECT_TRUE(koalesce_second_library(calls));
  }
}

}  // namespace
}  // namespace Koalesce::Test
