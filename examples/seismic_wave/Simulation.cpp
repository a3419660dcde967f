// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulation.hpp"

#include "Leapfrog.hpp"
#include "TimeDispersion.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace examples::seismic {
namespace {

using Exec  = Kokkos::DefaultExecutionSpace;
using Index = std::int64_t;
using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<Index>>;

/// All with halos; x, the last index, is the fastest.
template <class Field>
struct Fields {
  Field now, previous, speed, keep;
};

auto koalesce_fields(Koalesce::StencilPolicy<Exec, Shape> const& policy) {
  auto const field = [&](char const* label) { return Koalesce::make_field<float>(label, policy); };
  return Fields<decltype(field(""))>{field("now"), field("previous"), field("speed"), field("keep")};
}

using PlainField = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

Fields<PlainField> plain_fields(Extents const& n) {
  auto const field = [&](std::string const& label) {
    return PlainField(label, n[0] + 2 * radius, n[1] + 2 * radius, n[2] + 2 * radius);
  };
  return {field("now"), field("previous"), field("speed"), field("keep")};
}

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

template <class Field>
void fill_medium(Exec const& exec, Experiment const& e, Field const& speed, Field const& keep) {
  SpeedTable const table(e);
  auto const n      = e.extents;
  auto const center = e.center_x();
  Kokkos::parallel_for(
      "medium", Range(exec, {0, 0, 0}, {n[0], n[1], n[2]}), KOKKOS_LAMBDA(Index z, Index y, Index x) {
        auto const along                          = double(x - center);
        auto const r                              = Kokkos::sqrt(double(z * z + y * y) + along * along);
        speed(z + radius, y + radius, x + radius) = table(r);
        keep(z + radius, y + radius, x + radius) =
            kept(n[0] - 1 - z) * kept(n[1] - 1 - y) * kept(x) * kept(n[2] - 1 - x);
      });
}

/// Mirrors the wave in the planes z = 0 and y = 0. Nothing writes the halos at the ends of x, which remain 0.
template <class Field>
void mirror(Exec const& exec, Field const& u, Extents const& n) {
  auto const inside = std::pair<Index, Index>(radius, radius + n[2]);
  auto const plane  = Koalesce::sides(Koalesce::Mirror(Koalesce::about_point), Koalesce::Dirichlet(0.F));
  Koalesce::fill_halo(exec, Kokkos::subview(u, Kokkos::ALL, Kokkos::ALL, inside), n, plane, plane,
                      Koalesce::Dirichlet(0.F));
}

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

/// Stations anywhere in the plane z = 0.
class Stations {
 public:
  explicit Stations(Experiment const& e)
      : m_count(int(e.model.arrivals.size())),
        m_places("stations", m_count),
        m_record("seismograms", m_count, e.steps) {
    auto const places = Kokkos::create_mirror_view(m_places);
    for (int s = 0; s < m_count; ++s) {
      double const angle = e.model.arrivals[s].distance * std::numbers::pi / 180;
      places(s).y        = Interpolation(e.radius_points * std::sin(angle));
      places(s).x        = Interpolation(e.radius_points * std::cos(angle) + e.center_x());
    }
    Kokkos::deep_copy(m_places, places);
  }

  template <class Field>
  void record(Exec const& exec, Field const& u, int step) const {
    auto const places = m_places;
    auto const record = m_record;
    Kokkos::parallel_for(
        "stations", Kokkos::RangePolicy<Exec>(exec, 0, m_count), KOKKOS_LAMBDA(int s) {
          auto const& [y, x] = places(s);
          float sum          = 0;
          for (int j = 0; j < Interpolation::taps; ++j)
            for (int i = 0; i < Interpolation::taps; ++i)
              sum += y.weight[j] * x.weight[i] * u(radius, y.first + j + radius, x.first + i + radius);
          record(s, step) = sum;
        });
  }

  std::vector<Seismogram> seismograms() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_record);
    std::vector<Seismogram> all(m_count, Seismogram(host.extent(1)));
    for (int s = 0; s < m_count; ++s)
      for (std::size_t i = 0; i < all[s].size(); ++i) all[s][i] = host(s, i);
    return all;
  }

 private:
  int m_count;
  Kokkos::View<Place*, Exec> m_places;
  Kokkos::View<float**, Exec> m_record;
};

/// The explosion's part of a step: its point source has the density 1 / spacing^3.
template <class Field>
void explode(Exec const& exec, Experiment const& e, Field const& next, Field const& speed, float amplitude) {
  auto const strength = float(4 * std::numbers::pi * e.radius_points) * amplitude;
  auto const at       = e.center_x() + e.radius_points + radius;
  Kokkos::parallel_for(
      "explosion", Kokkos::RangePolicy<Exec>(exec, 0, 1),
      KOKKOS_LAMBDA(int) { next(radius, radius, at) += speed(radius, radius, at) * strength; });
}

template <class Field>
Snapshot snapshot(Exec const& exec, Field const& u, Extents const& n) {
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const plane("plane", n[1], n[2]);
  Kokkos::parallel_for(
      "snapshot", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {n[1], n[2]}),
      KOKKOS_LAMBDA(int y, int x) { plane(y, x) = u(radius, y + radius, x + radius); });
  exec.fence("the snapshot is complete");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plane);
  return Snapshot(host.data(), host.data() + host.size());
}

/// Whether a time is reached in this step.
bool reached(Experiment const& e, int step, double time) { return e.time(step) >= time && e.time(step - 1) < time; }

/// Time in seconds of the halos and step(fields), which makes `previous` the next time level.
template <class Field, class Step>
double timed_step(Exec const& exec, Extents const& n, Fields<Field> const& f, Step const& step) {
  exec.fence("the step before is complete");
  Kokkos::Timer const timer;
  mirror(exec, f.now, n);
  step(f);
  exec.fence("the step is complete");
  return timer.seconds();
}

/// What happens between the steps, and what is measured of them.
class Observation {
 public:
  Observation(Exec const& exec, Experiment const& e, Progress const& progress)
      : m_exec(exec), m_experiment(e), m_progress(progress), m_stations(e), m_source(add_time_dispersion(e.source())) {}

  /// Before a step, from the level `now`.
  template <class Field>
  void begin_step(int step, Field const& now) {
    auto const& e = m_experiment;
    m_stations.record(m_exec, now, step);
    for (int const minutes : snapshot_minutes)
      if (reached(e, step, 60. * minutes)) m_result.snapshots.push_back(snapshot(m_exec, now, e.extents));
    m_exec.fence("the step before is complete");
    m_timer.reset();
    mirror(m_exec, now, e.extents);
  }

  /// After it, with the level that it computed.
  template <class Field>
  void end_step(int step, Field const& next, Field const& speed) {
    m_exec.fence("the step is complete");
    m_times.push_back(m_timer.seconds());
    explode(m_exec, m_experiment, next, speed, m_source[step]);
    m_progress(double(step + 1) / m_experiment.steps);
  }

  Recording result() {
    m_result.seconds = median(m_times);
    for (auto const& seismogram : m_stations.seismograms())
      m_result.seismograms.push_back(remove_time_dispersion(seismogram));
    return m_result;
  }

 private:
  Exec m_exec;
  Experiment const& m_experiment;
  Progress const& m_progress;
  Stations m_stations;
  Seismogram m_source;
  Kokkos::Timer m_timer;
  std::vector<double> m_times;
  Recording m_result;
};

/// A loop over a step's points, by which Kokkos can run it.
struct PlainLoop {
  std::string name;
  std::function<void(Fields<PlainField> const&)> step;
};

template <class Space>
std::vector<PlainLoop> plain_loops(Space const& exec, Extents const& n) {
  auto const of = [](Fields<PlainField> const& f) {
    return PlainLeapfrog<PlainField>{f.now, f.previous, f.speed, f.keep, {}};
  };
  std::vector<PlainLoop> loops;
  for (auto const& tile : tilings<Space>(n))
    loops.push_back({"MDRangePolicy, " + text_of(tile), [=](Fields<PlainField> const& f) {
                       plain_loop("seismic_wave::plain", exec, radius, n, tile, of(f));
                     }});
  if constexpr (on_host<Space>)
    loops.push_back({"RangePolicy, simd rows",
                     [=](Fields<PlainField> const& f) { row_loop("seismic_wave::plain", exec, radius, n, of(f)); }});
  return loops;
}

/// By the shortest of a few steps without a wave.
PlainLoop fastest_loop(Exec const& exec, Extents const& n, Fields<PlainField> const& f) {
  constexpr int trials = 3;
  PlainLoop best;
  double best_seconds = std::numeric_limits<double>::infinity();
  for (auto const& loop : plain_loops(exec, n))
    for (int trial = 0; trial < trials; ++trial)
      if (double const seconds = timed_step(exec, n, f, loop.step); seconds < best_seconds) {
        best_seconds = seconds;
        best         = loop;
      }
  return best;
}

}  // namespace

Recording simulate(Experiment const& e, Progress const& progress) {
  using Koalesce::at_point, Koalesce::constant;
  Exec const exec;
  Koalesce::StencilPolicy const policy(exec, Shape{}, e.extents);
  auto const f = koalesce_fields(policy);
  fill_medium(exec, e, f.speed, f.keep);
  Observation observation(exec, e, progress);
  observation.begin_step(0, f.now);
  Koalesce::parallel_stencil_steps("seismic_wave", policy,
                                   Koalesce::fields(Koalesce::time_levels(f.now, f.previous),
                                                    constant(at_point(f.speed)), constant(at_point(f.keep))),
                                   Koalesce::fields(), e.steps, Leapfrog{},
                                   Koalesce::every(1, [&](std::int64_t done, auto const& newest) {
                                     observation.end_step(int(done) - 1, newest, f.speed);
                                     if (done < e.steps) observation.begin_step(int(done), newest);
                                   }));
  return observation.result();
}

Recording simulate_plain(Experiment const& e, Progress const& progress) {
  Exec const exec;
  auto f = plain_fields(e.extents);
  fill_medium(exec, e, f.speed, f.keep);
  auto const loop = fastest_loop(exec, e.extents, f);
  Observation observation(exec, e, progress);
  for (int s = 0; s < e.steps; ++s, std::swap(f.now, f.previous)) {
    observation.begin_step(s, f.now);
    loop.step(f);
    observation.end_step(s, f.previous, f.speed);
  }
  auto result = observation.result();
  result.loop = loop.name;
  return result;
}

}  // namespace examples::seismic
