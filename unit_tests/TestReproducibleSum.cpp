// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/Stencil.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace Koalesce::Test {
namespace {

/// An exact sum: limbs of 32 bits, limb j weighs 2^(32 j - 1074).
class ExactSum {
 public:
  template <class T>
  void add(T number, int times = 1) {
    int power       = 0;
    auto const m    = std::int64_t(std::ldexp(std::frexp(double(number), &power), 53));
    int const shift = power - 53 + 1074;  // less than 0 for subnormal numbers, whose last bits are 0
    auto const low  = std::uint64_t(m < 0 ? -m : m) >> std::max(0, -shift);
    for (int half = 0; half < 2; ++half) {
      auto const j            = std::size_t(std::max(0, shift) / 32 + half);
      std::uint64_t const add = (low >> 32 * half & 0xffffffffU) << std::max(0, shift) % 32;
      m_limbs[j] += std::int64_t(add & 0xffffffffU) * (m < 0 ? -times : times);
      m_limbs[j + 1] += std::int64_t(add >> 32) * (m < 0 ? -times : times);
    }
  }
  void add(ExactSum const& other, int times) {
    for (std::size_t j = 0; j < m_limbs.size(); ++j) m_limbs[j] += other.m_limbs[j] * times;
  }

  /// -1, 0 or 1.
  int sign() const {
    auto limbs = m_limbs;
    bool some  = false;
    for (std::size_t j = 0; j + 1 < limbs.size(); ++j) {
      std::int64_t const rest = limbs[j] & 0xffffffff;
      limbs[j + 1] += (limbs[j] - rest) / (std::int64_t(1) << 32);
      some = some || rest != 0;
    }
    return limbs.back() < 0 ? -1 : some || limbs.back() > 0 ? 1 : 0;
  }

 private:
  std::array<std::int64_t, 70> m_limbs{};
};

template <class T>
bool is_even(T value) {
  std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits % 2 == 0;
}

/// Whether a number is the exact sum rounded to nearest even: on the right side of the middle to both neighbors.
template <class T>
bool is_rounded(ExactSum const& exact, T value) {
  for (int const side : {-1, 1}) {
    ExactSum past;  // twice the sum, less twice the middle
    past.add(exact, 2);
    past.add(value, -1);
    past.add(std::nextafter(value, side * std::numeric_limits<T>::infinity()), -1);
    if (past.sign() == side || (past.sign() == 0 && !is_even(value))) return false;
  }
  return true;
}

template <class T>
ExactSum exact_sum(std::vector<T> const& values) {
  ExactSum sum;
  for (T const value : values) sum.add(value);
  return sum;
}

template <class T>
ReproducibleSum<T> sum_of(std::vector<T> const& values) {
  ReproducibleSum<T> sum;
  for (T const value : values) sum += value;
  return sum;
}

/// The same, in parts that are joined in a random tree.
template <class T>
ReproducibleSum<T> sum_in_parts(Rng& rng, T const* begin, T const* end) {
  if (end - begin < 3 || rng() % 16 == 0) return sum_of(std::vector<T>(begin, end));
  T const* const middle = begin + random_int(rng, 0, end - begin);
  auto const low = sum_in_parts(rng, begin, middle), high = sum_in_parts(rng, middle, end);
  return rng() % 2 ? low + high : high + low;
}

/// The whole state, not only the value.
template <class T>
::testing::AssertionResult same_bytes(ReproducibleSum<T> const& a, ReproducibleSum<T> const& b) {
  if (std::memcmp(&a, &b, sizeof a) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a.value() << " and " << b.value();
}

template <class T>
T random_number(Rng& rng, int low, int high) {
  auto const fraction = T(1) + std::ldexp(T(rng() >> 11), -53);
  return std::ldexp(rng() % 2 ? fraction : -fraction, int(random_int(rng, low, high)));
}

/// Numbers with exponents over some range: all, those of subnormal numbers, or few; some are 0 or cancel others.
template <class T>
std::vector<T> random_numbers(Rng& rng, int count) {
  using Limits  = std::numeric_limits<T>;
  int const min = Limits::min_exponent - Limits::digits, max = Limits::max_exponent - 12;
  int low = min, high = max;
  if (auto const kind = rng() % 4; kind == 1) high = Limits::min_exponent + 2;
  else if (kind > 1) {
    low  = int(random_int(rng, min, max));
    high = std::min(max, low + int(random_int(rng, 0, kind == 2 ? 3 : 150)));
  }
  bool const cancels = rng() % 2;
  std::vector<T> numbers;
  while (int(numbers.size()) < count) {
    numbers.push_back(random_number<T>(rng, low, high));
    if (cancels && rng() % 16 > 0) numbers.push_back(-numbers.back());
    if (rng() % 8 == 0) numbers.push_back(rng() % 2 ? T(0) : -T(0));
  }
  std::shuffle(numbers.begin(), numbers.end(), rng);
  return numbers;
}

template <class T>
class ReproducibleSums : public ::testing::Test {};
using SumTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReproducibleSums, SumTypes);

TYPED_TEST(ReproducibleSums, order_and_parts_have_no_effect) {
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 40; ++run) {
      auto numbers   = random_numbers<TypeParam>(rng, int(random_int(rng, 1, 300)));
      auto const sum = sum_of(numbers);
      for (int again = 0; again < 5; ++again) {
        std::shuffle(numbers.begin(), numbers.end(), rng);
        EXPECT_TRUE(same_bytes(sum_of(numbers), sum));
        EXPECT_TRUE(same_bytes(sum_in_parts(rng, numbers.data(), numbers.data() + numbers.size()), sum));
      }
      std::sort(numbers.begin(), numbers.end());
      EXPECT_TRUE(same_bytes(sum_of(numbers), sum));
    }
  });
}

/// |value - exact sum| < n * 2^-92 * M + half of the distance to the next number.
TYPED_TEST(ReproducibleSums, error_is_bounded) {
  using T = TypeParam;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 200; ++run) {
      auto const numbers = random_numbers<T>(rng, int(random_int(rng, 1, 300)));
      auto const exact   = exact_sum(numbers);
      T const value      = sum_of(numbers).value();
      double most        = 0;
      for (T const number : numbers) most = std::max(most, std::abs(double(number)));
      if (most < std::ldexp(1., -962)) {
        EXPECT_TRUE(is_rounded(exact, value));
        continue;
      }
      for (int const side : {-1, 1}) {
        ExactSum rest;  // 2 (exact - value) - distance - 2 n (bound, rounded up), towards one side
        rest.add(exact, 2 * side);
        rest.add(value, -2 * side);
        T const next = std::nextafter(value, side * std::numeric_limits<T>::infinity());
        rest.add(value, side);
        rest.add(next, -side);
        double const bound = std::ldexp(most, -92);
        rest.add(std::nextafter(bound, 1.), -2 * int(numbers.size()));
        EXPECT_LE(rest.sign(), 0) << value;
      }
    }
  });
}

/// Of numbers that are not smaller than 2^-40 of the largest nothing is lost.
TYPED_TEST(ReproducibleSums, numbers_of_one_size_are_rounded_once) {
  using T      = TypeParam;
  using Limits = std::numeric_limits<T>;
  for_each_seed([](Rng& rng) {
    for (int run = 0; run < 500; ++run) {
      std::vector<T> numbers;
      int const low  = int(random_int(rng, Limits::min_exponent - Limits::digits, Limits::max_exponent - 50));
      int const size = int(random_int(rng, 1, 40)), span = int(random_int(rng, 0, 39));
      for (int i = 0; i < size; ++i) {
        numbers.push_back(random_number<T>(rng, low, low + span));
        if (rng() % 4 == 0) numbers.push_back(-numbers[rng() % numbers.size()]);
      }
      EXPECT_TRUE(is_rounded(exact_sum(numbers), sum_of(numbers).value()));
    }
  });
}

TYPED_TEST(ReproducibleSums, one_number_is_itself) {
  using T      = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (T const number : {T(1), T(-3), T(0.1), Limits::min(), Limits::denorm_min(), -Limits::denorm_min(), Limits::max(),
                         Limits::lowest(), Limits::epsilon()})
    EXPECT_EQ(sum_of<T>({number}).value(), number);
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) {
    T const number = random_number<T>(rng, Limits::min_exponent - Limits::digits, Limits::max_exponent - 2);
    EXPECT_EQ(sum_of<T>({number}).value(), number);
  }
}

/// Sums halfway between two numbers go to the even one, unless a smaller number decides.
TYPED_TEST(ReproducibleSums, ties_go_to_even) {
  using T         = TypeParam;
  T const epsilon = std::numeric_limits<T>::epsilon(), tiny = std::ldexp(T(1), -90);
  EXPECT_EQ(sum_of<T>({1, epsilon / 2}).value(), T(1));
  EXPECT_EQ(sum_of<T>({1, epsilon, epsilon / 2}).value(), 1 + 2 * epsilon);
  EXPECT_EQ(sum_of<T>({1, epsilon / 2, tiny}).value(), 1 + epsilon);
  EXPECT_EQ(sum_of<T>({1, epsilon, epsilon / 2, -tiny}).value(), 1 + epsilon);
  EXPECT_EQ(sum_of<T>({-1, -epsilon, -epsilon / 2, tiny}).value(), -1 - epsilon);
  EXPECT_EQ(sum_of<T>({2, -epsilon / 2}).value(), T(2));
}

TYPED_TEST(ReproducibleSums, zeros_and_nothing) {
  using T = TypeParam;
  ReproducibleSum<T> const none{};
  for (auto const& zeros : {std::vector<T>{}, std::vector<T>{0}, std::vector<T>{-T(0), -T(0)}}) {
    EXPECT_TRUE(same_bytes(sum_of(zeros), none));
    EXPECT_EQ(sum_of(zeros).value(), T(0));
    EXPECT_FALSE(std::signbit(sum_of(zeros).value()));
  }
  EXPECT_FALSE(std::signbit(sum_of<T>({-3, 3}).value()));
  EXPECT_TRUE(same_bytes(sum_of<T>({3, 0}), sum_of<T>({3})));
  EXPECT_TRUE(same_bytes(sum_of<T>({3}) + none, sum_of<T>({3})));
  EXPECT_TRUE(same_bytes(Kokkos::reduction_identity<ReproducibleSum<T>>::sum(), none));
}

TYPED_TEST(ReproducibleSums, infinities_and_nan) {
  using T      = TypeParam;
  T const inf  = std::numeric_limits<T>::infinity();
  T const nan  = std::numeric_limits<T>::quiet_NaN();
  T const most = std::numeric_limits<T>::max();
  EXPECT_EQ(sum_of<T>({1, inf, -most}).value(), inf);
  EXPECT_EQ(sum_of<T>({-inf, most, most}).value(), -inf);
  EXPECT_TRUE(std::isnan(sum_of<T>({inf, 1, -inf}).value()));
  EXPECT_TRUE(std::isnan(sum_of<T>({nan, 1}).value()));
  EXPECT_TRUE(std::isnan((sum_of<T>({1, -nan}) + sum_of<T>({inf})).value()));
  EXPECT_TRUE(std::isnan((sum_of<T>({inf}) + sum_of<T>({-inf})).value()));
}

/// Only the result overflows.
TYPED_TEST(ReproducibleSums, overflow) {
  using T      = TypeParam;
  T const most = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
  T const half_step = std::ldexp(most, -1) * std::numeric_limits<T>::epsilon();
  EXPECT_EQ(sum_of<T>({most, most, most, most}).value(), inf);
  EXPECT_EQ(sum_of<T>({-most, -most}).value(), -inf);
  EXPECT_EQ(sum_of<T>({most, most, -most}).value(), most);
  EXPECT_EQ(sum_of<T>({-most, most, -most}).value(), -most);
  EXPECT_EQ(sum_of<T>({most, half_step / 2}).value(), most);
  EXPECT_EQ(sum_of<T>({most, half_step, half_step}).value(), inf);
}

TYPED_TEST(ReproducibleSums, subnormal_results) {
  using T      = TypeParam;
  T const tiny = std::numeric_limits<T>::denorm_min(), min = std::numeric_limits<T>::min();
  EXPECT_EQ(sum_of<T>({tiny, tiny, tiny}).value(), 3 * tiny);
  EXPECT_EQ(sum_of<T>({min, -tiny}).value(), min - tiny);
  EXPECT_EQ(sum_of<T>({min - tiny, tiny}).value(), min);
  EXPECT_EQ(sum_of<T>({-4 * min, 3 * min, tiny}).value(), -min + tiny);
}

/// Bins hold many of the largest digits, with both signs.
TYPED_TEST(ReproducibleSums, many_numbers) {
  using T                = TypeParam;
  T const number         = 2 - std::numeric_limits<T>::epsilon();
  ReproducibleSum<T> sum = sum_of<T>({-number});
  for (int doubling = 0; doubling < 42; ++doubling) sum += sum;
  EXPECT_EQ(sum.value(), -std::ldexp(number, 42));
}

// ---- In Kokkos' reductions ----

template <class T, class View>
struct AddSquares {
  View numbers;

  KOKKOS_FUNCTION void operator()(int i, ReproducibleSum<T>& sum) const { sum += numbers(i) * numbers(i); }
  KOKKOS_FUNCTION void operator()(int i, ReproducibleSum<T>& sum, T& most) const {
    sum += numbers(i) * numbers(i);
    most = Kokkos::max(most, numbers(i));
  }
};

template <class T, class Sum, class Value>
struct TakeValue {
  Sum sum;
  Value value;

  KOKKOS_FUNCTION void operator()(int) const { value() = sum().value(); }
};

TYPED_TEST(ReproducibleSums, kokkos_reductions_have_the_bits_of_a_loop) {
  using T    = TypeParam;
  using Exec = Kokkos::DefaultExecutionSpace;
  for_each_seed([](Rng& rng) {
    int const count = int(random_int(rng, 1, 20000));
    Kokkos::View<T*, Exec> const numbers("numbers", std::size_t(count));
    auto const host = Kokkos::create_mirror_view(numbers);
    ReproducibleSum<T> expected, sum;
    T largest = std::numeric_limits<T>::lowest(), most = 0;
    for (int i = 0; i < count; ++i) {
      host(i) = random_number<T>(rng, -60, 60);
      expected += host(i) * host(i);
      largest = std::max(largest, host(i));
    }
    Kokkos::deep_copy(numbers, host);
    using Functor = AddSquares<T, Kokkos::View<T*, Exec>>;
    Kokkos::RangePolicy<Exec> const all(0, count);
    Kokkos::parallel_reduce(all, Functor{numbers}, sum);
    EXPECT_TRUE(same_bytes(sum, expected));
    sum = {};
    Kokkos::parallel_reduce(all, Functor{numbers}, sum, Kokkos::Max<T>(most));
    EXPECT_TRUE(same_bytes(sum, expected));
    EXPECT_EQ(most, largest);
    Kokkos::View<ReproducibleSum<T>, Exec> const kept("kept");
    Kokkos::View<T, Exec> const value("value");
    Kokkos::parallel_reduce(all, Functor{numbers}, kept);
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, 1), TakeValue<T, decltype(kept), decltype(value)>{kept, value});
    T on_host = 0;
    Kokkos::deep_copy(on_host, value);
    EXPECT_EQ(on_host, expected.value());
  });
}

}  // namespace
}  // namespace Koalesce::Test
