// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "ReadOracle.hpp"

#include <algorithm>
#include <string>

/// Shadows of matrices that change in part.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ShadowUpdate : public ::testing::Test {};
TYPED_TEST_SUITE(ShadowUpdate, DefaultPaths::types, PathNames);

using Range = std::pair<std::int64_t, std::int64_t>;

Range random_range(Rng& rng, std::int64_t extent) {
  std::int64_t const first = random_int(rng, 0, extent), end = random_int(rng, first, extent);
  return {first, end};
}

template <class F>
void change(F& field, Rng& rng, Index<F::rank> const& low, Index<F::rank> const& high) {
  for_each_index<F::rank>(low, high,
                          [&](auto const& p) { field(p) = Element<typename F::value_type>::make(int(rng() % 100)); });
  field.upload();
}

/// Reads by column and by row after each change of a part: one of the two is the shadow's direction.
template <class P, class T, class Layout>
void check_matrix(Rng& rng, Index<2> const& n) {
  using Exec = typename P::exec;
  Field<Exec, T, 2, Layout> field(n, random_halo<2>(rng, 2), rng);
  fill_for_transpose(field, rng);
  ShadowView const a(window(field), ShadowBuild::first_read);
  auto const map     = column_order<2>(n);
  auto const indices = indices_of(map, 0, n[0] * n[1]), by_row = indices_of(RowOrder(), 0, n[0] * n[1]);
  for (int time = 0; time < 5; ++time) {
    SCOPED_TRACE(to_string<2>(n) + ", change " + std::to_string(time));
    check_read<P>(a, map, indices, 0, elements_of(field));
    check_read<P>(a, RowOrder(), by_row, 0, elements_of(field));
    for (int part = int(random_int(rng, 0, 3)); part > 0; --part) {
      auto const rows = random_range(rng, n[0]), columns = random_range(rng, n[1]);
      change(field, rng, {rows.first, columns.first}, {rows.second, columns.second});
      a.invalidate(rows, columns);
    }
  }
}

TYPED_TEST(ShadowUpdate, matrices) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 4; ++i) {
      check_matrix<TypeParam, double, LayoutRight>(rng, random_extents<2>(rng, 20000));
      check_matrix<TypeParam, float, LayoutLeft>(rng, random_extents<2>(rng, 20000));
      check_matrix<TypeParam, double, LayoutStride>(rng, random_extents<2>(rng, 20000));
    }
  });
}

TYPED_TEST(ShadowUpdate, batches) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  Index<3> const n{5, 33, 29};
  Field<Exec, double, 3, LayoutRight> field(n, {0, 0, 0}, rng);
  fill_for_transpose(field, rng);
  ShadowView const a(window(field), ShadowBuild::first_read);
  auto const map     = column_order<3>(n);
  auto const indices = indices_of(map, 0, 5 * 33 * 29);
  check_read<TypeParam>(a, map, indices, 0, elements_of(field));
  change(field, rng, {3, 0, 7}, {4, 33, 8});
  a.invalidate(3, Kokkos::ALL, 7);
  change(field, rng, {0, 2, 0}, {5, 20, 29});
  a.invalidate(Kokkos::ALL, Kokkos::pair(2, 20), Kokkos::ALL);
  check_read<TypeParam>(a, map, indices, 0, elements_of(field));
}

template <class P>
using View2 = Kokkos::View<double**, LayoutRight, typename P::exec::memory_space>;

/// The kernels that run when the shadow is read, but for those that read.
template <class P, class A>
Strings updates(A const& a) {
  KernelRecorder const record;
  a.template by_column<typename P::backend>(typename P::exec());
  return record.kernel_names();
}

TYPED_TEST(ShadowUpdate, only_what_is_marked_is_transposed) {
  ShadowView const a(View2<TypeParam>("m", 70, 90));
  std::string const kernel = std::string("Koalesce::") + TypeParam::backend::name + "::shadow";
  a.invalidate(3, Kokkos::ALL);
  EXPECT_EQ(updates<TypeParam>(a), Strings{kernel}) << "the first time all of it";
  EXPECT_EQ(updates<TypeParam>(a), Strings());
  a.invalidate(Kokkos::ALL, std::pair(7, 9));
  a.invalidate(std::pair(10, 30), std::pair(40, 60));
  a.invalidate(std::pair(10, 10), Kokkos::ALL);
  EXPECT_EQ(updates<TypeParam>(a), Strings(2, kernel));
  EXPECT_EQ(updates<TypeParam>(a), Strings());
  for (int i = 0; i < 33; ++i) a.invalidate(std::pair(i, i + 2), std::pair(40, 60));
  EXPECT_EQ(updates<TypeParam>(a), Strings{kernel});
  a.invalidate(std::pair(10, 30), std::pair(40, 60));
  a.invalidate();
  EXPECT_EQ(updates<TypeParam>(a), Strings{kernel});
  EXPECT_EQ(updates<TypeParam>(a), Strings());
}

/// A shadow of some columns forgets those that change. Where few of them lie together, it forgets all.
TYPED_TEST(ShadowUpdate, many_columns_of_a_part) {
  using Exec = typename TypeParam::exec;
  Rng rng(3);
  Index<2> const n{20, 2000};
  Field<Exec, double, 2, LayoutRight> field(n, {0, 0}, rng);
  fill_for_transpose(field, rng);
  ShadowView const a(window(field), 20 * 1500 * sizeof(double), ShadowBuild::first_read);
  auto const map     = column_order<2>(n);
  auto const indices = indices_of(map, 0, 20 * 2000);
  check_read<TypeParam>(a, map, indices, 0, elements_of(field));
  for (int j = 1; j < 1200; j += 2) {
    change(field, rng, {0, j}, {20, j + 1});
    a.invalidate(Kokkos::ALL, j);
  }
  for (int const built : {1, 0}) {
    KernelRecorder const record;
    check_read<TypeParam>(a, map, indices, 0, elements_of(field));
    auto const kernels = record.kernel_names();
    EXPECT_EQ(
        std::count(kernels.begin(), kernels.end(), std::string("Koalesce::") + TypeParam::backend::name + "::shadow"),
        built);
  }
}

TYPED_TEST(ShadowUpdate, slices_out_of_the_matrix) {
  ShadowView const a(View2<TypeParam>("m", 70, 90));
  expect_error({"Koalesce::ShadowView::invalidate", "the slice of dimension 0 is 70,", "extent 70",
                "give an index or a range within it"},
               [&] { a.invalidate(70, Kokkos::ALL); });
  expect_error({"the slice of dimension 1 is 5 to 91"}, [&] { a.invalidate(0, std::pair(5, 91)); });
  expect_error({"the slice of dimension 1 is 5 to 4"}, [&] { a.invalidate(0, std::pair(5, 4)); });
  expect_error({"the slice of dimension 0 is -1,"}, [&] { a.invalidate(-1, 0); });
}

}  // namespace
}  // namespace Koalesce::Test
