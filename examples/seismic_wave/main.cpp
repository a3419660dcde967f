// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The acoustic wave of an explosion in the Earth, with Koalesce::parallel_stencil_steps: two time levels change roles.
// The stencil is in Leapfrog.hpp; see --help.

#include "../common/OutputFile.hpp"
#include "../common/Program.hpp"
#include "../common/ProgressBar.hpp"
#include "Arrivals.hpp"
#include "Options.hpp"
#include "Processes.hpp"
#include "Simulation.hpp"
#include "WavePicture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace examples::seismic {
namespace {

/// Where P turns in the lower mantle, clear of the transition zone's several waves and of the core's shadow.
bool is_direct_p(double degrees) { return degrees >= 30 && degrees <= 90; }

std::string fixed(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

/// A row per station; returns the largest error in dominant periods, infinity if a wave is missing.
double add_arrivals(Table& table, Experiment const& e, Recording const& recording) {
  double largest = 0;
  table.values("P at a distance of", {"published", "simulated", "difference"});
  for (std::size_t s = 0; s < e.model.arrivals.size(); ++s) {
    auto const& [distance, time] = e.model.arrivals[s];
    if (!is_direct_p(distance)) continue;
    double const picked = picked_arrival(e, recording.seismograms[s]), error = (picked - time) / e.wavelet.period;
    largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, std::abs(error));
    table.values(number(distance, 3) + " degrees",
                 {fixed(time, 2) + " s", fixed(picked, 2) + " s", fixed(error, 3) + " dominant periods"});
  }
  table.row("largest difference", fixed(largest, 3) + " dominant periods");
  return largest;
}

/// The same for a homogeneous medium; the largest error in samples, late ones and misfits, infinity if one is NaN.
double add_lags(Table& table, Experiment const& e, Recording const& recording) {
  double largest = 0;
  table.values("seismogram at", {"late by", "largest misfit"});
  for (std::size_t s = 0; s < e.model.arrivals.size(); ++s) {
    double const distance = e.model.arrivals[s].distance;
    auto const analytic   = analytic_seismogram(e, distance);
    double const late     = lag(recording.seismograms[s], analytic);
    double const misfits  = misfit_in_samples(recording.seismograms[s], analytic);
    largest               = std::isnan(late) || std::isnan(misfits) ? std::numeric_limits<double>::infinity()
                                                                    : std::max({largest, std::abs(late), misfits});
    table.values(number(distance, 3) + " degrees",
                 {fixed(late, 2) + " samples", fixed(100 * misfit(recording.seismograms[s], analytic), 1) + " %"});
  }
  table.row("largest difference", fixed(largest, 2) + " samples");
  return largest;
}

/// Throws if two runs differ by more than rounding.
void compare(Recording const& a, Recording const& b) {
  constexpr float rounding = 1e-4F;  // of the wavelet
  float largest            = 0;
  for (std::size_t s = 0; s < a.seismograms.size(); ++s)
    largest = std::max(largest, largest_difference(a.seismograms[s], b.seismograms[s]));
  if (!(largest < rounding)) throw std::runtime_error("plain Kokkos and Koalesce give different seismograms");
}

void add_times(Table& table, Experiment const& e, Recording const& ours, std::optional<Recording> const& plain) {
  double const points = double(e.extents[0]) * double(e.extents[1]) * double(e.extents[2]);
  auto const time     = [](Recording const& r) { return number(1e3 * r.seconds, 4) + " ms"; };
  auto const rate     = [&](Recording const& r) { return number(1e-9 * points / r.seconds, 3); };
  if (!plain) {
    table.row("time a step, Koalesce", time(ours));
    table.row("GStencil/s, Koalesce", rate(ours));
    return;
  }
  table.values("", {"plain Kokkos", "Koalesce", "speed"});
  table.values("time a step", {time(*plain), time(ours), number(plain->seconds / ours.seconds, 3) + " x"});
  table.values("GStencil/s", {rate(*plain), rate(ours)});
  table.row("fastest plain loop", plain->loop);
}

Table make_table(Experiment const& e) {
  auto const& n = e.extents;
  Table table(e.model.name + ", " + std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]) +
              " points of " + number(e.spacing, 3) + " km, " + std::to_string(e.steps) + " steps of " +
              number(e.time_step, 3) + " s on " + Kokkos::DefaultExecutionSpace::name() +
              (process_count() > 1 ? ", " + std::to_string(process_count()) + " processes" : ""));
  table.row("dominant period", number(e.wavelet.period, 3) + " s");
  return table;
}

void write_picture(Table& table, Experiment const& e, Recording const& ours, std::filesystem::path const& file) {
  OutputFile picture(file);
  write_png(wave_picture(e, ours), picture.temporary());
  picture.commit();
  table.row("written", file.string());
}

/// A line per step: the time, and the wave at every station.
void write_seismograms(Table& table, Experiment const& e, Recording const& ours, std::filesystem::path const& file) {
  OutputFile output(file);
  std::ofstream out(output.temporary());
  out << "seconds" << std::setprecision(std::numeric_limits<float>::max_digits10);
  for (auto const& station : e.model.arrivals) out << ',' << station.distance << " degrees";
  for (int step = 0; step < ours.steps; ++step) {
    out << '\n' << e.time(step);
    for (auto const& seismogram : ours.seismograms) out << ',' << seismogram[step];
  }
  out << '\n';
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
  output.commit();
  table.row("written", file.string());
}

/// What a run tells that has come to its end.
void conclude(Options const& options, Experiment const& e, Recording const& ours,
              std::optional<Recording> const& plain) {
  auto table         = make_table(e);
  double const error = options.model == "ak135" ? add_arrivals(table, e, ours) : add_lags(table, e, ours);
  add_times(table, e, ours, plain);
  if (options.compare && !plain) table.row("plain Kokkos", "not run: it takes one process");
  write_picture(table, e, ours, options.picture);
  if (!options.seismograms.empty()) write_seismograms(table, e, ours, options.seismograms);
  print(table);
  if (options.largest_error > 0 && !(error <= options.largest_error))
    throw std::runtime_error("the largest difference is " + number(error, 3) + ", above " +
                             number(options.largest_error, 3) + "; more --points or a larger --largest-error may do");
}

/// What a run tells that --stop-after ended.
void conclude_early(Options const& options, Experiment const& e, Recording const& ours) {
  auto table = make_table(e);
  table.row("stopped after step", std::to_string(ours.steps));
  table.row("to go on", "--restart " + options.checkpoints.file.string());
  print(table);
}

void run(Options const& options) {
  auto const progress = [](char const* what) {
    return is_first_process() ? progress_bar(what) : Progress([](double) {});
  };
  Experiment const experiment(options.model == "ak135" ? ak135() : homogeneous(), options.points);
  auto const ours = simulate(experiment, options.checkpoints, progress("Koalesce"));
  if (ours.steps < experiment.steps) {
    on_first_process([&] { conclude_early(options, experiment, ours); });
    return;
  }
  std::optional<Recording> plain;
  if (options.compare && process_count() == 1) {
    plain = simulate_plain(experiment, progress("plain Kokkos"));
    compare(ours, *plain);
  }
  on_first_process([&] { conclude(options, experiment, ours, plain); });
}

}  // namespace
}  // namespace examples::seismic

int main(int argc, char** argv) {
  using namespace examples;
  auto const work = [&] { return outcome_of<seismic::Options>(argc, argv, seismic::parse_options, seismic::run); };
  return report("seismic_wave", seismic::run_processes(argc, argv, work));
}
