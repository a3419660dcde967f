// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef POISSON_PROBLEM_HPP
#define POISSON_PROBLEM_HPP

#include "Fields.hpp"

#include <Kokkos_Core.hpp>

namespace examples::poisson {

/// x (1 - x) exp(k x) and its second derivative: 0 on both faces, and no polynomial, which differences would have
/// exactly.
struct Factor {
  double k;

  KOKKOS_FUNCTION double value(double x) const { return x * (1 - x) * Kokkos::exp(k * x); }
  KOKKOS_FUNCTION double second_derivative(double x) const {
    return (k * k * x * (1 - x) + 2 * k * (1 - 2 * x) - 2) * Kokkos::exp(k * x);
  }
};

/// The equation - u_xx - u_yy - u_zz = f whose solution is u(x, y, z) = a(x) b(y) c(z).
struct Problem {
  Factor a{1}, b{-2}, c{3};

  KOKKOS_FUNCTION double solution(double x, double y, double z) const { return a.value(x) * b.value(y) * c.value(z); }
  KOKKOS_FUNCTION double right_side(double x, double y, double z) const {
    return -a.second_derivative(x) * b.value(y) * c.value(z) - a.value(x) * b.second_derivative(y) * c.value(z) -
           a.value(x) * b.value(y) * c.second_derivative(z);
  }
};

/// f times the square of the points' distance, so that the operator has whole numbers.
void fill_right_side(Exec const& exec, Problem const& problem, Field const& f);

/// The largest distance of u from the solution.
double largest_error(Exec const& exec, Problem const& problem, Field const& u);

}  // namespace examples::poisson

#endif
