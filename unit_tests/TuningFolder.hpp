// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_TEST_TUNING_FOLDER_HPP
#define KOALESCE_TEST_TUNING_FOLDER_HPP

#include <Koalesce/tuning/Tuning.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>

/// A tuning file in a folder of its own, and what tests put into it.
namespace Koalesce::Test {

using Impl::RememberedChoice;
using Impl::TuningFile;
using Impl::TuningKey;

inline TuningKey const key{
    "placement", "blur", "Kernel", "tile double[34][34], 1024 x 128", {"a device", "driver 12.4"}};
inline RememberedChoice const winner{"sr", 1.25e-5};

inline std::string append(std::filesystem::path const& file, TuningKey const& k, RememberedChoice const& entry) {
  return TuningFile(file).append(k, entry);
}

inline std::optional<RememberedChoice> find_in(std::filesystem::path const& file, TuningKey const& k) {
  auto const entries = TuningFile(file).read().entries;
  auto const found   = entries.find(TuningFile::columns(k));
  return found != entries.end() ? std::optional(found->second) : std::nullopt;
}

/// A tuning file in a folder of its own, which the process uses; both gone at the end.
class TuningFolder {
 public:
  TuningFolder()
      : m_folder(std::filesystem::temp_directory_path() /
                 ("koalesce-" + std::to_string(std::random_device()()) + "-" + std::to_string(s_count++))) {
    std::filesystem::remove_all(m_folder);
    set_tuning_file(file());
  }
  ~TuningFolder() {
    std::filesystem::remove_all(m_folder);
    set_tuning_file(std::nullopt);
  }

  std::filesystem::path file() const { return m_folder / "tuning.txt"; }

 private:
  std::filesystem::path m_folder;
  static inline int s_count = 0;
};

/// A folder for a file that the process does not use, gone afterwards.
struct TuningFileOf : ::testing::Test {
  TuningFileOf() {
    std::random_device random;
    folder = std::filesystem::temp_directory_path() /
             ("koalesce_tuning_" + std::to_string(random()) + "_" + std::to_string(random()));
    file = folder / "tuning.txt";
    std::filesystem::create_directories(folder);
  }
  ~TuningFileOf() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string text() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(std::string const& text) const { std::ofstream(file, std::ios::binary) << text; }

  /// What is found must be that.
  void expect(TuningKey const& k, RememberedChoice const& entry) const {
    auto const found = find_in(file, k);
    ASSERT_TRUE(found) << k.kernel;
    EXPECT_TRUE(*found == entry) << k.kernel;
  }

  std::filesystem::path folder, file;
};

inline TuningKey numbered(int n) {
  auto k = key;
  k.kernel += std::to_string(n);
  return k;
}

inline RememberedChoice numbered_winner(int n) {
  return {std::string(std::size_t(n % 7), char('a' + n % 4)), 1e-6 * (1 + n)};
}

}  // namespace Koalesce::Test

#endif
