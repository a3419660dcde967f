// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_OPTIONS_HPP
#define SEISMIC_WAVE_OPTIONS_HPP

#include "Checkpoint.hpp"

#include <filesystem>
#include <string>

namespace examples::seismic {

/// What the command line says.
struct Options {
  int points        = 128;  ///< of the Earth's radius
  std::string model = "ak135";
  std::filesystem::path picture;
  std::filesystem::path seismograms;  ///< empty: not written
  Checkpoints checkpoints;
  double largest_error = 0;  ///< of an arrival, in dominant periods (ak135) or samples; 0: any
  bool compare         = true;
  int threads          = 0;  ///< 0: Kokkos chooses
};

/// \param[out] options what was asked for, checked.
/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse_options(int argc, char** argv, Options& options);

}  // namespace examples::seismic

#endif
