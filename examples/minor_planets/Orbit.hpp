// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MINOR_PLANETS_ORBIT_HPP
#define MINOR_PLANETS_ORBIT_HPP

#include "Planets.hpp"

#include <cstdint>

/// The functors of parallel_regroup_until: an orbit begins, takes steps, and ends.
namespace examples::minor_planets {

using Index = std::int64_t;

/// Position (AU) and velocity (AU a day) back in time.
struct Phase {
  double value[6];
};

/// An orbit on its way back; lives in registers.
struct Orbit {
  Phase now, slope;  ///< and the derivative
  double since;      ///< days before the epoch
  double step;       ///< the next one, days
  int steps;         ///< tried
};

using Phases = Kokkos::View<Phase*, Exec>;

/// \brief What a body's phase changes by in a day: the Sun, and the planets' pull on it less that on the Sun.
struct Force {
  Planets planets;
  double center;  ///< AU^3 / day^2

  KOKKOS_FUNCTION Phase operator()(Phase const& at, double since) const {
    double const(&x)[6] = at.value;
    double const r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], pull = -center / (r2 * Kokkos::sqrt(r2));
    double const r[3]{x[0], x[1], x[2]};
    double a[3]{pull * x[0], pull * x[1], pull * x[2]};
    planets.pull(r, since, a);
    return {{x[3], x[4], x[5], a[0], a[1], a[2]}};
  }
};

/// Clones of every body, from one on; the velocities of all but clone 0 differ from the body's by up to a millionth.
struct Begin {
  Force force;
  Kokkos::View<Phase const*, Exec> at_epoch;
  Index first_clone;

  KOKKOS_FUNCTION Orbit operator()(Index i) const {
    Index const bodies = at_epoch.extent(0), clone = first_clone + i / bodies;
    Orbit orbit{};
    orbit.now = at_epoch(i % bodies);
    // Golden ratio: clones spread evenly, however many there are.
    double const share = double(clone) * 0.61803398874989485;
    double const by    = 1 + (clone == 0 ? 0 : 2e-6 * (share - Kokkos::floor(share) - 0.5));
    for (int d = 3; d < 6; ++d) orbit.now.value[d] *= by;
    orbit.slope = force(orbit.now, 0);
    orbit.step  = 1;
    return orbit;
  }
};

/// \brief A step of the pair of orders 5 and 4 by J. R. Dormand and P. J. Prince (Journal of Computational and Applied
/// Mathematics 6 (1980) 19-26); it is taken if the error is small enough, and sets the size of the next one.
struct Advance {
  Force force;
  double days;       ///< how far back
  double tolerance;  ///< error of a step, of the distance and the speed
  int max_steps;

  KOKKOS_FUNCTION bool operator()(Index, Orbit& o) const {
    double const left = days - o.since, h = Kokkos::min(o.step, left);
    Phase const& y  = o.now;
    Phase const& k1 = o.slope;
    Phase const k2  = force(sum(y, h, 1. / 5, k1), o.since + h / 5);
    Phase const k3  = force(sum(y, h, 3. / 40, k1, 9. / 40, k2), o.since + 3 * h / 10);
    Phase const k4  = force(sum(y, h, 44. / 45, k1, -56. / 15, k2, 32. / 9, k3), o.since + 4 * h / 5);
    Phase const k5  = force(sum(y, h, 19372. / 6561, k1, -25360. / 2187, k2, 64448. / 6561, k3, -212. / 729, k4),
                            o.since + 8 * h / 9);
    Phase const k6  = force(
        sum(y, h, 9017. / 3168, k1, -355. / 33, k2, 46732. / 5247, k3, 49. / 176, k4, -5103. / 18656, k5), o.since + h);
    Phase const next  = sum(y, h, 35. / 384, k1, 500. / 1113, k3, 125. / 192, k4, -2187. / 6784, k5, 11. / 84, k6);
    Phase const k7    = force(next, o.since + h);
    Phase const wrong = sum(Phase{}, h, 71. / 57600, k1, -71. / 16695, k3, 71. / 1920, k4, -17253. / 339200, k5,
                            22. / 525, k6, -1. / 40, k7);
    double const error =
        Kokkos::max(length(wrong, 0) / length(next, 0), length(wrong, 3) / length(next, 3)) / tolerance;
    bool const is_last = h == left;
    ++o.steps;
    if (error <= 1) {
      o.now   = next;
      o.slope = k7;
      o.since = is_last ? days : o.since + h;
    }
    o.step = h * Kokkos::clamp(0.9 * Kokkos::pow(error, -0.2), 0.2, 5.);
    return (error <= 1 && is_last) || o.steps == max_steps;
  }

 private:
  KOKKOS_FUNCTION static void add(double (&)[6]) {}
  template <class... More>
  KOKKOS_FUNCTION static void add(double (&to)[6], double c, Phase const& k, More const&... more) {
    for (int d = 0; d < 6; ++d) to[d] += c * k.value[d];
    add(to, more...);
  }
  /// y + h (c1 k1 + c2 k2 + ...)
  template <class... Terms>
  KOKKOS_FUNCTION static Phase sum(Phase const& y, double h, Terms const&... terms) {
    double by[6] = {};
    add(by, terms...);
    Phase result;
    for (int d = 0; d < 6; ++d) result.value[d] = y.value[d] + h * by[d];
    return result;
  }
  KOKKOS_FUNCTION static double length(Phase const& p, int begin) {
    double square = 0;
    for (int d = begin; d < begin + 3; ++d) square += p.value[d] * p.value[d];
    return Kokkos::sqrt(square);
  }
};

struct End {
  Phases phases;
  Kokkos::View<int*, Exec> steps;

  KOKKOS_FUNCTION void operator()(Index i, Orbit const& orbit) const {
    phases(i) = orbit.now;
    steps(i)  = orbit.steps;
  }
};

/// The same in plain Kokkos.
struct Plain {
  Begin begin;
  Advance advance;
  End end;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Orbit orbit = begin(i);
    while (!advance(i, orbit)) continue;
    end(i, orbit);
  }
};

}  // namespace examples::minor_planets

#endif
