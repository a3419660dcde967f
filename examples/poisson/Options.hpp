// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef POISSON_OPTIONS_HPP
#define POISSON_OPTIONS_HPP

namespace examples::poisson {

/// What the command line says.
struct Options {
  int points           = 128;   ///< inner points in each direction
  double tolerance     = 1e-8;  ///< of the residual's norm, as a part of the right-hand side's
  int iterations       = 10000;
  double largest_error = 0;  ///< of the solution that is accepted; 0: any
  bool compare         = true;
  int threads          = 0;  ///< 0: Kokkos chooses
};

/// \param[out] options what was asked for, checked.
/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse_options(int argc, char** argv, Options& options);

}  // namespace examples::poisson

#endif
