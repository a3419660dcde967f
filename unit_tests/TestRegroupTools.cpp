// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/impl/RegroupTools.hpp>

#include <cstring>

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

/// A tool that gives one answer, and notes what it is asked.
struct Tool {
  explicit Tool(std::string const& text) : answer(text) {
    using namespace Kokkos::Tools::Experimental;
    s_tool = this;
    set_begin_context_callback([](std::size_t id) { s_tool->open.push_back(id); });
    set_end_context_callback([](std::size_t id, VariableValue) { s_tool->close(id); });
    set_request_output_values_callback([](std::size_t, std::size_t count, VariableValue const* inputs, std::size_t,
                                          VariableValue* outputs) { s_tool->ask(count, inputs, outputs[0]); });
  }
  ~Tool() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_context_callback(nullptr);
    set_end_context_callback(nullptr);
    set_request_output_values_callback(nullptr);
  }

  void close(std::size_t id) {
    ASSERT_FALSE(open.empty());
    EXPECT_EQ(open.back(), id);
    open.pop_back();
  }

  void ask(std::size_t count, Kokkos::Tools::Experimental::VariableValue const* inputs,
           Kokkos::Tools::Experimental::VariableValue& output) {
    texts.clear(), numbers.clear(), names.clear();
    for (std::size_t i = 0; i < count; ++i)
      if (inputs[i].metadata->type == kokkos_value_string) texts.push_back(inputs[i].value.string_value);
      else numbers.push_back(inputs[i].value.int_value);
    std::sort(numbers.begin(), numbers.end());
    auto const& set = output.metadata->candidates.set;
    for (std::size_t i = 0; i < set.size; ++i) names.push_back(set.values.string_value[i]);
    shown = output.value.string_value;
    if (!answer.empty())
      std::memcpy(output.value.string_value, answer.data(), std::min<std::size_t>(answer.size() + 1, 64));
  }

  static inline Tool* s_tool;
  std::string answer, shown;
  std::vector<std::size_t> open;
  std::vector<std::string> texts, names;
  std::vector<std::int64_t> numbers;
};

using Names = std::vector<std::string>;

TEST(RegroupTools, a_tool_decides) {
  for (auto const& candidate : candidates) {
    Tool const tool(to_string(candidate.way));
    TuningContext const context("loop", 20, 4, candidates);
    EXPECT_TRUE(context.is_active());
    EXPECT_EQ(context.choice(), candidate.way);
  }
}

TEST(RegroupTools, a_tool_is_told_of_the_loop_and_its_candidates) {
  Tool const tool("");
  TuningContext const context("loop", 20, 4, candidates);
  EXPECT_EQ(tool.texts, Names{"loop"});
  EXPECT_EQ(tool.numbers, (std::vector<std::int64_t>{4, 20}));
  EXPECT_EQ(tool.names, (Names{"automatic", "plain", "team, moved", "grid"}));
  TuningContext const other("other", 20, 4, {{team}});
  EXPECT_EQ(tool.names, (Names{"automatic", "team"}));
}

TEST(RegroupTools, a_tool_may_leave_it_to_koalesce) {
  for (std::string const answer : {"", "automatic", "team", "nonsense"}) {
    Tool const tool(answer);
    EXPECT_FALSE(TuningContext("loop", 20, 4, candidates).choice()) << answer;
    EXPECT_EQ(tool.shown, "automatic");
  }
  Tool const tool(std::string(200, 'x'));
  EXPECT_FALSE(TuningContext("loop", 20, 4, candidates).choice());
}

TEST(RegroupTools, long_labels_are_cut) {
  Tool const tool("grid");
  TuningContext const context(std::string(500, 'x'), 20, 4, candidates);
  EXPECT_EQ(context.choice(), grid);
  EXPECT_EQ(tool.texts, Names{std::string(62, 'x')});
}

TEST(RegroupTools, a_context_ends_with_the_call) {
  Tool const tool("grid");
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
  Tool const tool("");
  for (int i = 0; i < 3; ++i) TuningContext("loop", 20, 4, {{plain}, {team}, {team_moved}, {grid}});
  Kokkos::Tools::Experimental::set_declare_output_type_callback(nullptr);
  EXPECT_EQ(declared, 1);
}

#endif

}  // namespace
}  // namespace Koalesce::Test
