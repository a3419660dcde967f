// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_EXAMPLES_PICTURE_HPP
#define KOALESCE_EXAMPLES_PICTURE_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace examples {

/// A picture of at most 256 colors, rows from top to bottom.
struct Picture {
  using Color = std::array<std::uint8_t, 3>;  ///< red, green, blue

  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<Color> palette;  ///< the pixels' colors; empty: they are shades from black, 0, to white, 255

  Picture(int w, int h, std::uint8_t color) : width(w), height(h), pixels(std::size_t(w) * h, color) {}

  std::uint8_t& at(int x, int y) { return pixels[std::size_t(y) * width + x]; }
  std::uint8_t at(int x, int y) const { return pixels[std::size_t(y) * width + x]; }

  /// Fills a rectangle, or what of it lies inside.
  void fill(int x, int y, int w, int h, std::uint8_t color);
};

/// \brief Letters of 5 x 7 points, each enlarged to a square: some capitals,
/// digits, plus, minus, point and comma.
struct Lettering {
  int scale          = 2;
  std::uint8_t color = 255;

  constexpr int height() const { return 7 * scale; }
  constexpr int width(std::string_view text) const { return int(text.size()) * 6 * scale; }

  /// Writes a text from x to the right, y downward; what lies outside the picture is cut off.
  void draw(Picture& picture, std::string_view text, int x, int y) const;

  /// The same with the middle of the text at x.
  void draw_centered(Picture& picture, std::string_view text, int x, int y) const {
    draw(picture, text, x - width(text) / 2, y);
  }
};

/// \throws std::runtime_error the file cannot be written completely.
void write_png(Picture const& picture, std::filesystem::path const& file);

}  // namespace examples

#endif
