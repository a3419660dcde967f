// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <initializer_list>

/// What transposed-view shadowing says about the 16 indices of a half-warp, claim by claim.
namespace Koalesce::Test {
namespace {

/// The lanes' indices.
struct Lanes {
  std::int64_t index[HalfWarp::size] = {};

  KOKKOS_FUNCTION std::int64_t operator()(int lane) const { return index[lane]; }
};

HalfWarp half_warp(std::vector<std::int64_t> const& indices) {
  Lanes lanes;
  std::copy(indices.begin(), indices.end(), lanes.index);
  return HalfWarp(lanes, int(indices.size()));
}

/// The index of the element that a traversal by column meets at a place.
KOKKOS_FUNCTION std::int64_t at_place(std::int64_t place, MatrixShape const& shape) {
  return place % shape.rows * shape.columns + place / shape.rows;
}

/// The place of an index in a traversal by column.
std::int64_t place_of(std::int64_t index, MatrixShape const& shape) {
  return shape.column(index) * shape.rows + shape.row(index);
}

std::vector<std::int64_t> down_from(std::int64_t place, MatrixShape const& shape, int count = HalfWarp::size) {
  std::vector<std::int64_t> indices;
  for (int lane = 0; lane < count; ++lane) indices.push_back(at_place(place + lane, shape));
  return indices;
}

Access access_of(std::vector<std::int64_t> const& indices, MatrixShape const& shape) {
  return half_warp(indices).access(shape);
}

constexpr MatrixShape shape{40, 7};

TEST(HalfWarp, index_is_row_times_columns_plus_column) {
  EXPECT_EQ(shape.row(0), 0);
  EXPECT_EQ(shape.row(7 * 39 + 6), 39);
  EXPECT_EQ(shape.column(7 * 39 + 6), 6);
  EXPECT_EQ(shape.size(), 280);
  MatrixShape const large{65537, 65537};
  EXPECT_EQ(large.row(large.size() - 1), 65536);
  EXPECT_EQ(large.column(large.size() - 2), 65535);
}

TEST(HalfWarp, has_a_first_and_a_last_index_in_the_order_of_the_threads) {
  auto const h = half_warp({5, 1, 9, 3});
  EXPECT_EQ(h.first(), 5);
  EXPECT_EQ(h.last(), 3);
}

// ---- By column ----

TEST(HalfWarp, equal_columns_and_neighbors_that_differ_by_n_are_by_column) {
  for (int column = 0; column < 7; ++column)
    for (int row = 0; row + 16 <= 40; ++row)
      EXPECT_EQ(access_of(down_from(column * 40 + row, shape), shape), Access::by_column) << row << ", " << column;
}

TEST(HalfWarp, equal_columns_alone_are_not_by_column) {
  for (int step : {0, -7, 14, 21}) {
    std::vector<std::int64_t> indices;
    for (int lane = 0; lane < 13; ++lane) indices.push_back((step < 0 ? 7 * 20 : 3) + lane * step);
    EXPECT_EQ(access_of(indices, shape), Access::irregular) << step;
  }
}

TEST(HalfWarp, neighbors_that_differ_by_other_than_n_are_not_by_column) {
  for (int step : {1, 6, 8, -1}) {
    std::vector<std::int64_t> indices;
    for (int lane = 0; lane < 16; ++lane) indices.push_back((step < 0 ? 100 : 0) + lane * step);
    EXPECT_EQ(access_of(indices, shape), Access::irregular) << step;
  }
}

TEST(HalfWarp, one_lane_out_of_line_is_enough_to_be_irregular) {
  for (int place : {3, 30})  // within a column; across two
    for (int lane = 0; lane < 16; ++lane)
      for (int off : {-7, -1, 1, 7}) {
        auto indices = down_from(place, shape);
        indices[lane] += off;
        EXPECT_EQ(access_of(indices, shape), Access::irregular) << place << ", lane " << lane << " by " << off;
      }
}

TEST(HalfWarp, two_lanes_that_change_places_are_irregular) {
  for (int place : {3, 30}) {
    auto indices = down_from(place, shape);
    std::swap(indices[8], indices[9]);
    EXPECT_EQ(access_of(indices, shape), Access::irregular) << place;
  }
}

// ---- Wrapped by column ----

TEST(HalfWarp, going_on_at_the_top_of_the_next_column_is_wrapped) {
  for (int column = 0; column < 6; ++column)
    for (int in_first = 1; in_first < 16; ++in_first)
      EXPECT_EQ(access_of(down_from(column * 40 + 40 - in_first, shape), shape), Access::wrapped_by_column)
          << in_first << ", " << column;
}

/// \param[in] rows, columns of a first run of 8 lanes downward, and of a second one.
Access access_of_two_runs(int row0, int column0, int row1, int column1) {
  std::vector<std::int64_t> indices;
  for (int i = 0; i < 8; ++i) indices.push_back((row0 + i) * 7 + column0);
  for (int i = 0; i < 8; ++i) indices.push_back((row1 + i) * 7 + column1);
  return access_of(indices, shape);
}

TEST(HalfWarp, wraps_from_the_last_row_to_the_first_of_the_next_column_only) {
  EXPECT_EQ(access_of_two_runs(32, 2, 0, 3), Access::wrapped_by_column);
  EXPECT_EQ(access_of_two_runs(31, 2, 0, 3), Access::irregular) << "the smaller column ends before the last row";
  EXPECT_EQ(access_of_two_runs(32, 2, 1, 3), Access::irregular) << "the larger column begins below the first row";
  EXPECT_EQ(access_of_two_runs(32, 2, 0, 4), Access::irregular) << "columns that differ by two";
  EXPECT_EQ(access_of_two_runs(32, 2, 0, 2), Access::irregular) << "the same column again";
  EXPECT_EQ(access_of_two_runs(32, 3, 0, 2), Access::irregular) << "the column before";
  EXPECT_EQ(access_of_two_runs(32, 6, 0, 0), Access::irregular) << "from the last column to the first";
  EXPECT_EQ(access_of_two_runs(0, 3, 32, 2), Access::irregular) << "the larger column first";
}

TEST(HalfWarp, wraps_only_once) {
  MatrixShape const low{10, 5};
  EXPECT_EQ(access_of(down_from(8, low, 12), low), Access::wrapped_by_column);
  EXPECT_EQ(access_of(down_from(8, low, 13), low), Access::irregular) << "three columns";
}

// ---- Half-warps with fewer than 16 lanes ----

TEST(HalfWarp, lanes_that_are_missing_do_not_count) {
  for (int count = 1; count <= 16; ++count) {
    EXPECT_EQ(access_of(down_from(4, shape, count), shape), Access::by_column) << count;
    EXPECT_EQ(access_of(down_from(39, shape, count), shape), count > 1 ? Access::wrapped_by_column : Access::by_column);
    if (count < 2) continue;
    auto indices = down_from(4, shape, count);
    ++indices.back();
    EXPECT_EQ(access_of(indices, shape), Access::irregular) << count;
  }
}

TEST(HalfWarp, one_lane_is_by_column_wherever_it_is) {
  for (int index : {0, 6, 7, 279}) {
    auto const h = half_warp({index});
    EXPECT_EQ(h.access(shape), Access::by_column);
    EXPECT_EQ(h.first(), h.last());
  }
}

// ---- Sequential ----

/// Whether a half-warp of these indices goes on after one that ended at `last`.
bool follows(std::int64_t last, std::vector<std::int64_t> const& now) { return half_warp(now).follows(last, shape); }

TEST(HalfWarp, follows_in_the_same_column_where_the_one_before_ended) {
  auto const before = half_warp(down_from(2, shape)), now = half_warp(down_from(18, shape));
  EXPECT_TRUE(now.follows(before, shape));
  EXPECT_FALSE(before.follows(now, shape));
  EXPECT_FALSE(now.follows(now, shape));
}

TEST(HalfWarp, does_not_follow_in_the_same_column_elsewhere) {
  std::int64_t const last = 10 * 7 + 4;
  EXPECT_TRUE(follows(last, down_from(4 * 40 + 11, shape)));
  for (int row : {0, 9, 10, 12, 24}) EXPECT_FALSE(follows(last, down_from(4 * 40 + row, shape))) << row;
}

TEST(HalfWarp, follows_in_the_next_column_from_the_last_row_to_the_first) {
  EXPECT_TRUE(follows(39 * 7 + 4, down_from(5 * 40, shape)));
  EXPECT_FALSE(follows(38 * 7 + 4, down_from(5 * 40, shape))) << "the one before ended above the last row";
  EXPECT_FALSE(follows(39 * 7 + 4, down_from(5 * 40 + 1, shape))) << "this one begins below the first row";
  EXPECT_FALSE(follows(39 * 7 + 4, down_from(6 * 40, shape))) << "a column is left out";
  EXPECT_FALSE(follows(39 * 7 + 4, down_from(3 * 40, shape))) << "the column before";
  EXPECT_FALSE(follows(39 * 7 + 6, down_from(0, shape))) << "from the last column to the first";
  EXPECT_FALSE(follows(20 * 7 + 4, down_from(5 * 40 + 21, shape))) << "to the right";
}

TEST(HalfWarp, follows_one_that_wraps_and_wraps_itself) {
  auto const before = half_warp(down_from(30, shape)), now = half_warp(down_from(46, shape));
  EXPECT_EQ(before.access(shape), Access::wrapped_by_column);
  EXPECT_TRUE(now.follows(before, shape));
  EXPECT_TRUE(half_warp(down_from(35, shape)).follows(half_warp(down_from(19, shape)), shape));
}

// ---- The end of the traversal ----

TEST(HalfWarp, largest_index_ends_the_traversal) {
  EXPECT_TRUE(half_warp(down_from(280 - 16, shape)).ends_traversal(shape));
  EXPECT_TRUE(half_warp({279}).ends_traversal(shape));
  EXPECT_TRUE(half_warp({279, 3, 5}).ends_traversal(shape)) << "whichever lane it is";
  EXPECT_FALSE(half_warp(down_from(280 - 17, shape)).ends_traversal(shape));
  EXPECT_FALSE(half_warp({278, 0}).ends_traversal(shape));
}

/// Counts the half-warps of a traversal that are as they should be.
struct CheckTraversal {
  MatrixShape shape;

  KOKKOS_FUNCTION HalfWarp half_warp(std::int64_t h) const {
    Lanes lanes;
    int count = 0;
    for (; count < HalfWarp::size && h * HalfWarp::size + count < shape.size(); ++count)
      lanes.index[count] = at_place(h * HalfWarp::size + count, shape);
    return HalfWarp(lanes, count);
  }

  KOKKOS_FUNCTION std::int64_t half_warps() const { return (shape.size() + HalfWarp::size - 1) / HalfWarp::size; }

  KOKKOS_FUNCTION void operator()(std::int64_t h, std::int64_t& right) const {
    auto const now     = half_warp(h);
    bool const follows = h == 0 || now.follows(half_warp(h - 1), shape);
    bool const regular = now.access(shape) != Access::irregular;
    right += follows && regular && now.ends_traversal(shape) == (h == half_warps() - 1);
  }
};

constexpr MatrixShape traversed[] = {{16, 1}, {16, 16}, {17, 5}, {31, 33}, {1000, 3}, {1000, 1}, {15, 7}, {40000, 2}};

TEST(HalfWarp, whole_traversals_are_sequential) {
  for (auto const& m : traversed) {
    CheckTraversal const check{m};
    std::int64_t right = 0;
    for (std::int64_t h = 0; h < check.half_warps(); ++h) check(h, right);
    EXPECT_EQ(right, check.half_warps()) << m.rows << " x " << m.columns;
  }
}

// ---- Narrow matrices ----

TEST(HalfWarp, one_column_is_read_by_column_along_its_indices) {
  MatrixShape const column{100, 1};
  auto const first = half_warp(down_from(0, column)), second = half_warp(down_from(16, column));
  EXPECT_EQ(first.access(column), Access::by_column);
  EXPECT_TRUE(second.follows(first, column));
  EXPECT_FALSE(first.follows(second, column));
  EXPECT_EQ(access_of({0, 2, 4}, column), Access::irregular);
  EXPECT_EQ(access_of({99, 0}, column), Access::irregular);
}

TEST(HalfWarp, one_row_has_as_many_columns_as_lanes) {
  MatrixShape const row{1, 100};
  EXPECT_EQ(access_of({3, 4}, row), Access::wrapped_by_column);
  EXPECT_EQ(access_of({3, 4, 5}, row), Access::irregular);
  EXPECT_TRUE(half_warp({5, 6}).follows(4, row));
  EXPECT_FALSE(half_warp({6, 7}).follows(4, row));
  EXPECT_FALSE(half_warp({4, 5}).follows(4, row));
}

TEST(HalfWarp, one_element) {
  MatrixShape const one{1, 1};
  EXPECT_EQ(access_of({0}, one), Access::by_column);
  EXPECT_TRUE(half_warp({0}).ends_traversal(one));
}

// ---- Random half-warps ----

/// Mostly by column, with up to two lanes moved.
std::vector<std::int64_t> random_indices(Rng& rng, MatrixShape const& m) {
  int const count = int(std::min<std::int64_t>(random_int(rng, 1, 16), m.size()));
  auto indices    = down_from(random_int(rng, 0, m.size() - count), m, count);
  for (auto defects = random_int(rng, -2, 2); defects > 0; --defects) {
    auto& index              = indices[rng() % indices.size()];
    std::int64_t const off[] = {-m.columns, -1, 0, 1, m.columns, random_int(rng, 0, m.size() - 1) - index};
    index                    = std::clamp<std::int64_t>(index + off[rng() % 6], 0, m.size() - 1);
  }
  return indices;
}

MatrixShape random_shape(Rng& rng) { return {random_int(rng, 16, rng() % 2 ? 20 : 200), random_int(rng, 1, 30)}; }

/// Sixteen rows or more: a half-warp that goes down the columns has at most two of them.
TEST(HalfWarp, is_regular_where_the_places_follow_one_another) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 50000; ++i) {
      auto const m       = random_shape(rng);
      auto const indices = random_indices(rng, m);
      std::int64_t run   = 1;
      while (run < std::int64_t(indices.size()) && place_of(indices[run], m) == place_of(indices[0], m) + run) ++run;
      bool const in_line = run == std::int64_t(indices.size());
      auto const access  = access_of(indices, m);
      ASSERT_EQ(access != Access::irregular, in_line) << m.rows << " x " << m.columns << " from " << indices[0];
      if (in_line) {
        ASSERT_EQ(access == Access::by_column, m.column(indices[0]) == m.column(indices.back()));
      }
    }
  });
}

TEST(HalfWarp, follows_where_the_places_follow_one_another) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 50000; ++i) {
      auto const m    = random_shape(rng);
      auto const now  = random_indices(rng, m);
      auto const here = place_of(now[0], m),
                 last = std::clamp<std::int64_t>(here - random_int(rng, -1, 3), 0, m.size() - 1);
      ASSERT_EQ(half_warp(now).follows(at_place(last, m), m), here == last + 1) << m.rows << " x " << m.columns;
    }
  });
}

// ---- In a kernel ----

template <class P>
class HalfWarpInKernel : public ::testing::Test {};
TYPED_TEST_SUITE(HalfWarpInKernel, NativePath::types, PathNames);

TYPED_TEST(HalfWarpInKernel, whole_traversals_are_sequential) {
  using Policy = Kokkos::RangePolicy<typename TypeParam::exec, Kokkos::IndexType<std::int64_t>>;
  for (auto const& m : traversed) {
    CheckTraversal const check{m};
    std::int64_t right = 0;
    Kokkos::parallel_reduce("traverse", Policy(0, check.half_warps()), check, right);
    EXPECT_EQ(right, check.half_warps()) << m.rows << " x " << m.columns;
  }
}

/// A half-warp, its matrix, the one before's last index; and what the host says of them.
struct Question {
  Lanes lanes;
  int count;
  MatrixShape shape;
  std::int64_t last_before;
  Access access;
  bool follows, ends;
};

Question random_question(Rng& rng) {
  Question q{{}, 0, random_shape(rng), 0, {}, false, false};
  auto const indices = random_indices(rng, q.shape);
  q.count            = int(indices.size());
  std::copy(indices.begin(), indices.end(), q.lanes.index);
  auto const place = place_of(indices[0], q.shape) - random_int(rng, 0, 2);
  q.last_before    = at_place(std::max<std::int64_t>(place, 0), q.shape);
  HalfWarp const h(q.lanes, q.count);
  q.access  = h.access(q.shape);
  q.follows = h.follows(q.last_before, q.shape);
  q.ends    = h.ends_traversal(q.shape);
  return q;
}

template <class View>
struct CountOtherAnswers {
  View questions;

  KOKKOS_FUNCTION void operator()(int i, int& others) const {
    Question const& q = questions(i);
    HalfWarp const h(q.lanes, q.count);
    others += h.access(q.shape) != q.access || h.follows(q.last_before, q.shape) != q.follows ||
              h.ends_traversal(q.shape) != q.ends;
  }
};

TYPED_TEST(HalfWarpInKernel, says_the_same_as_on_the_host) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    Kokkos::View<Question*, typename Exec::memory_space> const questions("questions", 5000);
    auto const host = Kokkos::create_mirror_view(questions);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = random_question(rng);
    Kokkos::deep_copy(questions, host);
    int others = -1;
    Kokkos::parallel_reduce("classify", Kokkos::RangePolicy<Exec>(0, int(host.extent(0))),
                            CountOtherAnswers<decltype(questions)>{questions}, others);
    EXPECT_EQ(others, 0);
  });
}

}  // namespace
}  // namespace Koalesce::Test
