// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TransposeOracle.hpp"

#include <algorithm>
#include <cstdint>

namespace Koalesce::Test {

/// As large as a cache line.
struct Line {
  double values[8];
  KOKKOS_FUNCTION friend bool operator==(Line const& x, Line const& y) {
    for (int i = 0; i < 8; ++i)
      if (x.values[i] != y.values[i]) return false;
    return true;
  }
};
template <>
struct Element<Line> {
  static Line make(int a) {
    Line line;
    for (int i = 0; i < 8; ++i) line.values[i] = a * 8 + i;
    return line;
  }
};

namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class TransposeRanks : public ::testing::Test {};
TYPED_TEST_SUITE(TransposeRanks, DefaultPaths::types, PathNames);

/// One or a few dimensions are long, others short, many 1; together up to `points`.
template <int Rank>
Index<Rank> random_tensor(Rng& rng, std::int64_t points) {
  constexpr std::int64_t sizes[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 28, 31, 32, 33, 48, 64, 65, 129, 352, 1100};
  auto n                         = index_of<Rank>(1);
  for (std::int64_t product = 1, tries = 0; tries < 2 * Rank; ++tries) {
    int const d      = int(rng() % Rank);
    auto const other = sizes[rng() % std::size(sizes)];
    if (product / n[d] * other > points) continue;
    product = product / n[d] * other;
    n[d]    = other;
  }
  return n;
}

/// Rank 8 with many extents of 1 is every lower rank; LayoutStride has the strides of every layout.
template <class P, class T>
void check_tensors() {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 12; ++i) {
      auto const n = random_tensor<8>(rng, 15000);
      auto const p = random_permutation<8>(rng);
      check_transpose<P, T, 8, LayoutStride, LayoutStride>(rng, n, p, i % 3 == 0 ? 1 : 0,
                                                           i % 2 == 0 ? Strides::right : Strides::random);
    }
  });
}

TYPED_TEST(TransposeRanks, of_1_byte) { check_tensors<TypeParam, std::int8_t>(); }
TYPED_TEST(TransposeRanks, of_2_bytes) { check_tensors<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeRanks, of_4_bytes) { check_tensors<TypeParam, float>(); }
TYPED_TEST(TransposeRanks, of_8_bytes) { check_tensors<TypeParam, double>(); }
TYPED_TEST(TransposeRanks, of_12_bytes) { check_tensors<TypeParam, Vec3<float>>(); }
TYPED_TEST(TransposeRanks, of_16_bytes) { check_tensors<TypeParam, Kokkos::complex<double>>(); }
TYPED_TEST(TransposeRanks, of_24_bytes) { check_tensors<TypeParam, Vec3<double>>(); }
TYPED_TEST(TransposeRanks, of_64_bytes) { check_tensors<TypeParam, Line>(); }

TYPED_TEST(TransposeRanks, every_permutation_of_four) {
  for_each_seed([](Rng& rng) {
    Permutation<4> p{0, 1, 2, 3};
    do {
      auto const n = random_tensor<4>(rng, 30000);
      check_transpose<TypeParam, double, 4, LayoutRight, LayoutLeft>(rng, n, p, 0);
      check_transpose<TypeParam, double, 4, LayoutLeft, LayoutRight>(rng, n, p, 1);
    } while (std::next_permutation(p.data(), p.data() + 4));
  });
}

/// More than what runs at a time.
TYPED_TEST(TransposeRanks, large_tensors) {
  for_each_seed([](Rng& rng) {
    check_transpose<TypeParam, double, 4, LayoutRight, LayoutRight>(rng, {43, 37, 41, 35}, {2, 1, 3, 0}, 0);
    check_transpose<TypeParam, double, 4, LayoutRight, LayoutRight>(rng, {45, 4, 35, 352}, {3, 1, 2, 0}, 0);
    check_transpose<TypeParam, float, 4, LayoutRight, LayoutRight>(rng, {67, 39, 300, 3}, {1, 2, 0, 3}, 0);
  });
}

TYPED_TEST(TransposeRanks, extents_of_zero) {
  Rng rng(1);
  check_transpose<TypeParam, double, 4, LayoutRight, LayoutLeft>(rng, {4, 0, 3, 2}, {1, 3, 2, 0});
}

TYPED_TEST(TransposeRanks, reverses_the_dimensions_by_default) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  Field<Exec, double, 4> src({5, 6, 7, 3}, {}, rng), dst({3, 7, 6, 5}, {}, rng);
  fill_for_transpose(src, rng);
  transpose<typename TypeParam::backend>(Exec(), dst.view(), src.view());
  transpose_oracle(src, dst, {3, 2, 1, 0});
  EXPECT_TRUE(dst.device_matches());
}

TYPED_TEST(TransposeRanks, in_place) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (std::int64_t n : {1, 6, 35}) {
      Index<5> const extents{2, n, 3, n, 2};
      Permutation<5> const p{0, 3, 2, 1, 4};
      Field<Exec, double, 5> field(extents, random_halo<5>(rng, 1), rng);
      fill_for_transpose(field, rng);
      auto const old = field.with_own_host_copy();
      transpose<typename TypeParam::backend>(Exec(), window(field), window(field), p);
      Exec().fence();
      transpose_oracle(old, field, p);
      EXPECT_TRUE(field.device_matches()) << n;
    }
  });
}

template <class P, int Rank, class SrcLayout, class DstLayout>
void check_copy(Rng& rng) {
  using Exec   = typename P::exec;
  auto const n = random_tensor<Rank>(rng, 30000);
  Field<Exec, double, Rank, SrcLayout> src(n, random_halo<Rank>(rng, 1), rng);
  Field<Exec, double, Rank, DstLayout> dst(n, random_halo<Rank>(rng, 1), rng);
  fill_for_transpose(src, rng);
  copy_layout<typename P::backend>(Exec(), window(dst), window(src));
  Exec().fence();
  for_each_index<Rank>({}, n, [&](auto const& q) { dst(q) = src(q); });
  EXPECT_TRUE(dst.device_matches()) << to_string<Rank>(n);
}

TYPED_TEST(TransposeRanks, copy_between_layouts) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 4; ++i) {
      check_copy<TypeParam, 1, LayoutRight, LayoutRight>(rng);
      check_copy<TypeParam, 1, LayoutStride, LayoutStride>(rng);
      check_copy<TypeParam, 4, LayoutRight, LayoutLeft>(rng);
      check_copy<TypeParam, 6, LayoutLeft, LayoutStride>(rng);
    }
  });
}

}  // namespace

TEST(CanonicalDims, fit_where_no_dimension_moves) {
  std::vector<Impl::TransposeDim> dims;
  for (std::int64_t d = 0, stride = 1; d < 8; ++d, stride *= 4) dims.push_back({3, stride, stride});
  auto const canonical = Impl::canonical_dims(dims, true);
  EXPECT_FALSE(canonical.transposes);
  EXPECT_EQ(canonical.batch.dims(), 6);
  EXPECT_EQ(canonical.batch.size() * canonical.row.extent * canonical.column.extent, 6561);
}

}  // namespace Koalesce::Test
