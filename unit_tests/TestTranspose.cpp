// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TransposeOracle.hpp"

namespace Koalesce::Test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class Transpose : public ::testing::Test {};
TYPED_TEST_SUITE(Transpose, DefaultPaths::types, PathNames);

template <class P, int Rank, class SrcLayout, class DstLayout>
void check_every_permutation(Rng& rng, std::int64_t points) {
  for (auto const& p : permutations(std::integral_constant<int, Rank>()))
    for (int i = 0; i < 3; ++i)
      check_transpose<P, double, Rank, SrcLayout, DstLayout>(rng, random_extents<Rank>(rng, points), p);
}

/// Backends get strides, which all pairs of layouts share: each is a source and a destination in every rank.
TYPED_TEST(Transpose, every_permutation_and_layout) {
  for_each_seed([](Rng& rng) {
    check_every_permutation<TypeParam, 2, LayoutRight, LayoutRight>(rng, 40000);
    check_every_permutation<TypeParam, 2, LayoutLeft, LayoutStride>(rng, 40000);
    check_every_permutation<TypeParam, 2, LayoutStride, LayoutLeft>(rng, 40000);
    check_every_permutation<TypeParam, 3, LayoutRight, LayoutRight>(rng, 30000);
    check_every_permutation<TypeParam, 3, LayoutRight, LayoutLeft>(rng, 30000);
    check_every_permutation<TypeParam, 3, LayoutLeft, LayoutStride>(rng, 30000);
    check_every_permutation<TypeParam, 3, LayoutStride, LayoutRight>(rng, 30000);
  });
}

/// Without a halo dimensions can be merged.
TYPED_TEST(Transpose, contiguous_fields) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 5; ++i)
      for (auto const& p : permutations(std::integral_constant<int, 3>())) {
        auto const n = random_extents<3>(rng, 30000);
        check_transpose<TypeParam, double, 3, LayoutRight, LayoutRight>(rng, n, p, 0);
        check_transpose<TypeParam, double, 3, LayoutRight, LayoutLeft>(rng, n, p, 0);
      }
  });
}

TYPED_TEST(Transpose, extents_of_zero) {
  Rng rng(1);
  for (Index<2> const& n : {Index<2>{0, 0}, Index<2>{0, 5}, Index<2>{5, 0}})
    check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, n, {1, 0});
  for (Index<3> const& n : {Index<3>{0, 4, 3}, Index<3>{4, 0, 3}, Index<3>{4, 3, 0}})
    check_transpose<TypeParam, double, 3, LayoutRight, LayoutLeft>(rng, n, {1, 2, 0});
}

TYPED_TEST(Transpose, extents_of_one_and_narrow_ones) {
  for_each_seed([](Rng& rng) {
    for (std::int64_t narrow : {1, 2, 3, 7, 13})
      for (int halo : {0, 1}) {
        std::int64_t const length = random_int(rng, 1, 20000);
        check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, {narrow, length}, {1, 0}, halo);
        check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, {length, narrow}, {1, 0}, halo);
        check_transpose<TypeParam, double, 3, LayoutRight, LayoutRight>(rng, {length / 20 + 1, 20, narrow}, {2, 1, 0},
                                                                        halo);
      }
  });
}

/// More than the caches hold: kernels may write past them.
TYPED_TEST(Transpose, large_matrices) {
  for_each_seed([](Rng& rng) {
    check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, {1536, 1600}, {1, 0}, 0);
    check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, {1597, 1511}, {1, 0});
    check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, {3, 800011}, {1, 0}, 0);
    check_transpose<TypeParam, double, 2, LayoutRight, LayoutRight>(rng, {800011, 3}, {1, 0}, 0);
    check_transpose<TypeParam, double, 3, LayoutRight, LayoutRight>(rng, {61, 251, 163}, {2, 0, 1});
  });
}

TYPED_TEST(Transpose, reverses_the_dimensions_by_default) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  Field<Exec, double, 3> src({5, 6, 7}, {0, 0, 0}, rng), dst({7, 6, 5}, {0, 0, 0}, rng);
  fill_for_transpose(src, rng);
  transpose<typename TypeParam::backend>(Exec(), dst.view(), src.view());
  transpose_oracle(src, dst, {2, 1, 0});
  EXPECT_TRUE(dst.device_matches());
}

// ---- In place ----

template <class P, class T, int Rank, class Layout>
void check_in_place(Rng& rng, Index<Rank> const& n, Permutation<Rank> const& p) {
  using Exec = typename P::exec;
  Field<Exec, T, Rank, Layout> field(n, random_halo<Rank>(rng, 2), rng);
  fill_for_transpose(field, rng);
  std::vector<T> old;
  for_each_index<Rank>({}, n, [&](auto const& q) { old.push_back(field(permuted<Rank>(q, p))); });
  transpose<typename P::backend>(Exec(), window(field), window(field), p);
  Exec().fence();
  auto next = old.begin();
  for_each_index<Rank>({}, n, [&](auto const& q) { field(q) = *next++; });
  EXPECT_TRUE(field.device_matches()) << to_string<Rank>(n);
}

TYPED_TEST(Transpose, in_place) {
  for_each_seed([](Rng& rng) {
    for (std::int64_t n : {0, 1, 2, 31, 32, 64, 65, 127, 129, 257, 320}) {
      check_in_place<TypeParam, double, 2, LayoutRight>(rng, {n, n}, {1, 0});
      check_in_place<TypeParam, float, 2, LayoutStride>(rng, {n, n}, {1, 0});
      check_in_place<TypeParam, std::int8_t, 2, LayoutLeft>(rng, {n, n}, {1, 0});
    }
  });
}

TYPED_TEST(Transpose, in_place_two_of_three_dimensions) {
  for_each_seed([](Rng& rng) {
    for (std::int64_t n : {1, 5, 33, 70}) {
      auto const other = random_int(rng, 1, 9);
      check_in_place<TypeParam, double, 3, LayoutRight>(rng, {n, n, other}, {1, 0, 2});
      check_in_place<TypeParam, double, 3, LayoutStride>(rng, {n, other, n}, {2, 1, 0});
      check_in_place<TypeParam, double, 3, LayoutStride>(rng, {other, n, n}, {0, 2, 1});
      check_in_place<TypeParam, double, 3, LayoutStride>(rng, {other, n, n}, {0, 1, 2});
    }
  });
}

TYPED_TEST(Transpose, in_place_with_one_argument) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  Field<Exec, double, 2> a({100, 100}, {0, 0}, rng), expected({100, 100}, {0, 0}, rng);
  fill_for_transpose(a, rng);
  transpose_oracle(a, expected, {1, 0});
  transpose<typename TypeParam::backend>(Exec(), a.view());
  for_each_index<2>({}, a.interior(), [&](auto const& q) { a(q) = expected(q); });
  EXPECT_TRUE(a.device_matches());
}

// ---- Copies ----

template <class P, int Rank, class SrcLayout, class DstLayout>
void check_copy(Rng& rng) {
  using Exec     = typename P::exec;
  int const halo = int(random_int(rng, 0, 2));
  auto const n   = random_extents<Rank>(rng, 30000);
  Field<Exec, double, Rank, SrcLayout> src(n, random_halo<Rank>(rng, halo), rng);
  Field<Exec, double, Rank, DstLayout> dst(n, random_halo<Rank>(rng, halo), rng);
  fill_for_transpose(src, rng);
  Koalesce::copy_layout<typename P::backend>(Exec(), window(dst), window(src));
  Exec().fence();
  for_each_index<Rank>({}, n, [&](auto const& q) { dst(q) = src(q); });
  EXPECT_TRUE(dst.device_matches()) << to_string<Rank>(n);
}

template <class P, int Rank>
void check_copies(Rng& rng) {
  for (int i = 0; i < 3; ++i) {
    check_copy<P, Rank, LayoutRight, LayoutRight>(rng);
    check_copy<P, Rank, LayoutRight, LayoutLeft>(rng);
    check_copy<P, Rank, LayoutLeft, LayoutStride>(rng);
    check_copy<P, Rank, LayoutStride, LayoutStride>(rng);
  }
}

TYPED_TEST(Transpose, copy_between_layouts) {
  for_each_seed([](Rng& rng) {
    check_copies<TypeParam, 2>(rng);
    check_copies<TypeParam, 3>(rng);
  });
}

/// Bytes between those that are copied stay.
TYPED_TEST(Transpose, copy_of_single_bytes_with_strides) {
  using Exec   = typename TypeParam::exec;
  using Memory = typename Exec::memory_space;
  using Bytes  = Kokkos::View<std::uint8_t**, LayoutStride, Memory>;
  for (int const rows : {1, 3}) {
    int const n = 1000;
    Kokkos::View<std::uint8_t*, Memory> const from("from", 3 * 16 * n), to("to", 3 * 16 * n);
    auto const expected = Kokkos::create_mirror(to), values = Kokkos::create_mirror(from);
    for (std::size_t i = 0; i < values.extent(0); ++i) values(i) = std::uint8_t(i * 7 + i / 256), expected(i) = 99;
    Kokkos::deep_copy(from, values);
    Kokkos::deep_copy(to, std::uint8_t(99));
    Kokkos::fence();
    copy_layout<typename TypeParam::backend>(Exec(), Bytes(to.data(), LayoutStride(rows, 16 * n, n, 4)),
                                             Bytes(from.data(), LayoutStride(rows, 16 * n, n, 16)));
    Exec().fence();
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < n; ++i) expected(r * 16 * n + 4 * i) = values(r * 16 * n + 16 * i);
    auto const found = Kokkos::create_mirror(to);
    Kokkos::deep_copy(found, to);
    int wrong = 0;
    for (std::size_t i = 0; i < found.extent(0); ++i) wrong += found(i) != expected(i);
    EXPECT_EQ(wrong, 0) << rows << " rows";
  }
}

/// Its name is not one of Kokkos': argument-dependent lookup finds Kokkos' functions wherever a View is an argument.
namespace with_using {
using namespace Koalesce;

template <class P>
Strings kernels_of_unqualified_copy() {
  Kokkos::View<double**, LayoutRight, typename P::exec::memory_space> const src("src", 40, 30);
  Kokkos::View<double**, LayoutLeft, typename P::exec::memory_space> const dst("dst", 40, 30);
  KernelRecorder const record;
  copy_layout(typename P::exec(), dst, src);
  return record.kernel_names();
}
}  // namespace with_using

TYPED_TEST(Transpose, copy_is_found_without_its_namespace) {
  using Exec = typename TypeParam::exec;
  EXPECT_EQ(with_using::kernels_of_unqualified_copy<TypeParam>(),
            Strings{std::string("Koalesce::") + Backend::Default<Exec>::name + "::copy_layout"});
  Exec().fence();
}

}  // namespace
}  // namespace Koalesce::Test
