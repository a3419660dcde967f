// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_TOOLS_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_TOOLS_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/tuning/impl/TuningContext.hpp>

#include <optional>
#include <string>
#include <vector>

namespace Koalesce::Impl {

/// What a tuning tool, if there is one, says about a call of a regrouped loop. Lives while the call runs.
class RegroupTuningContext {
 public:
  RegroupTuningContext(std::string const& label, int size_class, int paths, std::vector<RegroupTrial> const& candidates)
      : m_candidates(candidates) {
    if (!TuningContext::is_wanted()) return;
    TuningQuestion question{"regroup", label, {{"size class", size_class, false}, {"paths", paths}}, "way", {}};
    for (auto const& candidate : candidates) question.candidates.push_back(to_string(candidate.way));
    m_context.emplace(question);
  }

  /// Whether a tool measures this call.
  bool is_active() const { return m_context.has_value(); }

  /// What the tool wants to run.
  std::optional<RegroupWay> choice() const {
    auto const number = m_context ? m_context->choice() : std::nullopt;
    return number ? std::optional(m_candidates[*number].way) : std::nullopt;
  }

 private:
  std::vector<RegroupTrial> m_candidates;
  std::optional<TuningContext> m_context;
};

}  // namespace Koalesce::Impl

#endif
