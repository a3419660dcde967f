// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"
#include "Operators.hpp"

#include <string>

namespace examples::poisson {

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "Solves Poisson's equation in the unit cube, the solution being 0 on its faces, by conjugate gradients: the\n"
      "operator is a stencil (Koalesce::parallel_stencil), vectors are Kokkos Kernels' (KokkosBlas). Then again with\n"
      "the operator as a sparse matrix (KokkosSparse::spmv), to compare. Prints a table of times and errors.\n",
      "poisson");
  bool no_compare = false;
  app.add_option("-n,--points", o.points, "Inner points in each direction.")->capture_default_str();
  app.add_option("--tolerance", o.tolerance, "Of the residual's norm, as a part of the right-hand side's.")
      ->capture_default_str();
  app.add_option("--iterations", o.iterations, "At most so many.")->capture_default_str();
  app.add_option("--largest-error", o.largest_error,
                 "Fail if the solution is further from the exact one anywhere; 0: never. It falls with the square of "
                 "the points' distance.")
      ->capture_default_str();
  app.add_flag("--no-compare", no_compare, "Do not solve with a sparse matrix for comparison.");
  add_threads_option(app, o.threads);
  app.footer(help_footer);
  if (!parse(app, argc, argv)) return false;
  o.compare = !no_compare;
  require(o.points >= 1 && o.points <= 1200, "--points must be 1 to 1200");
  int const max_points = MatrixOperator::max_points();
  require(
      !o.compare || o.points <= max_points,
      "--points above " + std::to_string(max_points) +
          " need --no-compare: the matrix to compare with would have more rows or entries than its indices can count");
  require(o.tolerance > 0 && o.tolerance < 1, "--tolerance must be above 0 and below 1");
  require(o.iterations >= 1, "--iterations must be 1 or more");
  require(o.largest_error >= 0, "--largest-error must be 0 or more");
  check_threads(o.threads);
  return true;
}

}  // namespace examples::poisson
