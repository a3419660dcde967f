// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadOracle.hpp"

/// Elements of every size, and matrices of every layout.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class ParallelReadTypes : public ::testing::Test {};
TYPED_TEST_SUITE(ParallelReadTypes, DefaultPaths::types, PathNames);

// ---- Elements ----

/// By column: items of a known order, and sums of an opaque one. Each is read at first, again, and after the original
/// was modified.
template <class P, class T, int Rank, class Layout>
void check_columns(Rng& rng, Index<Rank> const& n) {
  Field<typename P::exec, T, Rank, Layout> field(n, random_halo<Rank>(rng, 2), rng);
  fill_for_transpose(field, rng);
  SCOPED_TRACE(to_string<Rank>(n));
  auto const down    = column_order<Rank>(n);
  auto const indices = indices_of(down, 0, std::int64_t(elements_of(field).size()));
  ShadowView const a(window(field)), b(window(field));
  for (int time = 0; time < 3; ++time) {
    SCOPED_TRACE("read number " + std::to_string(time));
    if (time == 2) {
      fill_for_transpose(field, rng);
      a.invalidate();
      b.invalidate();
    }
    auto const elements = elements_of(field);
    check_read<P>(a, down, indices, 0, elements);
    check_reduce<P>(b, Opaque<ColumnOrder>{down}, indices, 0, elements);
  }
  EXPECT_TRUE(field.device_matches()) << "the original was written";
}

template <class P, class T>
void check_type() {
  for_each_seed([](Rng& rng) {
    for (auto const& n : {Index<2>{67, 129}, {300, 33}, {1031, 37}, {31, 257}, {2, 500}, {500, 2}, {2, 1000}})
      check_columns<P, T, 2, LayoutRight>(rng, n);
    for (int i = 0; i < 10; ++i) check_columns<P, T, 2, LayoutRight>(rng, random_extents<2>(rng, 40000));
  });
}

TYPED_TEST(ParallelReadTypes, of_1_byte) { check_type<TypeParam, std::int8_t>(); }
TYPED_TEST(ParallelReadTypes, of_2_bytes) { check_type<TypeParam, std::uint16_t>(); }
TYPED_TEST(ParallelReadTypes, of_8_bytes) { check_type<TypeParam, std::int64_t>(); }
TYPED_TEST(ParallelReadTypes, of_12_bytes) { check_type<TypeParam, Vec3<float>>(); }
TYPED_TEST(ParallelReadTypes, of_16_bytes) { check_type<TypeParam, Kokkos::complex<double>>(); }

// ---- Layouts ----

/// Elements of 4 bytes. Kernels are given strides, so that each layout needs no more than one rank here.
template <class P, int Rank, class Layout>
void check_layout() {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 10; ++i) check_columns<P, float, Rank, Layout>(rng, random_extents<Rank>(rng, 40000));
    Index<Rank> tall{};
    for (int d = 0; d < Rank; ++d) tall[d] = d < Rank - 2 ? 2 : d == Rank - 2 ? 1033 : 35;
    check_columns<P, float, Rank, Layout>(rng, tall);
  });
}

TYPED_TEST(ParallelReadTypes, of_batches_by_rows) { check_layout<TypeParam, 3, LayoutRight>(); }
TYPED_TEST(ParallelReadTypes, of_matrices_by_columns) { check_layout<TypeParam, 2, LayoutLeft>(); }
TYPED_TEST(ParallelReadTypes, of_strided_batches) { check_layout<TypeParam, 3, LayoutStride>(); }

/// One row that stands for all, or one column.
TYPED_TEST(ParallelReadTypes, of_strides_of_zero) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  std::int64_t const m = 130, n = 90;
  Field<Exec, float, 1> line({m}, {0}, rng);
  fill_for_transpose(line, rng);
  ColumnOrder const down(m, n);
  for (bool rows_repeat : {false, true}) {
    LayoutStride const layout(m, rows_repeat ? 0 : 1, n, rows_repeat ? 1 : 0);
    ShadowView const a(Kokkos::View<float**, LayoutStride, typename Exec::memory_space>(line.view().data(), layout));
    std::vector<float> elements;
    for (std::int64_t k = 0; k < m * n; ++k) elements.push_back(line({rows_repeat ? k % n : k / n}));
    for (int time = 0; time < 2; ++time) {
      check_read<TypeParam>(a, down, indices_of(down, 0, m * n), 0, elements);
      check_read<TypeParam>(a, RowOrder(), indices_of(RowOrder(), 0, m * n), 0, elements);
    }
  }
}

/// Pairs of doubles, eight bytes off the alignment that words of 16 bytes need.
struct Pair {
  double first, second;
};

struct SumOfPairs {
  KOKKOS_FUNCTION void operator()(std::int64_t item, Pair const& v, std::uint64_t& sum) const {
    sum += mixed(item, v.first) + mixed(-item, v.second);
  }
};

TYPED_TEST(ParallelReadTypes, of_misaligned_elements) {
  using Exec           = typename TypeParam::exec;
  std::int64_t const m = 61, n = 45;
  Rng rng(1);
  Field<Exec, double, 1> memory({2 * m * n + 1}, {0}, rng);
  fill_for_transpose(memory, rng);
  Kokkos::View<Pair**, LayoutRight, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const matrix(
      reinterpret_cast<Pair*>(memory.view().data() + 1), m, n);
  ShadowView const a(matrix, ShadowBuild::first_read);
  std::uint64_t expected = 0;
  for (std::int64_t k = 0; k < m * n; ++k) {
    std::int64_t const at = 1 + 2 * (k % m * n + k / m);
    SumOfPairs()(k, {memory({at}), memory({at + 1})}, expected);
  }
  for (int time = 0; time < 2; ++time) {
    std::uint64_t sum = 0;
    parallel_read_reduce<typename TypeParam::backend>("r", Exec(), a, ColumnOrder(m, n), SumOfPairs(), sum);
    EXPECT_EQ(sum, expected);
    EXPECT_TRUE(a.has_shadow());
  }
}

}  // namespace
}  // namespace Koalesce::Test
