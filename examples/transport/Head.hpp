// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TRANSPORT_HEAD_HPP
#define TRANSPORT_HEAD_HPP

#include "../common/Volume.hpp"
#include "Materials.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace examples::transport {

/// A grid of cells along the file's axes, x the fastest.
struct Head {
  std::array<std::int64_t, 3> size{};
  std::array<double, 3> spacing{};  ///< mm
  std::array<double, 3> center{};   ///< of the object, in mm from the grid's corner
  std::array<Volume::Direction, 3> patient;
  std::vector<float> anatomy;  ///< the volume's values, averaged
  std::vector<Tissue> tissue;

  std::int64_t cells() const { return size[0] * size[1] * size[2]; }
  std::int64_t cell(std::array<std::int64_t, 3> const& at) const { return (at[2] * size[1] + at[1]) * size[0] + at[0]; }
};

/// \brief Averages the voxels to a grid of at most 256 cells an edge, and says what each cell is.
///
/// Otsu's threshold tells the object from the background. Of the object's cells the darkest 8 % are CSF (mostly cells
/// at the border of it), the next 46 % grey matter, the brightest 46 % white matter: shares of the default volume,
/// between whose peaks these limits lie. Background that the object encloses, but for openings of less than 8 mm, is
/// CSF: ventricles and furrows.
///
/// \param[in] add_skull  put 2 mm of CSF, 6 mm of bone and 5 mm of scalp around it; the default volume is a bare brain.
/// \throws std::runtime_error all voxels have the same value, or the cells are absurdly large or small.
Head segment(Volume const& volume, bool add_skull, std::string const& name);

}  // namespace examples::transport

#endif
