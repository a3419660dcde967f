// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_NOISE_HPP
#define MRI_DENOISE_NOISE_HPP

#include "../common/Volume.hpp"

#include <cstdint>
#include <vector>

namespace examples::mri {

/// Smallest and largest value.
struct Range {
  float low = 0, high = 0;
  float width() const { return high - low; }
};
Range range(std::vector<float> const& voxels);

/// \brief Adds what the magnitude image of a real scanner has: Rician noise, |u + (n1 + i n2)|.
///
/// n1 and n2 are normal with standard deviation sigma, so bright tissue sees nearly Gaussian noise, and the air around
/// the head, where u = 0, a grey haze. The same seed gives the same noise on every machine.
void add_rician_noise(std::vector<float>& voxels, double sigma, std::uint64_t seed);

/// \brief Which voxels belong to the object: 1 above a threshold, 0 for the air around it.
///
/// The threshold separates the histogram's two classes best: N. Otsu: "A threshold selection method from gray-level
/// histograms", IEEE Transactions on Systems, Man, and Cybernetics 9 (1979) 62-66.
std::vector<std::uint8_t> object_mask(std::vector<float> const& voxels);

/// \brief Standard deviation of the noise, estimated from the volume itself, inside the mask.
///
/// A voxel minus the mean of its six neighbors shows little of a smooth image and all of white noise, with a variance
/// 7/6 of the noise's: T. Gasser, L. Sroka, C. Jennen-Steinmetz: "Residual variance and residual pattern in nonlinear
/// regression", Biometrika 73 (1986) 625-633; for MRI P. Coupe et al.: "Robust Rician noise estimation for MR
/// images", Medical Image Analysis 14 (2010) 483-493. The median of the absolute values, times 1.4826, makes
/// a standard deviation of it that edges hardly disturb.
double noise_sigma(Volume const& geometry, std::vector<float> const& voxels, std::vector<std::uint8_t> const& mask);

/// Peak signal-to-noise ratio in dB against the truth, inside the mask; infinite for equal volumes.
double psnr(std::vector<float> const& voxels, std::vector<float> const& truth, std::vector<std::uint8_t> const& mask,
            double peak);

}  // namespace examples::mri

#endif
