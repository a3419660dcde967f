// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_DENOISE_HPP
#define MRI_DENOISE_DENOISE_HPP

#include "../common/ProgressBar.hpp"
#include "../common/Volume.hpp"

#include <string>
#include <vector>

namespace examples::mri {

struct DiffusionSettings {
  int steps   = 0;
  double k    = 0;  ///< differences between neighbors that count as edges
  double step = 0;  ///< time step as a fraction of the largest stable one
};

/// What one implementation made of the volume, and how fast.
struct DiffusionResult {
  std::vector<float> voxels;
  double seconds = 0;          ///< median time of one step: filling the halo and the stencil
  std::string loop{};          ///< plain loops only: the fastest one
  double default_seconds = 0;  ///< plain loops only: MDRangePolicy with the tiling that Kokkos chooses
};

/// Diffusion by Koalesce::parallel_stencil_steps.
DiffusionResult diffuse(Volume const& volume, DiffusionSettings const& settings, Progress const& progress);

/// The same by the fastest of several plain loops.
DiffusionResult diffuse_plain(Volume const& volume, DiffusionSettings const& settings, Progress const& progress);

}  // namespace examples::mri

#endif
