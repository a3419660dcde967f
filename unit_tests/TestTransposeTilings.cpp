// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/Transpose.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
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

/// The matrices with random values on the device, and what transposing them gives.
template <class Element>
class Example {
 public:
  Example(Matrices<Element> const& m, Rng& rng) : m_matrices(m) {
    for (std::int64_t i = 0; i < m.from_size(); ++i) {
      auto const value = rng();
      std::memcpy(&m_values(i), &value, std::min(sizeof(Element), sizeof(value)));
    }
    Kokkos::deep_copy(m_in, m_values);
  }

  Impl::TransposeWork<Element> work() const { return m_matrices.work(m_in.data(), m_out.data()); }

  /// Calls transpose() and looks at all of the memory that it may have written.
  template <class Transpose>
  ::testing::AssertionResult is_transposed_by(Transpose const& transpose) const {
    Element untouched;
    std::memset(&untouched, 0x5a, sizeof(untouched));
    Kokkos::deep_copy(m_out, untouched);
    transpose();
    Kokkos::fence();
    auto const results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_out);
    auto const& m      = m_matrices;
    std::vector<Element> expected(std::size_t(m.to_size()), untouched);
    for (std::int64_t b = 0; b < m.batches; ++b)
      for (std::int64_t k = 0; k < m.matrices; ++k)
        for (std::int64_t r = 0; r < m.rows; ++r)
          for (std::int64_t c = 0; c < m.columns; ++c)
            expected[std::size_t(m.to(b, k, r, c))] = m_values(m.from(b, k, r, c));
    if (std::memcmp(results.data(), expected.data(), expected.size() * sizeof(Element)) == 0)
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << m.batches << " x " << m.matrices << " of " << m.rows << " x " << m.columns
                                         << " with pitches of " << m.from_pitch << " and " << m.to_pitch << " from "
                                         << m.offset << " on";
  }

 private:
  Matrices<Element> m_matrices;
  Kokkos::View<Element*, Kokkos::Cuda> m_in{"in", std::size_t(m_matrices.from_size())},
      m_out{"out", std::size_t(m_matrices.to_size())};
  typename Kokkos::View<Element*, Kokkos::Cuda>::HostMirror m_values = Kokkos::create_mirror(m_in);
};

/// A tile as for matrices that the L2 cache does not hold: tiles begin with lines of memory where they can.
template <class Tile, class Element>
void launch_from_lines(Kokkos::Cuda const& exec, Impl::TransposeWork<Element> const& work) {
  auto const plan = Tile::plan(Cuda::CudaDevice::of(exec), work, false);
  Cuda::CudaKernel<typename Tile::Plan const, Impl::TransposeWork<Element> const>(
      exec, "from lines", Cuda::transpose_kernel<Tile>, Tile::threads, plan.shared_bytes())
      .launch(exec, plan.size(), plan, work);
}

template <class Element>
void expect_all_tilings_transpose(Matrices<Element> const& m, Rng& rng) {
  using Tuning  = Cuda::TransposeTuning<int(sizeof(Element))>;
  using Vectors = Cuda::TransposeTile<typename Tuning::Vectors>;
  using Scalars = Cuda::TransposeTile<typename Tuning::Scalars>;
  Kokkos::Cuda const exec;
  Example<Element> const example(m, rng);
  auto const work      = example.work();
  bool const has_boxes = Cuda::plan_boxes<int(sizeof(Element))>(exec, Cuda::box_work(work).dims).plan.has_value();
  for (auto const tiling : Cuda::tilings<Tuning>(exec, work, has_boxes)) {
    ASSERT_TRUE(example.is_transposed_by([&] { Cuda::run_tiling(exec, "tilings", work, tiling); }))
        << to_string(tiling);
  }
  ASSERT_TRUE(example.is_transposed_by([&] { launch_from_lines<Scalars>(exec, work); })) << "elements from lines on";
  if (!Cuda::has_vectors<Tuning::Vectors::vector>(work)) return;
  ASSERT_TRUE(example.is_transposed_by([&] { launch_from_lines<Vectors>(exec, work); })) << "vectors from lines on";
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
                          random_int(rng, 0, 3) * (i % 2 == 0 ? 16 / Bytes : unit)};
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

/// Squares in place whose tiles begin with lines of memory.
template <int Bytes>
void check_in_place() {
  using Element = Impl::Word<Bytes>;
  using Square  = Cuda::TransposeTile<typename Cuda::TransposeTuning<Bytes>::Squares>;
  Kokkos::Cuda const exec;
  for_each_seed([&](Rng& rng) {
    for (int i = 0; i < 4; ++i) {
      std::int64_t const n = random_int(rng, 1, 300), line = 256 / Bytes, pitch = (n + line - 1) / line * line,
                         offset = random_int(rng, 0, 40);
      Kokkos::View<Element*, Kokkos::Cuda> const a("a", std::size_t(offset + n * pitch));
      auto const before = Kokkos::create_mirror_view(a);
      for (std::size_t k = 0; k < a.extent(0); ++k) {
        auto const value = rng();
        std::memcpy(&before(k), &value, std::min(sizeof(Element), sizeof(value)));
      }
      Kokkos::deep_copy(a, before);
      Impl::TransposeWork<Element> const work{a.data() + offset, a.data() + offset, {pitch, 1}, {1, pitch}, n, n, {}};
      auto const plan = Square::plan(Cuda::CudaDevice::of(exec), work, false);
      Cuda::CudaKernel<typename Square::Plan const, Impl::TransposeWork<Element> const>(
          exec, "in place from lines", Cuda::transpose_in_place_kernel<Square>, Square::threads,
          2 * plan.shared_bytes())
          .launch(exec, plan.size(), plan, work);
      exec.fence();
      auto const after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
      for (std::int64_t r = 0; r < n; ++r)
        for (std::int64_t c = 0; c < r; ++c) std::swap(before(offset + r * pitch + c), before(offset + c * pitch + r));
      ASSERT_EQ(std::memcmp(after.data(), before.data(), a.extent(0) * sizeof(Element)), 0)
          << n << " rows with a pitch of " << pitch << " from " << offset << " on";
    }
  });
}

TEST(TransposeTilings, in_place_of_1_byte) { check_in_place<1>(); }
TEST(TransposeTilings, in_place_of_4_bytes) { check_in_place<4>(); }
TEST(TransposeTilings, in_place_of_8_bytes) { check_in_place<8>(); }
TEST(TransposeTilings, in_place_of_16_bytes) { check_in_place<16>(); }

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
