// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.hpp"

#include <cstdint>

namespace examples::poisson {
namespace {

using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>;

/// The points without the faces.
Range inner(Exec const& exec, Field const& field) {
  std::int64_t const end = std::int64_t(field.extent(0)) - 1;
  return Range(exec, {1, 1, 1}, {end, end, end});
}

}  // namespace

void fill_right_side(Exec const& exec, Problem const& problem, Field const& f) {
  double const h = 1. / double(f.extent(0) - 1);
  Kokkos::parallel_for(
      "right side", inner(exec, f), KOKKOS_LAMBDA(std::int64_t z, std::int64_t y, std::int64_t x) {
        f(z, y, x) = h * h * problem.right_side(double(x) * h, double(y) * h, double(z) * h);
      });
}

double largest_error(Exec const& exec, Problem const& problem, Field const& u) {
  double const h = 1. / double(u.extent(0) - 1);
  double largest = 0;
  Kokkos::parallel_reduce(
      "largest error", inner(exec, u),
      KOKKOS_LAMBDA(std::int64_t z, std::int64_t y, std::int64_t x, double& most) {
        most = Kokkos::fmax(most,
                            Kokkos::fabs(u(z, y, x) - problem.solution(double(x) * h, double(y) * h, double(z) * h)));
      },
      Kokkos::Max<double>(largest));
  return largest;
}

}  // namespace examples::poisson
