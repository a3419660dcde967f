// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_MULTIPLY_ADD_HPP
#define KOALESCE_COMMON_IMPL_MULTIPLY_ADD_HPP

#include <Koalesce/common/impl/Processor.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// Sums of products with the same bits from every compiler: none of them can choose to contract a product and a sum.
namespace Koalesce::Impl {

template <class T>
inline constexpr bool is_kokkos_complex = false;
template <class T>
inline constexpr bool is_kokkos_complex<Kokkos::complex<T>> = true;

/// Whether a type is a number, be it narrower than the processor's own.
template <class T>
inline constexpr bool is_real = std::is_arithmetic_v<T> || std::is_same_v<T, Kokkos::Experimental::half_t> ||
                                std::is_same_v<T, Kokkos::Experimental::bhalf_t>;

/// sum + weight * value. For float and double it is rounded once if the processor has a fused multiply-add; otherwise
/// twice, and the compiler has no such instruction to contract to. The parts of complex numbers are computed in such
/// steps.
template <class W, class T, class Sum>
KOKKOS_FORCEINLINE_FUNCTION Sum multiply_add(W const& weight, T const& value, Sum sum) {
  if constexpr (is_kokkos_complex<Sum>) {
    using Part = typename Sum::value_type;
    if constexpr (is_kokkos_complex<W> && is_kokkos_complex<T>) {
      Part const re = multiply_add(weight.real(), value.real(), sum.real());
      Part const im = multiply_add(weight.real(), value.imag(), sum.imag());
      return Sum(multiply_add(-weight.imag(), value.imag(), re), multiply_add(weight.imag(), value.real(), im));
    } else if constexpr (is_kokkos_complex<W>) {
      return Sum(multiply_add<Part>(weight.real(), Part(value), sum.real()),
                 multiply_add<Part>(weight.imag(), Part(value), sum.imag()));
    } else {
      return Sum(multiply_add<Part>(Part(weight), value.real(), sum.real()),
                 multiply_add<Part>(Part(weight), value.imag(), sum.imag()));
    }
  } else if constexpr (is_real<W> && is_real<T> && has_fused_multiply_add<Sum>()) {
    return Kokkos::fma(Sum(weight), Sum(value), sum);
  } else {
    sum += weight * value;
    return sum;
  }
}

}  // namespace Koalesce::Impl

#endif
