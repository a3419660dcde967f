// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_DIVISOR_HPP
#define KOALESCE_COMMON_IMPL_DIVISOR_HPP

#include <Koalesce/common/impl/Processor.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl {

/// Divides by a number that is known before a kernel starts: a multiplication and a shift
/// (T. Granlund, P. Montgomery: "Division by invariant integers using multiplication", 1994).
///
/// Dividends are 0 to 2^63 - 1, the divisor is 1 to 2^63 - 1. (It is 0 for an empty matrix, where no division takes
/// place.)
class Divisor {
 public:
  Divisor() : Divisor(1) {}

  explicit Divisor(std::int64_t divisor) : m_divisor(divisor) {
    int bits = 0;
    while (bits < 63 && (std::uint64_t(1) << bits) < std::uint64_t(divisor)) ++bits;
    // 2^(63 + bits) / divisor, rounded up; one bit at a time, because not every compiler has 128-bit integers.
    std::uint64_t quotient = 0, rest = 0;
    for (int i = 63 + bits; i >= 0; --i) {
      rest = 2 * rest + (i == 63 + bits);
      quotient *= 2;
      if (rest >= std::uint64_t(divisor)) {
        rest -= std::uint64_t(divisor);
        ++quotient;
      }
    }
    m_factor = quotient + (rest > 0);
    m_bits   = bits;
    // 2^(31 + bits) / divisor, rounded up. For divisors above 2^31, the quotient of a dividend below 2^31 is 0.
    if (bits < 32 && divisor > 0)
      m_short_factor = std::uint32_t(((std::uint64_t(1) << (31 + bits)) + divisor - 1) / divisor);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t divisor() const { return m_divisor; }

  /// The quotient of a dividend below 2^31.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t divide_short(std::uint32_t dividend) const {
    return high_product(2 * dividend, m_short_factor) >> (m_bits & 31);
  }

  KOKKOS_FORCEINLINE_FUNCTION friend std::int64_t operator/(std::int64_t dividend, Divisor const& d) {
    // A 64-bit product takes many instructions on a GPU.
    if (dividend >> 31 == 0) return d.divide_short(std::uint32_t(dividend));
    return std::int64_t(high_product(2 * std::uint64_t(dividend), d.m_factor) >> d.m_bits);
  }

  KOKKOS_FORCEINLINE_FUNCTION friend std::int64_t operator%(std::int64_t dividend, Divisor const& d) {
    return dividend - dividend / d * d.m_divisor;
  }

 private:
  std::int64_t m_divisor;
  std::uint64_t m_factor       = 0;
  std::uint32_t m_short_factor = 0;
  int m_bits                   = 0;
};

}  // namespace Koalesce::Impl

#endif
