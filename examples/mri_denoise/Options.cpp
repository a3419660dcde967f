// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "../common/CommandLine.hpp"
#include "../common/Volume.hpp"

#include <cmath>
#include <string>

namespace examples::mri {
namespace {

void check(Options& o) {
  require(o.steps >= 1 && o.steps <= 100000, "--steps must be 1 to 100000");
  require(o.step > 0 && o.step <= 1, "--step must be greater than 0 and at most 1, where the scheme is stable");
  require(std::isfinite(o.k) && o.k >= 0, "--k must be a positive number, or 0 to derive it from the noise");
  require(o.add_noise >= 0 && o.add_noise <= 100, "--add-noise must be 0 to 100 (per cent of the range)");
  check_threads(o.threads);

  require(!o.input.empty(), "no volume given; see --help");
  if (o.output.empty()) o.output = stem(o.input) + "_denoised.nii.gz";
  if (o.picture.empty()) o.picture = stem(o.input) + "_denoised.png";
  require(is_nifti_name(o.output, o.compressed), o.output.string() + ": the name must end in .nii or .nii.gz");
  check_picture_name(o.picture);
  check_output(o.output, o.input);
  check_output(o.picture, o.input);
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "Denoises a 3-D MRI volume, and keeps its edges, by Perona-Malik diffusion with a 27-point stencil\n"
      "(Koalesce::parallel_stencil_steps). Writes the denoised volume and a picture of three slices before and after;\n"
      "prints a table of speed, against the same stencil in plain Kokkos, and of noise.\n",
      "mri_denoise");
  std::string input, output, picture;
  bool no_compare  = false;
  auto* const file = app.add_option("volume", input,
                                    "NIfTI-1 (.nii, .nii.gz, .hdr + .img) or Analyze 7.5 file, 3-D; (u)int8, (u)int16, "
                                    "(u)int32, float32 or float64. Voxels that are NaN or infinite count as 0.");
#ifdef KOALESCE_MRI_DATA
  input = KOALESCE_MRI_DATA;
  file->capture_default_str();
#else
  file->required();
#endif
  app.add_option("-o,--output", output,
                 "Denoised volume, .nii or .nii.gz; same geometry, and same datatype unless that is float64 (then "
                 "float32). Default: <volume>_denoised.nii.gz here.");
  app.add_option("-p,--picture", picture,
                 "Picture, .png: axial, coronal and sagittal slice; before, after, and what was removed. "
                 "Default: <volume>_denoised.png here.");
  app.add_option("-n,--steps", o.steps, "Diffusion steps.")->capture_default_str();
  app.add_option("--step", o.step, "Time step, as a fraction of the largest stable one.")->capture_default_str();
  app.add_option("-k,--k", o.k,
                 "Difference between neighbors, in the volume's unit, above which they are kept apart as an edge. "
                 "Default: twice the estimated noise.");
  app.add_option("--add-noise", o.add_noise,
                 "First add Rician noise, its sigma in per cent of the volume's range; the table then has the peak "
                 "signal-to-noise ratio against the volume as it was.");
  app.add_option("--seed", o.seed, "Seed of that noise.")->capture_default_str();
  app.add_flag("--float", o.write_float, "Write float32, whatever the datatype of the volume.");
  app.add_flag("--no-compare", no_compare, "Do not run plain Kokkos for comparison.");
  add_threads_option(app, o.threads);
  app.footer(help_footer);
  if (!parse(app, argc, argv)) return false;
  o.input   = input;
  o.output  = output;
  o.picture = picture;
  o.compare = !no_compare;
  check(o);
  return true;
}

}  // namespace examples::mri
