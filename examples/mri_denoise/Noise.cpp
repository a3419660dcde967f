// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace examples::mri {

Range range(std::vector<float> const& voxels) {
  auto const [low, high] = std::minmax_element(voxels.begin(), voxels.end());
  return {*low, *high};
}

void add_rician_noise(std::vector<float>& voxels, double sigma, std::uint64_t seed) {
  // Box and Muller's method; std::normal_distribution differs from one standard library to the next.
  std::mt19937_64 random(seed);
  auto const uniform = [&] { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; };  // in (0, 1]
  for (float& u : voxels) {
    double const radius = sigma * std::sqrt(-2 * std::log(uniform()));
    double const angle  = 2 * std::numbers::pi * uniform();
    u                   = static_cast<float>(std::hypot(u + radius * std::cos(angle), radius * std::sin(angle)));
  }
}

std::vector<std::uint8_t> object_mask(std::vector<float> const& voxels) {
  constexpr int bins = 256;
  auto const values  = range(voxels);
  auto const bin_of  = [&](float u) { return std::min(bins - 1, int(bins * ((u - values.low) / values.width()))); };

  std::array<double, bins> histogram{};
  double total = 0;
  if (values.width() > 0)
    for (float const u : voxels) {
      histogram[bin_of(u)] += 1;
      total += bin_of(u);
    }

  int threshold   = -1;
  double best     = 0;
  double below    = 0;
  double sum      = 0;
  auto const size = static_cast<double>(voxels.size());
  for (int b = 0; b + 1 < bins; ++b) {
    below += histogram[b];
    sum += histogram[b] * b;
    if (below == 0 || below == size) continue;
    double const distance = sum / below - (total - sum) / (size - below);
    double const between  = below * (size - below) * distance * distance;
    if (between > best) {
      best      = between;
      threshold = b;
    }
  }

  std::vector<std::uint8_t> mask(voxels.size(), 1);
  if (threshold >= 0)
    std::transform(voxels.begin(), voxels.end(), mask.begin(), [&](float u) { return bin_of(u) > threshold; });
  return mask;
}

double noise_sigma(Volume const& geometry, std::vector<float> const& voxels, std::vector<std::uint8_t> const& mask) {
  auto const [nx, ny, nz] = geometry.size;
  std::array<std::int64_t, 3> const stride{1, nx, nx * ny};
  std::vector<float> residuals;
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        auto const p = (z * ny + y) * nx + x;
        if (mask[p] == 0) continue;
        std::array<std::int64_t, 3> const at{x, y, z};
        int neighbors = 0;
        float sum     = 0;
        for (int d = 0; d < 3; ++d)
          if (at[d] > 0 && at[d] + 1 < geometry.size[d]) {
            sum += voxels[p - stride[d]] + voxels[p + stride[d]];
            neighbors += 2;
          }
        if (neighbors == 0) continue;
        auto const n = static_cast<float>(neighbors);
        residuals.push_back(std::abs(voxels[p] - sum / n) * std::sqrt(n / (n + 1)));
      }
  if (residuals.empty()) return 0;
  auto const middle = residuals.begin() + std::ssize(residuals) / 2;
  std::nth_element(residuals.begin(), middle, residuals.end());
  return 1.4826 * *middle;
}

double psnr(std::vector<float> const& voxels, std::vector<float> const& truth, std::vector<std::uint8_t> const& mask,
            double peak) {
  double squares = 0, count = 0;
  for (std::size_t p = 0; p < voxels.size(); ++p)
    if (mask[p] != 0) {
      double const error = double(voxels[p]) - truth[p];
      squares += error * error;
      count += 1;
    }
  if (squares == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(peak * peak * count / squares);
}

}  // namespace examples::mri
