// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"
#include "../common/InputFile.hpp"
#include "../common/OutputFile.hpp"
#include "Processes.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace examples::seismic {
namespace {

constexpr char const* without_mpi =
    "--checkpoint and --restart: this program was built without MPI and an HDF5 for MPI; install both (Debian: "
    "libopenmpi-dev openmpi-bin libhdf5-openmpi-dev) and build it with -DKoalesce_ENABLE_MPI=ON";

void add_checkpoint_options(CLI::App& app, Options& o) {
  app.add_option("--seismograms", o.seismograms, "Seismograms as a table, .csv: a line per step.");
  app.add_option("--checkpoint", o.checkpoints.file,
                 std::string("Write FILE (HDF5) and FILE.record between steps, for --restart") +
                     (built_with_mpi ? "." : "; not here: built without MPI."))
      ->type_name("FILE");
  app.add_option("--checkpoint-every", o.checkpoints.every, "Steps from one to the next.")->capture_default_str();
  app.add_option("--stop-after", o.checkpoints.stop_after,
                 "Write a checkpoint after so many steps of the run, and end; 0: go on to the end.")
      ->capture_default_str();
  app.add_option("--restart", o.checkpoints.restart,
                 "Go on from the checkpoint FILE, with any number of processes and the same --model and --points.")
      ->type_name("FILE");
}

void check_checkpoints(Checkpoints const& c) {
  require(built_with_mpi || (c.file.empty() && c.restart.empty()), without_mpi);
  require(c.every >= 1, "--checkpoint-every must be 1 or more");
  require(c.stop_after >= 0, "--stop-after must be 0 or more");
  require(c.stop_after == 0 || !c.file.empty(), "--stop-after needs --checkpoint");
  if (!c.restart.empty()) check_input(c.restart);
}

/// Only a checkpoint may take the place of the one that the run goes on from.
void check_outputs(Options const& o) {
  auto const &file = o.checkpoints.file, &restart = o.checkpoints.restart;
  std::vector<std::filesystem::path> outputs{o.picture};
  if (!o.seismograms.empty()) outputs.push_back(o.seismograms);
  if (!file.empty()) outputs.insert(outputs.end(), {file, record_file(file)});
  check_distinct(outputs);
  for (auto const& output : outputs) {
    OutputFile::check(output);
    if (restart.empty()) continue;
    if (output != file) check_output(output, restart);
    if (file.empty() || output != record_file(file)) check_output(output, record_file(restart));
  }
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "The acoustic wave of an explosion at the surface of the Earth, in the model ak135: the wave equation with an\n"
      "8th-order stencil of 25 points (Koalesce::parallel_stencil_steps). Writes a picture of the wave field and of "
      "the\n"
      "seismograms; prints a table of arrivals against the model's published travel times of P, and of the speed\n"
      "against plain Kokkos.\n",
      "seismic_wave");
  std::string picture = "seismic_wave.png";
  bool no_compare     = false;
  app.add_option("-n,--points", o.points,
                 "Points along the Earth's radius. The dominant period is that of 12 points per wavelength.")
      ->capture_default_str();
  app.add_option("--model", o.model, "ak135, or homogeneous, which is compared with the analytic seismograms.")
      ->capture_default_str();
  app.add_option("-p,--picture", picture, "Picture, .png: the wave after 5, 10 and 15 minutes, and the seismograms.")
      ->capture_default_str();
  app.add_option("--largest-error", o.largest_error,
                 "Fail if a P between 30 and 90 degrees is off by more than so many dominant periods (ak135) or a "
                 "seismogram by more than so many samples (homogeneous); 0: never.")
      ->capture_default_str();
  app.add_flag("--no-compare", no_compare, "Do not run plain Kokkos for comparison.");
  add_checkpoint_options(app, o);
  add_threads_option(app, o.threads);
  app.footer(help_footer);
  if (!parse(app, argc, argv)) return false;
  o.picture = picture;
  o.compare = !no_compare;
  require(o.points >= 4 && o.points <= 1024, "--points must be 4 to 1024");
  require(o.model == "ak135" || o.model == "homogeneous", "--model must be ak135 or homogeneous");
  require(o.largest_error >= 0, "--largest-error must be 0 or more");
  check_threads(o.threads);
  check_picture_name(o.picture);
  check_checkpoints(o.checkpoints);
  check_outputs(o);
  return true;
}

}  // namespace examples::seismic
