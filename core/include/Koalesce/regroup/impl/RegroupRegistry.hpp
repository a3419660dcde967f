// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_REGROUP_IMPL_REGROUP_REGISTRY_HPP
#define KOALESCE_REGROUP_IMPL_REGROUP_REGISTRY_HPP

#include <Koalesce/regroup/RegroupDecision.hpp>
#include <Koalesce/regroup/impl/RegroupTuner.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// floor(log2(items)); 0 for none.
constexpr int size_class(std::int64_t items) {
  int result = 0;
  for (; items > 1; items /= 2) ++result;
  return result;
}

/// Loops that share their decisions.
struct RegroupKey {
  std::string label;
  std::type_index work;  ///< what the loop's items do
  std::string space;     ///< the execution space's name
  int size_class;
  std::vector<RegroupWay> ways;  ///< that are allowed

  friend bool operator<(RegroupKey const& a, RegroupKey const& b) {
    return std::tie(a.label, a.size_class, a.work, a.space, a.ways) <
           std::tie(b.label, b.size_class, b.work, b.space, b.ways);
  }
};

struct RegroupEntry {
  RegroupEntry(RegroupKey const& key, std::vector<RegroupTrial> const& candidates, std::uint64_t number)
      : space(key.space), serial(number), tuner(key.label, key.size_class, candidates) {}

  std::string const space;
  std::uint64_t const serial;  ///< in order of time
  std::mutex mutex;            ///< every use of the tuner is under it
  RegroupTuner tuner;
};

/// The tuners of the process. Whoever holds an entry may go on using it after it was forgotten.
class RegroupRegistry {
 public:
  static RegroupRegistry& instance() {
    static RegroupRegistry registry;
    return registry;
  }

  /// \param[in] work  the type of what the loop's items do.
  /// \param[in] space the execution space's name.
  std::shared_ptr<RegroupEntry> find(std::string const& label, std::type_index work, std::string const& space,
                                     std::int64_t items, std::vector<RegroupTrial> const& candidates) {
    RegroupKey key{label, work, space, size_class(items), {}};
    for (auto const& candidate : candidates) key.ways.push_back(candidate.way);
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (auto const found = m_entries.find(key); found != m_entries.end()) return found->second;
    auto entry = std::make_shared<RegroupEntry>(key, candidates, ++m_count);  // without memory there is none
    m_entries.emplace(std::move(key), entry);
    return entry;
  }

  std::vector<RegroupDecision> decisions(std::string const& label) {
    std::vector<RegroupDecision> all;
    for (auto const& entry : entries(label)) {
      std::lock_guard<std::mutex> const lock(entry->mutex);
      for (auto& decision : entry->tuner.decisions()) {
        decision.space = entry->space;
        all.push_back(std::move(decision));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](RegroupDecision const& a, RegroupDecision const& b) {
      return std::tie(a.label, a.size_class) < std::tie(b.label, b.size_class);
    });
    return all;
  }

  void forget() {
    std::lock_guard<std::mutex> const lock(m_mutex);
    m_entries.clear();
  }

 private:
  /// In order of time. No entry is locked while the registry is.
  std::vector<std::shared_ptr<RegroupEntry>> entries(std::string const& label) {
    std::vector<std::shared_ptr<RegroupEntry>> found;
    {
      std::lock_guard<std::mutex> const lock(m_mutex);
      for (auto const& [key, entry] : m_entries)
        if (label.empty() || key.label == label) found.push_back(entry);
    }
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a->serial < b->serial; });
    return found;
  }

  std::mutex m_mutex;
  std::map<RegroupKey, std::shared_ptr<RegroupEntry>> m_entries;
  std::uint64_t m_count = 0;
};

}  // namespace Koalesce::Impl

#endif
