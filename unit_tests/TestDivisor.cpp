// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <limits>

namespace Koalesce::Test {
namespace {

using Impl::Divisor, Impl::ShortDivisor;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Numbers of every magnitude, from 1 up.
std::int64_t random_magnitude(Rng& rng) { return std::max<std::int64_t>(1, std::int64_t(rng() >> (1 + rng() % 63))); }

std::vector<std::int64_t> special_divisors() {
  std::vector<std::int64_t> all{1, 3, 5, 7, 10, 641, 6700417, largest, largest - 1, (std::int64_t(1) << 62) + 1};
  for (int bits = 1; bits < 63; ++bits)
    for (int off : {-1, 0, 1}) all.push_back((std::int64_t(1) << bits) + off);
  return all;
}

/// Dividends about the multiples of a divisor, where a quotient that is one too large or too small shows.
std::vector<std::int64_t> dividends(std::int64_t divisor, Rng& rng) {
  std::vector<std::int64_t> all{0, 1, largest, largest - 1, largest / 2};
  for (int i = 0; i < 20; ++i) {
    all.push_back(std::int64_t(rng() >> 1) >> (rng() % 63));
    std::int64_t const multiple = std::int64_t((rng() >> 1) % std::uint64_t(largest / divisor)) * divisor;
    for (int off : {-1, 0, 1}) all.push_back(std::max<std::int64_t>(0, multiple + off));
  }
  all.push_back(largest / divisor * divisor);
  all.push_back(largest / divisor * divisor - 1);
  return all;
}

void expect_divides(std::int64_t divisor, Rng& rng) {
  Divisor const d(divisor);
  EXPECT_EQ(d.divisor(), divisor);
  for (auto const dividend : dividends(divisor, rng)) {
    ASSERT_EQ(dividend / d, dividend / divisor) << dividend << " / " << divisor;
    ASSERT_EQ(dividend % d, dividend % divisor) << dividend << " % " << divisor;
    if (dividend >> 31 == 0) {
      ASSERT_EQ(std::uint32_t(dividend) / ShortDivisor(divisor), dividend / divisor) << dividend << " / " << divisor;
    }
  }
}

TEST(Divisor, is_one_by_default) {
  EXPECT_EQ(Divisor().divisor(), 1);
  EXPECT_EQ(largest / Divisor(), largest);
  EXPECT_EQ(largest % Divisor(), 0);
}

TEST(Divisor, special_numbers) {
  for_each_seed([](Rng& rng) {
    for (auto const divisor : special_divisors()) expect_divides(divisor, rng);
  });
}

TEST(Divisor, random_numbers) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 2000; ++i) expect_divides(random_magnitude(rng), rng);
  });
}

TEST(Divisor, small_numbers_by_small_numbers) {
  for (std::int64_t divisor = 1; divisor <= 70; ++divisor)
    for (std::int64_t dividend = 0; dividend <= 300; ++dividend)
      ASSERT_EQ(dividend / Divisor(divisor), dividend / divisor) << dividend << " / " << divisor;
}

// ---- In a kernel ----

template <class P>
class DivisorInKernel : public ::testing::Test {};
TYPED_TEST_SUITE(DivisorInKernel, NativePath::types, PathNames);

template <class View>
struct CountWrong {
  Divisor divisor;
  View dividends;

  KOKKOS_FUNCTION void operator()(int i, int& wrong) const {
    std::int64_t const n = dividends(i), d = divisor.divisor();
    wrong += n / divisor != n / d || n % divisor != n % d;
  }
};

template <class Exec>
int wrong_in_kernel(std::int64_t divisor, Rng& rng) {
  auto const numbers = dividends(divisor, rng);
  Kokkos::View<std::int64_t*, typename Exec::memory_space> const view("dividends", numbers.size());
  auto const host = Kokkos::create_mirror_view(view);
  std::copy(numbers.begin(), numbers.end(), host.data());
  Kokkos::deep_copy(view, host);
  int wrong = -1;
  Kokkos::parallel_reduce("divide", Kokkos::RangePolicy<Exec>(0, int(numbers.size())),
                          CountWrong<decltype(view)>{Divisor(divisor), view}, wrong);
  return wrong;
}

TYPED_TEST(DivisorInKernel, divides_and_leaves_the_rest) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    for (auto const divisor : special_divisors()) ASSERT_EQ(wrong_in_kernel<Exec>(divisor, rng), 0) << divisor;
    for (int i = 0; i < 100; ++i) {
      auto const divisor = random_magnitude(rng);
      ASSERT_EQ(wrong_in_kernel<Exec>(divisor, rng), 0) << divisor;
    }
  });
}

}  // namespace
}  // namespace Koalesce::Test
