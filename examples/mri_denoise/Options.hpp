// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_OPTIONS_HPP
#define MRI_DENOISE_OPTIONS_HPP

#include <cstdint>
#include <filesystem>

namespace examples::mri {

/// What the command line says.
struct Options {
  std::filesystem::path input;
  std::filesystem::path output;   ///< the denoised volume
  std::filesystem::path picture;  ///< the PNG
  bool compressed    = true;      ///< whether output's name ends in .gz
  int steps          = 10;
  double step        = 0.3;
  double k           = 0;  ///< 0: from the noise
  double add_noise   = 0;  ///< per cent of the range
  std::uint64_t seed = 1;
  bool write_float   = false;
  bool compare       = true;
  int threads        = 0;  ///< 0: Kokkos chooses
};

/// \param[out] options what was asked for, checked.
/// \return false where --help was asked for and has been printed.
/// \throws UsageError
bool parse_options(int argc, char** argv, Options& options);

}  // namespace examples::mri

#endif
