// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TransposeOracle.hpp"

#include <algorithm>
#include <cstddef>

namespace Koalesce::Test {

/// Three bytes: no word has as many.
struct Color {
  std::uint8_t r, g, b;
  KOKKOS_FUNCTION friend bool operator==(Color const& a, Color const& b) {
    return a.r == b.r && a.g == b.g && a.b == b.b;
  }
};
template <>
struct Element<Color> {
  static Color make(int a) { return {std::uint8_t(a), std::uint8_t(a + 1), std::uint8_t(3 * a)}; }
};

/// As large as a word of 16 bytes, but only half as aligned.
struct Pair {
  double a, b;
  KOKKOS_FUNCTION friend bool operator==(Pair const& x, Pair const& y) { return x.a == y.a && x.b == y.b; }
};
template <>
struct Element<Pair> {
  static Pair make(int a) { return {double(a), double(-a)}; }
};

namespace {

using Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class TransposeTypes : public ::testing::Test {};
TYPED_TEST_SUITE(TransposeTypes, DefaultPaths::types, PathNames);

/// Backends get strides: one View type has those of all layouts, and matrices that are a batch of one.
template <class P, class T>
void check_strides(Rng& rng, Index<3> const& n, Permutation<3> const& p, int halo, Strides strides) {
  check_transpose<P, T, 3, LayoutStride, LayoutStride>(rng, n, p, halo, strides);
}

Index<3> random_matrix(Rng& rng) {
  auto const n = random_extents<2>(rng, 60000);
  return {1, n[0], n[1]};
}

/// Few rows and few columns: up to somewhat more than 512 bytes of them, one to three matrices.
template <class P, class T>
void check_narrow_type() {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 6; ++i) {
      auto const width    = i < 2 ? i + 2 : random_int(rng, 1, 600 / std::int64_t(sizeof(T)));
      auto const matrices = random_int(rng, 1, 3), length = random_int(rng, 1, 60000 / width);
      check_strides<P, T>(rng, {matrices, length, width}, {0, 2, 1}, i % 2, Strides::right);
      check_strides<P, T>(rng, {matrices, width, length}, {0, 2, 1}, i % 2, Strides::right);
    }
  });
}

template <class P, class T>
void check_type() {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 4; ++i) {
      check_strides<P, T>(rng, random_matrix(rng), {0, 2, 1}, 0, Strides::right);
      check_strides<P, T>(rng, random_matrix(rng), {0, 2, 1}, 3, Strides::right);
      check_strides<P, T>(rng, random_matrix(rng), {0, 2, 1}, 2, Strides::random);
      check_strides<P, T>(rng, random_extents<3>(rng, 60000), {1, 2, 0}, i % 2, Strides::right);
    }
  });
}

/// About as many bytes for every type: more than caches hold, of a GPU 80 MiB in all.
template <class P, class T>
void check_large_type() {
  for_each_seed([](Rng& rng) {
    auto const points = std::int64_t((Backend::on_host<typename P::exec> ? 18 : 40) * 1024 * 1024 / sizeof(T));
    auto const rows   = random_int(rng, 600, 3000);
    check_strides<P, T>(rng, {1, rows, points / rows}, {0, 2, 1}, 1, Strides::right);
  });
}

/// Sub-views of fields that are larger by halos.
template <class P, class T>
void check_windows(Rng& rng, Index<2> const& n, Index<2> const& src_halo, Index<2> const& dst_halo) {
  using Exec = typename P::exec;
  Field<Exec, T, 2> src(n, src_halo, rng), dst({n[1], n[0]}, dst_halo, rng);
  fill_for_transpose(src, rng);
  transpose<typename P::backend>(Exec(), window(dst), window(src));
  Exec().fence();
  transpose_oracle(src, dst, {1, 0});
  EXPECT_TRUE(dst.device_matches()) << to_string<2>(n) << ", halos " << to_string<2>(src_halo) << ", "
                                    << to_string<2>(dst_halo);
}

/// Rows and columns whose pitch is a multiple of 256 bytes, but that begin anywhere: where tiles begin depends on it.
template <class P, class T>
void check_pitch() {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 6; ++i) {
      Index<2> const halo{random_int(rng, 0, 40), random_int(rng, 0, 40)};
      Index<2> const n{256 * random_int(rng, 1, 2) - 2 * halo[0], 256 * random_int(rng, 1, 2) - 2 * halo[1]};
      check_windows<P, T>(rng, n, halo, {halo[1], halo[0]});
    }
  });
}

/// Rows and columns that begin anywhere, in calls of one class of extents, so that each way to move them is tried if
/// they are timed.
template <class P, class T>
void check_unaligned() {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 12; ++i) {
      // Of small elements a GPU's queue takes more rows.
      int const times    = Backend::on_host<typename P::exec> ? 1 : std::max(1, 4 / int(sizeof(T)));
      auto const rows    = random_int(rng, 513, 1023) * times,
                 columns = i < 6 ? random_int(rng, 65, 127) : random_int(rng, 257, 511);
      check_strides<P, T>(rng, {i < 6 ? 2 : 1, rows | 1, columns}, {0, 2, 1}, i % 3, Strides::right);
    }
  });
}

/// Long lines that begin and end anywhere, and are moved in packets of several elements. The many lines are packed.
template <class P, class T>
void check_few() {
  for_each_seed([](Rng& rng) {
    for (int width = 2; width <= 9; ++width)
      for (std::int64_t const length :
           {std::int64_t(1), std::int64_t(512), std::int64_t(527), std::int64_t(4096), random_int(rng, 600, 9000)}) {
        Index<2> const halo{random_int(rng, 0, 3), random_int(rng, 0, 40)};
        check_windows<P, T>(rng, {length, width}, {}, halo);
        check_windows<P, T>(rng, {width, length}, halo, {});
      }
  });
}

/// TestTranspose has those of 8 bytes.
TYPED_TEST(TransposeTypes, of_1_byte) { check_type<TypeParam, std::int8_t>(); }
TYPED_TEST(TransposeTypes, of_2_bytes) { check_type<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeTypes, of_3_bytes) { check_type<TypeParam, Color>(); }
TYPED_TEST(TransposeTypes, of_4_bytes) { check_type<TypeParam, float>(); }
TYPED_TEST(TransposeTypes, of_12_bytes) { check_type<TypeParam, Vec3<float>>(); }
TYPED_TEST(TransposeTypes, of_16_bytes) { check_type<TypeParam, Kokkos::complex<double>>(); }
TYPED_TEST(TransposeTypes, of_16_bytes_aligned_to_8) { check_type<TypeParam, Pair>(); }
TYPED_TEST(TransposeTypes, of_24_bytes) { check_type<TypeParam, Vec3<double>>(); }

TYPED_TEST(TransposeTypes, narrow_of_1_byte) { check_narrow_type<TypeParam, std::int8_t>(); }
TYPED_TEST(TransposeTypes, narrow_of_2_bytes) { check_narrow_type<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeTypes, narrow_of_3_bytes) { check_narrow_type<TypeParam, Color>(); }
TYPED_TEST(TransposeTypes, narrow_of_4_bytes) { check_narrow_type<TypeParam, float>(); }
TYPED_TEST(TransposeTypes, narrow_of_8_bytes) { check_narrow_type<TypeParam, std::int64_t>(); }
TYPED_TEST(TransposeTypes, narrow_of_16_bytes) { check_narrow_type<TypeParam, Kokkos::complex<double>>(); }
TYPED_TEST(TransposeTypes, narrow_of_24_bytes) { check_narrow_type<TypeParam, Vec3<double>>(); }

TYPED_TEST(TransposeTypes, few_of_1_byte) { check_few<TypeParam, std::uint8_t>(); }
TYPED_TEST(TransposeTypes, few_of_2_bytes) { check_few<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeTypes, few_of_4_bytes) { check_few<TypeParam, float>(); }

TYPED_TEST(TransposeTypes, pitched_of_1_byte) { check_pitch<TypeParam, std::int8_t>(); }
TYPED_TEST(TransposeTypes, pitched_of_2_bytes) { check_pitch<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeTypes, pitched_of_4_bytes) { check_pitch<TypeParam, float>(); }
TYPED_TEST(TransposeTypes, pitched_of_8_bytes) { check_pitch<TypeParam, double>(); }
TYPED_TEST(TransposeTypes, pitched_of_16_bytes) { check_pitch<TypeParam, Kokkos::complex<double>>(); }

TYPED_TEST(TransposeTypes, unaligned_of_1_byte) { check_unaligned<TypeParam, std::int8_t>(); }
TYPED_TEST(TransposeTypes, unaligned_of_2_bytes) { check_unaligned<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeTypes, unaligned_of_4_bytes) { check_unaligned<TypeParam, float>(); }
TYPED_TEST(TransposeTypes, unaligned_of_8_bytes) { check_unaligned<TypeParam, double>(); }
TYPED_TEST(TransposeTypes, unaligned_of_16_bytes) { check_unaligned<TypeParam, Kokkos::complex<double>>(); }

TYPED_TEST(TransposeTypes, large_of_1_byte) { check_large_type<TypeParam, std::int8_t>(); }
TYPED_TEST(TransposeTypes, large_of_2_bytes) { check_large_type<TypeParam, std::uint16_t>(); }
TYPED_TEST(TransposeTypes, large_of_4_bytes) { check_large_type<TypeParam, float>(); }
TYPED_TEST(TransposeTypes, large_of_16_bytes) { check_large_type<TypeParam, Kokkos::complex<double>>(); }

/// Eight bytes off the alignment that words need: another kernel takes over.
TYPED_TEST(TransposeTypes, misaligned_elements) {
  using Exec = typename TypeParam::exec;
  using Unmanaged =
      Kokkos::View<Pair**, LayoutRight, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Rng rng(1);
  int const m = 37, n = 45;
  Field<Exec, double, 2> from({m, 2 * n}, {0, 0}, rng), to({n, 2 * m}, {0, 0}, rng);
  fill_for_transpose(from, rng);
  auto const at = [](auto const& field, int by, int rows, int columns) {
    return Unmanaged(reinterpret_cast<Pair*>(field.view().data() + by), rows, columns);
  };
  transpose<typename TypeParam::backend>(Exec(), at(to, 1, n - 1, m), at(from, 1, m, n - 1));
  Exec().fence();
  for (int i = 0; i < (n - 1) * m; ++i)
    for (int half = 0; half < 2; ++half) {
      auto const target = 1 + 2 * i + half, source = 1 + 2 * (i % m * (n - 1) + i / m) + half;
      to({target / (2 * m), target % (2 * m)}) = from({source / (2 * n), source % (2 * n)});
    }
  EXPECT_TRUE(to.device_matches());
}

}  // namespace
}  // namespace Koalesce::Test
