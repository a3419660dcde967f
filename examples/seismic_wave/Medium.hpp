// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_MEDIUM_HPP
#define SEISMIC_WAVE_MEDIUM_HPP

#include "Experiment.hpp"
#include "Part.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>

namespace examples::seismic {

/// \brief (c time_step / spacing)^2 by distance from the Earth's center.
///
/// Waves that are longer than the points' spacing see the mean of 1 / c^2. Discontinuities between two points therefore
/// are where they belong.
struct SpeedTable {
  static constexpr int per_spacing = 16;

  Kokkos::View<float*, Exec> values;

  explicit SpeedTable(Experiment const& e)
      : values("speed by radius", per_spacing * (std::size_t(2 * (e.radius_points + sponge_points)) + 2)) {
    constexpr int samples = 64;
    auto const host       = Kokkos::create_mirror_view(values);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      double sum = 0;
      for (int s = 0; s < samples; ++s) {
        double const at = (double(i) / per_spacing + (s + 0.5) / samples - 0.5) * e.spacing;
        sum += 1 / std::pow(velocity(e.model, std::abs(at)), 2);
      }
      host(i) = float(samples / sum * std::pow(e.time_step / e.spacing, 2));
    }
    Kokkos::deep_copy(values, host);
  }

  /// \param[in] points the distance.
  KOKKOS_FUNCTION float operator()(double points) const {
    double const at = points * per_spacing;
    auto const low  = std::size_t(at);
    auto const part = float(at - double(low));
    return (1 - part) * values(low) + part * values(low + 1);
  }
};

/// What is kept of the wave in a step, by the distance to an outer face.
KOKKOS_FUNCTION inline float kept(Index points_to_face) {
  constexpr float strength = 0.012F;
  if (points_to_face >= sponge_points) return 1;
  float const damping = strength * float(sponge_points - points_to_face);
  return Kokkos::exp(-damping * damping);
}

/// The coefficients of a process' points.
template <class Field>
void fill_medium(Exec const& exec, Experiment const& e, Part const& part, Field const& speed, Field const& keep) {
  SpeedTable const table(e);
  auto const n = e.extents, here = part.extents, from = part.offset;
  auto const center = e.center_x();
  Kokkos::parallel_for(
      "medium",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<Index>>(
          exec, {from[0], from[1], from[2]}, {from[0] + here[0], from[1] + here[1], from[2] + here[2]}),
      KOKKOS_LAMBDA(Index z, Index y, Index x) {
        auto const along        = double(x - center);
        auto const r            = Kokkos::sqrt(double(z * z + y * y) + along * along);
        part.at(speed, z, y, x) = table(r);
        part.at(keep, z, y, x)  = kept(n[0] - 1 - z) * kept(n[1] - 1 - y) * kept(x) * kept(n[2] - 1 - x);
      });
}

}  // namespace examples::seismic

#endif
