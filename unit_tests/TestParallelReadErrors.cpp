// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TestSupport.hpp"

/// What parallel_read refuses, before a backend is asked.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutRight;

template <class P>
class ParallelReadErrors : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelReadErrors, NativePath::types, PathNames);

template <class P>
using View2 = Kokkos::View<double**, LayoutRight, typename P::exec::memory_space>;

struct Ignore {
  KOKKOS_FUNCTION void operator()(std::int64_t, double) const {}
};

template <class P, class A, class Map>
void read(A const& a, Map const& map) {
  parallel_read<typename P::backend>("r", typename P::exec(), a, map, Ignore());
}

struct Add {
  KOKKOS_FUNCTION void operator()(std::int64_t, double value, double& sum) const { sum += value; }
};

template <class P, class A>
void add_up(A const& a, ColumnOrder const& down) {
  double sum = 0;
  parallel_read_reduce<typename P::backend>("r", typename P::exec(), a, down, Add(), sum);
}

template <class P, class A, class Map>
void read_items(A const& a, Map const& map, std::int64_t begin, std::int64_t end) {
  using Policy = Kokkos::RangePolicy<typename P::exec, Kokkos::IndexType<std::int64_t>>;
  parallel_read<typename P::backend>("r", Policy(begin, end), a, map, Ignore());
}

TYPED_TEST(ParallelReadErrors, matrix_without_memory) {
  ShadowView const a(View2<TypeParam>(static_cast<double*>(nullptr), 3, 4), ShadowBuild::first_read);
  expect_error({"Koalesce::parallel_read(\"r\")", "the matrix", "has no memory", "allocate it first"},
               [&] { read<TypeParam>(a, RowOrder()); });
  expect_error({"Koalesce::parallel_read_reduce(\"r\")", "has no memory"},
               [&] { add_up<TypeParam>(a, ColumnOrder(3, 4)); });
}

TYPED_TEST(ParallelReadErrors, items_below_zero) {
  ShadowView const a(View2<TypeParam>("m", 3, 4), ShadowBuild::first_read);
  expect_error({"Koalesce::parallel_read(\"r\")", "the items are -2 to 5", "0 <= begin <= end"},
               [&] { read_items<TypeParam>(a, RowOrder(), -2, 5); });
}

TYPED_TEST(ParallelReadErrors, items_of_an_empty_matrix) {
  ShadowView const a(View2<TypeParam>("m", 3, 0), ShadowBuild::first_read);
  expect_error({"there are 5 items to read", "(\"m\") has no elements", "give an empty range"},
               [&] { read_items<TypeParam>(a, RowOrder(), 0, 5); });
}

TYPED_TEST(ParallelReadErrors, column_order_of_another_matrix) {
  ShadowView const a(View2<TypeParam>("m", 3, 4), ShadowBuild::first_read);
  expect_error({"ColumnOrder is for a matrix of 4 x 3 elements", "(\"m\") has 3 x 4", "the matrix's extents"},
               [&] { read<TypeParam>(a, ColumnOrder(4, 3)); });
  expect_error({"Koalesce::parallel_read_reduce(\"r\")", "ColumnOrder is for a matrix of 3 x 5"},
               [&] { add_up<TypeParam>(a, ColumnOrder(3, 5)); });
  EXPECT_EQ(a.status(), ShadowStatus::untransposed);
}

template <class P>
using View3 = Kokkos::View<double***, LayoutRight, typename P::exec::memory_space>;

TYPED_TEST(ParallelReadErrors, column_order_of_another_batch) {
  ShadowView const a(View3<TypeParam>("m", 2, 3, 4)), b(View3<TypeParam>("m", 1, 3, 4));
  ShadowView const c(View2<TypeParam>("m", 3, 4), ShadowBuild::first_read);  // nvcc: one type per declaration
  expect_error({"ColumnOrder is for a batch of 1", "(\"m\") has 2 matrices", "use ColumnOrder(3, 4, 2)"},
               [&] { read<TypeParam>(a, ColumnOrder(3, 4)); });
  expect_error({"ColumnOrder is for a batch of 2", "has 1 matrix;"}, [&] { read<TypeParam>(b, ColumnOrder(3, 4, 2)); });
  expect_error({"ColumnOrder is for a batch of 2", "has 1 matrix;"}, [&] { read<TypeParam>(c, ColumnOrder(3, 4, 2)); });
  EXPECT_NO_THROW(read<TypeParam>(b, ColumnOrder(3, 4)));
  typename TypeParam::exec().fence();
}

TYPED_TEST(ParallelReadErrors, more_items_than_a_known_order_has) {
  ShadowView const a(View2<TypeParam>("m", 3, 4), ShadowBuild::first_read);
  for (auto const begin : {0, 12})
    expect_error(
        {"the items are " + std::to_string(begin) + " to 13", "(\"m\") has 12 elements", "end the range there"},
        [&] { read_items<TypeParam>(a, RowOrder(), begin, 13); });
  expect_error({"has 12 elements"}, [&] { read_items<TypeParam>(a, ColumnOrder(3, 4), 5, 100); });
  EXPECT_NO_THROW(read_items<TypeParam>(a, RowOrder(), 20, 20));
}

TYPED_TEST(ParallelReadErrors, chunk_size) {
  using Policy = Kokkos::RangePolicy<typename TypeParam::exec>;
  ShadowView const a(View2<TypeParam>("m", 300, 40), ShadowBuild::first_read);
  expect_error({"Koalesce::parallel_read(\"r\")", "a chunk size of 1024", "would be ignored", "a policy without one"},
               [&] { parallel_read("r", Policy(0, 12000, Kokkos::ChunkSize(1024)), a, RowOrder(), Ignore()); });
  EXPECT_NO_THROW(parallel_read("r", Policy(0, 12000), a, RowOrder(), Ignore()));
  EXPECT_NO_THROW(parallel_read("r", Policy(), a, RowOrder(), Ignore()));
  typename TypeParam::exec().fence();
}

TYPED_TEST(ParallelReadErrors, matrix_out_of_reach) {
  using Exec = typename TypeParam::exec;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches the host's memory";
  } else {
    ShadowView const a(Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>("h", 4, 3), ShadowBuild::first_read);
    expect_error({"the matrix (\"h\")", "lies in Host", "cannot reach", "copy it to a View in"},
                 [&] { read<TypeParam>(a, RowOrder()); });
  }
}

}  // namespace
}  // namespace Koalesce::Test
