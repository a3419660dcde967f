// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/shadow/impl/LineSet.hpp>

#include <vector>

/// Runs of lines, against one flag per line.
namespace Koalesce::Test {
namespace {

using Impl::IndexRange;
using Impl::LineSet;

bool has(std::vector<IndexRange> const& runs, int line) {
  for (auto const& r : runs)
    if (r.first <= line && line < r.end) return true;
  return false;
}

void expect_same(LineSet const& set, std::vector<bool> const& flags, IndexRange const& range) {
  auto const missing = set.missing(range);
  bool all           = true;
  for (int line = 0; line < int(flags.size()); ++line) {
    bool const in_range = range.first <= line && line < range.end;
    EXPECT_EQ(has(missing, line), in_range && !flags[line]) << line;
    all = all && (!in_range || flags[line]);
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    EXPECT_FALSE(missing[i].empty());
    EXPECT_TRUE(i == 0 || missing[i - 1].end < missing[i].first) << "two that touch";
  }
  EXPECT_EQ(set.contains(range), all);
  EXPECT_EQ(set.empty(), flags == std::vector<bool>(flags.size(), false));

  // The longest part of a run in the range, and the whole run.
  std::int64_t most = 0, now = 0;
  for (std::int64_t line = range.first; line < range.end; ++line)
    most = std::max(most, now = flags[line] ? now + 1 : 0);
  auto const run = set.most_of(range);
  EXPECT_EQ(std::max<std::int64_t>(intersection(run, range).size(), 0), most);
  for (std::int64_t line = run.first; line < run.end; ++line) EXPECT_TRUE(flags[line]);
  if (most > 0) {
    EXPECT_TRUE(run.first == 0 || !flags[run.first - 1]);
    EXPECT_TRUE(run.end == std::int64_t(flags.size()) || !flags[run.end]);
  }
}

TEST(LineSets, are_flags_of_lines) {
  constexpr int lines = 40;
  for_each_seed([](Rng& rng) {
    auto const range = [&] {
      std::int64_t const first = random_int(rng, 0, lines);
      return IndexRange{first, random_int(rng, first, lines)};
    };
    for (int again = 0; again < 25; ++again) {
      LineSet set;
      std::vector<bool> flags(lines, false);
      for (int step = 0; step < 30; ++step) {
        bool const adds = rng() % 3 != 0;
        auto const run  = range();
        if (adds) set.add(run);
        else set.remove(run);
        for (std::int64_t line = run.first; line < run.end; ++line) flags[line] = adds;
        expect_same(set, flags, range());
      }
      set.clear();
      EXPECT_TRUE(set.empty());
    }
  });
}

TEST(LineSets, have_no_run_with_lines_that_they_lack) {
  LineSet set;
  set.add({30, 70});
  for (IndexRange const& range : {IndexRange{71, 90}, {0, 29}, {70, 70}}) EXPECT_TRUE(set.most_of(range).empty());
}

}  // namespace
}  // namespace Koalesce::Test
