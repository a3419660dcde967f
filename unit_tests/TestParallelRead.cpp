// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "ReadOracle.hpp"

#include <thread>

/// Which way parallel_read goes, and what it runs and waits for.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ParallelRead : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelRead, DefaultPaths::types, PathNames);

template <class P, class Layout = LayoutRight>
using View2 = Kokkos::View<double**, Layout, typename P::exec::memory_space>;

struct Ignore {
  KOKKOS_FUNCTION void operator()(std::int64_t, double) const {}
};

template <class P, class A, class Map>
void read(A const& a, Map const& map, typename P::exec const& exec = {}) {
  parallel_read<typename P::backend>("r", exec, a, map, Ignore());
}

/// The kernels that a read of the whole matrix runs.
template <class P, class A, class Map>
Strings kernels_of(A const& a, Map const& map) {
  KernelRecorder const record;
  read<P>(a, map);
  return record.kernel_names();
}

template <class P>
Strings ways(std::vector<std::string> const& names) {
  Strings kernels;
  for (auto const& way : names) kernels.push_back(read_kernel<P>("r", way));
  return kernels;
}

/// What a map runs that nothing is known of yet.
template <class P>
Strings classified(std::string const& way) {
  return ways<P>({"classification", way});
}

Opaque<ColumnOrder> opaque(ColumnOrder const& order) { return {order}; }

// ---- Ways ----

TYPED_TEST(ParallelRead, column_order_transposes_and_then_reads_the_shadow) {
  View2<TypeParam> const m("m", 70, 90);
  ShadowView const a(m, ShadowBuild::first_read);
  ColumnOrder const down(70, 90);
  EXPECT_EQ(kernels_of<TypeParam>(a, RowOrder()), ways<TypeParam>({"original"}));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"transposing"}));
  EXPECT_EQ(a.status(), ShadowStatus::transposed);
  EXPECT_EQ(a.shadow_bytes(), 70 * 90 * sizeof(double));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"shadow"}));
  EXPECT_EQ(kernels_of<TypeParam>(a, RowOrder()), ways<TypeParam>({"original"}));
  a.invalidate();
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"transposing"}));
}

TYPED_TEST(ParallelRead, row_order_of_rows_never_builds_a_shadow) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  KernelRecorder const record;
  for (int i = 0; i < 3; ++i) read<TypeParam>(a, RowOrder());
  EXPECT_EQ(record.kernel_names(), ways<TypeParam>({"original", "original", "original"}));
  EXPECT_EQ(record.allocations, Strings());
  EXPECT_EQ(a.status(), ShadowStatus::untransposed);
}

TYPED_TEST(ParallelRead, of_columns_it_is_the_other_way_around) {
  ShadowView const a(View2<TypeParam, LayoutLeft>("m", 70, 90), ShadowBuild::first_read);
  ColumnOrder const down(70, 90);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"original"}));
  EXPECT_FALSE(a.has_shadow());
  EXPECT_EQ(kernels_of<TypeParam>(a, RowOrder()), ways<TypeParam>({"transposing"}));
  EXPECT_EQ(kernels_of<TypeParam>(a, RowOrder()), ways<TypeParam>({"shadow"}));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"original"}));
  ShadowView const b(View2<TypeParam, LayoutLeft>("m", 70, 90), ShadowBuild::first_read);
  EXPECT_EQ(kernels_of<TypeParam>(b, Opaque<RowOrder>()), classified<TypeParam>("transposing"));
  ShadowView const c(View2<TypeParam, LayoutLeft>("m", 70, 90), ShadowBuild::first_read);
  EXPECT_EQ(kernels_of<TypeParam>(c, opaque(down)), classified<TypeParam>("original"));
}

TYPED_TEST(ParallelRead, opaque_column_order_is_classified_before_it_transposes) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  auto const down = opaque(ColumnOrder(70, 90));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), classified<TypeParam>("transposing"));
  EXPECT_TRUE(a.has_shadow());
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"shadow"}));
  a.invalidate();
  EXPECT_EQ(kernels_of<TypeParam>(a, down).back(), read_kernel<TypeParam>("r", "transposing"));
}

TYPED_TEST(ParallelRead, opaque_row_order_is_classified_and_reads_the_original) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  EXPECT_EQ(kernels_of<TypeParam>(a, Opaque<RowOrder>()), classified<TypeParam>("original"));
  EXPECT_EQ(a.status(), ShadowStatus::untransposed);
}

TYPED_TEST(ParallelRead, shadow_that_by_column_built_is_read) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  a.template by_column<typename TypeParam::backend>(typename TypeParam::exec());
  EXPECT_EQ(kernels_of<TypeParam>(a, ColumnOrder(70, 90)), ways<TypeParam>({"shadow"}));
  ShadowView const b(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  EXPECT_EQ(kernels_of<TypeParam>(b, ColumnOrder(70, 90)), ways<TypeParam>({"transposing"}));
  KernelRecorder const record;
  b.template by_column<typename TypeParam::backend>(typename TypeParam::exec());
  EXPECT_TRUE(record.kernels.empty()) << "parallel_read's shadow is that of by_column";
}

TYPED_TEST(ParallelRead, batch_is_read_matrix_by_matrix) {
  Kokkos::View<double***, LayoutRight, typename TypeParam::exec::memory_space> const m("m", 40, 33, 31);
  ShadowView const a(m, ShadowBuild::first_read), b(m, ShadowBuild::first_read);
  ColumnOrder const down(33, 31, 40);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"transposing"}));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"shadow"}));
  EXPECT_EQ(kernels_of<TypeParam>(b, opaque(down)), classified<TypeParam>("transposing"));
}

/// Every third half-warp begins in one matrix and ends in the next.
TYPED_TEST(ParallelRead, half_warps_across_two_matrices_go_by_column_in_each) {
  ShadowView const a(Kokkos::View<double***, LayoutRight, typename TypeParam::exec::memory_space>("m", 400, 17, 3),
                     ShadowBuild::first_read);
  EXPECT_EQ(kernels_of<TypeParam>(a, opaque(ColumnOrder(17, 3, 400))), classified<TypeParam>("transposing"));
}

/// Any way through one row, or one column, is as good.
TYPED_TEST(ParallelRead, vectors_are_read_where_they_are) {
  for (auto const& n : {Index<2>{1, 5000}, {5000, 1}, {1, 1}}) {
    ShadowView const a(View2<TypeParam>("m", n[0], n[1]), ShadowBuild::first_read);
    EXPECT_EQ(kernels_of<TypeParam>(a, ColumnOrder(n[0], n[1])), ways<TypeParam>({"original"}));
    EXPECT_EQ(kernels_of<TypeParam>(a, opaque(ColumnOrder(n[0], n[1]))), ways<TypeParam>({"original"}));
    EXPECT_EQ(a.status(), ShadowStatus::untransposed);
  }
}

template <class P, class A, class Map>
Strings kernels_of_part(A const& a, Map const& map, std::int64_t begin, std::int64_t end) {
  KernelRecorder const record;
  Kokkos::RangePolicy<typename P::exec, Kokkos::IndexType<std::int64_t>> const items(begin, end);
  parallel_read<typename P::backend>("r", items, a, map, Ignore());
  return record.kernel_names();
}

TYPED_TEST(ParallelRead, part_of_a_traversal_builds_its_columns) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  ColumnOrder const down(70, 90);
  auto const part = [&](auto const& map, int begin, int end) { return kernels_of_part<TypeParam>(a, map, begin, end); };
  std::string const copies = std::string("Koalesce::") + TypeParam::backend::name + "::shadow";
  Strings const shadow = ways<TypeParam>({"shadow"}), original = ways<TypeParam>({"original"});
  EXPECT_EQ(part(down, 100, 200), original) << "too few items";
  EXPECT_EQ(part(opaque(down), 0, 70 * 40), original) << "whose columns are not known";
  EXPECT_EQ(part(down, 70 * 20, 70 * 40), ways<TypeParam>({"transposing"}));
  EXPECT_EQ(a.status(), ShadowStatus::partly_transposed);
  EXPECT_FALSE(a.has_shadow());
  EXPECT_EQ(part(down, 70 * 20, 70 * 40), shadow);
  EXPECT_EQ(part(down, 70 * 25 + 3, 70 * 25 + 9), shadow);
  EXPECT_EQ(part(down, 70 * 10, 70 * 40), (Strings{copies, shadow[0]})) << "only what is missing";
  EXPECT_EQ(part(down, 70 * 60 + 1, 70 * 80 - 1), (Strings{copies, shadow[0]})) << "the columns at both ends are begun";
  EXPECT_EQ(part(down, 70 * 60, 70 * 80), shadow);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), (Strings{copies, copies, copies, shadow[0]}));
  EXPECT_EQ(a.status(), ShadowStatus::transposed);
  EXPECT_EQ(part(opaque(down), 100, 2200), classified<TypeParam>("shadow"));
}

TYPED_TEST(ParallelRead, by_column_builds_what_is_missing) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  kernels_of_part<TypeParam>(a, ColumnOrder(70, 90), 70 * 20, 70 * 40);
  KernelRecorder const record;
  a.template by_column<typename TypeParam::backend>(typename TypeParam::exec());
  EXPECT_EQ(record.kernel_names(), Strings(2, std::string("Koalesce::") + TypeParam::backend::name + "::shadow"));
  EXPECT_EQ(a.status(), ShadowStatus::transposed);
}

TYPED_TEST(ParallelRead, second_read_transposes_where_it_is_told_to) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::second_read);
  ColumnOrder const down(70, 90);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"original"}));
  EXPECT_EQ(a.shadow_bytes(), 0u);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"transposing"}));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"shadow"}));
  a.invalidate();
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"original"}));
  EXPECT_EQ(kernels_of_part<TypeParam>(a, down, 70 * 20, 70 * 40), ways<TypeParam>({"transposing"}));
}

TYPED_TEST(ParallelRead, shadow_that_is_built_by_itself) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename TypeParam::exec::memory_space>::accessible;
  ShadowView const a(View2<TypeParam>("m", 70, 90));
  EXPECT_EQ(kernels_of<TypeParam>(a, ColumnOrder(70, 90)), ways<TypeParam>({on_host ? "original" : "transposing"}));
}

/// Memory for 40 of 90 columns.
TYPED_TEST(ParallelRead, limited_memory_holds_the_first_columns_that_are_read) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), 70 * 40 * sizeof(double) + 5, ShadowBuild::first_read);
  ColumnOrder const down(70, 90);
  std::string const copies = std::string("Koalesce::") + TypeParam::backend::name + "::shadow";
  Strings const shadow = ways<TypeParam>({"shadow"}), original = ways<TypeParam>({"original"});
  EXPECT_EQ(kernels_of_part<TypeParam>(a, down, 70 * 30, 70 * 60), ways<TypeParam>({"transposing"}));
  EXPECT_EQ(a.shadow_bytes(), 70 * 40 * sizeof(double));
  EXPECT_EQ(kernels_of_part<TypeParam>(a, down, 70 * 60, 70 * 90), (Strings{copies, shadow[0]}));
  EXPECT_EQ(kernels_of_part<TypeParam>(a, down, 0, 70 * 30), original);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), shadow);
  EXPECT_EQ(a.status(), ShadowStatus::partly_transposed);
  EXPECT_EQ(a.template by_column<typename TypeParam::backend>(typename TypeParam::exec()).data(), a.base().data());
  a.invalidate(Kokkos::ALL, std::pair(40, 50));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), (Strings{copies, shadow[0]}));
  a.invalidate();
  EXPECT_EQ(kernels_of<TypeParam>(a, down), (Strings{copies, shadow[0]})) << "now from the first column on";
}

/// Memory for 100 of 300 rows. The original changes in between and nothing is told, which shows what is read of it.
TYPED_TEST(ParallelRead, limited_memory_holds_the_first_rows_of_a_column_major_matrix) {
  using Exec = typename TypeParam::exec;
  Rng rng(5);
  std::int64_t const n = 70;
  for (std::int64_t const first : {0, 150}) {
    SCOPED_TRACE("from row " + std::to_string(first));
    Field<Exec, double, 2, LayoutLeft> field({300, n}, {0, 0}, rng);
    fill_for_transpose(field, rng);
    auto const before = elements_of(field);
    ShadowView const a(window(field), 100 * n * sizeof(double) + 5, ShadowBuild::first_read);
    auto const read_rows = [&](std::int64_t begin, std::int64_t end, std::vector<double> const& elements) {
      check_read<TypeParam>(a, RowOrder(), indices_of(RowOrder(), begin * n, end * n), begin * n, elements);
    };
    read_rows(first, first + 20, before);
    read_rows(0, 300, before);
    EXPECT_EQ(a.shadow_bytes(), 100 * n * sizeof(double));
    EXPECT_EQ(a.status(), ShadowStatus::partly_transposed);
    fill_for_transpose(field, rng);
    auto const after = elements_of(field);
    auto mixed       = after;
    std::copy_n(before.begin() + first * n, 100 * n, mixed.begin() + first * n);
    read_rows(0, 300, mixed);
    a.invalidate();
    read_rows(0, 300, after);
  }
}

TYPED_TEST(ParallelRead, without_memory_it_reads_the_original) {
  ShadowView const a(View2<TypeParam>("m", 70, 90), 1000, ShadowBuild::first_read);
  auto const down = opaque(ColumnOrder(70, 90));
  EXPECT_EQ(kernels_of<TypeParam>(a, down), classified<TypeParam>("original"));
  EXPECT_EQ(a.status(), ShadowStatus::no_memory);
  EXPECT_EQ(kernels_of<TypeParam>(a, down), ways<TypeParam>({"original"})) << "there is nothing to classify for";
  EXPECT_EQ(kernels_of<TypeParam>(a, down.map), ways<TypeParam>({"original"}));
  a.invalidate();
  EXPECT_EQ(kernels_of<TypeParam>(a, down.map), ways<TypeParam>({"original"}));
  EXPECT_EQ(a.status(), ShadowStatus::no_memory);
}

TYPED_TEST(ParallelRead, nothing_is_read_of_nothing) {
  using Exec = typename TypeParam::exec;
  for (auto const& n : {Index<2>{0, 0}, {0, 5}, {5, 0}}) {
    ShadowView const a(View2<TypeParam>("m", n[0], n[1]), ShadowBuild::first_read);
    check_read<TypeParam>(a, Table<typename Exec::memory_space>({}, 0), {}, 0, std::vector<double>());
    check_reduce<TypeParam>(a, ColumnOrder(n[0], n[1]), {}, 7, std::vector<double>());
    EXPECT_EQ(a.status(), ShadowStatus::untransposed);
  }
  View2<TypeParam> const m("m", 5, 4);
  ShadowView const a(m, ShadowBuild::first_read);
  check_read<TypeParam>(a, Table<typename Exec::memory_space>({}, 3), {}, 3, std::vector<double>());
  EXPECT_FALSE(a.has_shadow());
  Exec().fence();
}

// ---- Irregular maps ----

template <class P>
struct TableRead {
  TableRead(Indices const& indices) : table(indices, 0), a(View2<P>("m", 200, 200), ShadowBuild::first_read) {}

  Strings kernels() const { return kernels_of<P>(a, table); }

  Table<typename P::exec::memory_space> table;
  ShadowView<View2<P>> a;
};

Indices columns_of_200() { return indices_of(ColumnOrder(200, 200), 0, 40000); }

TYPED_TEST(ParallelRead, irregular_maps_never_build_a_shadow) {
  Rng rng(1);
  Indices backward = columns_of_200(), random = backward, strided, constant(40000, 7);
  std::reverse(backward.begin(), backward.end());
  std::shuffle(random.begin(), random.end(), rng);
  for (std::int64_t k = 0; k < 40000; ++k) strided.push_back(k * 3 % 40000);
  for (auto const& indices : {backward, random, strided, constant}) {
    TableRead<TypeParam> const read(indices);
    EXPECT_EQ(read.kernels(), classified<TypeParam>("original"));
    EXPECT_EQ(read.kernels().back(), read_kernel<TypeParam>("r", "original"));
    EXPECT_EQ(read.a.status(), ShadowStatus::untransposed);
    EXPECT_EQ(read.a.shadow_bytes(), 0u);
  }
}

TYPED_TEST(ParallelRead, few_defects_do_not_matter) {
  auto indices = columns_of_200();
  for (std::size_t k = 8; k < indices.size(); k += 800) indices[k] = 0;
  TableRead<TypeParam> const read(indices);
  EXPECT_EQ(read.kernels(), classified<TypeParam>("transposing"));
}

TYPED_TEST(ParallelRead, many_defects_do) {
  auto indices = columns_of_200();
  for (std::size_t k = 8; k < indices.size(); k += 64) indices[k] = 0;
  TableRead<TypeParam> const read(indices);
  EXPECT_EQ(read.kernels(), classified<TypeParam>("original"));
}

/// Half-warps by column that do not follow each other: by column, but not sequential.
TYPED_TEST(ParallelRead, half_warps_in_another_order_are_not_sequential) {
  auto const down = columns_of_200();
  Indices indices;
  for (int h = 0; h < 2500; ++h) {
    auto const from = down.begin() + h * 997 % 2500 * 16;
    indices.insert(indices.end(), from, from + 16);
  }
  TableRead<TypeParam> const read(indices);
  EXPECT_EQ(read.kernels(), classified<TypeParam>("original"));
}

/// Down the columns in one half, anywhere in the other: with a shadow each half-warp decides where it reads.
TYPED_TEST(ParallelRead, half_warps_of_a_mixed_map_decide_for_themselves) {
  Rng rng(1);
  Field<typename TypeParam::exec, double, 2> field({200, 200}, {0, 0}, rng);
  field.fill(rng);
  auto indices = columns_of_200();
  std::shuffle(indices.begin() + 20000, indices.end(), rng);
  for (std::size_t k = 5; k < 20000; k += 400) indices[k] = 7;
  Table<typename TypeParam::exec::memory_space> const table(indices, 0);
  ShadowView const a(field.view(), ShadowBuild::first_read);
  EXPECT_EQ(kernels_of<TypeParam>(a, table), classified<TypeParam>("original"));
  a.template by_column<typename TypeParam::backend>(typename TypeParam::exec());
  EXPECT_EQ(kernels_of<TypeParam>(a, table), ways<TypeParam>({"mixed"}));
  check_read<TypeParam>(a, table, indices, 0, elements_of(field));
  check_reduce<TypeParam>(a, table, indices, 0, elements_of(field));
}

// ---- Instances and fences ----

/// Expects that a read runs one kernel on the instance, and that nobody waits.
template <class P, class A, class Map>
void expect_one_kernel(A const& a, Map const& map, typename P::exec const& exec, std::string const& way) {
  KernelRecorder const record;
  read<P>(a, map, exec);
  ASSERT_EQ(record.kernel_names(), ways<P>({way}));
  EXPECT_EQ(record.kernels[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_FALSE(record.kernels[0].reduces);
  EXPECT_EQ(record.regions, Strings{"Koalesce::parallel_read"});
  EXPECT_EQ(record.fences, Strings());
  EXPECT_EQ(record.allocations, Strings());
}

/// The shadow's memory and Kokkos' scratch memory are there.
template <class P>
void expect_no_fences(typename P::exec const& exec) {
  ShadowView const a(View2<P>("m", 70, 90), ShadowBuild::first_read);
  ColumnOrder const down(70, 90);
  read<P>(a, down, exec);
  read<P>(a, opaque(down), exec);
  a.invalidate();
  exec.fence();
  expect_one_kernel<P>(a, down, exec, "transposing");
  expect_one_kernel<P>(a, down, exec, "shadow");
  expect_one_kernel<P>(a, opaque(down), exec, "shadow");
  expect_one_kernel<P>(a, RowOrder(), exec, "original");
  exec.fence();
}

TYPED_TEST(ParallelRead, runs_on_the_callers_instance_and_waits_for_nothing) {
  expect_no_fences<TypeParam>({});
  for (auto const& exec : two_instances<typename TypeParam::exec>()) expect_no_fences<TypeParam>(exec);
}

TYPED_TEST(ParallelRead, classification_runs_on_the_callers_instance) {
  typename TypeParam::exec const exec;
  ShadowView const a(View2<TypeParam>("m", 70, 90), ShadowBuild::first_read);
  KernelRecorder const record;
  read<TypeParam>(a, opaque(ColumnOrder(70, 90)), exec);
  ASSERT_EQ(record.kernels.size(), 2u);
  EXPECT_TRUE(record.kernels[0].reduces);
  for (auto const& kernel : record.kernels)
    EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(exec)) << kernel.name;
  exec.fence();
}

/// A matrix of random elements, and what is expected of it.
template <class P>
struct Random {
  Random(std::int64_t rows, std::int64_t columns, Rng rng = Rng(1))
      : field({rows, columns}, {0, 0}, rng), down(rows, columns) {
    fill_for_transpose(field, rng);
    indices  = indices_of(down, 0, rows * columns);
    elements = elements_of(field);
  }

  Field<typename P::exec, double, 2> field;
  ColumnOrder down;
  Indices indices;
  std::vector<double> elements;
};

template <class P>
std::uint64_t sum_by_column(ShadowView<View2<P>> const& a, ColumnOrder const& down, typename P::exec const& exec) {
  std::uint64_t sum = 0;
  parallel_read_reduce<typename P::backend>("r", exec, a, down, Sum(), sum);
  return sum;
}

TYPED_TEST(ParallelRead, shadow_is_read_on_another_instance_than_the_one_that_built_it) {
  auto const instances = two_instances<typename TypeParam::exec>();
  for (int i = 0; i < 20; ++i) {
    Random<TypeParam> const m(300 + i, 200);
    ShadowView const a(m.field.view(), ShadowBuild::first_read);
    auto const sum = sum_of(m.indices, 0, m.elements);
    read<TypeParam>(a, m.down, instances[i % 2]);
    EXPECT_EQ(sum_by_column<TypeParam>(a, m.down, instances[1 - i % 2]), sum);
    EXPECT_EQ(sum_by_column<TypeParam>(a, m.down, instances[i % 2]), sum);
  }
}

TYPED_TEST(ParallelRead, of_two_threads_that_read_at_once_one_transposes) {
  auto const instances = two_instances<typename TypeParam::exec>();
  for (int i = 0; i < 20; ++i) {
    Random<TypeParam> const m(300 + i, 200);
    ShadowView const a(m.field.view(), ShadowBuild::first_read);
    std::uint64_t sums[2];
    KernelRecorder const record;
    std::thread first([&] { sums[0] = sum_by_column<TypeParam>(a, m.down, instances[0]); });
    std::thread second([&] { sums[1] = sum_by_column<TypeParam>(a, m.down, instances[1]); });
    first.join();
    second.join();
    EXPECT_EQ(record.kernel_names(), ways<TypeParam>({"transposing", "shadow"}));
    for (auto const sum : sums) EXPECT_EQ(sum, sum_of(m.indices, 0, m.elements));
  }
}

// ---- Assertions ----

/// Where assertions are on, an index map that leads out of the matrix is caught: from the shadow, while transposing,
/// and from the original.
template <class P>
void expect_map_out_of_matrix_is_caught() {
  ShadowView const a(View2<P>("m", 100, 100), ShadowBuild::first_read);
  a.template by_column<typename P::backend>(typename P::exec());
  auto indices = indices_of(ColumnOrder(100, 100), 0, 10000);
  for (std::int64_t const outside : {-1, 10000}) {
    indices[7777] = outside;
    Table<typename P::exec::memory_space> const table(indices, 0);
    auto const die = [&] {
      read<P>(a, table);
      typename P::exec().fence();
    };
    EXPECT_DEATH(die(), "index map leads out of the matrix");
    a.invalidate();
    EXPECT_DEATH(die(), "index map leads out of the matrix");
  }
  ShadowView const none(View2<P>("m", 100, 100), 0);
  EXPECT_DEATH(read<P>(none, Table<typename P::exec::memory_space>(indices, 0)), "index map leads out of the matrix");
}

TYPED_TEST(ParallelRead, index_map_that_leads_out_of_the_matrix_is_caught) {
  using Exec = typename TypeParam::exec;
#if !defined(NDEBUG) || defined(KOKKOS_ENFORCE_CONTRACTS) || defined(KOKKOS_ENABLE_DEBUG)
  if constexpr (Backend::on_host<Exec>) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    expect_map_out_of_matrix_is_caught<TypeParam>();
  } else {
    GTEST_SKIP() << "an assertion of " << Exec::name() << " ends all later work of the process";
  }
#else
  GTEST_SKIP() << Exec::name() << " is tested without assertions";
#endif
}

}  // namespace
}  // namespace Koalesce::Test
