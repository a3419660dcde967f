// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CorrelationPicture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace examples::columns {
namespace {

// The palette: a few colors of the frame, then the scale from -1 to +1.
constexpr std::uint8_t black = 0, white = 1, grey = 2, scale_begin = 3;
constexpr int scale_size = 251;  // odd: 0 has a color of its own

constexpr int gap          = 12;
constexpr int smallest     = 600;   // edge of the matrix in pixels; few columns are enlarged
constexpr int largest      = 1200;  // and very many share pixels
constexpr int bar_width    = 24;
constexpr int tick         = 6;
constexpr int grid_at_size = 24;  // squares so large get lines between them
constexpr Lettering letters{2, black};

/// Colors that both lighten towards the middle, and are told apart by color-blind people too: C. Brewer's red and blue,
/// https://colorbrewer2.org.
std::vector<Picture::Color> palette() {
  constexpr std::array<std::array<double, 3>, 11> stops{{{5, 48, 97},
                                                         {33, 102, 172},
                                                         {67, 147, 195},
                                                         {146, 197, 222},
                                                         {209, 229, 240},
                                                         {255, 255, 255},
                                                         {253, 219, 199},
                                                         {244, 165, 130},
                                                         {214, 96, 77},
                                                         {178, 24, 43},
                                                         {103, 0, 31}}};
  std::vector<Picture::Color> colors{{0, 0, 0}, {255, 255, 255}, {150, 150, 150}};
  for (int c = 0; c < scale_size; ++c) {
    double const at = double(c) / (scale_size - 1) * (stops.size() - 1);
    auto const low  = std::min(std::size_t(at), stops.size() - 2);
    Picture::Color color;
    for (int part = 0; part < 3; ++part)
      color[part] = std::uint8_t(std::lround(std::lerp(stops[low][part], stops[low + 1][part], at - double(low))));
    colors.push_back(color);
  }
  return colors;
}

std::uint8_t color_of(double correlation) {
  if (std::isnan(correlation)) return grey;
  return std::uint8_t(scale_begin + std::lround((correlation + 1) / 2 * (scale_size - 1)));
}

/// Where columns lie along an edge of the matrix.
class Scale {
 public:
  explicit Scale(int columns)
      : m_columns(columns),
        m_size(columns > largest ? largest : columns * std::max(1, (smallest + columns - 1) / columns)) {}

  int size() const { return m_size; }
  int square() const { return m_size / m_columns; }
  /// The first column that a pixel shows.
  std::size_t column(int pixel) const { return std::size_t(std::int64_t(pixel) * m_columns / m_size); }
  int middle(int column) const { return int((2 * std::int64_t(column) + 1) * m_size / (2 * m_columns)); }

 private:
  int m_columns, m_size;
};

/// The mean of the correlations that share a pixel, as far as there are any.
double at_pixel(Correlation const& correlation, Scale const& scale, int x, int y) {
  auto const last = [&](int pixel) { return std::max(scale.column(pixel + 1), scale.column(pixel) + 1); };
  double sum      = 0;
  int count       = 0;
  for (auto i = scale.column(y); i < last(y); ++i)
    for (auto j = scale.column(x); j < last(x); ++j)
      if (double const r = correlation.at(i, j); !std::isnan(r)) {
        sum += r;
        ++count;
      }
  return count > 0 ? sum / count : std::nan("");
}

/// Columns whose numbers are written: every 1, 2, 5, 10, ...-th, so that they do not touch.
std::vector<int> labelled(int columns, Scale const& scale) {
  int step       = 1;
  int const room = letters.width(std::to_string(columns)) + gap;
  for (int i = 0; scale.middle(step) - scale.middle(0) < room && step < columns; ++i)
    step = step * (i % 3 == 1 ? 5 : 4) / 2;
  std::vector<int> result;
  for (int c = step - 1; c < columns; c += step) result.push_back(c);
  if (step > 1 && scale.middle(step - 1) - scale.middle(0) >= room) result.insert(result.begin(), 0);
  return result;
}

}  // namespace

Picture correlation_picture(Correlation const& correlation) {
  int const columns = int(correlation.columns());
  Scale const scale(columns);
  int const size   = scale.size();
  int const margin = letters.width(std::to_string(columns)) + tick + gap;
  int const left = margin + gap, top = letters.height() + tick + 2 * gap + letters.height();
  int const bar   = left + size + 2 * gap;
  int const width = bar + std::max(bar_width + tick + letters.width("+0.5") + gap, letters.width("CONSTANT") + gap);
  Picture picture(width, top + size + 2 * gap, white);
  picture.palette = palette();

  letters.draw_centered(picture, "CORRELATION OF COLUMNS", left + size / 2, gap / 2);
  picture.fill(left - 2, top - 2, size + 4, size + 4, black);
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) picture.at(left + x, top + y) = color_of(at_pixel(correlation, scale, x, y));
  if (scale.square() >= grid_at_size)
    for (int c = 1; c < columns; ++c) {
      picture.fill(left + c * scale.square(), top, 1, size, grey);
      picture.fill(left, top + c * scale.square(), size, 1, grey);
    }

  for (int const c : labelled(columns, scale)) {
    auto const text = std::to_string(c + 1);
    int const at    = scale.middle(c);
    picture.fill(left + at - 1, top - 2 - tick, 2, tick, black);
    letters.draw_centered(picture, text, left + at, top - 2 - tick - gap / 2 - letters.height());
    picture.fill(left - 2 - tick, top + at - 1, tick, 2, black);
    letters.draw(picture, text, left - 2 - tick - gap / 2 - letters.width(text), top + at - letters.height() / 2);
  }

  bool const any_constant = std::any_of(correlation.deviation.begin(), correlation.deviation.end(),
                                        [](double deviation) { return deviation == 0; });
  int const legend        = any_constant ? bar_width + letters.height() + 2 * gap : 0;
  int const bar_height    = size - legend;
  picture.fill(bar - 2, top - 2, bar_width + 4, bar_height + 4, black);
  for (int y = 0; y < bar_height; ++y)
    picture.fill(bar, top + y, bar_width, 1, color_of(1 - 2 * double(y) / (bar_height - 1)));
  for (auto const& [value, text] : {std::pair(1., "+1"), {0.5, "+0.5"}, {0., "0"}, {-0.5, "-0.5"}, {-1., "-1"}}) {
    int const y = top + int(std::lround((1 - value) / 2 * (bar_height - 1)));
    picture.fill(bar + bar_width + 2, y - 1, tick, 2, black);
    letters.draw(picture, text, bar + bar_width + tick + gap / 2,
                 std::clamp(y - letters.height() / 2, top - 2, top + bar_height + 2 - letters.height()));
  }
  if (any_constant) {
    int const y = top + size - bar_width - letters.height() - gap / 2;
    picture.fill(bar - 2, y - 2, bar_width + 4, bar_width + 4, black);
    picture.fill(bar, y, bar_width, bar_width, grey);
    letters.draw(picture, "CONSTANT", bar, y + bar_width + gap / 2);
  }
  return picture;
}

}  // namespace examples::columns
