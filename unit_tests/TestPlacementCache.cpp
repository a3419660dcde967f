// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/placement/impl/PlacementCache.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <limits>
#include <locale>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if __has_include(<unistd.h>)
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define KOALESCE_TEST_POSIX 1
#endif

namespace Koalesce::Test {
namespace {

using enum Place;
using Impl::PlacementCache;
using Impl::PlacementKey;
using Impl::RememberedPlacement;

PlacementKey const key{"a device", "driver 12.4", "blur", "tile double[34][34], next double[8]", "1024 x 128"};
RememberedPlacement const winner{{scratch, registers}, 1.25e-5};

std::string const heading =
    "# Koalesce placement cache, version 1\n"
    "# checksum, device, driver, kernel, arrays, shape, places, seconds\n";

bool operator==(RememberedPlacement const& a, RememberedPlacement const& b) {
  return a.placement == b.placement && a.seconds == b.seconds;
}

/// A folder for the file, which is gone afterwards.
struct PlacementCacheFile : ::testing::Test {
  PlacementCacheFile() {
    std::random_device random;
    folder = std::filesystem::temp_directory_path() /
             ("koalesce_placement_" + std::to_string(random()) + "_" + std::to_string(random()));
    file = folder / "placement.txt";
    std::filesystem::create_directories(folder);
  }
  ~PlacementCacheFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string text() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(std::string const& text) const { std::ofstream(file, std::ios::binary) << text; }

  /// What is found must be that.
  void expect(PlacementKey const& k, RememberedPlacement const& entry) const {
    auto const found = PlacementCache(file).find(k);
    ASSERT_TRUE(found) << k.kernel;
    EXPECT_TRUE(*found == entry) << k.kernel;
  }

  std::filesystem::path folder, file;
};

/// A line of the file, whatever the columns are.
std::string line_of(std::string const& columns) {
  std::uint64_t hash = 14695981039346656037u;
  for (unsigned char const c : columns) {
    hash ^= c;
    hash *= 1099511628211u;
  }
  std::ostringstream line;
  line << std::hex << std::setw(16) << std::setfill('0') << hash << '\t' << columns << '\n';
  return line.str();
}

std::string const columns_of_key = "a device\tdriver 12.4\tblur\ttile double[34][34], next double[8]\t1024 x 128\t";

PlacementKey numbered(int n) {
  auto k = key;
  k.kernel += std::to_string(n);
  return k;
}

RememberedPlacement numbered_winner(int n) { return {Placement(std::size_t(n % 7), Place(n % 4)), 1e-6 * (1 + n)}; }

// ---- What is remembered is found ----

TEST_F(PlacementCacheFile, text) {
  EXPECT_EQ(PlacementCache(file).remember(key, winner), "");
  EXPECT_EQ(text(), heading + line_of(columns_of_key + "scratch, registers\t1.2500000000000001e-05"));
}

TEST_F(PlacementCacheFile, round_trip) {
  PlacementCache cache(file);
  EXPECT_FALSE(cache.find(key));
  for (int n = 0; n < 50; ++n) EXPECT_EQ(cache.remember(numbered(n), numbered_winner(n)), "");
  for (int n = 0; n < 50; ++n) expect(numbered(n), numbered_winner(n));
  EXPECT_FALSE(cache.find(numbered(50)));
  EXPECT_EQ(text().find(heading, 1), std::string::npos) << "one heading is enough";
}

TEST_F(PlacementCacheFile, every_part_of_the_key_counts) {
  EXPECT_EQ(PlacementCache(file).remember(key, winner), "");
  for (auto const part : {&PlacementKey::device, &PlacementKey::driver, &PlacementKey::kernel, &PlacementKey::arrays,
                          &PlacementKey::shape}) {
    auto other = key;
    (other.*part) += "x";
    EXPECT_FALSE(PlacementCache(file).find(other));
    (other.*part).clear();
    EXPECT_FALSE(PlacementCache(file).find(other));
  }
}

TEST_F(PlacementCacheFile, the_last_one_counts) {
  PlacementCache cache(file);
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(cache.remember(key, numbered_winner(n)), "");
    EXPECT_EQ(cache.remember(numbered(1), winner), "");
    expect(key, numbered_winner(n));
  }
}

TEST_F(PlacementCacheFile, labels_of_any_characters) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += char(c);
  std::string const labels[] = {"",
                                "\t",
                                "\\t",
                                "\\",
                                "\\\\",
                                "\n",
                                "\\n",
                                "# Koalesce",
                                "\r\n",
                                " ",
                                "\x1b[31m",
                                every,
                                std::string(3, '\0'),
                                "\\x00",
                                "gr\xC3\xB6\xC3\x9F"
                                "e"};
  PlacementCache cache(file);
  int n = 0;
  for (auto const& a : labels)
    for (auto const& b : labels) {
      EXPECT_EQ(cache.remember({a, b, a, b, a}, numbered_winner(n)), "");
      EXPECT_EQ(cache.remember({a, b, a + "\t" + b, "", ""}, numbered_winner(n + 1)), "");
      n += 2;
    }
  n = 0;
  for (auto const& a : labels)
    for (auto const& b : labels) {
      expect({a, b, a, b, a}, numbered_winner(n));
      expect({a, b, a + "\t" + b, "", ""}, numbered_winner(n + 1));
      n += 2;
    }
  for (char const c : text()) EXPECT_TRUE(c < 0 || (c >= ' ' && c != 127) || c == '\t' || c == '\n') << int(c);
}

TEST_F(PlacementCacheFile, every_digit_of_a_time) {
  std::mt19937_64 rng(1);
  for (int n = 0; n < 100; ++n) {
    RememberedPlacement const entry{{}, std::ldexp(1 + double(rng() >> 11) / 9007199254740992., -int(rng() % 60))};
    EXPECT_EQ(PlacementCache(file).remember(key, entry), "");
    expect(key, entry);
  }
}

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_F(PlacementCacheFile, no_locale_shows) {
  auto const old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  EXPECT_EQ(PlacementCache(file).remember(key, winner), "");
  expect(key, winner);
  std::locale::global(old);
  expect(key, winner);
}

TEST_F(PlacementCacheFile, makes_its_folder) {
  file = folder / "a" / "b" / "placement.txt";
  EXPECT_EQ(PlacementCache(file).remember(key, winner), "");
  expect(key, winner);
}

// ---- Damage ----

TEST_F(PlacementCacheFile, no_damage_gives_a_wrong_entry) {
  for (int n = 0; n < 3; ++n) EXPECT_EQ(PlacementCache(file).remember(numbered(n), numbered_winner(n + 2)), "");
  auto const whole = text();
  int lost         = 0;
  auto const check = [&](std::string const& damaged) {
    write(damaged);
    for (int n = 0; n < 3; ++n) {
      auto const found = PlacementCache(file).find(numbered(n));
      lost += !found;
      EXPECT_TRUE(!found || *found == numbered_winner(n + 2));
    }
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    check(whole.substr(0, at));
    check(whole.substr(at));
    check(whole.substr(0, at) + whole.substr(at + 1));
    for (char const flip : {1, 2, 4, 8, 16, 32, 64, -128}) {
      auto damaged     = whole;
      damaged[at]      = char(damaged[at] ^ flip);
      int const before = lost;
      check(damaged);
      if (at < heading.size()) continue;
      // A line, or two that run into each other.
      EXPECT_TRUE(whole[at] == '\n' ? lost - before <= 2 : lost - before == 1) << at;
    }
  }
}

TEST_F(PlacementCacheFile, lines_that_are_wrong_but_whole) {
  auto const good = line_of(columns_of_key + "registers\t0.5");
  for (std::string const columns :
       {"", "\t", "registers", "registers\t", "registers\tx", "registers\t1x", "registers\t0", "registers\t-1",
        "registers\tnan", "registers\tinf", "registers\t1e999", "registers\t1\t", "registers\t1 ", "register\t1",
        "registers,scratch\t1", "registers, \t1", ", registers\t1", "registers, , scratch\t1", "Registers\t1"}) {
    write(heading + line_of(columns_of_key + columns));
    EXPECT_FALSE(PlacementCache(file).find(key)) << columns;
    write(heading + good + line_of(columns_of_key + columns));
    expect(key, {{registers}, 0.5});
  }
  write(heading + "\n\n# a comment\nrubbish\n\t\n" + good + "more rubbish");
  expect(key, {{registers}, 0.5});
  write(heading + line_of(columns_of_key + "scratch, registers, thread memory, global memory\t2"));
  expect(key, {{scratch, registers, thread_memory, global_memory}, 2});
}

TEST_F(PlacementCacheFile, goes_on_after_a_line_that_was_not_finished) {
  EXPECT_EQ(PlacementCache(file).remember(numbered(0), winner), "");
  EXPECT_EQ(PlacementCache(file).remember(numbered(1), winner), "");
  auto const whole = text();
  for (std::size_t end = heading.size(); end < whole.size(); ++end) {
    write(whole.substr(0, end));
    EXPECT_EQ(PlacementCache(file).remember(numbered(2), numbered_winner(2)), "");
    expect(numbered(2), numbered_winner(2));
    if (2 * end > whole.size() + heading.size() + 2) expect(numbered(0), winner);
  }
}

// ---- What is not ours ----

TEST_F(PlacementCacheFile, leaves_other_files_alone) {
  for (std::string const other :
       {"x", "\n", "# Koalesce placement", "# koalesce placement cache, version 1\n", "My notes\n\n"}) {
    write(other);
    EXPECT_EQ(PlacementCache(file).remember(key, winner), file.string() + " is no placement cache, and is left alone");
    EXPECT_FALSE(PlacementCache(file).find(key));
    EXPECT_EQ(text(), other);
  }
  write("My notes\n" + line_of(columns_of_key + "registers\t0.5"));
  EXPECT_FALSE(PlacementCache(file).find(key));
}

TEST_F(PlacementCacheFile, leaves_other_versions_alone) {
  for (std::string const version : {", version 2\n", ", version 10\n", "\n", ""}) {
    auto const other = "# Koalesce placement cache" + version + line_of(columns_of_key + "registers\t0.5");
    write(other);
    EXPECT_EQ(PlacementCache(file).remember(key, winner),
              file.string() + " is a placement cache of another version; delete it to begin anew");
    EXPECT_FALSE(PlacementCache(file).find(key));
    EXPECT_EQ(text(), other);
  }
}

TEST_F(PlacementCacheFile, an_empty_file_is_begun) {
  write("");
  EXPECT_FALSE(PlacementCache(file).find(key));
  EXPECT_EQ(PlacementCache(file).remember(key, winner), "");
  EXPECT_EQ(text().substr(0, heading.size()), heading);
  expect(key, winner);
}

TEST_F(PlacementCacheFile, very_large_files_are_not_read) {
  constexpr std::size_t most = 16 << 20;
  auto const line            = line_of(columns_of_key + "registers\t0.5");
  auto const filled          = [&](std::size_t size) {
    return heading + line + std::string(size - heading.size() - line.size() - 1, '#') + "\n";
  };
  write(filled(most));
  expect(key, {{registers}, 0.5});
  EXPECT_NE(PlacementCache(file).remember(key, winner), "") << "it would not be read any more";
  EXPECT_EQ(text().size(), most);
  write(filled(most + 1));
  EXPECT_FALSE(PlacementCache(file).find(key));
  EXPECT_NE(PlacementCache(file).remember(key, winner).find("is full"), std::string::npos);
}

// ---- What cannot be remembered ----

TEST_F(PlacementCacheFile, very_long_labels) {
  auto most = key;
  EXPECT_EQ(PlacementCache(file).remember(most, winner), "");
  most.kernel += std::string((64 << 10) - (text().size() - heading.size()), 'k');
  EXPECT_EQ(PlacementCache(file).remember(most, winner), "");
  expect(most, winner);
  auto const before = text();
  most.kernel += "k";
  EXPECT_EQ(PlacementCache(file).remember(most, winner), "the labels are longer than 65536 bytes");
  EXPECT_FALSE(PlacementCache(file).find(most));
  EXPECT_EQ(text(), before);
}

TEST_F(PlacementCacheFile, times_that_are_no_positive_numbers) {
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double const bad : {0., -1., inf, nan})
    EXPECT_EQ(PlacementCache(file).remember(key, {{registers}, bad}), "the time is no positive number");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(PlacementCacheFile, a_folder_in_its_place) {
  std::filesystem::create_directories(file);
  EXPECT_EQ(PlacementCache(file).remember(key, winner), file.string() + " is not a file");
  EXPECT_FALSE(PlacementCache(file).find(key));
}

TEST_F(PlacementCacheFile, a_file_in_its_folders_place) {
  write("");
  PlacementCache cache(file / "placement.txt");
  EXPECT_NE(cache.remember(key, winner).find(file.string()), std::string::npos);
  EXPECT_FALSE(cache.find(key));
}

TEST_F(PlacementCacheFile, no_file_at_all) {
  EXPECT_NE(PlacementCache({}).remember(key, winner), "");
  EXPECT_FALSE(PlacementCache({}).find(key));
}

// ---- At once ----

TEST_F(PlacementCacheFile, threads) {
  constexpr int threads = 4, each = 50;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([this, t] {
      for (int n = t * each; n < (t + 1) * each; ++n) {
        EXPECT_EQ(PlacementCache(file).remember(numbered(n), numbered_winner(n)), "");
        expect(numbered(n), numbered_winner(n));
      }
    });
  for (auto& thread : all) thread.join();
  for (int n = 0; n < threads * each; ++n) expect(numbered(n), numbered_winner(n));
}

#ifdef KOALESCE_TEST_POSIX

/// Runs f() in a process of its own, which ends with what it returns.
template <class F>
pid_t start(F const& f) {
  pid_t const process = fork();
  if (process == 0) _exit(f());
  return process;
}

int status_of(pid_t process) {
  int status = -1;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PlacementCacheFile, processes) {
  constexpr int processes = 6, each = 40;
  std::string const filler(6000, 'x');  // longer than any buffer that the C library would take by itself
  auto const long_key = [&](int n) {
    auto k = numbered(n);
    k.arrays += n % 2 == 0 ? filler : "";
    return k;
  };
  std::vector<pid_t> all;
  for (int p = 0; p < processes; ++p)
    all.push_back(start([&] {
      int failures = 0;
      for (int n = p * each; n < (p + 1) * each; ++n)
        failures += !PlacementCache(file).remember(long_key(n), numbered_winner(n)).empty();
      return failures;
    }));
  for (auto const process : all) EXPECT_EQ(status_of(process), 0);
  for (int n = 0; n < processes * each; ++n) expect(long_key(n), numbered_winner(n));

  std::istringstream lines(text());
  int entries = 0;
  for (std::string line; std::getline(lines, line);) entries += !line.empty() && line[0] != '#';
  EXPECT_EQ(entries, processes * each) << "no line is torn";
}

TEST_F(PlacementCacheFile, a_full_disk) {
  EXPECT_EQ(PlacementCache(file).remember(key, winner), "");
  rlim_t const limit = text().size() + 30;
  EXPECT_EQ(status_of(start([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              rlimit const size{limit, limit};
              setrlimit(RLIMIT_FSIZE, &size);
              return PlacementCache(file).remember(numbered(1), winner).empty() ? 1 : 0;
            })),
            0);
  EXPECT_EQ(text().size(), limit) << "a part was written";
  expect(key, winner);
  EXPECT_FALSE(PlacementCache(file).find(numbered(1)));
  EXPECT_EQ(PlacementCache(file).remember(numbered(2), winner), "");
  expect(numbered(2), winner);
}

TEST_F(PlacementCacheFile, a_pipe_in_its_place) {
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(PlacementCache(file).remember(key, winner), file.string() + " is not a file");
  EXPECT_FALSE(PlacementCache(file).find(key));
}

TEST_F(PlacementCacheFile, a_folder_that_cannot_be_written) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_NE(PlacementCache(file).remember(key, winner).find("ermission"), std::string::npos);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

// ---- Where it is ----

/// The environment as it was, afterwards.
struct PlacementCacheEnvironment : ::testing::Test {
  PlacementCacheEnvironment() {
    for (auto const* name : names) {
      char const* const value = std::getenv(name);
      values.push_back(value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  ~PlacementCacheEnvironment() override {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] ? setenv(names[i], values[i]->c_str(), 1) : unsetenv(names[i]);
  }

  static constexpr char const* names[] = {"KOALESCE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> values;
};

TEST_F(PlacementCacheEnvironment, default_file) {
  using Path = std::filesystem::path;
  EXPECT_EQ(PlacementCache::default_file(), std::nullopt);
  setenv("HOME", "", 1);
  EXPECT_EQ(PlacementCache::default_file(), std::nullopt);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(PlacementCache::default_file(), Path("/home/me/.cache/koalesce/placement.txt"));
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(PlacementCache::default_file(), Path("/home/me/.cache/koalesce/placement.txt"));
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(PlacementCache::default_file(), Path("/caches/koalesce/placement.txt"));
  setenv("KOALESCE_CACHE_DIR", "here", 1);
  EXPECT_EQ(PlacementCache::default_file(), Path("here/placement.txt"));
  setenv("KOALESCE_CACHE_DIR", "", 1);
  EXPECT_EQ(PlacementCache::default_file(), std::nullopt);
}

#endif

}  // namespace
}  // namespace Koalesce::Test
