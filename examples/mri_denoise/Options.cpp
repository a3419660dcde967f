// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.hpp"

#include "OutputFile.hpp"
#include "Volume.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>
#include <string>

namespace mri {
namespace {

/// The name without .nii or .nii.gz, or whatever extension it has.
std::string stem(std::filesystem::path const& file) {
  auto name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

void require(bool condition, std::string const& message) {
  if (!condition) throw UsageError(message);
}

bool same_file(std::filesystem::path const& a, std::filesystem::path const& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) ||
         std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

void check(Options& o) {
  require(o.steps >= 1 && o.steps <= 100000, "--steps must be 1 to 100000");
  require(o.step > 0 && o.step <= 1, "--step must be greater than 0 and at most 1, where the scheme is stable");
  require(std::isfinite(o.k) && o.k >= 0, "--k must be a positive number, or 0 to derive it from the noise");
  require(o.add_noise >= 0 && o.add_noise <= 100, "--add-noise must be 0 to 100 (per cent of the range)");
  require(o.threads >= 0 && o.threads <= 4096, "--threads must be 0 to 4096");

  require(!o.input.empty(), "no volume given; see --help");
  if (o.output.empty()) o.output = stem(o.input) + "_denoised.nii.gz";
  if (o.picture.empty()) o.picture = stem(o.input) + "_denoised.png";
  require(is_nifti_name(o.output, o.compressed), o.output.string() + ": the name must end in .nii or .nii.gz");
  require(o.picture.extension() == ".png", o.picture.string() + ": the name must end in .png");
  for (auto const& file : {o.output, o.picture}) {
    require(!same_file(file, o.input), file.string() + ": the output would overwrite the input");
    OutputFile::check(file);
  }
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app(
      "Denoises a 3-D MRI volume, and keeps its edges, by Perona-Malik diffusion with a 27-point stencil\n"
      "(Koalesce::parallel_stencil). Writes the denoised volume and a picture of three slices before and after;\n"
      "prints a table of speed, against the same stencil in Kokkos::MDRangePolicy, and of noise.\n",
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
                 "Difference between neighbours, in the volume's unit, above which they are kept apart as an edge. "
                 "Default: twice the estimated noise.");
  app.add_option("--add-noise", o.add_noise,
                 "First add Rician noise, its sigma in per cent of the volume's range; the table then has the peak "
                 "signal-to-noise ratio against the volume as it was.");
  app.add_option("--seed", o.seed, "Seed of that noise.")->capture_default_str();
  app.add_flag("--float", o.write_float, "Write float32, whatever the datatype of the volume.");
  app.add_flag("--no-compare", no_compare, "Do not run MDRangePolicy for comparison.");
  app.add_option("--threads", o.threads, "CPU threads; 0 leaves that to Kokkos and its environment variables.")
      ->capture_default_str();
  app.footer(
      "Existing output files are replaced, and only when the new ones are complete.\n"
      "Exit status: 0, or 1 with one line on stderr, or 2 for a wrong command line.");
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const& help) {
    app.exit(help);
    return false;
  } catch (CLI::ParseError const& error) {
    throw UsageError(std::string(error.what()) + "; see --help");
  }
  o.input   = input;
  o.output  = output;
  o.picture = picture;
  o.compare = !no_compare;
  check(o);
  return true;
}

}  // namespace mri
