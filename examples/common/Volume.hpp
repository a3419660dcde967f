// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_VOLUME_HPP
#define KOALESCE_EXAMPLES_VOLUME_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace examples {

struct NiftiHeader;

/// \brief A scalar 3-D image.
struct Volume {
  std::array<std::int64_t, 3> size{};  ///< points along the file's x, y, z; x is the fastest
  std::array<double, 3> spacing{};     ///< distances of neighboring points, in mm unless the file says otherwise
  std::vector<float> voxels;           ///< real values: the file's scaling is applied
  std::int64_t not_finite = 0;  ///< voxels that are NaN, infinite or beyond `largest` in the file; they count as 0

  static constexpr float largest = 1e18F;  ///< squares of differences are floats, too

  /// Which of the file's axes points to the patient's right, front and top (`axis`), and whether it points the other
  /// way (`flipped`).
  struct Direction {
    int axis     = 0;
    bool flipped = false;
  };
  std::array<Direction, 3> patient;

  std::string datatype;                       ///< of the file, as in "uint8"
  std::shared_ptr<NiftiHeader const> header;  ///< what write_nifti hands on unchanged
};

/// \brief Reads a NIfTI-1 or Analyze 7.5 file, compressed or not, of either byte order.
/// \throws std::runtime_error missing, truncated, damaged, not NIfTI, not three-dimensional, a datatype other
///         than (u)int8, (u)int16, (u)int32, float32, float64.
Volume read_nifti(std::filesystem::path const& file);

/// \brief Writes the volume with the geometry, and all else that the header says, of the file it was read from.
///
/// Integers are written as such, rounded and clamped to the type's range; floating-point data are written as float32.
///
/// \param[in] file        where to write; created or overwritten.
/// \param[in] compressed  gzip the file.
/// \param[in] as_float    write float32 in any case.
/// \param[in] description a note of at most 79 characters for the header.
/// \throws std::runtime_error the file cannot be written completely.
void write_nifti(Volume const& volume, std::filesystem::path const& file, bool compressed, bool as_float,
                 std::string const& description);

/// Whether the name ends as a NIfTI file's; `compressed` tells which one.
bool is_nifti_name(std::filesystem::path const& file, bool& compressed);

}  // namespace examples

#endif
