// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koalesce/common/impl/RecentValues.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

/// Squares, and how many were worked out.
struct Squares {
  Koalesce::Impl::RecentValues<int, int, 3> recent;
  int made = 0;

  int of(int n) {
    return recent.get(n, [&] { return ++made, n * n; });
  }
};

TEST(RecentValues, a_value_is_made_once_while_few_keys_take_turns) {
  Squares squares;
  for (int round = 0; round < 10; ++round)
    for (int n : {4, 0, 7}) EXPECT_EQ(squares.of(n), n * n);
  EXPECT_EQ(squares.made, 3);
}

TEST(RecentValues, the_oldest_gives_way) {
  Squares squares;
  for (int n : {1, 2, 3, 4}) squares.of(n);
  EXPECT_EQ(squares.made, 4);
  for (int n : {2, 3, 4}) EXPECT_EQ(squares.of(n), n * n);
  EXPECT_EQ(squares.made, 4);
  EXPECT_EQ(squares.of(1), 1);
  EXPECT_EQ(squares.made, 5);
}

TEST(RecentValues, what_is_asked_for_stays) {
  Squares squares;
  for (int n : {1, 2, 3, 1, 4, 1, 5, 1, 6, 1}) EXPECT_EQ(squares.of(n), n * n);
  EXPECT_EQ(squares.made, 6);
  EXPECT_EQ(squares.of(6), 36);
  EXPECT_EQ(squares.of(5), 25);
  EXPECT_EQ(squares.made, 6);
}

TEST(RecentValues, nothing_is_remembered_of_what_throws) {
  Squares squares;
  EXPECT_THROW(squares.recent.get(5, []() -> int { throw std::string("no"); }), std::string);
  EXPECT_EQ(squares.of(5), 25);
  EXPECT_EQ(squares.made, 1);
}

/// Cannot be copied when it is 7.
struct Key {
  explicit Key(int n = 0) : number(n) {}
  Key(Key const& other) : number(other.number) {
    if (number == 7) throw std::string("no copy");
  }
  Key& operator=(Key const&) = default;

  int number;

  friend bool operator==(Key const& a, Key const& b) { return a.number == b.number; }
};

TEST(RecentValues, nothing_is_remembered_of_a_key_that_throws) {
  Koalesce::Impl::RecentValues<Key, int, 3> recent;
  EXPECT_THROW(recent.get(Key(7), [] { return 49; }), std::string);
  EXPECT_EQ(recent.get(Key(0), [] { return 1; }), 1) << "the entry that was to be is no entry of the default key";
}

}  // namespace
