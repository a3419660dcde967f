// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_CONTEXT_HPP
#define KOALESCE_TUNING_IMPL_TUNING_CONTEXT_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// A number that a tuning tool is told about a call.
struct TuningInput {
  std::string name;
  std::int64_t value;
  bool is_ratio = true;  ///< whether twice the number is twice as much; false: only differences mean something
};

/// A choice that a tuning tool may make. Names of variables begin with "Koalesce <pattern>".
struct TuningQuestion {
  std::string pattern, label;
  std::vector<TuningInput> inputs;
  std::string output;
  std::vector<std::string> candidates;
};

#ifdef KOKKOS_ENABLE_TUNING

/// The variables that are declared to tuning tools; each is declared once, when it is first needed.
class TuningVariables {
 public:
  using Value = Kokkos::Tools::Experimental::VariableValue;

  /// The value offered to the tool; if the tool keeps it, Koalesce decides.
  static constexpr char const* automatic = "automatic";

  static TuningVariables& instance() {
    static TuningVariables variables;
    return variables;
  }

  /// Kokkos' tuning functions are not thread-safe.
  std::mutex& mutex() { return m_mutex; }

  std::vector<Value> inputs(TuningQuestion const& question) {
    auto const name = "Koalesce " + question.pattern + " ";
    std::vector<Value> values{
        text_value(input(name + "label", kokkos_value_string, kokkos_value_categorical), question.label)};
    for (auto const& [what, value, is_ratio] : question.inputs)
      values.push_back(Kokkos::Tools::Experimental::make_variable_value(
          input(name + what, kokkos_value_int64, is_ratio ? kokkos_value_ratio : kokkos_value_interval), value));
    return values;
  }

  Value output(TuningQuestion const& question) {
    auto const name = "Koalesce " + question.pattern + " " + question.output;
    std::vector<std::string> names{automatic};
    names.insert(names.end(), question.candidates.begin(), question.candidates.end());
    auto& id = m_outputs[{name, names}];
    if (id == 0) {
      auto info          = variable(kokkos_value_string, kokkos_value_categorical);
      info.valueQuantity = kokkos_value_set;
      info.candidates    = Kokkos::Tools::Experimental::make_candidate_set(names.size(), names.data());
      id                 = Kokkos::Tools::Experimental::declare_output_type(name, info);
    }
    return text_value(id, automatic);
  }

 private:
  using Type     = Kokkos::Tools::Experimental::ValueType;
  using Category = Kokkos::Tools::Experimental::StatisticalCategory;

  TuningVariables() = default;

  static Kokkos::Tools::Experimental::VariableInfo variable(Type type, Category category) {
    Kokkos::Tools::Experimental::VariableInfo info{};
    info.type          = type;
    info.category      = category;
    info.valueQuantity = kokkos_value_unbounded;
    return info;
  }

  std::size_t input(std::string const& name, Type type, Category category) {
    auto& id = m_inputs[name];
    if (id == 0) id = Kokkos::Tools::Experimental::declare_input_type(name, variable(type, category));
    return id;
  }

  /// Kokkos 4.6 does not terminate a text that fills the buffer, so the text must be shorter.
  static Value text_value(std::size_t id, std::string const& text) {
    return Kokkos::Tools::Experimental::make_variable_value(id, text.substr(0, KOKKOS_TOOLS_TUNING_STRING_LENGTH - 2));
  }

  std::mutex m_mutex;
  std::map<std::string, std::size_t> m_inputs;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> m_outputs;  // by name and candidates
};

/// \brief Asks a tuning tool, if one is loaded, about a call.
///
/// It lives while the call runs. The tool measures from the beginning of the context to its end, so the call's kernels
/// must have finished by then.
class TuningContext {
 public:
  explicit TuningContext(TuningQuestion const& question) {
    namespace Tools = Kokkos::Tools::Experimental;
    auto& variables = TuningVariables::instance();
    std::lock_guard<std::mutex> const lock(variables.mutex());
    auto inputs = variables.inputs(question);
    auto output = variables.output(question);
    m_context   = Tools::get_new_context_id();
    Tools::begin_context(m_context);
    Tools::set_input_values(m_context, inputs.size(), inputs.data());
    Tools::request_output_values(m_context, 1, &output);
    char const* const text = output.value.string_value;
    std::string_view const answer(text, std::find(text, text + KOKKOS_TOOLS_TUNING_STRING_LENGTH, '\0'));
    auto const& candidates = question.candidates;
    auto const chosen      = std::find(candidates.begin(), candidates.end(), answer);
    if (chosen != candidates.end()) m_choice = std::size_t(chosen - candidates.begin());
  }

  ~TuningContext() {
    std::lock_guard<std::mutex> const lock(TuningVariables::instance().mutex());
    Kokkos::Tools::Experimental::end_context(m_context);
  }

  TuningContext(TuningContext const&)            = delete;
  TuningContext& operator=(TuningContext const&) = delete;

  /// Whether there is a tool.
  static bool is_wanted() { return Kokkos::Tools::Experimental::have_tuning_tool(); }

  /// The candidate that the tool chose; none, if it left the choice to Koalesce.
  std::optional<std::size_t> choice() const { return m_choice; }

 private:
  std::size_t m_context;
  std::optional<std::size_t> m_choice;
};

#else

/// For a Kokkos built without tuning: there is no tool.
class TuningContext {
 public:
  explicit TuningContext(TuningQuestion const&) {}
  TuningContext(TuningContext const&)            = delete;
  TuningContext& operator=(TuningContext const&) = delete;

  static constexpr bool is_wanted() { return false; }
  static constexpr std::optional<std::size_t> choice() { return std::nullopt; }
};

#endif

}  // namespace Koalesce::Impl

#endif
