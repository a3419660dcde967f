// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OrbitPicture.hpp"

#include "Planets.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace examples::minor_planets {
namespace {

constexpr int edge = 500, gap = 14, bar_width = 24, tick = 6;  // pixels
constexpr std::uint8_t black = 0, white = 1, grey = 2, first_color = 3;
constexpr int colors = 64;
constexpr Lettering letters{2, white};
constexpr int top = letters.height() + 2 * gap;

/// From violet to yellow: a few colors of "viridis", lighter (S. van der Walt, N. Smith,
/// https://bids.github.io/colormap).
std::vector<Picture::Color> palette() {
  constexpr std::array<std::array<double, 3>, 5> stops{
      {{110, 60, 160}, {70, 110, 190}, {40, 160, 150}, {110, 205, 90}, {253, 231, 37}}};
  std::vector<Picture::Color> result{{0, 0, 0}, {255, 255, 255}, {90, 90, 90}};
  for (int n = 0; n < colors; ++n) {
    double const at = double(n) / (colors - 1) * (stops.size() - 1);
    auto const low  = std::min(std::size_t(at), stops.size() - 2);
    Picture::Color color;
    for (int c = 0; c < 3; ++c)
      color[c] = std::uint8_t(std::lround(std::lerp(stops[low][c], stops[low + 1][c], at - double(low))));
    result.push_back(color);
  }
  return result;
}

/// Powers of ten around all numbers of steps.
class Scale {
 public:
  explicit Scale(std::vector<int> const& steps) {
    auto const [low, high] = std::minmax_element(steps.begin(), steps.end());
    m_low                  = int(std::floor(std::log10(std::max(*low, 1))));
    m_high                 = std::max(m_low + 1, int(std::ceil(std::log10(std::max(*high, 1)))));
  }
  int low() const { return m_low; }
  int high() const { return m_high; }
  std::uint8_t color(double logarithm) const {
    double const share = (logarithm - m_low) / (m_high - m_low);
    return std::uint8_t(first_color + std::clamp(int(share * colors), 0, colors - 1));
  }

 private:
  int m_low, m_high;
};

/// A square of the ecliptic around the Sun.
class Map {
 public:
  Map(Picture& picture, int left, double reach, std::string const& title)
      : m_picture(picture), m_left(left), m_reach(reach) {
    letters.draw_centered(picture, title, left + edge / 2, gap);
    for (int n = 0; n < edge; ++n)
      for (auto const& [x, y] : {std::pair(n, 0), {n, edge - 1}, {0, n}, {edge - 1, n}})
        picture.at(left + x, top + y) = grey;
  }
  void mark(Vector const& at, std::uint8_t color, int size) const {
    double const x = (at[0] / m_reach + 1) * edge / 2, y = (1 - at[1] / m_reach) * edge / 2;
    if (!(x >= size && x < edge - size && y >= size && y < edge - size)) return;
    m_picture.fill(m_left + int(x) - size / 2, top + int(y) - size / 2, size, size, color);
  }

 private:
  Picture& m_picture;
  int m_left;
  double m_reach;
};

void draw_scale(Picture& picture, int x, Scale const& scale) {
  letters.draw(picture, "STEPS", x, gap);
  for (int row = 0; row < edge; ++row) {
    double const share = 1 - (row + 0.5) / edge;
    picture.fill(x, top + row, bar_width, 1, scale.color(scale.low() + share * (scale.high() - scale.low())));
  }
  for (int power = scale.low(); power <= scale.high(); ++power) {
    int const y = top + (edge - 1) * (scale.high() - power) / (scale.high() - scale.low());
    picture.fill(x + bar_width, y, tick, 1, white);
    letters.draw(picture, "1E" + std::to_string(power), x + bar_width + tick + gap / 2, y - letters.height() / 2);
  }
}

}  // namespace

Picture orbit_picture(std::vector<PositionAndVelocity> const& orbits, std::vector<int> const& steps, double date) {
  Picture picture(4 * gap + 2 * edge + bar_width + tick + letters.width("STEPS1"), top + edge + 2 * gap, black);
  picture.palette = palette();
  Scale const scale(steps);
  auto const year = std::to_string((date - 51544.5) / 365.25 + 2000);
  Map const inner(picture, gap, 6, "YEAR " + year.substr(0, 6) + ", OUT TO 6 AU");
  Map const outer(picture, 2 * gap + edge, 60, "OUT TO 60 AU");
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    auto const color = scale.color(std::log10(std::max(steps[i], 1)));
    for (auto const* map : {&inner, &outer}) map->mark(orbits[i].position, color, 2);
  }
  for (int p = 0; p < planets; ++p) {
    auto const at = on_ellipse(planet_elements(p, date)).position;
    inner.mark(at, white, 7);
    outer.mark(at, white, 7);
  }
  draw_scale(picture, 3 * gap + 2 * edge, scale);
  return picture;
}

}  // namespace examples::minor_planets
