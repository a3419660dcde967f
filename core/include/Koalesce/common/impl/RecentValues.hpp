// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_RECENT_VALUES_HPP
#define KOALESCE_COMMON_IMPL_RECENT_VALUES_HPP

#include <algorithm>
#include <array>
#include <utility>

namespace Koalesce::Impl {

/// LRU cache of computed values.
template <class Key, class Value, int Size>
class RecentValues {
 public:
  /// The value of `key`, which make() computes if it is not cached. The reference holds until the next call.
  /// \param[in] key  a Key, or a cheaper type that compares with it and converts to it, such as a tuple of references.
  template <class Lookup = Key, class Make>
  Value& get(Lookup const& key, Make const& make) {
    auto const used  = m_entries.begin() + m_used;
    auto const found = std::find_if(m_entries.begin(), used, [&](auto const& entry) { return entry.first == key; });
    if (found != used) {
      std::rotate(m_entries.begin(), found, found + 1);
    } else {
      std::pair<Key, Value> entry(Key(key), make());
      if (m_used < Size) ++m_used;
      std::rotate(m_entries.begin(), m_entries.begin() + m_used - 1, m_entries.begin() + m_used);
      m_entries[0] = std::move(entry);
    }
    return m_entries[0].second;
  }

 private:
  std::array<std::pair<Key, Value>, Size> m_entries;  // the latest is the first
  int m_used = 0;
};

}  // namespace Koalesce::Impl

#endif
