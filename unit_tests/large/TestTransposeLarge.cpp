// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LargeSupport.hpp"

/// Matrices of more than 2^31 elements, of one byte each: 2 GiB, and as much for what they become.
namespace Koalesce::Test {
namespace {

/// On CPUs their own backend alone: others take minutes.
template <class Paths, class Exec>
using AddLarge   = std::conditional_t<Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible,
                                    AddNative<Paths, Exec>, AddBoth<Paths, Exec>>;
using LargePaths = AddLarge<List<>, Kokkos::DefaultExecutionSpace>::types;

template <class P>
class TransposeLarge : public ::testing::Test {
 protected:
  void SetUp() override {
    constexpr bool on_host = std::is_same_v<typename P::exec::memory_space, Kokkos::HostSpace>;
    if (on_host && !host_has_gib(6)) GTEST_SKIP() << "needs 6 GiB of free memory";
  }
};
TYPED_TEST_SUITE(TransposeLarge, LargePaths, PathNames);

using Byte = std::uint8_t;

template <class P>
using Matrix = Kokkos::View<Byte**, Kokkos::LayoutRight, typename P::exec::memory_space>;

template <class P>
using Elements = Kokkos::RangePolicy<typename P::exec, Kokkos::IndexType<std::int64_t>>;

constexpr std::int64_t rows = 65537, columns = 32771;

/// What the matrix holds at an index.
KOKKOS_FUNCTION inline Byte value(std::int64_t index) {
  return Byte(index ^ (index >> 9) ^ (index >> 17) ^ (index >> 26));
}

template <class View>
struct Fill {
  View view;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const { view.data()[index] = value(index); }
};

template <class P>
Matrix<P> uninitialized(std::string const& label, std::int64_t m, std::int64_t n) {
  return Matrix<P>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), m, n);
}

template <class P>
Matrix<P> filled() {
  auto const matrix = uninitialized<P>("matrix", rows, columns);
  Kokkos::parallel_for("fill", Elements<P>(0, matrix.size()), Fill<Matrix<P>>{matrix});
  return matrix;
}

/// Item k of a traversal by column is element k of the transposed matrix.
template <class View>
struct CountWrong {
  ColumnOrder down;
  View transposed;

  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& wrong) const {
    wrong += transposed.data()[k] != value(down(k));
  }
};

TYPED_TEST(TransposeLarge, transpose) {
  typename TypeParam::exec const exec;
  auto const matrix = filled<TypeParam>(), transposed = uninitialized<TypeParam>("transposed", columns, rows);
  ASSERT_GT(matrix.size(), std::size_t(1) << 31);
  transpose<typename TypeParam::backend>(exec, transposed, matrix);
  std::int64_t wrong = -1;
  Kokkos::parallel_reduce("check", Elements<TypeParam>(exec, 0, matrix.size()),
                          CountWrong<Matrix<TypeParam>>{ColumnOrder(rows, columns), transposed}, wrong);
  EXPECT_EQ(wrong, 0);
}

/// Counts items, and wrong ones 2^40 times.
struct CheckItem {
  ColumnOrder down;

  KOKKOS_FUNCTION void operator()(std::int64_t k, Byte element, std::int64_t& sum) const {
    sum += 1 + (std::int64_t(element != value(down(k))) << 40);
  }
};

template <class Map>
struct Opaque {
  Map map;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return map(item); }
};

template <class P, class Map>
std::int64_t check_items(ShadowView<Matrix<P>> const& a, Map const& map) {
  std::int64_t sum = 0;
  parallel_read_reduce<typename P::backend>("check", typename P::exec(), a, map, CheckItem{ColumnOrder(rows, columns)},
                                            sum);
  return sum;
}

TYPED_TEST(TransposeLarge, parallel_read) {
  ColumnOrder const down(rows, columns);
  ShadowView const a(filled<TypeParam>(), ShadowBuild::first_read);
  EXPECT_EQ(check_items<TypeParam>(a, down), rows * columns) << "while it transposes";
  EXPECT_TRUE(a.has_shadow());
  EXPECT_EQ(check_items<TypeParam>(a, Opaque<ColumnOrder>{down}), rows * columns) << "from the shadow";
}

}  // namespace
}  // namespace Koalesce::Test
