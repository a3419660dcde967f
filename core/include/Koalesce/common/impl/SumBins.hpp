// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_SUM_BINS_HPP
#define KOALESCE_COMMON_IMPL_SUM_BINS_HPP

#include <Koalesce/common/impl/Pack.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// The integers behind ReproducibleSum.
namespace Koalesce::Impl {

/// \brief Sums of digits. Bin j of an endless row weighs 2^(20 j - 1074); of these, six from `base` on are kept.
///
/// A number m * 2^(p - 1074), m an integer of 53 bits, has four digits, in bins p / 20 and the next three. The largest
/// number's are in the upper four bins of the window, or the window begins at bin 0. So the window depends on the
/// largest number alone; what lies below is dropped, in whatever order numbers come. All indices are constants once
/// loops are unrolled, so that bins are registers on GPUs.
class SumBins {
 public:
  static constexpr int count = 6, width = 20, number_digits = 4;
  static constexpr int fraction_bits = 52, exponent_mask = 0x7ff;  // of a double
  static constexpr unsigned plus_infinity = 1, minus_infinity = 2, nan = 4;

  KOKKOS_FORCEINLINE_FUNCTION void add(double number) {
    auto const bits              = Kokkos::bit_cast<std::uint64_t>(number);
    std::uint64_t const fraction = bits & ((std::uint64_t(1) << fraction_bits) - 1);
    int const exponent           = int(bits >> fraction_bits) & exponent_mask;
    bool const negative          = bits >> 63 != 0;
    if (exponent == exponent_mask) {
      m_special |= fraction != 0 ? nan : negative ? minus_infinity : plus_infinity;
      return;
    }
    // Subnormal numbers have the power of the smallest normal ones, and no leading 1.
    std::uint64_t const m = fraction | (std::uint64_t(exponent > 0) << fraction_bits);
    unsigned const p      = exponent > 0 ? unsigned(exponent) - 1 : 0;
    int const first       = int(p / width);
    unsigned const shift  = p % width;
    int place             = first - m_base;
    if (place > count - number_digits) {
      raise(first - (count - number_digits));
      place = count - number_digits;
    }
    std::uint64_t const upper = m >> (width - shift);
    // On CPUs bins are in memory, and indices are faster than branches, which numbers of several sizes mispredict.
    KOKKOS_IF_ON_HOST((if (place >= 0) {
      std::int64_t* const bins = m_bins + place;
      std::int64_t const minus = negative ? -1 : 0;
      bins[0] += (std::int64_t((m << shift) & mask) ^ minus) - minus;
      bins[1] += (std::int64_t(upper & mask) ^ minus) - minus;
      bins[2] += (std::int64_t(upper >> width & mask) ^ minus) - minus;
      bins[3] += (std::int64_t(upper >> 2 * width) ^ minus) - minus;
      return;
    }))
    std::int32_t const digits[number_digits] = {std::int32_t((m << shift) & mask), std::int32_t(upper & mask),
                                                std::int32_t(upper >> width & mask), std::int32_t(upper >> 2 * width)};
    std::int32_t const sign                  = negative ? -1 : 1;
    switch (place) {
      case 2: return add_digits<2>(digits, sign);
      case 1: return add_digits<1>(digits, sign);
      case 0: return add_digits<0>(digits, sign);
      case -1: return add_digits<-1>(digits, sign);
      case -2: return add_digits<-2>(digits, sign);
      case -3: return add_digits<-3>(digits, sign);
      default: return;  // below the window
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void join(SumBins other) {
    if (other.m_base > m_base) raise(other.m_base);
    else other.raise(m_base);
    static_for<count>([&](auto i) KOALESCE_INLINE_LAMBDA { m_bins[i.value] += other.m_bins[i.value]; });
    m_special |= other.m_special;
  }

  KOKKOS_FUNCTION std::int64_t bin(int i) const { return m_bins[i]; }
  /// The power of two that bin 0 weighs.
  KOKKOS_FUNCTION int power() const { return width * m_base - 1074; }
  KOKKOS_FUNCTION unsigned special() const { return m_special; }

 private:
  static constexpr std::uint64_t mask = (1 << width) - 1;

  template <int Place>
  KOKKOS_FORCEINLINE_FUNCTION void add_digits(std::int32_t const (&digits)[number_digits], std::int32_t sign) {
    static_for<number_digits>([&](auto d) KOALESCE_INLINE_LAMBDA {
      constexpr int i = Place + decltype(d)::value;
      // 32 bits times 32 bits plus 64 bits is one instruction on GPUs.
      if constexpr (i >= 0) m_bins[i] += std::int64_t(digits[d.value]) * sign;
    });
  }

  /// Moves the window up to a base that is not lower.
  KOKKOS_FORCEINLINE_FUNCTION void raise(int base) {
    if (m_base < base - count) m_base = base - count;  // all fall off
    for (; m_base < base; ++m_base) {
      static_for<count - 1>([&](auto i) KOALESCE_INLINE_LAMBDA { m_bins[i.value] = m_bins[i.value + 1]; });
      m_bins[count - 1] = 0;
    }
  }

  std::int64_t m_bins[count] = {};
  std::int32_t m_base        = 0;
  std::uint32_t m_special    = 0;
};

/// \brief The bins' sum, rounded to nearest even.
///
/// It is put together from integers, because subnormal results and the rounding mode must not change it.
template <class T>
KOKKOS_FUNCTION T rounded(SumBins const& bins) {
  using Bits              = std::conditional_t<std::is_same_v<T, double>, std::uint64_t, std::uint32_t>;
  constexpr bool wide     = std::is_same_v<T, double>;
  constexpr int precision = wide ? 53 : 24, lowest_power = wide ? -1074 : -149;
  constexpr std::uint64_t infinity = std::uint64_t(wide ? 0x7ff : 0xff) << (precision - 1);
  constexpr std::uint64_t sign_bit = std::uint64_t(1) << (8 * sizeof(T) - 1);
  constexpr int count = SumBins::count, width = SumBins::width;
  constexpr std::uint64_t mask = (std::uint64_t(1) << width) - 1;
  auto const of_bits           = [](std::uint64_t bits) { return Kokkos::bit_cast<T>(Bits(bits)); };

  unsigned const special = bins.special();
  if (special == SumBins::plus_infinity) return of_bits(infinity);
  if (special == SumBins::minus_infinity) return of_bits(infinity | sign_bit);
  if (special != 0) return of_bits(infinity | std::uint64_t(1) << (precision - 2));

  // Carries, until all digits but the highest one are between 0 and the mask; that has the sum's sign.
  std::int64_t digits[count];
  auto const carry = [&](std::int64_t sign) {
    std::int64_t over = 0;
    for (int i = 0; i < count; ++i) {
      digits[i] = sign * bins.bin(i) + over;
      over      = digits[i] >> width;
      if (i < count - 1) digits[i] &= std::int64_t(mask);
    }
  };
  carry(1);
  bool const negative = digits[count - 1] < 0;
  if (negative) carry(-1);

  // The first 63 bits, and whether there are others.
  auto leading = std::uint64_t(digits[count - 1]);
  int power    = bins.power() + width * (count - 1);
  bool more    = false;
  for (int i = count - 2; i >= 0; --i) {
    auto const digit = std::uint64_t(digits[i]);
    int const room = 63 - int(Kokkos::bit_width(leading)), taken = room < width ? room : width, left = width - taken;
    leading = leading << taken | digit >> left;
    more    = more || (digit & ((std::uint64_t(1) << left) - 1)) != 0;
    power -= taken;
  }
  if (leading == 0) return T(0);

  int const excess     = Kokkos::max(int(Kokkos::bit_width(leading)) - precision, lowest_power - power);
  std::uint64_t result = 0;
  if (excess <= 0) {
    result = leading << -excess;
  } else {
    std::uint64_t const half = std::uint64_t(1) << (excess - 1), rest = leading & (2 * half - 1);
    result = leading >> excess;
    if (rest > half || (rest == half && (more || (result & 1) != 0))) ++result;
  }
  // The leading 1 of a normal number adds one to the exponent.
  result += std::uint64_t(power + excess - lowest_power) << (precision - 1);
  return of_bits(Kokkos::min(result, infinity) | (negative ? sign_bit : 0));
}

}  // namespace Koalesce::Impl

#endif
