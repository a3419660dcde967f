// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <set>

namespace Koalesce::Test {
namespace {

using Impl::StridedMemory;

/// Every byte that the elements hold.
std::set<std::uintptr_t> bytes_of(StridedMemory const& m) {
  std::set<std::uintptr_t> bytes;
  for_each_index<3>({}, {std::int64_t(m.extent[0]), std::int64_t(m.extent[1]), std::int64_t(m.extent[2])},
                    [&](Index<3> const& i) {
                      std::uintptr_t at = m.data;
                      for (int d = 0; d < 3; ++d) at += i[d] * m.stride[d];
                      for (std::size_t b = 0; b < m.element; ++b) bytes.insert(at + b);
                    });
  return bytes;
}

bool share_bytes(StridedMemory const& a, StridedMemory const& b) {
  auto const of_b = bytes_of(b);
  for (auto byte : bytes_of(a))
    if (of_b.count(byte)) return true;
  return false;
}

/// Strides that, as memory_of() has them, do not grow.
StridedMemory random_memory(Rng& rng) {
  StridedMemory m{std::uintptr_t(random_int(rng, 1000, 1040)), std::size_t(1) << random_int(rng, 0, 3)};
  for (int d = 2; d >= 0; --d) {
    m.extent[d] = random_int(rng, 0, 12) == 0 ? 0 : random_int(rng, 1, 4);
    m.stride[d] = (d == 2 ? m.element : m.stride[d + 1]) * random_int(rng, 1, 4);
  }
  return m;
}

TEST(Overlap, exact_for_equal_strides) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 4000; ++n) {
      StridedMemory const a = random_memory(rng);
      StridedMemory b       = a;
      b.data                = a.data + random_int(rng, -40, 40);
      for (auto& e : b.extent) e = random_int(rng, 1, 4);
      ASSERT_EQ(overlap(a, b), share_bytes(a, b)) << "case " << n;
      ASSERT_EQ(overlap(b, a), share_bytes(a, b)) << "case " << n;
    }
  });
}

/// Whether elements share a byte with each other.
bool share_own_bytes(StridedMemory const& m) {
  return bytes_of(m).size() != m.extent[0] * m.extent[1] * m.extent[2] * m.element;
}

TEST(Overlap, of_elements_with_each_other) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 4000; ++n) {
      StridedMemory m = random_memory(rng);
      // The strides of the last dimensions may be shorter than an element, or 0, as those of the others are not.
      if (random_int(rng, 0, 3) == 0) m.stride[2] = random_int(rng, 0, int(m.element));
      ASSERT_EQ(overlaps_itself(m), share_own_bytes(m)) << "case " << n;
    }
  });
}

TEST(Overlap, never_missed_for_other_strides) {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 4000; ++n) {
      StridedMemory const a = random_memory(rng), b = random_memory(rng);
      if (share_bytes(a, b)) {
        ASSERT_TRUE(overlap(a, b)) << "case " << n;
      }
    }
  });
}

TEST(Overlap, with_itself_of_views) {
  using Strided = Kokkos::View<double***, Kokkos::LayoutStride, Kokkos::HostSpace>;
  std::vector<double> memory(200);
  auto const overlaps = [&](Kokkos::LayoutStride const& layout) {
    return overlaps_itself(Impl::memory_of(Strided(memory.data(), layout)));
  };
  EXPECT_TRUE(overlaps(Kokkos::LayoutStride(4, 20, 5, 4, 3, 0)));
  EXPECT_TRUE(overlaps(Kokkos::LayoutStride(4, 0, 5, 4, 4, 1)));
  EXPECT_TRUE(overlaps(Kokkos::LayoutStride(4, 1, 5, 8, 4, 2))) << "windows";
  EXPECT_FALSE(overlaps(Kokkos::LayoutStride(1, 0, 5, 4, 4, 1)));
  EXPECT_FALSE(overlaps(Kokkos::LayoutStride(4, 0, 0, 0, 4, 0))) << "no elements";
  EXPECT_FALSE(overlaps(Kokkos::LayoutStride(4, 3, 3, 4, 2, 20))) << "interleaved";
}

TEST(Overlap, disjoint_ranges_are_told_apart_whatever_their_strides) {
  std::vector<double> memory(200);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const a(memory.data(), 10, 10);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const b(memory.data() + 100, 10, 10);
  EXPECT_FALSE(overlap(Impl::memory_of(a), Impl::memory_of(b)));
  EXPECT_TRUE(overlap(Impl::memory_of(a), Impl::memory_of(a)));
}

}  // namespace
}  // namespace Koalesce::Test
