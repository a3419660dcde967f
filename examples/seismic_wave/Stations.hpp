// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_STATIONS_HPP
#define SEISMIC_WAVE_STATIONS_HPP

#include "Experiment.hpp"
#include "Part.hpp"
#include "Processes.hpp"
#include "Recording.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace examples::seismic {

/// Lagrange's polynomial of the fifth order through the points next to a place.
struct Interpolation {
  static constexpr int taps = 6;

  int first = 0;
  float weight[taps]{};

  Interpolation() = default;
  explicit Interpolation(double at) : first(int(std::floor(at)) - taps / 2 + 1) {
    for (int i = 0; i < taps; ++i) {
      double product = 1;
      for (int j = 0; j < taps; ++j)
        if (j != i) product *= (at - first - j) / (i - j);
      weight[i] = float(product);
    }
  }
};

struct Place {
  Interpolation y, x;
};

/// \brief Stations anywhere in the plane z = 0.
///
/// A station lies between points that several processes may have. In each step every process keeps the values of its
/// own points; the first process collects them from time to time, and it alone interpolates. The seismograms' bits
/// therefore do not depend on the number of processes.
class Stations {
 public:
  static constexpr int taps = Interpolation::taps * Interpolation::taps;

  Stations(Experiment const& e, Part const& part)
      : m_part(part),
        m_seismograms(e.model.arrivals.size()),
        m_places("stations", e.model.arrivals.size()),
        m_values("values around stations", e.steps, e.model.arrivals.size() * taps) {
    auto const places = Kokkos::create_mirror_view(m_places);
    for (std::size_t s = 0; s < places.extent(0); ++s) {
      double const angle = e.model.arrivals[s].distance * std::numbers::pi / 180;
      places(s).y        = Interpolation(e.radius_points * std::sin(angle));
      places(s).x        = Interpolation(e.radius_points * std::cos(angle) + e.center_x());
      m_host_places.push_back(places(s));
    }
    Kokkos::deep_copy(m_places, places);
  }

  /// Keeps the values of this process' points in a step.
  template <class Field>
  void record(Exec const& exec, Field const& u, int step) const {
    auto const places = m_places;
    auto const values = m_values;
    auto const part   = m_part;
    Kokkos::parallel_for(
        "stations", Kokkos::RangePolicy<Exec>(exec, 0, int(values.extent(1))), KOKKOS_LAMBDA(int at) {
          auto const& place = places(at / taps);
          auto const y      = Kokkos::abs(place.y.first + at % taps / Interpolation::taps);  // the wave is symmetric
          auto const x      = place.x.first + at % Interpolation::taps;
          if (part.owns(0, y, x)) values(step, at) = part.at(u, 0, y, x);
        });
  }

  /// The seismograms of all steps before this one, on the first process. Waits for the execution space.
  std::vector<Seismogram> const& collect_until(int step) {
    auto const recorded = Kokkos::subview(m_values, std::pair(m_collected, step), Kokkos::ALL);
    auto const values   = Kokkos::create_mirror(Kokkos::HostSpace(), recorded);
    Kokkos::deep_copy(values, recorded);
    collect(values.data(), values.size());
    for (std::size_t s = 0; s < m_seismograms.size(); ++s)
      for (std::size_t i = 0; i < values.extent(0); ++i)
        m_seismograms[s].push_back(interpolate(m_host_places[s], &values(i, s * taps)));
    m_collected = step;
    return m_seismograms;
  }

  /// Begins with seismograms of so many steps.
  void resume(std::vector<Seismogram> const& seismograms, int steps) {
    m_seismograms = seismograms;
    m_collected   = steps;
  }

 private:
  static float interpolate(Place const& place, float const* values) {
    float sum = 0;
    for (int j = 0; j < Interpolation::taps; ++j)
      for (int i = 0; i < Interpolation::taps; ++i) sum += place.y.weight[j] * place.x.weight[i] * *values++;
    return sum;
  }

  Part m_part;
  int m_collected = 0;
  std::vector<Seismogram> m_seismograms;
  std::vector<Place> m_host_places;
  Kokkos::View<Place*, Exec> m_places;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> m_values;  // a row per step
};

}  // namespace examples::seismic

#endif
