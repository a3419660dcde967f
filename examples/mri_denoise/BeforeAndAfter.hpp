// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_BEFORE_AND_AFTER_HPP
#define MRI_DENOISE_BEFORE_AND_AFTER_HPP

#include "../common/Picture.hpp"
#include "../common/Volume.hpp"

#include <vector>

namespace examples::mri {

/// \brief Three slices through the middle of the volume: axial, coronal, sagittal, from top to bottom; each before
/// (left) and after (middle), in the same shades, and what was removed (right), enhanced, where grey is nothing.
///
/// The patient's left is on the left, the front is up (axial) or on the right (sagittal, a little off the middle).
Picture before_and_after(Volume const& geometry, std::vector<float> const& before, std::vector<float> const& after);

}  // namespace examples::mri

#endif
