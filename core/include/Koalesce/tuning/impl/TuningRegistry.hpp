// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TUNING_IMPL_TUNING_REGISTRY_HPP
#define KOALESCE_TUNING_IMPL_TUNING_REGISTRY_HPP

#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/tuning/TuningDecision.hpp>
#include <Koalesce/tuning/impl/TuningKey.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace Koalesce::Impl {

/// The choice of the calls that share a key. Each pattern derives a class from it.
class TuningEntry {
 public:
  virtual ~TuningEntry() = default;

  /// Called when Kokkos is finalized: frees what belongs to a device.
  virtual void finish() {}

  /// Marks the entry as forgotten: its results are no longer kept.
  void forget() { m_forgotten = true; }
  bool is_forgotten() const { return m_forgotten; }

  /// In order of time.
  virtual std::vector<TuningDecision> decisions() = 0;

 private:
  std::atomic<bool> m_forgotten{false};
};

/// The entries of the process. A caller may go on using an entry after it was forgotten.
class TuningRegistry {
 public:
  static TuningRegistry& instance() {
    static TuningRegistry registry;
    return registry;
  }

  /// \param[in] make  makes an Entry, as a shared_ptr, if there is none. A pattern has one type of entries.
  template <class Entry, class Make>
  std::shared_ptr<Entry> find(TuningKey const& key, Make const& make) {
    std::lock_guard const lock(m_mutex);
    if (!std::exchange(m_hooked, true)) push_finalize_hook([] { instance().finish(); });
    if (auto const found = m_entries.find(key); found != m_entries.end())
      if (auto entry = std::dynamic_pointer_cast<Entry>(found->second.entry)) return entry;
    std::shared_ptr<Entry> entry = make();
    m_entries.insert_or_assign(key, Numbered{++m_count, entry});
    return entry;
  }

  /// In order of time.
  template <class Entry = TuningEntry>
  std::vector<std::shared_ptr<Entry>> entries(std::string const& label) {
    std::vector<std::pair<std::uint64_t, std::shared_ptr<Entry>>> found;
    {
      std::lock_guard const lock(m_mutex);
      for (auto const& [key, numbered] : m_entries)
        if (label.empty() || key.label == label)
          if (auto entry = std::dynamic_pointer_cast<Entry>(numbered.entry)) found.emplace_back(numbered.number, entry);
    }
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    std::vector<std::shared_ptr<Entry>> all;
    all.reserve(found.size());
    for (auto& [number, entry] : found) all.push_back(std::move(entry));
    return all;
  }

  /// Locks no entry while the registry is locked.
  std::vector<TuningDecision> decisions(std::string const& label) {
    std::vector<TuningDecision> all;
    for (auto const& entry : entries(label))
      for (auto& decision : entry->decisions()) all.push_back(std::move(decision));
    std::stable_sort(all.begin(), all.end(), [](TuningDecision const& a, TuningDecision const& b) {
      return std::tie(a.pattern, a.label, a.extents) < std::tie(b.pattern, b.label, b.extents);
    });
    return all;
  }

  void forget(TuningKey const& key) {
    forget(key, [] {});
  }

  /// \param[in] change  called before there can be another entry: changes what the TuningMemory knows. The entry that
  ///                    is forgotten puts nothing there any more.
  template <class Change>
  void forget(TuningKey const& key, Change const& change) {
    std::lock_guard const lock(m_mutex);
    if (auto const found = m_entries.find(key); found != m_entries.end()) {
      found->second.entry->forget();
      m_entries.erase(found);
    }
    ++m_changes;
    change();
  }

  /// Forgets all entries. \param[in] change  as above.
  template <class Change>
  void forget_all(Change const& change) {
    std::lock_guard const lock(m_mutex);
    for (auto const& [key, numbered] : m_entries) numbered.entry->forget();
    m_entries.clear();
    ++m_changes;
    change();
  }

  /// The number of times that entries were forgotten. Results of find() hold only as long as it does not change.
  std::int64_t changes() const { return m_changes; }

 private:
  void finish() {
    for (auto const& entry : entries("")) entry->finish();
    std::lock_guard const lock(m_mutex);
    m_hooked = false;
  }

  struct Numbered {
    std::uint64_t number;  // in order of time
    std::shared_ptr<TuningEntry> entry;
  };

  std::mutex m_mutex;
  std::map<TuningKey, Numbered> m_entries;
  std::uint64_t m_count = 0;
  bool m_hooked         = false;
  std::atomic<std::int64_t> m_changes{0};
};

}  // namespace Koalesce::Impl

#endif
