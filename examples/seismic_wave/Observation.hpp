// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEISMIC_WAVE_OBSERVATION_HPP
#define SEISMIC_WAVE_OBSERVATION_HPP

#include "../common/PlainLoop.hpp"
#include "../common/ProgressBar.hpp"
#include "Experiment.hpp"
#include "Part.hpp"
#include "Processes.hpp"
#include "Recording.hpp"
#include "Stations.hpp"
#include "TimeDispersion.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <numbers>
#include <vector>

namespace examples::seismic {

/// The explosion's part of a step: its point source has the density 1 / spacing^3.
template <class Field>
void explode(Exec const& exec, Experiment const& e, Part const& part, Field const& next, Field const& speed,
             float amplitude) {
  auto const strength = float(4 * std::numbers::pi * e.radius_points) * amplitude;
  auto const x        = e.center_x() + e.radius_points;
  if (!part.owns(0, 0, x)) return;
  Kokkos::parallel_for(
      "explosion", Kokkos::RangePolicy<Exec>(exec, 0, 1),
      KOKKOS_LAMBDA(int) { part.at(next, 0, 0, x) += part.at(speed, 0, 0, x) * strength; });
}

/// The plane z = 0, on the first process.
template <class Field>
Snapshot snapshot(Exec const& exec, Field const& u, Experiment const& e, Part const& part) {
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const plane("plane", e.extents[1], e.extents[2]);
  auto const n = part.extents, from = part.offset;
  if (from[0] == 0)
    Kokkos::parallel_for(
        "snapshot",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {from[1], from[2]}, {from[1] + n[1], from[2] + n[2]}),
        KOKKOS_LAMBDA(int y, int x) { plane(y, x) = part.at(u, 0, y, x); });
  exec.fence("the snapshot is complete");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plane);
  collect(host.data(), host.size());
  return Snapshot(host.data(), host.data() + host.size());
}

/// What happens between the steps, and what is measured of them.
class Observation {
 public:
  Observation(Exec const& exec, Experiment const& e, Part const& part, Progress const& progress)
      : m_exec(exec),
        m_experiment(e),
        m_part(part),
        m_progress(progress),
        m_stations(e, part),
        m_source(add_time_dispersion(e.source())) {}

  /// Goes on from what was recorded before.
  void resume(Recording const& recording) {
    m_stations.resume(recording.seismograms, recording.steps);
    m_snapshots = recording.snapshots;
  }

  /// Before a step, from the level `now`. The step's time begins at the end.
  template <class Field>
  void begin_step(int step, Field const& now) {
    auto const& e = m_experiment;
    m_stations.record(m_exec, now, step);
    for (int const minutes : snapshot_minutes)
      if (e.time(step) >= 60. * minutes && e.time(step - 1) < 60. * minutes)
        m_snapshots.push_back(snapshot(m_exec, now, e, m_part));
    m_exec.fence("the step before is complete");
    m_timer.reset();
  }

  /// After it, with the level that it computed.
  template <class Field>
  void end_step(int step, Field const& next, Field const& speed) {
    m_exec.fence("the step is complete");
    m_times.push_back(m_timer.seconds());
    explode(m_exec, m_experiment, m_part, next, speed, m_source[step]);
    m_progress(double(step + 1) / m_experiment.steps);
  }

  /// All that was recorded in so many steps, with the time dispersion that the scheme has.
  Recording recording(int steps) { return {steps, m_stations.collect_until(steps), m_snapshots, median(m_times), ""}; }

 private:
  Exec m_exec;
  Experiment const& m_experiment;
  Part m_part;
  Progress const& m_progress;
  Stations m_stations;
  std::vector<Snapshot> m_snapshots;
  Seismogram m_source;
  Kokkos::Timer m_timer;
  std::vector<double> m_times;
};

}  // namespace examples::seismic

#endif
