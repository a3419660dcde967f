// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_REPRODUCIBLE_SUM_HPP
#define KOALESCE_COMMON_REPRODUCIBLE_SUM_HPP

#include <Koalesce/common/impl/SumBins.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace Koalesce {

/// \brief A sum of floating-point numbers whose bits do not depend on the order of the addends, and so not on the
///        number of threads, GPUs or processes.
///
///     // square(u, z, y, x, ReproducibleSum<double>& total): total += u() * u(); returns the new value
///     ReproducibleSum<double> total;
///     parallel_stencil_reduce("norm", policy, u, next, square, total);
///     double const sum = total.value();
///
/// It is a trivially copyable value of 56 bytes, and the value type of `Kokkos::Sum` in any reduction of Kokkos or
/// Koalesce; with a Domain the sum is over all processes. The order of additions has no effect; the addends have to be
/// the same bits. See parallel_stencil for when a functor's values are.
///
/// Addends are cut into digits of 20 bits on a fixed grid of powers of two. The sum keeps six digits, the largest
/// addend's and two or more below them, as 64-bit integers; what lies lower is dropped. With M the largest magnitude of
/// n addends, value() differs from the exact sum by less than n * 2^-92 * M, and then is rounded once, to nearest even.
/// Where no addend but 0 is smaller than 2^-40 * M, or M < 2^-962, nothing is dropped: value() is the exact sum,
/// correctly rounded. At most 2^43 - 1 addends fit, about 8.8e12, those of joined sums together.
///
/// Binned sums are the method of J. Demmel and H. D. Nguyen ("Parallel Reproducible Summation", IEEE Transactions on
/// Computers 64(7), 2015) and W. Ahrens, J. Demmel and H. D. Nguyen ("Algorithms for Efficient Reproducible Floating
/// Point Summation", ACM Transactions on Mathematical Software 46(3), 2020). Theirs keep floating-point numbers in the
/// bins and carry between them from time to time. Bins here are integers, which need neither carries nor a rounding
/// mode.
///
/// \tparam T  float or double. Floats are added as doubles; value() rounds to float once.
template <class T>
class ReproducibleSum {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "Koalesce::ReproducibleSum: the type must be float or double");

 public:
  using value_type = T;  ///< type of the addends and of value()

  /// The empty sum, 0.
  ReproducibleSum() = default;

  /// Adds a number. Infinities and NaN count as well; the sum overflows only in value().
  KOKKOS_FORCEINLINE_FUNCTION ReproducibleSum& operator+=(T addend) {
    m_bins.add(double(addend));
    return *this;
  }

  /// Adds the addends of another sum.
  KOKKOS_FORCEINLINE_FUNCTION ReproducibleSum& operator+=(ReproducibleSum const& other) {
    m_bins.join(other.m_bins);
    return *this;
  }

  /// The sum of the addends of both.
  KOKKOS_FORCEINLINE_FUNCTION friend ReproducibleSum operator+(ReproducibleSum a, ReproducibleSum const& b) {
    return a += b;
  }

  /// The sum as a number. It is NaN if an addend was, or if there were infinities of both signs; else an infinity if
  /// there was one, or if the sum exceeds the largest number; +0 if the sum is 0.
  KOKKOS_FUNCTION T value() const { return Impl::rounded<T>(m_bins); }

 private:
  Impl::SumBins m_bins;
};

}  // namespace Koalesce

/// \cond  What reducers of Kokkos begin with.
template <class T>
struct Kokkos::reduction_identity<Koalesce::ReproducibleSum<T>> {
  KOKKOS_FUNCTION static Koalesce::ReproducibleSum<T> sum() { return {}; }
};
/// \endcond

#endif
