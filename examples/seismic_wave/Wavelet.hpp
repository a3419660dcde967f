// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_WAVELET_HPP
#define SEISMIC_WAVE_WAVELET_HPP

#include <cmath>
#include <numbers>

namespace examples::seismic {

/// \brief What the explosion sends out: the derivative of a Gaussian, centered at time 0, of largest value 1.
///
/// Its spectrum is largest at the dominant period. It is 1e-7 a period before time 0.
struct Wavelet {
  double period;  ///< the dominant one, in s

  double operator()(double time) const {
    double const phase = 2 * std::numbers::pi * time / period;
    return -phase * std::exp((1 - phase * phase) / 2);
  }
};

}  // namespace examples::seismic

#endif
