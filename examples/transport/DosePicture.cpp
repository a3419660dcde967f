// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DosePicture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace examples::transport {
namespace {

// The palette: black, white, the tissues, then for every level of the dose, 0 for none, shades of the anatomy.
constexpr std::uint8_t black = 0, white = 1, tissue_begin = 2, blend_begin = tissue_begin + tissues;
constexpr int levels = 24, shades = 9;
static_assert(blend_begin + (levels + 1) * shades <= 256);

constexpr int decades     = 6;
constexpr int levels_each = levels / decades;
constexpr int gap         = 12;
constexpr int bar_width   = 24;
constexpr int tick        = 6;
constexpr int smallest    = 300;  // pixels of a slice's longest edge; smaller ones are enlarged
constexpr Lettering letters{2, white};
constexpr int title_height = letters.height() + 2 * gap;

using Rgb = std::array<double, 3>;

/// From dark violet to light yellow, ever lighter, and told apart by color-blind people too: a few colors of
/// "inferno" (S. van der Walt, N. Smith, https://bids.github.io/colormap).
Rgb dose_color(double zero_to_one) {
  constexpr std::array<Rgb, 8> stops{{{60, 9, 101},
                                      {106, 23, 110},
                                      {147, 38, 103},
                                      {188, 55, 84},
                                      {221, 81, 58},
                                      {243, 120, 25},
                                      {252, 165, 10},
                                      {252, 255, 164}}};
  double const at = zero_to_one * (stops.size() - 1);
  auto const low  = std::min(std::size_t(at), stops.size() - 2);
  Rgb color;
  for (int c = 0; c < 3; ++c) color[c] = std::lerp(stops[low][c], stops[low + 1][c], at - double(low));
  return color;
}

/// Anatomy shines through as brightness.
Picture::Color blend(int level, int shade) {
  double const light = double(shade) / (shades - 1);
  Picture::Color color;
  if (level == 0) {
    color.fill(std::uint8_t(std::lround(200 * light)));
    return color;
  }
  auto const rgb = dose_color(double(level - 1) / (levels - 1));
  for (int c = 0; c < 3; ++c) color[c] = std::uint8_t(std::lround(rgb[c] * (0.7 + 0.3 * light)));
  return color;
}

std::vector<Picture::Color> palette() {
  std::vector<Picture::Color> colors{{0, 0, 0}, {255, 255, 255}};
  std::array<Picture::Color, tissues> const tissue{
      {{0, 0, 0}, {60, 100, 160}, {130, 130, 130}, {205, 205, 205}, {225, 205, 150}, {170, 105, 85}}};
  colors.insert(colors.end(), tissue.begin(), tissue.end());
  for (int level = 0; level <= levels; ++level)
    for (int shade = 0; shade < shades; ++shade) colors.push_back(blend(level, shade));
  return colors;
}

std::uint8_t blended(int level, int shade) { return std::uint8_t(blend_begin + level * shades + shade); }

/// The slice through the head's center along two of the patient's axes, in square pixels.
class Slice {
 public:
  Slice(Head const& head, int horizontal, int vertical, double pixel)
      : m_head(head), m_h(head.patient[horizontal]), m_v(head.patient[vertical]) {
    m_width  = pixels(m_h.axis, pixel);
    m_height = pixels(m_v.axis, pixel);
  }

  int width() const { return m_width; }
  int height() const { return m_height; }

  std::int64_t cell(int column, int row) const {
    std::array<std::int64_t, 3> at;
    for (int d = 0; d < 3; ++d)
      at[d] = std::clamp(std::int64_t(m_head.center[d] / m_head.spacing[d]), std::int64_t(0), m_head.size[d] - 1);
    at[m_h.axis] = along(m_h, column, m_width);
    at[m_v.axis] = along(m_v, m_height - 1 - row, m_height);
    return m_head.cell(at);
  }

 private:
  int pixels(int axis, double pixel) const {
    return std::max(1, int(std::lround(double(m_head.size[axis]) * m_head.spacing[axis] / pixel)));
  }
  std::int64_t along(Volume::Direction const& direction, int pixel, int count) const {
    if (direction.flipped) pixel = count - 1 - pixel;
    return std::int64_t(pixel) * m_head.size[direction.axis] / count;
  }

  Head const& m_head;
  Volume::Direction m_h, m_v;
  int m_width, m_height;
};

/// Edge of a pixel in mm: a cell's smallest edge over a whole number.
double pixel_size(Head const& head) {
  double longest = 0;
  for (int d = 0; d < 3; ++d) longest = std::max(longest, double(head.size[d]) * head.spacing[d]);
  double const cell = std::max(*std::min_element(head.spacing.begin(), head.spacing.end()), longest / 1000);
  return cell / std::max(1., std::ceil(smallest * cell / longest));
}

class Scales {
 public:
  Scales(Head const& head, std::vector<Weight> const& dose)
      : m_largest(double(*std::max_element(dose.begin(), dose.end()))) {
    auto const [low, top] = std::minmax_element(head.anatomy.begin(), head.anatomy.end());
    m_dark                = *low;
    m_width               = *top - *low;
  }

  int level(Weight dose) const {
    if (dose == 0) return 0;
    double const decade = std::log10(double(dose) / m_largest) + decades;
    return decade < 0 ? 0 : std::min(levels, int(decade * levels_each) + 1);
  }
  /// The volume shows nothing of a skull that was added to it.
  int shade(float anatomy, Tissue tissue) const {
    float const light = (anatomy - m_dark) / m_width;
    float const least = tissue == Tissue::bone ? 0.4F : tissue == Tissue::scalp ? 0.25F : 0;
    return int(std::lround((shades - 1) * std::clamp(light, least, 1.F)));
  }

 private:
  double m_largest;
  float m_dark, m_width;
};

void draw_bar(Picture& picture, int x, int y, int height) {
  for (int row = 0; row < height; ++row) {
    int const level = levels - row * levels / height;
    picture.fill(x, y + row, bar_width, 1, blended(level, shades - 1));
  }
  for (int d = 0; d <= decades; ++d) {
    int const at = y + height * d / decades;
    picture.fill(x + bar_width, std::min(at, y + height - 1), tick, 1, white);
    letters.draw(picture, d == 0 ? "1" : "1E-" + std::to_string(d), x + bar_width + tick + gap / 2,
                 at - letters.height() / 2);
  }
}

}  // namespace

Picture dose_picture(Head const& head, std::vector<Weight> const& dose, int beam) {
  double const pixel = pixel_size(head);
  // Of axial, coronal and sagittal those two that the beam lies in.
  auto const first  = beam == 2 ? Slice(head, 0, 2, pixel) : Slice(head, 0, 1, pixel);
  auto const second = beam == 0 ? Slice(head, 0, 2, pixel) : Slice(head, 1, 2, pixel);
  Scales const scales(head, dose);

  int const height    = std::max(first.height(), second.height());
  int const bar_space = bar_width + tick + gap / 2 + letters.width("1E-6");
  Picture picture(2 * first.width() + second.width() + bar_space + 5 * gap, title_height + height + gap, black);
  picture.palette = palette();

  int left         = gap;
  auto const panel = [&](std::string const& title, Slice const& slice, auto const& color) {
    letters.draw_centered(picture, title, left + slice.width() / 2, gap);
    int const top = title_height + (height - slice.height()) / 2;
    for (int y = 0; y < slice.height(); ++y)
      for (int x = 0; x < slice.width(); ++x) picture.at(left + x, top + y) = color(slice.cell(x, y));
    left += slice.width() + gap;
  };
  auto const tissue = [&](std::int64_t c) { return std::uint8_t(tissue_begin + int(head.tissue[c])); };
  auto const lit    = [&](std::int64_t c) {
    return blended(scales.level(dose[c]), scales.shade(head.anatomy[c], head.tissue[c]));
  };
  panel("TISSUES", first, tissue);
  panel("DOSE", first, lit);
  panel("DOSE", second, lit);
  draw_bar(picture, left, title_height + height / 8, height * 3 / 4);
  return picture;
}

}  // namespace examples::transport
