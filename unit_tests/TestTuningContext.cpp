// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"
#include "TuningTool.hpp"

#include <Koalesce/common/Error.hpp>
#include <Koalesce/tuning/impl/TuningContext.hpp>

namespace Koalesce::Test {
namespace {

using Impl::TuningContext;

TEST(TuningTools, without_a_tool_nobody_is_asked) { EXPECT_FALSE(TuningContext::is_wanted()); }

#ifndef KOKKOS_ENABLE_TUNING

TEST(TuningTools, a_tool_decides) { GTEST_SKIP() << "Kokkos was built without Kokkos_ENABLE_TUNING"; }

#else

Strings const candidates{"plain", "team, moved", "grid"};

Impl::TuningQuestion question(std::string const& label = "loop", Strings const& names = candidates) {
  return {"regroup", label, {{"size class", 20, false}, {"paths", 4}}, "variant", names};
}

TEST(TuningTools, a_tool_decides) {
  for (std::size_t number = 0; number < candidates.size(); ++number) {
    TuningTool const tool(candidates[number]);
    EXPECT_TRUE(TuningContext::is_wanted());
    TuningContext const context(question());
    EXPECT_EQ(context.choice(), number);
  }
}

TEST(TuningTools, a_tool_is_told_of_the_loop_and_its_candidates) {
  TuningTool const tool("");
  TuningContext const context(question());
  EXPECT_EQ(tool.texts, Strings{"loop"});
  EXPECT_EQ(tool.numbers, (std::vector<std::int64_t>{4, 20}));
  EXPECT_EQ(tool.names, (Strings{"automatic", "plain", "team, moved", "grid"}));
  TuningContext const other(question("other", {"team"}));
  EXPECT_EQ(tool.names, (Strings{"automatic", "team"}));
}

TEST(TuningTools, a_tool_may_leave_it_to_koalesce) {
  for (std::string const answer : {"", "automatic", "team", "nonsense"}) {
    TuningTool const tool(answer);
    EXPECT_FALSE(TuningContext(question()).choice()) << answer;
    EXPECT_EQ(tool.shown, "automatic");
  }
  TuningTool const tool(std::string(200, 'x'));
  EXPECT_FALSE(TuningContext(question()).choice());
}

TEST(TuningTools, long_labels_are_cut) {
  TuningTool const tool("grid");
  TuningContext const context(question(std::string(500, 'x')));
  EXPECT_EQ(context.choice(), 2u);
  EXPECT_EQ(tool.texts, Strings{std::string(62, 'x')});
}

TEST(TuningTools, a_context_ends_with_the_call) {
  TuningTool const tool("grid");
  {
    TuningContext const outer(question("outer"));
    EXPECT_EQ(tool.open.size(), 1u);
    TuningContext const inner(question("inner"));
    EXPECT_EQ(tool.open.size(), 2u);
  }
  EXPECT_TRUE(tool.open.empty());
  try {
    TuningContext const context(question());
    throw Error("a call that fails");
  } catch (Error const&) {
  }
  EXPECT_TRUE(tool.open.empty());
}

TEST(TuningTools, variables_are_declared_once) {
  static int declared;
  declared = 0;
  Kokkos::Tools::Experimental::set_declare_output_type_callback(
      [](char const*, std::size_t, Kokkos::Tools::Experimental::VariableInfo*) { ++declared; });
  TuningTool const tool("");
  for (int i = 0; i < 3; ++i) TuningContext(question("loop", {"plain", "team", "team, moved", "grid"}));
  Kokkos::Tools::Experimental::set_declare_output_type_callback(nullptr);
  EXPECT_EQ(declared, 1);
}

#endif

}  // namespace
}  // namespace Koalesce::Test
