// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WavePicture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace examples::seismic {
namespace {

// The palette: black, white, the curve, then for every zone, outside to inner core, the levels of the wave.
constexpr std::uint8_t black = 0, white = 1, curve_color = 2, grey = 3, waves_begin = 4;
constexpr int zones = 4, levels = 61, calm = levels / 2;
static_assert(waves_begin + zones * levels <= 256);
constexpr std::array<double, zones> zone_shades{0, 78, 40, 56};
/// Depths in km at which zones begin: the mantle, the outer core, the inner core.
constexpr std::array<double, zones - 1> zone_tops{0, 2891.5, 5153.5};

constexpr int gap = 12, tick = 6;
constexpr int disc = 320;  ///< pixels of the Earth's diameter
constexpr Lettering letters{2, white};
constexpr int line_height  = letters.height() + gap;
constexpr int axis_space   = letters.width("15") + tick + gap;
constexpr int width        = int(snapshot_minutes.size()) * (disc + gap) + gap + axis_space;
constexpr int discs_top    = line_height + gap;
constexpr int section_top  = discs_top + disc + 3 * gap + line_height;
constexpr int section_high = 420;
constexpr int height       = section_top + section_high + tick + 2 * line_height + gap;

using Rgb = std::array<double, 3>;

/// From the zone's shade to red where the wave is positive, to blue where it is negative, and on to light colors.
Picture::Color blend(double shade, int level) {
  constexpr Rgb red{225, 60, 40}, light_red{255, 225, 150}, blue{50, 110, 235}, light_blue{190, 240, 255};
  double const part = double(level - calm) / calm, strength = std::abs(part);
  auto const &middle = part > 0 ? red : blue, &end = part > 0 ? light_red : light_blue;
  Picture::Color color;
  for (int c = 0; c < 3; ++c)
    color[c] = std::uint8_t(std::lround(strength < 0.5 ? std::lerp(shade, middle[c], 2 * strength)
                                                       : std::lerp(middle[c], end[c], 2 * strength - 1)));
  return color;
}

std::vector<Picture::Color> palette() {
  std::vector<Picture::Color> colors{{0, 0, 0}, {255, 255, 255}, {255, 215, 0}, {70, 70, 70}};
  for (double const shade : zone_shades)
    for (int level = 0; level < levels; ++level) colors.push_back(blend(shade, level));
  return colors;
}

int zone(double radius) {
  int z = 0;
  while (z < zones - 1 && earth_radius - radius >= zone_tops[z]) ++z;
  return z;
}

/// The wave between points of the plane, which is symmetric in y; both in points from the Earth's center.
float value(Experiment const& e, Snapshot const& plane, double y, double x) {
  auto const at   = [&](int j, int i) { return plane[std::size_t(j) * std::size_t(e.extents[2]) + std::size_t(i)]; };
  double const ay = std::abs(y), ax = x + e.center_x();
  int const j = int(ay), i = int(ax);
  auto const wy = float(ay - j), wx = float(ax - i);
  return std::lerp(std::lerp(at(j, i), at(j, i + 1), wx), std::lerp(at(j + 1, i), at(j + 1, i + 1), wx), wy);
}

/// The absolute value below which nearly all of the wave is.
float brightest(std::vector<float> values) {
  constexpr double share = 0.985;
  for (float& v : values) v = std::abs(v);
  auto const at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return std::max(*at, 1e-30F);
}

/// Weaker waves are brighter than in proportion.
std::uint8_t wave_color(double radius, float part) {
  constexpr float gamma = 0.85F;
  float const strength  = std::copysign(std::pow(std::min(std::abs(part), 1.F), gamma), part);
  return std::uint8_t(waves_begin + zone(radius) * levels + calm + int(std::lround(float(calm) * strength)));
}

void draw_disc(Picture& picture, Experiment const& e, Snapshot const& plane, int left, int top) {
  double const pixel = 2. * e.radius_points / disc;  // in points
  float const bright = brightest(plane);
  for (int row = 0; row < disc; ++row)
    for (int column = 0; column < disc; ++column) {
      double const x = (disc / 2. - row - 0.5) * pixel, y = (column + 0.5 - disc / 2.) * pixel;
      double const r = std::hypot(x, y) * e.spacing;
      if (r <= earth_radius) picture.at(left + column, top + row) = wave_color(r, value(e, plane, y, x) / bright);
    }
  constexpr int mark = 6;  // the explosion
  picture.fill(left + (disc - mark) / 2, top - mark, mark, mark, curve_color);
}

/// The seismograms' axes: distance to the right, time upward.
struct Section {
  static constexpr int left = gap + axis_space, right = width - gap, bottom = section_top + section_high;

  double first, last;  ///< degrees, with room for the swings at both sides
  double trace_room;   ///< degrees

  explicit Section(Experiment const& e) {
    auto const& stations = e.model.arrivals;
    trace_room           = stations[1].distance - stations[0].distance;
    first                = stations.front().distance - trace_room;
    last                 = stations.back().distance + trace_room;
  }

  double x(double degrees) const { return left + (right - left) * (degrees - first) / (last - first); }
  double swing() const { return 0.7 * (x(trace_room) - x(0)); }

  static double y(double time) { return bottom - section_high * time / (60. * snapshot_minutes.back()); }
  static double time(int row) { return (bottom - row) * 60. * snapshot_minutes.back() / section_high; }
};

void draw_axes(Picture& picture, Section const& section) {
  constexpr int degrees_each = 10, minutes_each = 5;
  for (int minutes = 0; minutes <= snapshot_minutes.back(); minutes += minutes_each) {
    int const y     = int(std::lround(Section::y(60. * minutes)));
    auto const text = std::to_string(minutes);
    picture.fill(Section::left, y, Section::right - Section::left, 1, grey);
    letters.draw(picture, text, Section::left - tick - letters.width(text), y - letters.height() / 2);
  }
  for (int degrees = 0; degrees < section.last; degrees += degrees_each) {
    if (degrees < section.first) continue;
    int const x = int(std::lround(section.x(degrees)));
    picture.fill(x, Section::bottom, 1, tick, white);
    letters.draw_centered(picture, std::to_string(degrees), x, Section::bottom + tick + gap / 2);
  }
}

/// The sample of a seismogram at a time, 0 where it has none.
float sample(Experiment const& e, Seismogram const& s, double time) {
  double const at = (time + e.wavelet.period) / e.time_step;
  auto const low  = std::size_t(at);
  return low + 1 < s.size() ? std::lerp(s[low], s[low + 1], float(at - double(low))) : 0;
}

/// A line upward, filled to where the seismogram is positive.
void draw_trace(Picture& picture, Experiment const& e, Section const& section, std::size_t station,
                Seismogram const& s) {
  float largest = 0;
  for (float const v : s) largest = std::max(largest, std::abs(v));
  int const zero = int(std::lround(section.x(e.model.arrivals[station].distance)));
  int before     = zero;
  for (int row = Section::bottom - 1; row >= section_top; --row) {
    double const part = sample(e, s, Section::time(row)) / std::max(largest, 1e-30F);
    int const x       = zero + int(std::lround(part * section.swing()));
    picture.fill(std::min(x, before), row, std::abs(x - before) + 1, 1, white);
    if (x > zero) picture.fill(zero, row, x - zero, 1, white);
    before = x;
  }
}

void draw_travel_times(Picture& picture, Experiment const& e, Section const& section) {
  auto const& arrivals = e.model.arrivals;
  for (std::size_t a = 0; a + 1 < arrivals.size(); ++a) {
    double const begin = section.x(arrivals[a].distance), end = section.x(arrivals[a + 1].distance);
    for (int x = int(std::lround(begin)); x <= int(std::lround(end)); ++x) {
      double const part = (x - begin) / (end - begin);
      int const y       = int(std::lround(Section::y(std::lerp(arrivals[a].time, arrivals[a + 1].time, part))));
      picture.fill(x, y - 1, 1, 3, curve_color);
    }
  }
}

}  // namespace

Picture wave_picture(Experiment const& e, Recording const& recording) {
  Picture picture(width, height, black);
  picture.palette = palette();
  for (std::size_t i = 0; i < recording.snapshots.size(); ++i) {
    int const left = gap + int(i) * (disc + gap) + axis_space / 2;
    letters.draw_centered(picture, std::to_string(snapshot_minutes[i]) + " MIN", left + disc / 2, gap / 2);
    draw_disc(picture, e, recording.snapshots[i], left, discs_top);
  }
  Section const section(e);
  auto const title_y = section_top - line_height;
  letters.draw(picture, "MIN", gap, title_y);
  letters.draw_centered(picture, "SEISMOGRAMS AT THE SURFACE", width / 2, title_y);
  constexpr std::string_view curve = "TRAVEL TIME OF P";
  Lettering{letters.scale, curve_color}.draw(picture, curve, width - gap - letters.width(curve), title_y);
  draw_axes(picture, section);
  for (std::size_t s = 0; s < recording.seismograms.size(); ++s)
    draw_trace(picture, e, section, s, recording.seismograms[s]);
  draw_travel_times(picture, e, section);
  letters.draw_centered(picture, "DISTANCE, DEGREES", (Section::left + Section::right) / 2,
                        Section::bottom + tick + line_height + gap / 2);
  return picture;
}

}  // namespace examples::seismic
