// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MINOR_PLANETS_OPTIONS_HPP
#define MINOR_PLANETS_OPTIONS_HPP

#include "Ensemble.hpp"

#include <filesystem>

namespace examples::minor_planets {

/// What the command line says.
struct Options {
  std::filesystem::path input;    ///< the table of elements
  std::filesystem::path picture;  ///< the PNG
  Settings settings;
  Koalesce::Regroup regroup = Koalesce::Regroup::automatic;
  int check                 = 0;  ///< so many bodies are integrated by the reference, too
  bool compare              = true;
  bool show_decisions       = false;
  int threads               = 0;  ///< 0: Kokkos chooses
};

/// \param[out] options what was asked for, checked.
/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse_options(int argc, char** argv, Options& options);

}  // namespace examples::minor_planets

#endif
