// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TransposeOracle.hpp"

#include <thread>

namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ShadowViews : public ::testing::Test {};
TYPED_TEST_SUITE(ShadowViews, DefaultPaths::types, PathNames);

// ---- Reading Views ----

/// Elements in the order of their indices, (b * rows + i) * columns + j.
template <class View, class List>
struct Gather {
  View view;
  List list;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t const n = view.extent(int(View::rank()) - 1), m = view.extent(int(View::rank()) - 2);
    if constexpr (View::rank() == 2) list(k) = view(k / n, k % n);
    else list(k) = view(k / n / m, k / n % m, k % n);
  }
};

/// The elements that a View has on an instance, without a fence before they are read.
template <class Exec, class View>
auto elements(Exec const& exec, View const& view) {
  Kokkos::View<typename View::non_const_value_type*, typename Exec::memory_space> const list("list", view.size());
  Kokkos::parallel_for("gather", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, view.size()),
                       Gather<View, decltype(list)>{view, list});
  exec.fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), list);
}

/// Whether a View has the field's elements.
template <class Exec, class View, class F>
::testing::AssertionResult same_elements(Exec const& exec, View const& view, F const& field) {
  auto const list    = elements(exec, view);
  std::size_t k      = 0;
  std::int64_t wrong = 0;
  for_each_index<F::rank>({}, field.interior(), [&](auto const& p) { wrong += !(list(k++) == field(p)); });
  if (k == list.extent(0) && wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << wrong << " wrong elements, " << list.extent(0) << " instead of " << k;
}

/// A matrix of rows x columns and its field.
template <class P, class Layout = LayoutRight>
struct Matrix {
  using Exec = typename P::exec;
  using Tag  = typename P::backend;

  Matrix(std::int64_t rows, std::int64_t columns, Rng rng = Rng(1)) : field({rows, columns}, {0, 0}, rng) {
    fill_for_transpose(field, rng);
  }

  template <class View>
  ::testing::AssertionResult is(View const& view, Exec const& exec = Exec()) const {
    return same_elements(exec, view, field);
  }

  Field<Exec, double, 2, Layout> field;
};

template <class P, class A>
auto by_column(A const& a, typename P::exec const& exec = {}) {
  return a.template by_column<typename P::backend>(exec);
}
template <class P, class A>
auto by_row(A const& a, typename P::exec const& exec = {}) {
  return a.template by_row<typename P::backend>(exec);
}

std::int64_t shadows_built(KernelRecorder const& record) {
  std::int64_t built = 0;
  for (auto const& name : record.kernel_names()) built += name.ends_with("::shadow");
  return built;
}

// ---- Every layout and shape ----

/// by_row and by_column of the field's interior.
template <class P, class F>
void check_both(F const& field) {
  constexpr int row = F::rank - 2;
  typename P::exec const exec;
  SCOPED_TRACE(to_string<F::rank>(field.interior()));
  auto const matrix = window(field);
  ShadowView const a(matrix);
  auto const rows = by_row<P>(a), columns = by_column<P>(a);
  EXPECT_TRUE(same_elements(exec, rows, field));
  EXPECT_TRUE(same_elements(exec, columns, field));
  auto const m = matrix.extent(row), n = matrix.extent(row + 1);
  EXPECT_TRUE(rows.stride(row + 1) == 1 || n <= 1 || matrix.size() == 0);
  EXPECT_TRUE(columns.stride(row) == 1 || m <= 1 || matrix.size() == 0);
  bool const copies_rows = matrix.size() > 0 && n > 1 && matrix.stride(row + 1) != 1;
  bool const copies_down = matrix.size() > 0 && m > 1 && matrix.stride(row) != 1;
  EXPECT_EQ(rows.data() != matrix.data(), copies_rows);
  EXPECT_EQ(columns.data() != matrix.data(), copies_down);
  EXPECT_EQ(a.has_shadow(), copies_rows || copies_down);
  EXPECT_NE(a.status(), ShadowStatus::no_memory);
  EXPECT_EQ(a.shadow_bytes(), (copies_rows + copies_down) * matrix.size() * sizeof(typename F::value_type));
  EXPECT_TRUE(field.device_matches()) << "the original was written";
}

template <class P, class T, int Rank, class Layout>
void check_views(Rng& rng, Index<Rank> const& n) {
  Field<typename P::exec, T, Rank, Layout> field(n, random_halo<Rank>(rng, 2), rng);
  fill_for_transpose(field, rng);
  check_both<P>(field);
}

template <class P, class T, class Layout>
void check_matrices() {
  for_each_seed([](Rng& rng) {
    for (auto const& n : {Index<2>{1, 1}, {1, 50}, {50, 1}, {2, 3}, {37, 53}, {101, 97}, {64, 64}})
      check_views<P, T, 2, Layout>(rng, n);
    for (int i = 0; i < 5; ++i) check_views<P, T, 2, Layout>(rng, random_extents<2>(rng, 30000));
  });
}

template <class P, class Layout>
void check_batches() {
  for_each_seed([](Rng& rng) {
    for (auto const& n : {Index<3>{1, 31, 37}, {7, 1, 5}, {7, 5, 1}, {5, 33, 29}})
      check_views<P, double, 3, Layout>(rng, n);
    for (int i = 0; i < 5; ++i) check_views<P, double, 3, Layout>(rng, random_extents<3>(rng, 30000));
  });
}

TYPED_TEST(ShadowViews, of_rows) { check_matrices<TypeParam, std::int8_t, LayoutRight>(); }
TYPED_TEST(ShadowViews, of_columns) { check_matrices<TypeParam, double, LayoutLeft>(); }
TYPED_TEST(ShadowViews, of_strided_matrices) { check_matrices<TypeParam, double, LayoutStride>(); }
TYPED_TEST(ShadowViews, of_batches_by_rows) { check_batches<TypeParam, LayoutRight>(); }
TYPED_TEST(ShadowViews, of_batches_by_columns) { check_batches<TypeParam, LayoutLeft>(); }
TYPED_TEST(ShadowViews, of_strided_batches) { check_batches<TypeParam, LayoutStride>(); }

TYPED_TEST(ShadowViews, of_nothing) {
  Rng rng(1);
  for (auto const& n : {Index<2>{0, 0}, {0, 5}, {5, 0}}) {
    check_views<TypeParam, std::int8_t, 2, LayoutRight>(rng, n);
    check_views<TypeParam, double, 2, LayoutLeft>(rng, n);
  }
  for (auto const& n : {Index<3>{0, 5, 4}, {3, 0, 4}, {3, 5, 0}})
    check_views<TypeParam, double, 3, LayoutRight>(rng, n);
  Kokkos::View<double**, typename TypeParam::exec::memory_space> const none;
  EXPECT_EQ(by_column<TypeParam>(ShadowView(none)).size(), 0u);
}

TYPED_TEST(ShadowViews, of_elements_of_12_bytes) {
  Rng rng(1);
  check_views<TypeParam, Vec3<float>, 3, LayoutStride>(rng, {1, 45, 37});
  check_views<TypeParam, Vec3<float>, 3, LayoutStride>(rng, {3, 15, 37});
}

/// Elements that are const, and extents that are known when the program is compiled.
TYPED_TEST(ShadowViews, of_other_kinds_of_views) {
  using Memory = typename TypeParam::exec::memory_space;
  Matrix<TypeParam> const m(6, 5);
  Kokkos::View<double const**, LayoutRight, Memory> const constant = m.field.view();
  EXPECT_TRUE(m.is(by_column<TypeParam>(ShadowView(constant))));
  Kokkos::View<double[6][5], LayoutRight, Memory> const fixed(m.field.view());
  EXPECT_TRUE(m.is(by_column<TypeParam>(ShadowView(fixed))));
  Kokkos::View<double**, LayoutRight, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const unmanaged(m.field.view());
  EXPECT_TRUE(m.is(by_column<TypeParam>(ShadowView(unmanaged))));
}

// ---- The flag ----

TYPED_TEST(ShadowViews, nothing_is_copied_before_it_is_needed) {
  Matrix<TypeParam> const m(60, 70);
  KernelRecorder const record;
  ShadowView const a(m.field.view());
  EXPECT_EQ(by_row<TypeParam>(a).data(), m.field.view().data());
  EXPECT_EQ(a.status(), ShadowStatus::untransposed);
  EXPECT_FALSE(a.has_shadow());
  EXPECT_EQ(a.shadow_bytes(), 0u);
  EXPECT_EQ(a.base().data(), m.field.view().data());
  EXPECT_EQ(a.size(), 4200u);
  EXPECT_EQ(a.extent(1), 70u);
  EXPECT_TRUE(record.kernels.empty());
  EXPECT_TRUE(record.allocations.empty());
}

TYPED_TEST(ShadowViews, is_built_once) {
  Matrix<TypeParam> const m(60, 70);
  typename TypeParam::exec const exec;
  ShadowView const a(m.field.view());
  KernelRecorder const record;
  auto const first = by_column<TypeParam>(a), second = by_column<TypeParam>(a);
  EXPECT_EQ(a.status(), ShadowStatus::transposed);
  EXPECT_EQ(a.shadow_bytes(), 60 * 70 * sizeof(double));
  EXPECT_EQ(first.data(), second.data());
  ASSERT_EQ(record.kernel_names(), Strings{std::string("Koalesce::") + TypeParam::backend::name + "::shadow"});
  EXPECT_EQ(record.kernels[0].device, Kokkos::Tools::Experimental::device_id(exec));
  EXPECT_EQ(record.regions, Strings{"Koalesce::ShadowView::by_column"});
  // Kokkos may allocate scratch memory of its own for the kernel.
  auto const is_shadow = [](std::string const& label) { return label.find("(shadow)") != std::string::npos; };
  EXPECT_EQ(std::count_if(record.allocations.begin(), record.allocations.end(), is_shadow), 1);
}

TYPED_TEST(ShadowViews, is_built_anew_in_the_same_memory_when_the_original_was_modified) {
  Matrix<TypeParam> m(61, 47);
  ShadowView const a(m.field.view());
  auto const old = by_column<TypeParam>(a);
  Rng rng(2);
  fill_for_transpose(m.field, rng);
  EXPECT_FALSE(m.is(by_column<TypeParam>(a))) << "modified, but nobody said so";
  a.invalidate();
  EXPECT_EQ(a.status(), ShadowStatus::untransposed);
  EXPECT_FALSE(a.has_shadow());
  EXPECT_EQ(a.shadow_bytes(), 61 * 47 * sizeof(double));
  auto const fresh = by_column<TypeParam>(a);
  EXPECT_TRUE(m.is(fresh));
  EXPECT_EQ(fresh.data(), old.data());
  EXPECT_EQ(a.status(), ShadowStatus::transposed);
}

TYPED_TEST(ShadowViews, copies_share_the_shadow) {
  Matrix<TypeParam> const m(60, 70);
  ShadowView const a(m.field.view());
  auto const b     = a;
  auto const first = by_column<TypeParam>(a);
  EXPECT_TRUE(b.has_shadow());
  EXPECT_EQ(by_column<TypeParam>(b).data(), first.data());
  b.invalidate();
  EXPECT_FALSE(a.has_shadow());
  EXPECT_FALSE(ShadowView(m.field.view()).has_shadow()) << "another of the same matrix is no copy";
}

TYPED_TEST(ShadowViews, views_outlive_it) {
  Matrix<TypeParam> const m(60, 70);
  auto const view = [&] {
    ShadowView const a(m.field.view());
    return by_column<TypeParam>(a);
  }();
  EXPECT_TRUE(m.is(view));
  EXPECT_EQ(view.use_count(), 1);
}

TYPED_TEST(ShadowViews, keeps_the_original) {
  using View = Kokkos::View<double**, LayoutRight, typename TypeParam::exec::memory_space>;
  View matrix("matrix", 20, 30);
  Kokkos::deep_copy(matrix, 3);
  ShadowView const a(matrix);
  matrix          = View();
  auto const list = elements(typename TypeParam::exec(), by_column<TypeParam>(a));
  EXPECT_EQ(list(0) + list(599), 6);
}

// ---- No memory ----

struct TakeFrom {
  template <class T, class Update>
  KOKKOS_FUNCTION void operator()(std::int64_t k, T const& value, Update& sum) const {
    sum += value * double(k % 5);
  }
};

/// The sum of TakeFrom by column.
template <class P, class A>
double read_by_column(A const& a) {
  double sum = 0;
  parallel_read_reduce<typename P::backend>("sum", typename P::exec(), a, ColumnOrder(a.extent(0), a.extent(1)),
                                            TakeFrom(), sum);
  return sum;
}

template <class F>
double sum_by_column(F const& field) {
  double sum = 0;
  for (std::int64_t k = 0, m = field.interior()[0]; k < m * field.interior()[1]; ++k)
    sum += field({k % m, k / m}) * double(k % 5);
  return sum;
}

template <class P, class A, class F>
void expect_original(A const& a, F const& field) {
  EXPECT_EQ(by_column<P>(a).data(), a.base().data());
  EXPECT_TRUE(same_elements(typename P::exec(), by_column<P>(a), field));
  EXPECT_EQ(read_by_column<P>(a), sum_by_column(field));
  EXPECT_EQ(a.status(), ShadowStatus::no_memory);
  EXPECT_FALSE(a.has_shadow());
  EXPECT_EQ(a.shadow_bytes(), 0u);
}

TYPED_TEST(ShadowViews, reads_the_original_where_memory_is_limited) {
  Matrix<TypeParam> const m(60, 70);
  auto const bytes = 60 * 70 * sizeof(double);
  for (std::size_t most : {std::size_t(0), 60 * 15 * sizeof(double)}) {
    ShadowView const a(m.field.view(), most, ShadowBuild::first_read);
    EXPECT_EQ(a.status(), ShadowStatus::untransposed);
    expect_original<TypeParam>(a, m.field);
    a.invalidate();
    EXPECT_EQ(a.status(), ShadowStatus::untransposed);
    EXPECT_EQ(read_by_column<TypeParam>(a), sum_by_column(m.field));
    EXPECT_EQ(a.status(), ShadowStatus::no_memory) << "asked for again";
  }
  ShadowView const some(m.field.view(), bytes - 1);
  EXPECT_EQ(by_column<TypeParam>(some).data(), m.field.view().data());
  EXPECT_EQ(some.status(), ShadowStatus::no_memory);
  EXPECT_EQ(some.shadow_bytes(), 0u);
  for (int time = 0; time < 2; ++time) EXPECT_EQ(read_by_column<TypeParam>(some), sum_by_column(m.field));
  EXPECT_EQ(some.status(), ShadowStatus::partly_transposed);
  EXPECT_EQ(by_column<TypeParam>(some).data(), m.field.view().data());
  ShadowView const enough(m.field.view(), bytes, ShadowBuild::first_read);
  EXPECT_EQ(read_by_column<TypeParam>(enough), sum_by_column(m.field));
  EXPECT_EQ(enough.status(), ShadowStatus::transposed);
}

/// A matrix that is contiguous neither way has two shadows.
TYPED_TEST(ShadowViews, limit_is_that_of_both_shadows) {
  Matrix<TypeParam> const m(60, 140);
  auto const bytes = 60 * 70 * sizeof(double);
  LayoutStride const layout(60, 140, 70, 2);
  Kokkos::View<double**, LayoutStride, typename TypeParam::exec::memory_space> const odd(m.field.view().data(), layout);
  ShadowView const one(odd, bytes + 1), both(odd, 2 * bytes);
  EXPECT_NE(by_row<TypeParam>(one).data(), odd.data());
  EXPECT_EQ(by_column<TypeParam>(one).data(), odd.data());
  EXPECT_EQ(one.shadow_bytes(), bytes);
  EXPECT_NE(by_row<TypeParam>(both).data(), odd.data());
  EXPECT_NE(by_column<TypeParam>(both).data(), odd.data());
  EXPECT_EQ(both.shadow_bytes(), 2 * bytes);
  EXPECT_EQ(both.status(), ShadowStatus::transposed);
}

/// One element seen 2^48 times: the original is small, no machine has memory for a shadow.
TYPED_TEST(ShadowViews, reads_the_original_where_there_is_no_memory) {
  using Memory = typename TypeParam::exec::memory_space;
  Kokkos::View<double, Memory> const one("one");
  LayoutStride const layout(std::size_t(1) << 24, 0, std::size_t(1) << 24, 0);
  Kokkos::View<double**, LayoutStride, Memory> const matrix(one.data(), layout);
  ShadowView const a(matrix);
  auto const view = by_column<TypeParam>(a);
  EXPECT_EQ(view.data(), one.data());
  EXPECT_EQ(view.extent(1), std::size_t(1) << 24);
  EXPECT_EQ(a.status(), ShadowStatus::no_memory);
  EXPECT_EQ(a.shadow_bytes(), 0u);
  EXPECT_EQ(by_column<TypeParam>(a).data(), one.data());
}

// ---- Several instances and threads ----

TYPED_TEST(ShadowViews, is_read_on_another_instance_than_the_one_that_built_it) {
  auto const instances = two_instances<typename TypeParam::exec>();
  for (int i = 0; i < 20; ++i) {
    Matrix<TypeParam> const m(500 + i, 400);
    ShadowView const a(m.field.view());
    auto const built = by_column<TypeParam>(a, instances[i % 2]);
    EXPECT_TRUE(m.is(by_column<TypeParam>(a, instances[1 - i % 2]), instances[1 - i % 2]));
    EXPECT_TRUE(m.is(built, instances[i % 2]));
  }
}

/// What a thread of the host does: asks for the shadow and reads it on an instance of its own.
template <class P>
struct Reader {
  typename P::exec exec;
  bool right = false;

  template <class A>
  void read(A const& a, Matrix<P> const& m) {
    auto const columns = by_column<P>(a, exec);
    right              = columns.data() != a.base().data() && m.is(columns, exec);
  }
};

TYPED_TEST(ShadowViews, two_threads_that_ask_at_once_build_one_shadow) {
  auto const instances = two_instances<typename TypeParam::exec>();
  for (int i = 0; i < 20; ++i) {
    Matrix<TypeParam> const m(300, 301 + i);
    ShadowView const a(m.field.view());
    Reader<TypeParam> one{instances[0]}, other{instances[1]};
    KernelRecorder const record;
    std::thread first([&] { one.read(a, m); }), second([&] { other.read(a, m); });
    first.join();
    second.join();
    EXPECT_TRUE(one.right && other.right);
    EXPECT_EQ(shadows_built(record), 1);
  }
}

// ---- Errors ----

TYPED_TEST(ShadowViews, matrix_without_memory) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<double**, LayoutRight, typename Exec::memory_space> const none(static_cast<double*>(nullptr), 3, 4);
  ShadowView const a(none);
  expect_error({"Koalesce::ShadowView::by_column", "the matrix", "has no memory", "allocate it first"},
               [&] { by_column<TypeParam>(a); });
  expect_error({"Koalesce::ShadowView::by_row", "has no memory"}, [&] { by_row<TypeParam>(a); });
  EXPECT_EQ(a.status(), ShadowStatus::untransposed);
}

/// A matrix of the host's for an execution space that has memory of its own.
TYPED_TEST(ShadowViews, matrix_out_of_reach) {
  using Exec = typename TypeParam::exec;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches the host's memory";
  } else {
    Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> const h("h", 4, 3);
    ShadowView const a(h);
    expect_error({"the matrix (\"h\")", "lies in Host", "cannot reach", "copy it to a View in"},
                 [&] { by_column<TypeParam>(a); });
    expect_error({"the matrix (\"h\")", "cannot reach"}, [&] { by_row<TypeParam>(a); });
  }
}

}  // namespace
}  // namespace Koalesce::Test
