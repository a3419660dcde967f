// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"
#include "../common/OutputFile.hpp"

namespace examples::seismic {

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
  OutputFile::check(o.picture);
  return true;
}

}  // namespace examples::seismic
