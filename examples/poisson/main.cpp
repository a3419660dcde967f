// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients with a stencil of Koalesce as the operator and vectors of Kokkos Kernels; see --help.

#include "../common/Program.hpp"
#include "ConjugateGradients.hpp"
#include "Operators.hpp"
#include "Options.hpp"
#include "Problem.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace examples::poisson {
namespace {

/// A line on stderr that rewrites itself; nothing where stderr is not a terminal.
Progress progress_line(std::string const& what) {
  if (isatty(STDERR_FILENO) == 0) return [](double) {};
  return [what](double residual) { std::fprintf(stderr, "\r\033[K%s: residual %.1e\r", what.c_str(), residual); };
}

std::string milliseconds(double seconds) { return number(1e3 * seconds, 3) + " ms"; }

template <class Operator>
Solution solve(Exec const& exec, Operator const& a, Field const& f, Options const& o) {
  auto solution = solve(exec, a, f, o.tolerance, o.iterations, progress_line(Operator::name));
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\033[K");
  if (!(solution.residual <= o.tolerance))
    throw std::runtime_error(std::string(Operator::name) + ": after " + std::to_string(solution.iterations) +
                             " iterations the residual is " + number(solution.residual, 3) +
                             "; allow more --iterations or a larger --tolerance");
  return solution;
}

void run(Options const& options) {
  Exec const exec;
  Problem const problem;
  auto const f = zeros(exec, "f", options.points);
  fill_right_side(exec, problem, f);

  auto const ours       = solve(exec, StencilOperator(options.points), f, options);
  double const error    = largest_error(exec, problem, ours.u);
  std::string const n   = std::to_string(options.points);
  double const points   = std::pow(double(options.points), 3);
  auto const per_second = [&](Solution const& s) { return number(1e-9 * points / s.operator_seconds, 3); };
  auto const iteration  = [](Solution const& s) { return milliseconds(s.seconds / std::max(s.iterations, 1)); };

  Table table("Poisson's equation, " + n + " x " + n + " x " + n + " points, on " + Exec::name());
  if (options.compare) {
    MatrixOperator const matrix(options.points);
    auto const theirs = solve(exec, matrix, f, options);
    table.values("operator", {StencilOperator::name, MatrixOperator::name});
    table.values("memory of the operator", {"none", number(1e-6 * matrix.bytes(), 4) + " MB"});
    table.values("iterations", {std::to_string(ours.iterations), std::to_string(theirs.iterations)});
    table.values("time an iteration", {iteration(ours), iteration(theirs)});
    table.values("time of the operator", {milliseconds(ours.operator_seconds), milliseconds(theirs.operator_seconds)});
    table.values("10^9 points a second, operator", {per_second(ours), per_second(theirs)});
    table.values("largest error", {number(error, 3), number(largest_error(exec, problem, theirs.u), 3)});
    table.row("operator, speed against the matrix", number(theirs.operator_seconds / ours.operator_seconds, 3) + " x");
    table.row("iteration, speed against the matrix",
              number(theirs.seconds / theirs.iterations / (ours.seconds / ours.iterations), 3) + " x");
  } else {
    table.row("iterations", std::to_string(ours.iterations));
    table.row("time an iteration", iteration(ours));
    table.row("time of the operator", milliseconds(ours.operator_seconds));
    table.row("10^9 points a second, operator", per_second(ours));
    table.row("largest error", number(error, 3));
  }
  print(table);
  if (options.largest_error > 0 && !(error <= options.largest_error))
    throw std::runtime_error("the largest error is " + number(error, 3) + ", above " +
                             number(options.largest_error, 3));
}

}  // namespace
}  // namespace examples::poisson

int main(int argc, char** argv) {
  using namespace examples;
  return run_program<poisson::Options>("poisson", argc, argv, poisson::parse_options, poisson::run);
}
