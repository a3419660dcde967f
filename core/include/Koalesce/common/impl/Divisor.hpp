// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_DIVISOR_HPP
#define KOALESCE_COMMON_IMPL_DIVISOR_HPP

#include <Koalesce/common/impl/Processor.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace Koalesce::Impl {

/// Divides dividends below 2^31 by a number that is known before a kernel starts: a multiplication and a shift
/// (T. Granlund, P. Montgomery: "Division by invariant integers using multiplication", 1994).
class ShortDivisor {
 public:
  ShortDivisor() = default;

  /// \param[in] divisor 0 to 2^63 - 1. (It is 0 for an empty matrix, where no division takes place.)
  explicit ShortDivisor(std::int64_t divisor) : m_divisor(std::uint32_t(divisor)) {
    if (divisor == 0) return;
    auto const d = std::uint64_t(divisor);
    m_bits       = int(std::bit_width(d - 1));
    // 2^(31 + bits) / divisor, rounded up. For divisors above 2^31, the quotient of a dividend below 2^31 is 0.
    m_factor = m_bits < 32 ? std::uint32_t(((std::uint64_t(1) << (31 + m_bits)) + d - 1) / d) : 0;
  }

  /// The divisor, if it is below 2^32.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t divisor() const { return m_divisor; }

  /// The least number of them that the divisor minus one fits into.
  KOKKOS_FORCEINLINE_FUNCTION int bits() const { return m_bits; }

  KOKKOS_FORCEINLINE_FUNCTION friend std::uint32_t operator/(std::uint32_t dividend, ShortDivisor const& d) {
    return high_product(2 * dividend, d.m_factor) >> (d.m_bits & 31);
  }

 private:
  // Those of 1, because grids have many of it.
  std::uint32_t m_divisor = 1, m_factor = std::uint32_t(1) << 31;
  int m_bits = 0;
};

/// The same for dividends of 0 to 2^63 - 1.
class Divisor {
 public:
  Divisor() = default;

  explicit Divisor(std::int64_t divisor) : m_divisor(divisor), m_short(divisor) {
    if (divisor == 0) return;
    auto const d = std::uint64_t(divisor);
    // 2^(63 + bits) / divisor, rounded up; the last bits one at a time, because not every compiler has 128-bit
    // integers.
    constexpr std::uint64_t top = std::uint64_t(1) << 63;
    std::uint64_t rest          = top % d;
    m_factor                    = top / d;
    for (int i = 0; i < m_short.bits(); ++i) {
      bool const one = 2 * rest >= d;
      m_factor       = 2 * m_factor + one;
      rest           = 2 * rest - (one ? d : 0);
    }
    m_factor += rest > 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t divisor() const { return m_divisor; }

  /// The quotient of a dividend below 2^31.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t divide_short(std::uint32_t dividend) const { return dividend / m_short; }

  KOKKOS_FORCEINLINE_FUNCTION friend std::int64_t operator/(std::int64_t dividend, Divisor const& d) {
    // A 64-bit product takes many instructions on a GPU.
    if (dividend >> 31 == 0) return d.divide_short(std::uint32_t(dividend));
    return std::int64_t(high_product(2 * std::uint64_t(dividend), d.m_factor) >> d.m_short.bits());
  }

  KOKKOS_FORCEINLINE_FUNCTION friend std::int64_t operator%(std::int64_t dividend, Divisor const& d) {
    return dividend - dividend / d * d.m_divisor;
  }

 private:
  std::int64_t m_divisor = 1;
  std::uint64_t m_factor = std::uint64_t(1) << 63;
  ShortDivisor m_short;
};

}  // namespace Koalesce::Impl

#endif
