// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_LEAPFROG_HPP
#define SEISMIC_WAVE_LEAPFROG_HPP

#include <Koalesce/Stencil.hpp>

#include <cstdint>

namespace examples::seismic {

/// The stencil: a point and four neighbors to either side in each dimension.
using Shape          = Koalesce::Star<4, 4, 4>;
constexpr int radius = 4;

/// \brief A time step of the acoustic wave equation, of the second order in time and of the eighth in space:
///
///     next = keep (2 u - keep previous + speed laplacian(u)),     speed = (c time_step / spacing)^2
///
/// `keep` is 1, and less in the sponge (C. Cerjan, D. Kosloff, R. Kosloff, M. Reshef: "A nonreflecting boundary
/// condition for discrete acoustic and elastic wave equations", Geophysics 50 (1985) 705-708). There both time levels
/// are multiplied by it in each step.
struct Leapfrog {
  /// Of the second derivative.
  float center = -3 * 205.F / 72, weight1 = 8.F / 5, weight2 = -1.F / 5, weight3 = 8.F / 315, weight4 = -1.F / 560;

  /// The six neighbors at a distance.
  template <int Distance, class Values>
  KOKKOS_FORCEINLINE_FUNCTION static float around(Values const& u) {
    constexpr int d = Distance;
    return u(-d, 0, 0) + u(d, 0, 0) + u(0, -d, 0) + u(0, d, 0) + u(0, 0, -d) + u(0, 0, d);
  }

  /// \param[in] u u(dz, dy, dx) is the value at these offsets from the point.
  template <class Values>
  KOKKOS_FORCEINLINE_FUNCTION float next(Values const& u, float previous, float speed, float keep) const {
    float const here      = u(0, 0, 0);
    float const laplacian = center * here + weight1 * around<1>(u) + weight2 * around<2>(u) + weight3 * around<3>(u) +
                            weight4 * around<4>(u);
    return keep * (2 * here - keep * previous + speed * laplacian);
  }

  /// What parallel_stencil_steps calls.
  KOKKOS_FUNCTION float operator()(Koalesce::Neighborhood<float, Shape> const& u, float previous, float speed,
                                   float keep, std::int64_t, std::int64_t, std::int64_t) const {
    return next(u, previous, speed, keep);
  }
};

/// The same step for a plain loop, without Koalesce. Fields have halos as wide as the radius.
template <class Field>
struct PlainLeapfrog {
  struct Values {
    Field const& u;
    int z, y, x;

    KOKKOS_FORCEINLINE_FUNCTION float operator()(int dz, int dy, int dx) const { return u(z + dz, y + dy, x + dx); }
  };

  Field u, previous, speed, keep;
  Leapfrog step;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int z, int y, int x) const {
    previous(z, y, x) = step.next(Values{u, z, y, x}, previous(z, y, x), speed(z, y, x), keep(z, y, x));
  }
};

}  // namespace examples::seismic

#endif
