// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_ENTRY_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_ENTRY_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/RegroupTuner.hpp>
#include <Koalesce/tuning/impl/SizeClass.hpp>
#include <Koalesce/tuning/impl/TuningMemory.hpp>
#include <Koalesce/tuning/impl/TuningRegistry.hpp>

#include <algorithm>
#include <cstdint>
#include <locale>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// A variant and the paths that it was chosen for, as the tuning file keeps them: "grid | 3 256 8192 512 | 0 4096 2
/// 4096", last the buckets that are not empty.
inline std::string remembered_text(RegroupVariant variant, PathSample const& sample) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << to_string(variant) << " | " << sample.paths << ' ' << sample.runs << ' ' << sample.items << ' '
       << sample.paths_in_runs << " |";
  for (int b = 0; b < PathSample::buckets; ++b)
    if (sample.histogram[b] > 0) text << ' ' << b << ' ' << sample.histogram[b];
  return text.str();
}

/// Nothing, if the text has another form: the file may have been edited.
inline std::optional<std::pair<RegroupVariant, PathSample>> parse_remembered(std::string const& text) {
  auto const bar = text.find(" | ");
  for (RegroupVariant const variant : regroup_variants) {
    if (text.substr(0, bar) != to_string(variant)) continue;
    std::istringstream in(text.substr(bar + 3));
    in.imbue(std::locale::classic());
    PathSample sample;
    char separator     = 0;
    std::int64_t items = 0, count = 0;
    int bucket = 0;
    if (!(in >> sample.paths >> sample.runs >> sample.items >> sample.paths_in_runs >> separator)) return {};
    if (sample.paths < 1 || sample.runs < 0 || sample.paths_in_runs < 0 || separator != '|') return {};
    while (in >> bucket >> count) {
      if (bucket < 0 || bucket >= PathSample::buckets || count < 0) return {};
      sample.histogram[bucket] = count;
      items += count;
    }
    if (!in.eof() || items != sample.items) return {};
    return std::pair(variant, sample);
  }
  return {};
}

/// The tuner of loops that share their decisions, and what an earlier process decided.
class RegroupEntry : public TuningEntry {
 public:
  RegroupEntry(TuningKey key, std::string space, std::int64_t items, std::vector<RegroupTrial> const& candidates)
      : m_key(std::move(key)),
        m_space(std::move(space)),
        m_items(double(std::max<std::int64_t>(items, 1))),
        m_tuner(m_key.label, size_class(items), candidates) {
    auto const known = TuningMemory::instance().find(m_key);
    if (!known) return;
    if (auto const remembered = parse_remembered(known->choice))
      m_is_kept = m_tuner.remember(remembered->first, remembered->second);
  }

  /// The entry of the loops with these variants, made if there is none.
  /// \param[in] kernel  the type of what the loop's items do.
  /// \param[in] plan    how they use a plan, where they have one.
  static std::shared_ptr<RegroupEntry> find(std::string const& label, std::string const& kernel,
                                            std::string const& space, TuningMachine const& machine, std::int64_t items,
                                            std::vector<RegroupTrial> const& candidates, std::string const& plan = "") {
    std::string extents = "2^" + std::to_string(size_class(items)) + " items";
    for (auto const& candidate : candidates) extents += std::string("; ") + to_string(candidate.variant);
    if (!plan.empty()) extents += "; " + plan;
    TuningKey const key{"regroup", label, kernel, extents, machine};
    return TuningRegistry::instance().find<RegroupEntry>(
        key, [&] { return std::make_shared<RegroupEntry>(key, space, items, candidates); });
  }

  /// Items of the first call; times of other calls are scaled to it.
  double items() const { return m_items; }

  bool wants_sample() {
    std::lock_guard const lock(m_mutex);
    return m_tuner.wants_sample();
  }
  RegroupTuner::Choice next(bool samples) {
    std::lock_guard const lock(m_mutex);
    return m_tuner.next(samples);
  }
  /// The variant to run if nothing can be timed.
  RegroupVariant leader() {
    std::lock_guard const lock(m_mutex);
    return m_tuner.leader();
  }
  void record(RegroupTuner::Choice const& choice, double seconds) {
    std::lock_guard const lock(m_mutex);
    m_tuner.record(choice, seconds);
    keep();
  }
  void lost(RegroupTuner::Choice const& choice) {
    std::lock_guard const lock(m_mutex);
    m_tuner.lost(choice);
    keep();
  }
  void observe(PathSample const& sample) {
    std::lock_guard const lock(m_mutex);
    m_tuner.observe(sample);
    keep();
  }

  std::vector<RegroupDecision> regroup_decisions() {
    std::lock_guard const lock(m_mutex);
    auto all = m_tuner.decisions();
    for (auto& decision : all) decision.space = m_space;
    return all;
  }

  std::vector<TuningDecision> decisions() override {
    std::vector<TuningDecision> all;
    for (auto const& decision : regroup_decisions()) all.push_back(tuning_decision(decision));
    return all;
  }

 private:
  /// Keeps the latest decision for the next process. The sample of the paths may arrive after the decision.
  void keep() {
    auto const& decision = m_tuner.current();
    if (!decision.decided) m_is_kept = false;
    if (m_is_kept || !decision.decided || decision.sample.items == 0) return;
    for (auto const& trial : decision.trials)
      if (trial.variant == decision.variant && trial.calls > 0)
        TuningMemory::instance().put_of(*this, m_key,
                                        {remembered_text(decision.variant, decision.sample), trial.seconds});
    m_is_kept = true;
  }

  TuningKey const m_key;
  std::string const m_space;
  double const m_items;
  std::mutex m_mutex;
  RegroupTuner m_tuner;
  bool m_is_kept = false;  // the current decision, or there is nothing to keep
};

}  // namespace Koalesce::Impl

#endif
