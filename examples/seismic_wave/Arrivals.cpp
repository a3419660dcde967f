// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace examples::seismic {
namespace {

/// NaN if a value is.
float largest_value(Seismogram const& s) {
  float largest = 0;
  for (float const value : s) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// The sample of the first swing that is no ripple before the wave; 0 if there is none.
std::size_t first_swing(Seismogram const& s) {
  constexpr float ripple = 0.1F;
  float const least      = ripple * largest_value(s);
  for (std::size_t i = 1; i + 1 < s.size(); ++i)
    if (std::abs(s[i]) > least && std::abs(s[i]) >= std::abs(s[i - 1]) && std::abs(s[i]) > std::abs(s[i + 1])) return i;
  return 0;
}

/// The sample, with its fraction, at which the first swing has half its height; NaN if there is none.
double half_rise(Seismogram const& s) {
  auto i = first_swing(s);
  if (i == 0) return std::numeric_limits<double>::quiet_NaN();
  float const half = s[i] / 2;
  while (i > 0 && std::abs(s[i - 1]) > std::abs(half)) --i;
  return i == 0 ? 0 : double(i) - (s[i] - half) / (s[i] - s[i - 1]);
}

double correlation(Seismogram const& a, Seismogram const& b, int shift) {
  double sum = 0;
  for (int i = std::max(0, -shift); i < std::min(int(a.size()) - shift, int(b.size())); ++i) sum += a[i + shift] * b[i];
  return sum;
}

}  // namespace

double picked_arrival(Experiment const& e, Seismogram const& seismogram) {
  return (half_rise(seismogram) - half_rise(e.source())) * e.time_step;
}

Seismogram analytic_seismogram(Experiment const& e, double degrees) {
  double const distance = chord(degrees), travel_time = distance / velocity(e.model, 0);
  Seismogram s(std::size_t(e.steps));
  for (int i = 0; i < e.steps; ++i) s[i] = float(earth_radius / distance * e.wavelet(e.time(i) - travel_time));
  return s;
}

float largest_difference(Seismogram const& a, Seismogram const& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    float const difference = std::abs(a[i] - b[i]);
    largest = std::isnan(difference) ? std::numeric_limits<float>::infinity() : std::max(largest, difference);
  }
  return largest;
}

double lag(Seismogram const& s, Seismogram const& reference) {
  int const most = int(s.size()) / 4;
  int best       = -most;
  for (int shift = -most; shift <= most; ++shift)
    if (correlation(s, reference, shift) > correlation(s, reference, best)) best = shift;
  // The top of the parabola through the largest correlation and its neighbors.
  double const before = correlation(s, reference, best - 1), at = correlation(s, reference, best),
               after = correlation(s, reference, best + 1);
  return best + (before - after) / (2 * (before - 2 * at + after));
}

double misfit(Seismogram const& s, Seismogram const& reference) {
  return largest_difference(s, reference) / largest_value(reference);
}

double misfit_in_samples(Seismogram const& s, Seismogram const& reference) {
  float steepest = 0;
  for (std::size_t i = 1; i < reference.size(); ++i)
    steepest = std::max(steepest, std::abs(reference[i] - reference[i - 1]));
  return largest_difference(s, reference) / steepest;
}

}  // namespace examples::seismic
