// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Denoises an MRI volume with Koalesce::parallel_stencil_steps. The stencil is in Diffusion.hpp; see --help.

#include "../common/OutputFile.hpp"
#include "../common/Program.hpp"
#include "../common/ProgressBar.hpp"
#include "BeforeAndAfter.hpp"
#include "Denoise.hpp"
#include "Noise.hpp"
#include "Options.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples::mri {
namespace {

/// Infinity if a value is NaN.
float largest_difference(std::vector<float> const& a, std::vector<float> const& b) {
  float largest = 0;
  for (std::size_t p = 0; p < a.size(); ++p) {
    float const difference = std::abs(a[p] - b[p]);
    largest = std::isnan(difference) ? std::numeric_limits<float>::infinity() : std::max(largest, difference);
  }
  return largest;
}

void run(Options const& options) {
  auto volume = read_nifti(options.input);
  auto values = range(volume.voxels);
  if (!(values.width() > 0)) throw std::runtime_error(options.input.string() + ": all voxels have the same value");

  auto const mask = object_mask(volume.voxels);
  std::vector<float> truth;
  if (options.add_noise > 0) {
    truth = volume.voxels;
    add_rician_noise(volume.voxels, options.add_noise / 100 * values.width(), options.seed);
  }
  double const sigma = noise_sigma(volume, volume.voxels, mask);

  DiffusionSettings settings{options.steps, options.k, options.step};
  if (settings.k == 0) settings.k = 2 * sigma;
  // Without noise in sight (a synthetic image), a small part of the range.
  if (settings.k == 0) settings.k = values.width() / 100;

  auto const ours = diffuse(volume, settings, progress_bar("Koalesce"));
  DiffusionResult plain;
  if (options.compare) plain = diffuse_plain(volume, settings, progress_bar("plain Kokkos"));

  auto const& n       = volume.size;
  double const points = double(n[0]) * double(n[1]) * double(n[2]);
  Table table(options.input.filename().string() + ", " + std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " +
              std::to_string(n[2]) + " " + volume.datatype + ", " + std::to_string(settings.steps) + " steps on " +
              Kokkos::DefaultExecutionSpace::name());
  table.row("edge threshold K", number(settings.k, 4));
  if (volume.not_finite > 0) table.row("voxels not finite, taken as 0", std::to_string(volume.not_finite));
  if (options.add_noise > 0)
    table.row("Rician noise added, sigma", number(options.add_noise / 100 * values.width(), 4));
  table.row("time a step, Koalesce", number(1e3 * ours.seconds, 4) + " ms");
  table.row("GStencil/s, Koalesce", number(1e-9 * points / ours.seconds, 3));
  if (options.compare) {
    table.row("time a step, MDRangePolicy, default tiling", number(1e3 * plain.default_seconds, 4) + " ms");
    table.row("time a step, fastest plain loop", number(1e3 * plain.seconds, 4) + " ms (" + plain.loop + ")");
    table.row("GStencil/s, fastest plain loop", number(1e-9 * points / plain.seconds, 3));
    table.row("speed against the fastest plain loop", number(plain.seconds / ours.seconds, 3) + " x");
    table.row("largest difference between the two results",
              number(largest_difference(ours.voxels, plain.voxels), 2) + " of a range of " + number(values.width(), 4));
  }
  table.row("noise (sigma), before -> after",
            number(sigma, 3) + " -> " + number(noise_sigma(volume, ours.voxels, mask), 3));
  if (options.add_noise > 0)
    table.row("PSNR in the object, before -> after",
              number(psnr(volume.voxels, truth, mask, values.width()), 4) + " -> " +
                  number(psnr(ours.voxels, truth, mask, values.width()), 4) + " dB");

  OutputFile output(options.output), picture(options.picture);
  write_png(before_and_after(volume, volume.voxels, ours.voxels), picture.temporary());
  volume.voxels = ours.voxels;
  write_nifti(
      volume, output.temporary(), options.compressed, options.write_float,
      "Koalesce mri_denoise: Perona-Malik, " + std::to_string(settings.steps) + " steps, K = " + number(settings.k, 4));
  output.commit();
  picture.commit();
  table.row("written", options.output.string());
  table.row("", options.picture.string());
  print(table);
}

}  // namespace
}  // namespace examples::mri

int main(int argc, char** argv) {
  using namespace examples;
  return run_program<mri::Options>("mri_denoise", argc, argv, mri::parse_options, mri::run);
}
