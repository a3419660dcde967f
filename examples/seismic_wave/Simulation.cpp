// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulation.hpp"

#include "Checkpoint.hpp"
#include "Grid.hpp"
#include "Medium.hpp"
#include "Observation.hpp"

#include <Koalesce/Stencil.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace examples::seismic {
namespace {

/// All with halos; x, the last index, is the fastest.
template <class Field>
struct Fields {
  Field now, previous, speed, keep;
};

template <class Policy>
auto koalesce_fields(Policy const& policy) {
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

/// Runs the steps from one to another.
template <class Policy, class Field>
void advance(Policy const& policy, Grid const& grid, Fields<Field> const& f, Observation& observation, int begin,
             int end) {
  using Koalesce::at_point, Koalesce::constant;
  auto const begin_step = [&](int step, Field const& now) {
    observation.begin_step(step, now);
    grid.fill_halo(policy.space(), now);
  };
  begin_step(begin, f.now);
  Koalesce::parallel_stencil_steps("seismic_wave", policy,
                                   Koalesce::fields(Koalesce::time_levels(f.now, f.previous),
                                                    constant(at_point(f.speed)), constant(at_point(f.keep))),
                                   Koalesce::fields(), end - begin, Leapfrog{},
                                   Koalesce::every(1, [&](std::int64_t done, auto const& newest) {
                                     int const step = begin + int(done);
                                     observation.end_step(step - 1, newest, f.speed);
                                     if (step < end) begin_step(step, newest);
                                   }));
}

/// The next step at which a checkpoint is written, or the last one.
int next_pause(Checkpoints const& checkpoints, int step, int last) {
  if (checkpoints.file.empty()) return last;
  return std::min(last, (step / checkpoints.every + 1) * checkpoints.every);
}

/// Reads the checkpoint; returns its step.
template <class Field>
int resume(Exec const& exec, Experiment const& e, Checkpoints const& checkpoints, Grid const& grid,
           Fields<Field> const& f, Observation& observation) {
  auto const& file = checkpoints.restart;
  Recording recording;
  on_first_process([&] { recording = read_record(file, e); });
  auto const step = grid.read(exec, file, f.now, f.previous);
  on_first_process([&] { shorten(recording, e, step, file); });
  if (checkpoints.stop_after > 0 && checkpoints.stop_after <= step)
    throw std::runtime_error("--stop-after must be more than " + std::to_string(step) + ", the step of the checkpoint");
  recording.steps = int(step);
  observation.resume(recording);
  return int(step);
}

/// The seismograms without the scheme's time dispersion.
Recording corrected(Recording recording) {
  if (is_first_process())
    for (auto& seismogram : recording.seismograms) seismogram = remove_time_dispersion(seismogram);
  return recording;
}

}  // namespace

Recording simulate(Experiment const& e, Checkpoints const& checkpoints, Progress const& progress) {
  Exec const exec;
  Grid const grid(e.extents);
  auto const policy = grid.policy(exec);
  auto const f      = koalesce_fields(policy);
  fill_medium(exec, e, grid.part(), f.speed, f.keep);
  Observation observation(exec, e, grid.part(), progress);
  int const last = checkpoints.stop_after > 0 ? std::min(checkpoints.stop_after, e.steps) : e.steps;
  int step       = checkpoints.restart.empty() ? 0 : resume(exec, e, checkpoints, grid, f, observation);
  while (step < last) {
    int const begin = std::exchange(step, next_pause(checkpoints, step, last));
    advance(policy, grid, f, observation, begin, step);
    if (step == e.steps || checkpoints.file.empty()) continue;
    // The record first: one that is ahead of the fields will do.
    auto const recording = observation.recording(step);
    on_first_process([&] { write_record(checkpoints.file, e, recording); });
    grid.write(exec, checkpoints.file, step, f.now, f.previous);
  }
  auto const recording = observation.recording(last);
  return last < e.steps ? recording : corrected(recording);
}

Recording simulate_plain(Experiment const& e, Progress const& progress) {
  Exec const exec;
  Part const all{e.extents, {}};
  auto f = plain_fields(e.extents);
  fill_medium(exec, e, all, f.speed, f.keep);
  auto const loop = fastest_loop(exec, e.extents, f);
  Observation observation(exec, e, all, progress);
  for (int s = 0; s < e.steps; ++s, std::swap(f.now, f.previous)) {
    observation.begin_step(s, f.now);
    mirror(exec, f.now, e.extents);
    loop.step(f);
    observation.end_step(s, f.previous, f.speed);
  }
  auto result = corrected(observation.recording(e.steps));
  result.loop = loop.name;
  return result;
}

}  // namespace examples::seismic
