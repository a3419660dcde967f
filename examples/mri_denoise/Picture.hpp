// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MRI_DENOISE_PICTURE_HPP
#define MRI_DENOISE_PICTURE_HPP

#include "Volume.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mri {

/// A grey picture, rows from top to bottom.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;

  Picture(int w, int h, std::uint8_t color) : width(w), height(h), pixels(std::size_t(w) * h, color) {}

  std::uint8_t& at(int x, int y) { return pixels[std::size_t(y) * width + x]; }
  std::uint8_t at(int x, int y) const { return pixels[std::size_t(y) * width + x]; }
};

/// \brief Three slices through the middle of the volume: axial, coronal, sagittal, from top to bottom; each before
/// (left) and after (middle), in the same shades, and what was removed (right), enhanced, where grey is nothing.
///
/// The patient's left is on the left, the front is up (axial) or on the right (sagittal, a little off the middle).
Picture before_and_after(Volume const& geometry, std::vector<float> const& before, std::vector<float> const& after);

/// \throws std::runtime_error the file cannot be written completely.
void write_png(Picture const& picture, std::filesystem::path const& file);

}  // namespace mri

#endif
