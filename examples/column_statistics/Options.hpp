// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COLUMN_STATISTICS_OPTIONS_HPP
#define COLUMN_STATISTICS_OPTIONS_HPP

#include "Samples.hpp"

#include <cstdint>
#include <filesystem>

namespace examples::columns {

/// What the command line says.
struct Options {
  std::filesystem::path input;
  bool is_csv    = false;
  Header header  = Header::automatic;
  char separator = ',';
  std::filesystem::path picture;  ///< the PNG
  std::int64_t every = 1;
  int top            = 5;
  int repeat         = 3;
  bool compare       = true;
  int threads        = 0;  ///< 0: Kokkos chooses
};

/// \param[out] options what was asked for, checked.
/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse_options(int argc, char** argv, Options& options);

}  // namespace examples::columns

#endif
