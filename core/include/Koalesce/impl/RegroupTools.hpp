// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_REGROUP_TOOLS_HPP
#define KOALESCE_IMPL_REGROUP_TOOLS_HPP

#include <Koalesce/RegroupDecision.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace Koalesce::Impl {

#ifdef KOKKOS_ENABLE_TUNING

/// What tuning tools know of regrouped loops: declared once, when there first is a tool.
class RegroupVariables {
 public:
  using Value = Kokkos::Tools::Experimental::VariableValue;

  /// What the tool is shown first; left so, Koalesce decides.
  static constexpr char const* automatic = "automatic";

  static RegroupVariables& instance() {
    static RegroupVariables variables;
    return variables;
  }

  /// Kokkos' tuning functions are not thread-safe.
  std::mutex& mutex() { return m_mutex; }

  std::vector<Value> inputs(std::string const& label, int size_class, int paths) const {
    using Kokkos::Tools::Experimental::make_variable_value;
    return {text_value(m_label, label), make_variable_value(m_size_class, std::int64_t(size_class)),
            make_variable_value(m_paths, std::int64_t(paths))};
  }

  Value output(std::vector<RegroupTrial> const& candidates) {
    std::vector<std::string> names{automatic};
    for (auto const& candidate : candidates) names.push_back(to_string(candidate.way));
    auto& id = m_outputs[names];
    if (id == 0) {
      auto info          = variable(kokkos_value_string, kokkos_value_categorical);
      info.valueQuantity = kokkos_value_set;
      info.candidates    = Kokkos::Tools::Experimental::make_candidate_set(names.size(), names.data());
      id                 = Kokkos::Tools::Experimental::declare_output_type("Koalesce regroup way", info);
    }
    return text_value(id, automatic);
  }

 private:
  RegroupVariables()
      : m_label(declare("Koalesce regroup label", variable(kokkos_value_string, kokkos_value_categorical))),
        m_size_class(declare("Koalesce regroup size class", variable(kokkos_value_int64, kokkos_value_interval))),
        m_paths(declare("Koalesce regroup paths", variable(kokkos_value_int64, kokkos_value_ratio))) {}

  static std::size_t declare(char const* name, Kokkos::Tools::Experimental::VariableInfo const& info) {
    return Kokkos::Tools::Experimental::declare_input_type(name, info);
  }

  static Kokkos::Tools::Experimental::VariableInfo variable(Kokkos::Tools::Experimental::ValueType type,
                                                            Kokkos::Tools::Experimental::StatisticalCategory category) {
    Kokkos::Tools::Experimental::VariableInfo info{};
    info.type          = type;
    info.category      = category;
    info.valueQuantity = kokkos_value_unbounded;
    return info;
  }

  /// Kokkos 4.6 leaves the last character as it is, so a text must end before it.
  static Value text_value(std::size_t id, std::string const& text) {
    return Kokkos::Tools::Experimental::make_variable_value(id, text.substr(0, KOKKOS_TOOLS_TUNING_STRING_LENGTH - 2));
  }

  std::mutex m_mutex;
  std::size_t m_label, m_size_class, m_paths;
  std::map<std::vector<std::string>, std::size_t> m_outputs;  // by their candidates
};

/// \brief What a tuning tool, if there is one, says about a call of a regrouped loop.
///
/// Lives while the call runs. A tool takes the time itself, from the beginning of the context to its end, so a call
/// that a tool looks at must have finished then.
class TuningContext {
 public:
  TuningContext(std::string const& label, int size_class, int paths, std::vector<RegroupTrial> const& candidates) {
    namespace Tools = Kokkos::Tools::Experimental;
    if (!Tools::have_tuning_tool()) return;
    auto& variables = RegroupVariables::instance();
    std::lock_guard<std::mutex> const lock(variables.mutex());
    auto inputs = variables.inputs(label, size_class, paths);
    auto output = variables.output(candidates);
    m_context   = Tools::get_new_context_id();
    Tools::begin_context(*m_context);
    Tools::set_input_values(*m_context, inputs.size(), inputs.data());
    Tools::request_output_values(*m_context, 1, &output);
    char const* const text = output.value.string_value;
    std::string const answer(text, std::find(text, text + KOKKOS_TOOLS_TUNING_STRING_LENGTH, '\0'));
    for (auto const& candidate : candidates)
      if (answer == to_string(candidate.way)) m_choice = candidate.way;
  }

  ~TuningContext() {
    if (!m_context) return;
    std::lock_guard<std::mutex> const lock(RegroupVariables::instance().mutex());
    Kokkos::Tools::Experimental::end_context(*m_context);
  }

  TuningContext(TuningContext const&)            = delete;
  TuningContext& operator=(TuningContext const&) = delete;

  /// Whether a tool measures this call.
  bool is_active() const { return m_context.has_value(); }

  /// What the tool wants to run.
  std::optional<RegroupWay> choice() const { return m_choice; }

 private:
  std::optional<std::size_t> m_context;
  std::optional<RegroupWay> m_choice;
};

#else

/// Kokkos was built without tuning: no tool says anything.
class TuningContext {
 public:
  TuningContext(std::string const&, int, int, std::vector<RegroupTrial> const&) {}
  TuningContext(TuningContext const&)            = delete;
  TuningContext& operator=(TuningContext const&) = delete;

  static constexpr bool is_active() { return false; }
  static constexpr std::optional<RegroupWay> choice() { return std::nullopt; }
};

#endif

}  // namespace Koalesce::Impl

#endif
