// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef POISSON_CONJUGATE_GRADIENTS_HPP
#define POISSON_CONJUGATE_GRADIENTS_HPP

#include "Fields.hpp"

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <Kokkos_Timer.hpp>

#include <cmath>
#include <functional>

namespace examples::poisson {

struct Solution {
  Field u;
  int iterations          = 0;
  double residual         = 0;  ///< its norm, as a part of the right-hand side's
  double seconds          = 0;  ///< of all iterations
  double operator_seconds = 0;  ///< of one application of the operator
};

/// Told the relative norm of the residual now and then.
using Progress = std::function<void(double residual)>;

/// \brief Solves A u = f from u = 0 by conjugate gradients (Hestenes and Stiefel, 1952).
///
/// \tparam Operator has apply(exec, p, q): q = A p at the points that are on no face.
template <class Operator>
Solution solve(Exec const& exec, Operator const& a, Field const& f, double tolerance, int max_iterations,
               Progress const& progress) {
  int const points = int(f.extent(0)) - 2;
  Solution result;
  result.u     = zeros(exec, "u", points);
  auto const q = zeros(exec, "A p", points), p = zeros(exec, "p", points), r = zeros(exec, "r", points);
  Kokkos::deep_copy(exec, r, f);
  Kokkos::deep_copy(exec, p, f);
  auto const u_vector = as_vector(result.u), p_vector = as_vector(p), q_vector = as_vector(q), r_vector = as_vector(r);

  Kokkos::Timer timer;
  double const first = KokkosBlas::dot(exec, r_vector, r_vector);
  double rr          = first;
  while (result.iterations < max_iterations && rr > tolerance * tolerance * first) {
    a.apply(exec, p, q);
    double const alpha = rr / KokkosBlas::dot(exec, p_vector, q_vector);
    KokkosBlas::axpby(exec, alpha, p_vector, 1., u_vector);
    KokkosBlas::axpby(exec, -alpha, q_vector, 1., r_vector);
    double const before = rr;
    rr                  = KokkosBlas::dot(exec, r_vector, r_vector);
    KokkosBlas::axpby(exec, 1., r_vector, rr / before, p_vector);
    if (++result.iterations % 10 == 0) progress(std::sqrt(rr / first));
  }
  exec.fence("the solution is complete");
  result.seconds  = timer.seconds();
  result.residual = first > 0 ? std::sqrt(rr / first) : 0;

  constexpr int repeats = 20;
  a.apply(exec, p, q);
  exec.fence("the operator alone is timed");
  timer.reset();
  for (int i = 0; i < repeats; ++i) a.apply(exec, p, q);
  exec.fence("the operator alone was timed");
  result.operator_seconds = timer.seconds() / repeats;
  return result;
}

}  // namespace examples::poisson

#endif
