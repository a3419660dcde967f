// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DosePicture.hpp"

#include "Materials.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>

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
constexpr int key_height   = letters.height() + 2 * gap;

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
  /// \param[in] all  the weight of all photons that were sent.
  Scales(Head const& head, std::vector<Weight> const& dose, double all)
      : m_unit(all * head.spacing[0] * head.spacing[1] * head.spacing[2]) {
    auto const [low, top] = std::minmax_element(head.anatomy.begin(), head.anatomy.end());
    m_dark                = *low;
    m_width               = *top - *low;
    auto const largest    = *std::max_element(dose.begin(), dose.end());
    m_top                 = largest == 0 ? 0 : int(std::ceil(std::log10(double(largest) / m_unit)));
  }

  /// The power of ten, in shares of all weight per mm3, at which the colors end.
  int top() const { return m_top; }

  int level(Weight dose) const {
    if (dose == 0) return 0;
    double const decade = std::log10(double(dose) / m_unit) - m_top + decades;
    return decade < 0 ? 0 : std::min(levels, int(decade * levels_each) + 1);
  }
  /// The volume shows nothing of a skull that was added to it.
  int shade(float anatomy, Tissue tissue) const {
    float const light = (anatomy - m_dark) / m_width;
    float const least = tissue == Tissue::bone ? 0.4F : tissue == Tissue::scalp ? 0.25F : 0;
    return int(std::lround((shades - 1) * std::clamp(light, least, 1.F)));
  }

 private:
  double m_unit;  ///< weight that a cell absorbs at a share of 1 per mm3
  int m_top;
  float m_dark, m_width;
};

constexpr std::array<std::string_view, 2> bar_title{"SHARE OF LIGHT", "ABSORBED PER MM3"};
constexpr int bar_space       = letters.width(bar_title[1]);
constexpr int bar_line_height = letters.height() * 3 / 2;

/// The colors from 10^top down, with a title above.
void draw_bar(Picture& picture, int x, int y, int height, int top) {
  for (int line = 0; line < 2; ++line)
    letters.draw(picture, bar_title[line], x, y - letters.height() - 3 * gap / 2 - (1 - line) * bar_line_height);
  for (int row = 0; row < height; ++row) {
    int const level = levels - row * levels / height;
    picture.fill(x, y + row, bar_width, 1, blended(level, shades - 1));
  }
  for (int d = 0; d <= decades; ++d) {
    int const at       = y + height * d / decades;
    int const exponent = top - d;
    picture.fill(x + bar_width, std::min(at, y + height - 1), tick, 1, white);
    letters.draw(picture, exponent == 0 ? "1" : (exponent > 0 ? "1E+" : "1E") + std::to_string(exponent),
                 x + bar_width + tick + gap / 2, at - letters.height() / 2);
  }
}

std::string capitals(std::string text) {
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The tissues' colors and names, and how long so many mm are; returns where it ends.
int draw_key(Picture* picture, int x, int y, Head const& head, double pixel) {
  constexpr int box = letters.height();
  for (int t = 1; t < tissues; ++t) {
    auto const name = capitals(materials[t].name);
    if (picture) picture->fill(x, y, box, box, std::uint8_t(tissue_begin + t));
    x += box + gap / 2;
    if (picture) letters.draw(*picture, name, x, y);
    x += letters.width(name) + 2 * gap;
  }
  // The longest of 1, 2, 5, 10 ... mm that is a quarter of the head at most.
  double longest = 0;
  for (int d = 0; d < 3; ++d) longest = std::max(longest, double(head.size[d]) * head.spacing[d]);
  int length = 1;
  for (int power = 1; power <= 1000; power *= 10)
    for (int const factor : {1, 2, 5})
      if (4 * factor * power <= longest) length = factor * power;
  int const pixels = int(std::lround(length / pixel));
  auto const text  = std::to_string(length) + " MM";
  if (picture) {
    picture->fill(x, y + box / 2 - 1, pixels, 2, white);
    for (int const end : {x, x + pixels - 2}) picture->fill(end, y, 2, box, white);
    letters.draw(*picture, text, x + pixels + gap, y);
  }
  return x + pixels + gap + letters.width(text);
}

}  // namespace

Picture dose_picture(Head const& head, std::vector<Weight> const& dose, std::int64_t photons, int beam) {
  double const pixel = pixel_size(head);
  // Of axial, coronal and sagittal those two that the beam lies in.
  auto const first             = beam == 2 ? Slice(head, 0, 2, pixel) : Slice(head, 0, 1, pixel);
  auto const second            = beam == 0 ? Slice(head, 0, 2, pixel) : Slice(head, 1, 2, pixel);
  std::string const first_name = beam == 2 ? "CORONAL" : "AXIAL", second_name = beam == 0 ? "CORONAL" : "SAGITTAL";
  Scales const scales(head, dose, double(photons) * double(whole));

  struct Panel {
    std::string title;
    Slice const& slice;
    int width() const { return std::max(slice.width(), letters.width(title)); }
  };
  std::array<Panel, 3> const panels{
      {{"TISSUES, " + first_name, first}, {"DOSE, " + first_name, first}, {"DOSE, " + second_name, second}}};
  int const height = std::max({first.height(), second.height(), smallest / 2});
  int width        = gap;
  for (auto const& panel : panels) width += panel.width() + gap;
  Picture picture(std::max(width + bar_space, draw_key(nullptr, gap, 0, head, pixel)) + gap,
                  title_height + height + gap + key_height, black);
  picture.palette = palette();

  auto const tissue = [&](std::int64_t c) { return std::uint8_t(tissue_begin + int(head.tissue[c])); };
  auto const lit    = [&](std::int64_t c) {
    return blended(scales.level(dose[c]), scales.shade(head.anatomy[c], head.tissue[c]));
  };
  int left = gap;
  for (auto const& panel : panels) {
    auto const& slice = panel.slice;
    int const middle = left + panel.width() / 2, top = title_height + (height - slice.height()) / 2;
    letters.draw_centered(picture, panel.title, middle, gap);
    for (int y = 0; y < slice.height(); ++y)
      for (int x = 0; x < slice.width(); ++x) {
        auto const cell                                     = slice.cell(x, y);
        picture.at(middle - slice.width() / 2 + x, top + y) = &panel == &panels[0] ? tissue(cell) : lit(cell);
      }
    left += panel.width() + gap;
  }
  int const bar_top = 2 * (gap + bar_line_height) + gap / 2;
  draw_bar(picture, left, bar_top, title_height + height - bar_top - letters.height() / 2, scales.top());
  draw_key(&picture, gap, title_height + height + gap, head, pixel);
  return picture;
}

}  // namespace examples::transport
