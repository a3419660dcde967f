// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/Transpose.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace Koalesce::Test {
namespace {

namespace Cuda = Impl::CudaBackend;

/// A batch of matrices with pitches, in memory that begins `offset` elements behind an allocation.
template <class Element>
struct Matrices {
  std::int64_t batches, matrices, rows, columns, from_pitch, to_pitch, offset;

  /// \param[in] b the outer dimension of the batch, m the inner one.
  std::int64_t from(std::int64_t b, std::int64_t m, std::int64_t r, std::int64_t c) const {
    return offset + ((b * matrices + m) * rows + r) * from_pitch + c;
  }
  std::int64_t to(std::int64_t b, std::int64_t m, std::int64_t r, std::int64_t c) const {
    return offset + ((b * matrices + m) * columns + c) * to_pitch + r;
  }
  std::int64_t from_size() const { return offset + batches * matrices * rows * from_pitch; }
  std::int64_t to_size() const { return offset + batches * matrices * columns * to_pitch; }

  Impl::TransposeWork<Element> work(Element const* in, Element* out) const {
    Impl::MatrixBatch batch;
    if (matrices > 1) batch.append({matrices, rows * from_pitch, columns * to_pitch});
    if (batches > 1) batch.append({batches, matrices * rows * from_pitch, matrices * columns * to_pitch});
    return {in + offset, out + offset, {from_pitch, 1}, {1, to_pitch}, rows, columns, batch};
  }
};

template <class Element>
void expect_all_tilings_transpose(Matrices<Element> const& m, Rng& rng) {
  using Bits   = decltype(Element::bits);
  using Tuning = Cuda::TransposeTuning<int(sizeof(Element))>;
  Kokkos::Cuda const exec;
  Kokkos::View<Element*, Kokkos::Cuda> const in("in", m.from_size()), out("out", m.to_size());
  auto const values = Kokkos::create_mirror_view(in), results = Kokkos::create_mirror_view(out);
  for (std::int64_t i = 0; i < m.from_size(); ++i) {
    auto const value = rng();
    std::memcpy(&values(i), &value, std::min(sizeof(Bits), sizeof(value)));
  }
  Kokkos::deep_copy(in, values);
  auto const work      = m.work(in.data(), out.data());
  bool const has_boxes = Cuda::plan_boxes<int(sizeof(Element))>(exec, Cuda::box_work(work).dims).plan.has_value();
  for (auto const tiling : Cuda::tilings<Tuning>(exec, work, has_boxes)) {
    Element untouched;
    std::memset(&untouched, 0x5a, sizeof(untouched));
    Kokkos::deep_copy(out, untouched);
    Cuda::run_tiling(exec, "tilings", work, tiling);
    exec.fence();
    Kokkos::deep_copy(results, out);
    std::vector<Element> expected(std::size_t(m.to_size()), untouched);
    for (std::int64_t b = 0; b < m.batches; ++b)
      for (std::int64_t k = 0; k < m.matrices; ++k)
        for (std::int64_t r = 0; r < m.rows; ++r)
          for (std::int64_t c = 0; c < m.columns; ++c)
            expected[std::size_t(m.to(b, k, r, c))] = values(m.from(b, k, r, c));
    ASSERT_EQ(std::memcmp(results.data(), expected.data(), expected.size() * sizeof(Element)), 0)
        << to_string(tiling) << ", " << m.batches << " x " << m.matrices << " of " << m.rows << " x " << m.columns
        << " with pitches of " << m.from_pitch << " and " << m.to_pitch << " from " << m.offset << " on";
  }
}

/// Matrices with and without room for whole vectors and lines, alone and in batches of one and two dimensions.
template <int Bytes>
void check_tilings() {
  using Element = Impl::Word<Bytes>;
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 12; ++i) {
      std::int64_t const unit = std::int64_t(1) << random_int(rng, 0, 8);
      auto const pitch        = [&](std::int64_t n) { return (n + random_int(rng, 0, 3) + unit - 1) / unit * unit; };
      Matrices<Element> m{i % 3 == 2 ? random_int(rng, 2, 3) : 1,
                          i % 3 != 0 ? random_int(rng, 2, 3) : 1,
                          random_int(rng, 1, 400),
                          random_int(rng, 1, 400),
                          0,
                          0,
                          i % 2 == 0 ? 0 : unit * random_int(rng, 0, 3)};
      m.from_pitch = pitch(m.columns);
      m.to_pitch   = pitch(m.rows);
      expect_all_tilings_transpose(m, rng);
    }
  });
}

TEST(TransposeTilings, of_1_byte) { check_tilings<1>(); }
TEST(TransposeTilings, of_2_bytes) { check_tilings<2>(); }
TEST(TransposeTilings, of_4_bytes) { check_tilings<4>(); }
TEST(TransposeTilings, of_8_bytes) { check_tilings<8>(); }
TEST(TransposeTilings, of_16_bytes) { check_tilings<16>(); }

/// A grid's y and z dimension end at 65535; more than that is left to the other tiles.
TEST(TransposeTilings, plain_tile_knows_its_limits) {
  using Element                   = Impl::Word<8>;
  using Plain                     = Cuda::PlainTile<8>;
  constexpr std::int64_t max_grid = 65535, max_int = 2147483647;
  auto const takes = [](std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
    return Plain::takes(Matrices<Element>{1, matrices, rows, columns, columns, rows, 0}.work(nullptr, nullptr));
  };
  EXPECT_TRUE(takes(max_grid, 3, 4));
  EXPECT_FALSE(takes(max_grid + 1, 3, 4));
  EXPECT_TRUE(takes(1, 32 * max_grid, 4));
  EXPECT_FALSE(takes(1, 32 * max_grid + 1, 4));
  EXPECT_TRUE(takes(1, 4, max_int - 32));
  EXPECT_FALSE(takes(1, 4, max_int - 31));
  EXPECT_FALSE(Plain::takes(Matrices<Element>{2, 2, 40, 40, 40, 40, 0}.work(nullptr, nullptr)));
}

}  // namespace
}  // namespace Koalesce::Test

#endif
