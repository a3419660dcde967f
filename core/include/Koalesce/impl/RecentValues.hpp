// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_IMPL_RECENT_VALUES_HPP
#define KOALESCE_IMPL_RECENT_VALUES_HPP

#include <array>
#include <utility>

namespace Koalesce::Impl {

/// What a function gave for the last few arguments that it was called with.
template <class Key, class Value, int Size>
class RecentValues {
 public:
  /// The value of `key`; make() where it is none of the last `Size` different ones.
  template <class Make>
  Value get(Key const& key, Make const& make) {
    for (int i = 0; i < m_used; ++i)
      if (m_entries[i].first == key) return m_entries[i].second;
    Value const value = make();
    if (m_used < Size) ++m_used;
    m_entries[m_oldest] = {key, value};
    m_oldest            = (m_oldest + 1) % Size;
    return value;
  }

 private:
  std::array<std::pair<Key, Value>, Size> m_entries;
  int m_used = 0, m_oldest = 0;
};

}  // namespace Koalesce::Impl

#endif
