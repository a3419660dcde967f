// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ensemble.hpp"

#include "Orbit.hpp"

#include <Koalesce/Regroup.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace examples::minor_planets {

std::string const loop = "minor_planets::orbits";

namespace {

/// Time runs back: velocities change their sign.
Phase phase_of(PositionAndVelocity const& at) {
  Phase phase{};
  for (int d = 0; d < 3; ++d) {
    phase.value[d]     = at.position[d];
    phase.value[3 + d] = -at.velocity[d];
  }
  return phase;
}

PositionAndVelocity at_phase(Phase const& phase) {
  PositionAndVelocity at{};
  for (int d = 0; d < 3; ++d) {
    at.position[d] = phase.value[d];
    at.velocity[d] = -phase.value[3 + d];
  }
  return at;
}

Force make_force(Settings const& settings) {
  Force force{planets_until(settings.days), sun_and_inner_planets};
  if (!settings.planets) {
    std::fill(std::begin(force.planets.mass), std::end(force.planets.mass), 0.);
    force.center = sun;
  }
  return force;
}

/// \param[in] orbits runs so many of them, orbits(exec, count, begin, advance, end).
template <class Orbits>
Result run(std::vector<Body> const& bodies, Settings const& settings, Progress const& progress, Orbits const& orbits) {
  Exec const exec;
  auto const count = Index(bodies.size());
  Phases at_epoch("at the epoch", count);
  auto const host = Kokkos::create_mirror_view(at_epoch);
  for (Index i = 0; i < count; ++i) host(i) = phase_of(on_ellipse(bodies[i].elements));
  Kokkos::deep_copy(at_epoch, host);

  Force const force = make_force(settings);
  Advance const advance{force, settings.days, settings.tolerance, max_steps};
  Phases const phases("at the end", count * settings.clones);
  Kokkos::View<int*, Exec> const steps("steps", count * settings.clones);
  exec.fence();
  Kokkos::Timer const timer;
  for (Index clone = 0; clone < settings.clones; clone += settings.batch) {
    Index const clones = std::min(settings.batch, settings.clones - clone);
    auto const range   = std::make_pair(clone * count, (clone + clones) * count);
    orbits(exec, clones * count, Begin{force, at_epoch, clone}, advance,
           End{Kokkos::subview(phases, range), Kokkos::subview(steps, range)});
    exec.fence();
    progress(double(clone + clones) / double(settings.clones));
  }
  Result result;
  result.seconds        = timer.seconds();
  auto const end_phases = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), phases);
  auto const end_steps  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), steps);
  for (Index i = 0; i < count * settings.clones; ++i) result.orbits.push_back(at_phase(end_phases(i)));
  result.steps.assign(end_steps.data(), end_steps.data() + end_steps.size());
  return result;
}

/// What planets do to the derivative, from their elements.
Phase exact_force(Phase const& at, double since) {
  double const(&x)[6] = at.value;
  double const r2     = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  Phase slope{{x[3], x[4], x[5]}};
  for (int d = 0; d < 3; ++d) slope.value[3 + d] = -sun_and_inner_planets / (r2 * std::sqrt(r2)) * x[d];
  for (int p = 0; p < planets; ++p) {
    auto const q     = on_ellipse(planet_elements(p, epoch - since), planet_mass(p)).position;
    double to_planet = 0, to_sun = 0;
    for (int d = 0; d < 3; ++d) {
      to_planet += (q[d] - x[d]) * (q[d] - x[d]);
      to_sun += q[d] * q[d];
    }
    for (int d = 0; d < 3; ++d)
      slope.value[3 + d] += planet_mass(p) * ((q[d] - x[d]) / std::pow(to_planet, 1.5) - q[d] / std::pow(to_sun, 1.5));
  }
  return slope;
}

Phase moved(Phase at, double by, Phase const& slope) {
  for (int d = 0; d < 6; ++d) at.value[d] += by * slope.value[d];
  return at;
}

}  // namespace

Result integrate(std::vector<Body> const& bodies, Settings const& settings, Koalesce::Regroup regroup,
                 Progress const& progress) {
  return run(bodies, settings, progress, [&](Exec const& exec, Index count, auto const&... functors) {
    Koalesce::parallel_regroup_until(loop, Koalesce::RegroupPolicy(exec, 0, count).with_regroup(regroup), functors...);
  });
}

Result integrate_plain(std::vector<Body> const& bodies, Settings const& settings, Progress const& progress) {
  return run(bodies, settings, progress,
             [](Exec const& exec, Index count, Begin const& begin, Advance const& advance, End const& end) {
               Kokkos::parallel_for("minor_planets::plain",
                                    Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count),
                                    Plain{begin, advance, end});
             });
}

Vector reference(Body const& body, Settings const& settings) {
  if (!settings.planets) {
    Elements at_end = body.elements;
    at_end.mean_anomaly -= settings.days * std::sqrt(sun / std::pow(at_end.semi_major_axis, 3));
    return on_ellipse(at_end).position;
  }
  // So many steps that the body turns around the Sun by no more than 1/200 in one, at its perihelion.
  auto const& el       = body.elements;
  double const nearest = el.semi_major_axis * (1 - el.eccentricity);
  double const turns   = std::sqrt(sun * (1 + el.eccentricity) / std::pow(nearest, 3));  // a day
  auto const steps     = Index(std::ceil(settings.days * turns * 200));
  Phase at             = phase_of(on_ellipse(el));
  double const h       = settings.days / double(steps);
  for (Index n = 0; n < steps; ++n) {
    double const since = double(n) * h;
    Phase const k1 = exact_force(at, since), k2 = exact_force(moved(at, h / 2, k1), since + h / 2),
                k3 = exact_force(moved(at, h / 2, k2), since + h / 2), k4 = exact_force(moved(at, h, k3), since + h);
    at = moved(moved(moved(moved(at, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return at_phase(at).position;
}

}  // namespace examples::minor_planets
