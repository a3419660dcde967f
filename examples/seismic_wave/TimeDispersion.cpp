// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TimeDispersion.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace examples::seismic {
namespace {

/// Fourier's transform of a signal at an angle per sample.
std::complex<double> spectrum(std::vector<float> const& signal, double angle) {
  auto const turn = std::polar(1., -angle);
  std::complex<double> sum, at = 1;
  for (float const value : signal) {
    sum += double(value) * at;
    at *= turn;
  }
  return sum;
}

/// The signal whose spectrum at an angle per sample is the given one's at from(angle).
template <class From>
std::vector<float> warped(std::vector<float> const& signal, From const& from) {
  constexpr double highest = 1;  // angle per sample, several times the dominant one; the grid resolves no more
  double const spacing     = std::numbers::pi / double(signal.size());  // as if zeros followed: nothing comes around
  std::vector<double> sum(signal.size(), spectrum(signal, 0).real() / 2);
  for (double angle = spacing; angle < highest; angle += spacing) {
    auto const turn = std::polar(1., angle);
    auto at         = spectrum(signal, from(angle));
    for (double& value : sum) {
      value += at.real();
      at *= turn;
    }
  }
  std::vector<float> result(signal.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = float(sum[i] / double(signal.size()));
  return result;
}

}  // namespace

std::vector<float> add_time_dispersion(std::vector<float> const& signal) {
  return warped(signal, [](double angle) { return 2 * std::sin(angle / 2); });
}

std::vector<float> remove_time_dispersion(std::vector<float> const& signal) {
  return warped(signal, [](double angle) { return 2 * std::asin(angle / 2); });
}

}  // namespace examples::seismic
