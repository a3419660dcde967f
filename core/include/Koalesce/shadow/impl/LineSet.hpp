// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_LINE_SET_HPP
#define KOALESCE_SHADOW_IMPL_LINE_SET_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Koalesce::Impl {

/// Indices from `first` to before `end`.
struct IndexRange {
  std::int64_t first, end;

  std::int64_t size() const { return end - first; }
  bool empty() const { return first >= end; }
  bool contains(IndexRange const& other) const { return other.empty() || (first <= other.first && other.end <= end); }
};

inline IndexRange intersection(IndexRange const& a, IndexRange const& b) {
  return {std::max(a.first, b.first), std::min(a.end, b.end)};
}

/// A set of lines of a matrix, as runs that neither overlap nor touch, in order.
class LineSet {
 public:
  static constexpr std::size_t max_runs = 256;  ///< worth searching; callers add no more

  bool empty() const { return m_runs.empty(); }
  void clear() { m_runs.clear(); }
  std::size_t runs() const { return m_runs.size(); }

  void add(IndexRange run) {
    if (run.empty()) return;
    auto const from = std::find_if(m_runs.begin(), m_runs.end(), [&](auto const& r) { return r.end >= run.first; });
    auto const to   = std::find_if(from, m_runs.end(), [&](auto const& r) { return r.first > run.end; });
    if (from != to) run = {std::min(run.first, from->first), std::max(run.end, (to - 1)->end)};
    m_runs.insert(m_runs.erase(from, to), run);
  }

  void remove(IndexRange const& run) {
    std::vector<IndexRange> rest;
    for (auto const& r : m_runs)
      for (IndexRange const part :
           {IndexRange{r.first, std::min(r.end, run.first)}, {std::max(r.first, run.end), r.end}})
        if (!part.empty()) rest.push_back(part);
    if (!run.empty()) m_runs = rest;
  }

  /// The parts of a range that are not in the set.
  std::vector<IndexRange> missing(IndexRange range) const {
    std::vector<IndexRange> parts;
    for (auto const& r : m_runs) {
      IndexRange const before{range.first, std::min(range.end, r.first)};
      if (!before.empty()) parts.push_back(before);
      range.first = std::max(range.first, r.end);
    }
    if (!range.empty()) parts.push_back(range);
    return parts;
  }

  bool contains(IndexRange const& range) const { return missing(range).empty(); }

  /// The run with most lines of a range; an empty one, if none has any.
  IndexRange most_of(IndexRange const& range) const {
    IndexRange best{0, 0};
    std::int64_t most = 0;
    for (auto const& r : m_runs)
      if (auto const lines = intersection(r, range).size(); lines > most) {
        best = r;
        most = lines;
      }
    return best;
  }

 private:
  std::vector<IndexRange> m_runs;
};

}  // namespace Koalesce::Impl

#endif
