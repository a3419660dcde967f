// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_OPTIONS_HPP
#define TRANSPORT_OPTIONS_HPP

#include "Transport.hpp"

#include <filesystem>

namespace examples::transport {

/// What the command line says.
struct Options {
  std::filesystem::path input;
  std::filesystem::path picture;  ///< the PNG
  Settings settings{200000, 0, 1, Side::left};
  Koalesce::Regroup regroup = Koalesce::Regroup::automatic;
  bool add_skull            = true;
  bool compare              = true;
  bool show_decisions       = false;
  int threads               = 0;  ///< 0: Kokkos chooses
};

/// \param[out] options what was asked for, checked.
/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse_options(int argc, char** argv, Options& options);

}  // namespace examples::transport

#endif
