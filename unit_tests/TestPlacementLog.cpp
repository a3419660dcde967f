// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/placement/PlacementLog.hpp>

#include <locale>
#include <sstream>
#include <string>

namespace Koalesce::Test {
namespace {

using enum Place;
using Outcome = PlacementOutcome;

std::string text_of(PlacementLog const& log) {
  std::ostringstream out;
  out << log;
  return out.str();
}

/// Of three moves one pays, one does not, one does not fit.
PlacementLog measured_log() {
  PlacementLog log;
  log.kernel    = "blur";
  log.device    = "a device";
  log.league    = 1024;
  log.team_size = 128;
  log.arrays    = {{"tile", 1024, true, false}, {"next", 36.5, false, true}, {"history", 7, false, false}};
  log.counted   = true;
  log.notes     = {"next: spills", "the cache is off"};

  auto& result     = log.result;
  result.placement = {scratch, registers, scratch};
  result.seconds   = 10e-6;
  result.trials    = {
      {Placement(3), {}, {12.5e-6, {32, 0, 16384, 0.5}, ""}, Outcome::first},
      {{global_memory, scratch, scratch}, 0, {1.25e-3, {30, 0, 12288, 0.625}, ""}, Outcome::undone},
      {{scratch, registers, scratch}, 1, {10e-6, {48, 16, 8192, {}}, ""}, Outcome::kept},
      {{scratch, registers, thread_memory}, 2, {{}, {}, "too many\nresources"}, Outcome::impossible},
  };
  return log;
}

TEST(PlacementLog, measured) {
  EXPECT_EQ(text_of(measured_log()),
            R"(placement "blur" on a device, 1024 x 128 threads: tile: scratch, next: registers, history: scratch
  10.00 us, 1.25 times as fast as all in scratch
  array    accesses, counted  elements of      length
  tile                1024.0  several threads  varying
  next                  36.5  one thread each  constant
  history                7.0  one thread each  varying
  trial  moved                       time  of first  registers  local B  shared B  occupancy  outcome
      1  all in scratch          12.50 us     1.000         32        0     16384     50.0 %  first
      2  tile: global memory      1.25 ms   100.000         30        0     12288     62.5 %  slower, undone
      3  next: registers         10.00 us     0.800         48       16      8192          -  kept
      4  history: thread memory         -         -          -        -         -          -  cannot run: too many resources
  next: spills
  the cache is off
)");
}

TEST(PlacementLog, exhaustive) {
  PlacementLog log;
  log.kernel    = "k";
  log.league    = 1;
  log.team_size = 1;
  log.arrays    = {{"a", 1, false, true}, {"b", 2, true, true}};
  log.result    = search_placement(log.arrays, PlacementSearch::exhaustive, [](Placement const& p) {
    return PlacementMeasurement{p[0] == scratch ? 2. : 1., {}, ""};
  });
  EXPECT_EQ(text_of(log), R"(placement "k", 1 x 1 threads: a: registers, b: scratch
  1.00 s, 2.00 times as fast as all in scratch
  array  accesses, stated  elements of      length
  a                   1.0  one thread each  constant
  b                   2.0  several threads  constant
  trial  moved                             time  of first  registers  local B  shared B  occupancy  outcome
      1  all in scratch                  2.00 s     1.000          -        -         -          -  first
      2  b: global memory                2.00 s     1.000          -        -         -          -  tried
      3  a: registers                    1.00 s     0.500          -        -         -          -  tried
      4  a: registers, b: global memory  1.00 s     0.500          -        -         -          -  tried
)");
}

TEST(PlacementLog, nothing_ran) {
  PlacementLog log;
  log.kernel      = "k";
  log.arrays      = {{"a", 1, false, true}};
  log.result      = search_placement(log.arrays, PlacementSearch::published, [](auto const&) {
    return PlacementMeasurement{{}, {}, "it does not fit"};
  });
  auto const text = text_of(log);
  EXPECT_NE(text.find("cannot run: it does not fit\n"), text.npos) << text;
  EXPECT_NE(text.find("\n  no placement could run\n"), text.npos) << text;
}

TEST(PlacementLog, the_first_did_not_fit) {
  auto log                                   = measured_log();
  log.result.trials.front().measured.seconds = {};
  log.result.trials.front().outcome          = Outcome::impossible;
  auto const text                            = text_of(log);
  EXPECT_NE(text.find("history: scratch\n  10.00 us\n"), text.npos) << text;
  EXPECT_NE(text.find("10.00 us         -         48"), text.npos) << text;
}

TEST(PlacementLog, remembered) {
  PlacementLog log;
  log.kernel           = "k";
  log.league           = 3;
  log.team_size        = 2;
  log.source           = PlacementSource::remembered;
  log.result.placement = {registers};
  log.result.seconds   = 850e-9;
  EXPECT_EQ(
      text_of(log),
      "placement \"k\", 3 x 2 threads: array 0: registers\n  850.00 ns, remembered from an earlier call or run\n");
}

TEST(PlacementLog, remembered_without_accesses) {
  PlacementLog log;
  log.kernel           = "k";
  log.league           = 3;
  log.team_size        = 2;
  log.arrays           = {{"a", 0, false, true}, {"b", 0, true, true}};
  log.source           = PlacementSource::remembered;
  log.result.placement = {registers, scratch};
  EXPECT_EQ(text_of(log), R"(placement "k", 3 x 2 threads: a: registers, b: scratch
  remembered from an earlier call or run
  array  accesses  elements of      length
  a             -  one thread each  constant
  b             -  several threads  constant
)");
  log.arrays[1].count = 7;
  EXPECT_NE(text_of(log).find("accesses, stated"), std::string::npos) << text_of(log);
}

TEST(PlacementLog, no_arrays) {
  PlacementLog log;
  log.kernel = "k";
  log.result = search_placement({}, PlacementSearch::published, [](auto const&) { return PlacementMeasurement{1.}; });
  auto const text = text_of(log);
  EXPECT_NE(text.find(": no arrays\n  1.00 s, 1.00 times"), text.npos) << text;
  EXPECT_EQ(text.find("accesses"), text.npos) << text;
}

TEST(PlacementLog, times) {
  EXPECT_EQ(Impl::seconds_text(1.5e-9), "1.50 ns");
  EXPECT_EQ(Impl::seconds_text(1e-6), "1.00 us");
  EXPECT_EQ(Impl::seconds_text(1e-3), "1.00 ms");
  EXPECT_EQ(Impl::seconds_text(1), "1.00 s");
  EXPECT_EQ(Impl::seconds_text(100), "100.00 s");
}

/// Where a column begins, counted in characters.
TEST(PlacementLog, names_of_any_characters_keep_the_columns) {
  auto log = measured_log();
  log.arrays[1].name =
      "n\xC3\xA4"
      "chster\n\twert";
  auto const text = text_of(log);
  EXPECT_NE(text.find("\n  n\xC3\xA4"
                      "chster  wert               36.5  one"),
            text.npos)
      << text;
  EXPECT_NE(text.find("\n  tile                       1024.0  several"), text.npos) << text;
}

struct Grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(PlacementLog, no_locale_shows) {
  auto const before = text_of(measured_log());
  LocaleScope const scope(new Grouping);
  EXPECT_EQ(text_of(measured_log()), before);
}

}  // namespace
}  // namespace Koalesce::Test
