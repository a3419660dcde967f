// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/regroup/RegroupLog.hpp>
#include <Koalesce/tuning/Tuning.hpp>

#include <sstream>
#include <thread>

namespace Koalesce::Test {
namespace {

using enum RegroupVariant;

struct WorkA {};
struct WorkB {};

std::vector<RegroupTrial> const candidates{{plain}, {grid}};

/// Tests share the process' decisions with those of other tests.
struct RegroupDecisionLog : ::testing::Test {
  RegroupDecisionLog() { forget_tuning(); }
  ~RegroupDecisionLog() override { forget_tuning(); }
};

template <class Work = WorkA>
auto find(std::string const& label, std::int64_t items, std::string const& space = "Serial",
          std::vector<RegroupTrial> const& variants = candidates) {
  return Impl::RegroupEntry::find(label, typeid(Work).name(), space, {space, "software"}, items, variants);
}

void decide(Impl::RegroupEntry& entry, double plain_time, double other_time) {
  for (auto choice = entry.next(false); choice.timed; choice = entry.next(false))
    entry.record(choice, choice.variant == plain ? plain_time : other_time);
}

TEST_F(RegroupDecisionLog, size_classes) {
  EXPECT_EQ(Impl::size_class(0), 0);
  EXPECT_EQ(Impl::size_class(1), 0);
  for (int bits = 1; bits < 62; ++bits) {
    EXPECT_EQ(Impl::size_class((std::int64_t(1) << bits) - 1), bits - 1);
    EXPECT_EQ(Impl::size_class(std::int64_t(1) << bits), bits);
  }
}

TEST_F(RegroupDecisionLog, what_shares_a_tuner) {
  auto const entry = find("loop", 1000);
  EXPECT_EQ(find("loop", 600), entry);
  EXPECT_NE(find("other", 1000), entry);
  EXPECT_NE(find("loop", 1024), entry);
  EXPECT_NE(find<WorkB>("loop", 1000), entry);
  EXPECT_NE(find("loop", 1000, "OpenMP"), entry);
  EXPECT_NE(find("loop", 1000, "Serial", {{plain}, {team}}), entry);
  EXPECT_EQ(find("loop", 1000), entry);
}

TEST_F(RegroupDecisionLog, order_of_label_size_class_and_time) {
  find("b", 100), find("a", 5000), find<WorkB>("a", 100, "Second"), find("a", 100, "Third"), find("a", 50);
  std::vector<std::string> found;
  for (auto const& d : regroup_decisions()) found.push_back(d.label + std::to_string(d.size_class) + d.space);
  EXPECT_EQ(found, (std::vector<std::string>{"a5Serial", "a6Second", "a6Third", "a12Serial", "b6Serial"}));
}

TEST_F(RegroupDecisionLog, of_one_label) {
  decide(*find("fast", 100), 2, 1);
  decide(*find("slow", 100), 1, 2);
  auto const slow = regroup_decisions("slow");
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_EQ(slow[0].label, "slow");
  EXPECT_EQ(slow[0].space, "Serial");
  EXPECT_TRUE(slow[0].decided);
  EXPECT_EQ(slow[0].variant, plain);
  EXPECT_EQ(regroup_decisions("fast").at(0).variant, grid);
  EXPECT_EQ(regroup_decisions().size(), 2u);
  EXPECT_TRUE(regroup_decisions("neither").empty());
}

TEST_F(RegroupDecisionLog, forgotten_while_a_call_runs) {
  auto const held = find("loop", 100);
  forget_tuning();
  EXPECT_TRUE(regroup_decisions().empty());
  decide(*held, 2, 1);
  EXPECT_EQ(held->leader(), grid);
  EXPECT_NE(find("loop", 100), held);
  EXPECT_FALSE(regroup_decisions("loop").at(0).decided);
}

TEST_F(RegroupDecisionLog, many_threads) {
  auto const work = [](int seed) {
    for (int i = 0; i < 300; ++i) {
      auto const entry = find("loop " + std::to_string((seed + i) % 3), 100 << (i % 2));
      decide(*entry, 2, 1);
      if (i % 50 == 49) forget_tuning();
      for (auto const& d : regroup_decisions()) EXPECT_TRUE(!d.decided || d.variant == grid);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (auto& thread : threads) thread.join();
}

// ---- Text ----

RegroupDecision example() {
  RegroupDecision d;
  d.label        = "events";
  d.space        = "Cuda";
  d.size_class   = 20;
  d.decided      = true;
  d.variant      = grid;
  d.why          = "grid is 3.42 times as fast as plain";
  d.trials       = {{plain, 3, 3.42e-3, 0}, {team_moved, 1, 0.0261, 1536, true}, {grid, 3, 1e-3, 12 << 20}, {team}};
  d.sample.paths = 2;
  d.sample.items = 64;
  d.sample.runs  = 2;
  d.sample.paths_in_runs = 3;
  d.sample.histogram[0]  = 16;
  d.sample.histogram[1]  = 48;
  return d;
}

std::string text_of(RegroupDecision const& d) {
  std::ostringstream out;
  out << d;
  return out.str();
}

TEST_F(RegroupDecisionLog, text) {
  EXPECT_EQ(text_of(example()),
            "regroup \"events\" on Cuda, 2^20 to 2^21 items: grid\n"
            "  grid is 3.42 times as fast as plain\n"
            "  plain           3.4200 ms, best of 3, 0 B moved\n"
            "  team, moved    26.1000 ms, best of 1, 1.5 KiB moved, dropped\n"
            "  grid            1.0000 ms, best of 3, 12.0 MiB moved\n"
            "  team                 - not measured, 0 B moved\n"
            "  2 paths, 1.50 a warp; path 1: 75.0 %, path 0: 25.0 %\n");
}

TEST_F(RegroupDecisionLog, text_before_anything_is_known) {
  RegroupDecision d;
  d.label  = "events";
  d.trials = {{plain}};
  EXPECT_EQ(text_of(d),
            "regroup \"events\", 2^0 to 2^1 items: still measuring\n"
            "  plain                - not measured, 0 B moved\n");
}

TEST_F(RegroupDecisionLog, text_of_many_paths) {
  auto d = example();
  std::fill_n(d.sample.histogram, 10, 10);
  d.sample.items        = 100;
  d.sample.histogram[9] = 9, d.sample.histogram[3] = 11;
  d.sample.paths = 64;
  EXPECT_NE(text_of(d).find("; path 3: 11.0 %, path 0: 10.0 %, path 1:"), std::string::npos) << text_of(d);
  EXPECT_NE(text_of(d).find("path 7: 10.0 %, others: 19.0 %\n"), std::string::npos) << text_of(d);
  d.sample.paths = 96;  // buckets have one or two
  EXPECT_NE(text_of(d).find("; path 5: 11.0 %, paths 0-1: 10.0 %, path 2:"), std::string::npos) << text_of(d);
}

TEST_F(RegroupDecisionLog, text_leaves_the_stream_as_it_was) {
  std::ostringstream out;
  out << std::hex << example() << 255;
  EXPECT_NE(out.str().find("best of 3"), std::string::npos);
  EXPECT_EQ(out.str().substr(out.str().size() - 2), "ff");
}

TEST_F(RegroupDecisionLog, buckets_of_shared_paths_are_those_of_the_sample) {
  PathSample sample;
  for (sample.paths = 65; sample.paths < 300; ++sample.paths)
    for (int path = 0; path < sample.paths; ++path) {
      auto const text  = Impl::bucket_text(sample, path * PathSample::buckets / sample.paths);
      auto const first = std::stoi(text.substr(text.find(' ')));
      auto const last  = text.find('-') == std::string::npos ? first : std::stoi(text.substr(text.find('-') + 1));
      ASSERT_TRUE(first <= path && path <= last) << text << ", path " << path << " of " << sample.paths;
    }
}

}  // namespace
}  // namespace Koalesce::Test
