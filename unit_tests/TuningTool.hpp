// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_TUNING_TOOL_HPP
#define KOALESCE_TEST_TUNING_TOOL_HPP

#include "KernelRecorder.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#ifdef KOKKOS_ENABLE_TUNING

namespace Koalesce::Test {

/// A tool that gives one answer, and notes what it is asked.
struct TuningTool {
  explicit TuningTool(std::string const& text) : answer(text) {
    using namespace Kokkos::Tools::Experimental;
    s_tool = this;
    set_begin_context_callback([](std::size_t id) { s_tool->open.push_back(id); });
    set_end_context_callback([](std::size_t id, VariableValue) { s_tool->close(id); });
    set_request_output_values_callback([](std::size_t, std::size_t count, VariableValue const* inputs, std::size_t,
                                          VariableValue* outputs) { s_tool->ask(count, inputs, outputs[0]); });
  }
  ~TuningTool() {
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

  static inline TuningTool* s_tool;
  std::string answer, shown;
  std::vector<std::size_t> open;
  Strings texts, names;
  std::vector<std::int64_t> numbers;
};

}  // namespace Koalesce::Test

#endif

#endif
