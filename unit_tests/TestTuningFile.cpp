// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"
#include "TuningFolder.hpp"

#include <cmath>
#include <csignal>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <locale>
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

std::string const heading =
    "# Koalesce tuning file, version 1\n"
    "# checksum, device, software, pattern, label, kernel, extents, choice, seconds\n";

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

std::string const columns_of_key = "a device\tdriver 12.4\tplacement\tblur\tKernel\ttile double[34][34], 1024 x 128\t";

// ---- What is remembered is found ----

TEST_F(TuningFileOf, text) {
  EXPECT_EQ(append(file, key, winner), "");
  EXPECT_EQ(text(), heading + line_of(columns_of_key + "sr\t1.2500000000000001e-05"));
}

TEST_F(TuningFileOf, round_trip) {
  EXPECT_FALSE(find_in(file, key));
  for (int n = 0; n < 50; ++n) EXPECT_EQ(append(file, numbered(n), numbered_winner(n)), "");
  for (int n = 0; n < 50; ++n) expect(numbered(n), numbered_winner(n));
  EXPECT_FALSE(find_in(file, numbered(50)));
  EXPECT_EQ(text().find(heading, 1), std::string::npos) << "one heading is enough";
}

TEST_F(TuningFileOf, every_part_of_the_key_counts) {
  EXPECT_EQ(append(file, key, winner), "");
  for (std::string TuningKey::*const part :
       {&TuningKey::pattern, &TuningKey::label, &TuningKey::kernel, &TuningKey::extents}) {
    auto other = key;
    (other.*part) += "x";
    EXPECT_FALSE(find_in(file, other));
    (other.*part).clear();
    EXPECT_FALSE(find_in(file, other));
  }
  for (std::string Impl::TuningMachine::*const part : {&Impl::TuningMachine::device, &Impl::TuningMachine::software}) {
    auto other = key;
    (other.machine.*part) += "x";
    EXPECT_FALSE(find_in(file, other));
  }
}

TEST_F(TuningFileOf, the_last_one_counts) {
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(append(file, key, numbered_winner(n)), "");
    EXPECT_EQ(append(file, numbered(1), winner), "");
    expect(key, numbered_winner(n));
  }
}

TEST_F(TuningFileOf, labels_of_any_characters) {
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
  int n                      = 0;
  for (auto const& a : labels)
    for (auto const& b : labels) {
      EXPECT_EQ(append(file, {a, b, a, b, {a, b}}, numbered_winner(n)), "");
      EXPECT_EQ(append(file, {a, b, a + "\t" + b, "", {}}, numbered_winner(n + 1)), "");
      n += 2;
    }
  n = 0;
  for (auto const& a : labels)
    for (auto const& b : labels) {
      expect({a, b, a, b, {a, b}}, numbered_winner(n));
      expect({a, b, a + "\t" + b, "", {}}, numbered_winner(n + 1));
      n += 2;
    }
  for (char const c : text()) EXPECT_TRUE(c < 0 || (c >= ' ' && c != 127) || c == '\t' || c == '\n') << int(c);
}

TEST_F(TuningFileOf, every_digit_of_a_time) {
  std::mt19937_64 rng(1);
  for (int n = 0; n < 100; ++n) {
    RememberedChoice const entry{"", std::ldexp(1 + double(rng() >> 11) / 9007199254740992., -int(rng() % 60))};
    EXPECT_EQ(append(file, key, entry), "");
    expect(key, entry);
  }
}

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_F(TuningFileOf, no_locale_shows) {
  {
    LocaleScope const scope(new Comma);
    EXPECT_EQ(append(file, key, winner), "");
    expect(key, winner);
  }
  expect(key, winner);
}

TEST_F(TuningFileOf, makes_its_folder) {
  file = folder / "a" / "b" / "tuning.txt";
  EXPECT_EQ(append(file, key, winner), "");
  expect(key, winner);
}

// ---- Damage ----

TEST_F(TuningFileOf, no_damage_gives_a_wrong_entry) {
  for (int n = 0; n < 3; ++n) EXPECT_EQ(append(file, numbered(n), numbered_winner(n + 2)), "");
  auto const whole = text();
  int lost         = 0;
  auto const check = [&](std::string const& damaged) {
    write(damaged);
    for (int n = 0; n < 3; ++n) {
      auto const found = find_in(file, numbered(n));
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

TEST_F(TuningFileOf, lines_that_are_wrong_but_whole) {
  auto const good = line_of(columns_of_key + "r\t0.5");
  for (std::string const columns :
       {"", "\t", "r", "r\t", "r\tx", "r\t1x", "r\t0", "r\t-1", "r\tnan", "r\tinf", "r\t1e999", "r\t1\t", "r\t1 "}) {
    write(heading + line_of(columns_of_key + columns));
    EXPECT_FALSE(find_in(file, key)) << columns;
    EXPECT_EQ(TuningFile(file).read().why, file.string() + " has 1 damaged line");
    write(heading + good + line_of(columns_of_key + columns));
    expect(key, {"r", 0.5});
  }
  write(heading + line_of("a device\tdriver\tr\t0.5"));
  EXPECT_NE(TuningFile(file).read().why, "");
  write(heading + "\n\n# a comment\nrubbish\n\t\n" + good + "more rubbish");
  expect(key, {"r", 0.5});
  EXPECT_EQ(TuningFile(file).read().why, file.string() + " has 2 damaged lines");
}

TEST_F(TuningFileOf, goes_on_after_a_line_that_was_not_finished) {
  EXPECT_EQ(append(file, numbered(0), winner), "");
  EXPECT_EQ(append(file, numbered(1), winner), "");
  auto const whole = text();
  for (std::size_t end = heading.size(); end < whole.size(); ++end) {
    write(whole.substr(0, end));
    EXPECT_EQ(append(file, numbered(2), numbered_winner(2)), "");
    expect(numbered(2), numbered_winner(2));
    if (2 * end > whole.size() + heading.size() + 2) expect(numbered(0), winner);
  }
}

// ---- What is not ours ----

TEST_F(TuningFileOf, leaves_other_files_alone) {
  for (std::string const other :
       {"x", "\n", "# Koalesce tuning", "# koalesce tuning file, version 1\n", "My notes\n\n"}) {
    write(other);
    EXPECT_EQ(append(file, key, winner), file.string() + " is no tuning file, and is left alone");
    EXPECT_FALSE(find_in(file, key));
    EXPECT_EQ(text(), other);
  }
  write("My notes\n" + line_of(columns_of_key + "r\t0.5"));
  EXPECT_FALSE(find_in(file, key));
}

TEST_F(TuningFileOf, leaves_other_versions_alone) {
  for (std::string const version : {", version 2\n", ", version 10\n", "\n", ""}) {
    auto const other = "# Koalesce tuning file" + version + line_of(columns_of_key + "r\t0.5");
    write(other);
    EXPECT_EQ(append(file, key, winner),
              file.string() + " is a tuning file of another version; delete it to begin anew");
    EXPECT_FALSE(find_in(file, key));
    EXPECT_EQ(text(), other);
  }
}

TEST_F(TuningFileOf, an_empty_file_is_begun) {
  write("");
  EXPECT_FALSE(find_in(file, key));
  EXPECT_EQ(append(file, key, winner), "");
  EXPECT_EQ(text().substr(0, heading.size()), heading);
  expect(key, winner);
}

TEST_F(TuningFileOf, very_large_files_are_not_read) {
  constexpr std::size_t most = 16 << 20;
  auto const line            = line_of(columns_of_key + "r\t0.5");
  auto const filled          = [&](std::size_t size) {
    return heading + line + std::string(size - heading.size() - line.size() - 1, '#') + "\n";
  };
  write(filled(most));
  expect(key, {"r", 0.5});
  EXPECT_NE(append(file, key, winner), "") << "it would not be read any more";
  EXPECT_EQ(text().size(), most);
  write(filled(most + 1));
  EXPECT_FALSE(find_in(file, key));
  EXPECT_NE(append(file, key, winner).find("is full"), std::string::npos);
}

TEST_F(TuningFileOf, the_end_of_an_unfinished_line_counts) {
  constexpr std::size_t most = 16 << 20;
  auto const line            = line_of(columns_of_key + "r\t0.5");
  auto const added           = line_of(columns_of_key + "sr\t1.2500000000000001e-05");
  write(heading + line + std::string(most - heading.size() - line.size() - added.size(), '#'));
  (void)append(file, key, winner);
  EXPECT_LE(text().size(), most) << "it would not be read any more";
  expect(key, {"r", 0.5});
}

// ---- What cannot be remembered ----

TEST_F(TuningFileOf, very_long_labels) {
  auto most = key;
  EXPECT_EQ(append(file, most, winner), "");
  most.kernel += std::string((64 << 10) - (text().size() - heading.size()), 'k');
  EXPECT_EQ(append(file, most, winner), "");
  expect(most, winner);
  auto const before = text();
  most.kernel += "k";
  EXPECT_EQ(append(file, most, winner), "the labels are longer than 65536 bytes");
  EXPECT_FALSE(find_in(file, most));
  EXPECT_EQ(text(), before);
}

TEST_F(TuningFileOf, times_that_are_no_positive_numbers) {
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double const bad : {0., -1., inf, nan})
    EXPECT_EQ(append(file, key, {"r", bad}), "the time is not a positive number");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(TuningFileOf, a_folder_in_its_place) {
  std::filesystem::create_directories(file);
  EXPECT_EQ(append(file, key, winner), file.string() + " is not a file");
  EXPECT_FALSE(find_in(file, key));
}

TEST_F(TuningFileOf, a_file_in_its_folders_place) {
  write("");
  auto const other = file;
  file /= "tuning.txt";
  EXPECT_NE(append(file, key, winner).find(other.string()), std::string::npos);
  EXPECT_FALSE(find_in(file, key));
}

TEST_F(TuningFileOf, no_file_at_all) {
  EXPECT_NE(append({}, key, winner), "");
  EXPECT_FALSE(find_in({}, key));
}

// ---- At once ----

TEST_F(TuningFileOf, threads) {
  constexpr int threads = 4, each = 50;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([this, t] {
      for (int n = t * each; n < (t + 1) * each; ++n) {
        EXPECT_EQ(append(file, numbered(n), numbered_winner(n)), "");
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

TEST_F(TuningFileOf, processes) {
  constexpr int processes = 6, each = 40;
  std::string const filler(6000, 'x');  // longer than any buffer that the C library would take by itself
  auto const long_key = [&](int n) {
    auto k = numbered(n);
    k.extents += n % 2 == 0 ? filler : "";
    return k;
  };
  std::vector<pid_t> all;
  for (int p = 0; p < processes; ++p)
    all.push_back(start([&] {
      int failures = 0;
      for (int n = p * each; n < (p + 1) * each; ++n)
        failures += !append(file, long_key(n), numbered_winner(n)).empty();
      return failures;
    }));
  for (auto const process : all) EXPECT_EQ(status_of(process), 0);
  for (int n = 0; n < processes * each; ++n) expect(long_key(n), numbered_winner(n));

  std::istringstream lines(text());
  int entries = 0;
  for (std::string line; std::getline(lines, line);) entries += !line.empty() && line[0] != '#';
  EXPECT_EQ(entries, processes * each) << "no line is torn";
}

TEST_F(TuningFileOf, a_full_disk) {
  EXPECT_EQ(append(file, key, winner), "");
  rlim_t const limit = text().size() + 30;
  EXPECT_EQ(status_of(start([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              rlimit const size{limit, limit};
              setrlimit(RLIMIT_FSIZE, &size);
              return append(file, numbered(1), winner).empty() ? 1 : 0;
            })),
            0);
  EXPECT_EQ(text().size(), limit) << "a part was written";
  expect(key, winner);
  EXPECT_FALSE(find_in(file, numbered(1)));
  EXPECT_EQ(append(file, numbered(2), winner), "");
  expect(numbered(2), winner);
}

TEST_F(TuningFileOf, a_pipe_in_its_place) {
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(append(file, key, winner), file.string() + " is not a file");
  EXPECT_FALSE(find_in(file, key));
}

TEST_F(TuningFileOf, a_folder_that_cannot_be_written) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_NE(append(file, key, winner).find("ermission"), std::string::npos);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

#endif

}  // namespace
}  // namespace Koalesce::Test
