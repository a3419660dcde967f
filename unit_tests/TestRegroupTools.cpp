// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"
#include "TuningTool.hpp"

#include <Koalesce/regroup/impl/RegroupTools.hpp>

namespace Koalesce::Test {
namespace {

using TuningContext = Impl::RegroupTuningContext;
using enum RegroupWay;

std::vector<RegroupTrial> const candidates{{plain}, {team_moved}, {grid}};

TEST(RegroupTools, without_a_tool_nothing_is_chosen) {
  TuningContext const context("loop", 20, 4, candidates);
  EXPECT_FALSE(context.is_active());
  EXPECT_FALSE(context.choice());
}

#ifndef KOKKOS_ENABLE_TUNING

TEST(RegroupTools, a_tool_decides) { GTEST_SKIP() << "Kokkos was built without Kokkos_ENABLE_TUNING"; }

#else

TEST(RegroupTools, a_tool_decides) {
  for (auto const& candidate : candidates) {
    TuningTool const tool(to_string(candidate.way));
    TuningContext const context("loop", 20, 4, candidates);
    EXPECT_TRUE(context.is_active());
    EXPECT_EQ(context.choice(), candidate.way);
  }
}

TEST(RegroupTools, a_tool_is_told_of_the_loop_and_its_candidates) {
  TuningTool const tool("");
  TuningContext const context("loop", 20, 4, candidates);
  EXPECT_EQ(tool.texts, Strings{"loop"});
  EXPECT_EQ(tool.numbers, (std::vector<std::int64_t>{4, 20}));
  EXPECT_EQ(tool.names, (Strings{"automatic", "plain", "team, moved", "grid"}));
  TuningContext const other("other", 20, 4, {{team}});
  EXPECT_EQ(tool.names, (Strings{"automatic", "team"}));
}

TEST(RegroupTools, a_tool_may_leave_it_to_koalesce) {
  for (std::string const answer : {"", "automatic", "team", "nonsense"}) {
    TuningTool const tool(answer);
    EXPECT_FALSE(TuningContext("loop", 20, 4, candidates).choice()) << answer;
    EXPECT_EQ(tool.shown, "automatic");
  }
  TuningTool const tool(std::string(200, 'x'));
  EXPECT_FALSE(TuningContext("loop", 20, 4, candidates).choice());
}

TEST(RegroupTools, long_labels_are_cut) {
  TuningTool const tool("grid");
  TuningContext const context(std::string(500, 'x'), 20, 4, candidates);
  EXPECT_EQ(context.choice(), grid);
  EXPECT_EQ(tool.texts, Strings{std::string(62, 'x')});
}

TEST(RegroupTools, a_context_ends_with_the_call) {
  TuningTool const tool("grid");
  {
    TuningContext const outer("outer", 20, 4, candidates);
    EXPECT_EQ(tool.open.size(), 1u);
    TuningContext const inner("inner", 10, 2, candidates);
    EXPECT_EQ(tool.open.size(), 2u);
  }
  EXPECT_TRUE(tool.open.empty());
  try {
    TuningContext const context("loop", 20, 4, candidates);
    throw Error("a call that fails");
  } catch (Error const&) {
  }
  EXPECT_TRUE(tool.open.empty());
}

TEST(RegroupTools, variables_are_declared_once) {
  static int declared;
  declared = 0;
  Kokkos::Tools::Experimental::set_declare_output_type_callback(
      [](char const*, std::size_t, Kokkos::Tools::Experimental::VariableInfo*) { ++declared; });
  TuningTool const tool("");
  for (int i = 0; i < 3; ++i) TuningContext("loop", 20, 4, {{plain}, {team}, {team_moved}, {grid}});
  Kokkos::Tools::Experimental::set_declare_output_type_callback(nullptr);
  EXPECT_EQ(declared, 1);
}

#endif

}  // namespace
}  // namespace Koalesce::Test
