// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuningFolder.hpp"

#include <cstdlib>
#include <iostream>
#include <sstream>

/// What a process knows of the tuning file.
namespace Koalesce::Test {
namespace {

/// What a program says on its standard error output.
class Said {
 public:
  Said() : m_before(std::cerr.rdbuf(m_text.rdbuf())) {}
  ~Said() { std::cerr.rdbuf(m_before); }
  std::string text() const { return m_text.str(); }

 private:
  std::ostringstream m_text;
  std::streambuf* m_before;
};

/// The process' memory, with this file, and without one afterwards.
struct TuningMemoryOf : TuningFileOf {
  TuningMemoryOf() { set_tuning_file(file); }
  ~TuningMemoryOf() override { set_tuning_file(std::nullopt); }
  Impl::TuningMemory& memory = Impl::TuningMemory::instance();
};

TEST_F(TuningMemoryOf, knows_what_the_file_has_and_what_was_put) {
  EXPECT_EQ(append(file, numbered(0), winner), "");
  EXPECT_TRUE(memory.find(numbered(0)) == winner);
  EXPECT_FALSE(memory.find(numbered(1)));
  EXPECT_EQ(memory.put(numbered(1), {"x", 1}), "");
  EXPECT_EQ(memory.put(numbered(0), {"y", 1}), "");
  EXPECT_EQ(memory.find(numbered(0))->choice, "y");
  forget_tuning();
  EXPECT_EQ(memory.find(numbered(0))->choice, "y");
  EXPECT_EQ(memory.find(numbered(1))->choice, "x");
}

TEST_F(TuningMemoryOf, the_environment_names_the_file_unless_the_program_does) {
  EXPECT_EQ(tuning_file(), file);
  set_tuning_file("");
  EXPECT_FALSE(tuning_file());
  Impl::TuningMemory other;
  EXPECT_FALSE(other.file()) << "main() made the variable empty";
  setenv("KOALESCE_TUNING_FILE", file.c_str(), 1);
  EXPECT_EQ(other.file(), file);
  EXPECT_FALSE(tuning_file());
  EXPECT_EQ(other.put(key, winner), "");
  setenv("KOALESCE_TUNING_FILE", "", 1);
  expect(key, winner);
}

TEST_F(TuningMemoryOf, problems_are_told_once) {
  Said said;
  write("My notes\n");
  EXPECT_FALSE(memory.find(key));
  EXPECT_FALSE(memory.find(numbered(1)));
  EXPECT_NE(memory.put(key, winner), "");
  EXPECT_TRUE(memory.find(key) == winner) << "this process knows it";
  EXPECT_EQ(said.text(), "Koalesce: not all choices of earlier runs are known: " + file.string() +
                             " is no tuning file, and is left alone\n");
}

TEST_F(TuningMemoryOf, without_problems_nothing_is_said) {
  Said said;
  EXPECT_FALSE(memory.find(key));
  EXPECT_EQ(memory.put(key, winner), "");
  forget_tuning();
  EXPECT_TRUE(memory.find(key) == winner);
  EXPECT_EQ(said.text(), "");
}

}  // namespace
}  // namespace Koalesce::Test
