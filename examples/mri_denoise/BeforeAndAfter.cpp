// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BeforeAndAfter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace examples::mri {
namespace {

constexpr int gap = 8;
constexpr Lettering letters{2, 255};
constexpr int title_height   = letters.height() + 2 * gap;
constexpr std::uint8_t black = 0;
constexpr int smallest_panel = 200;  // pixels; smaller volumes are enlarged
constexpr int largest_panel  = 1000;

/// A plane through the middle of the volume, in terms of the patient's directions (0 right, 1 front, 2 top).
struct Plane {
  int horizontal, vertical;
};
constexpr std::array<Plane, 3> planes{{{0, 1}, {0, 2}, {1, 2}}};

/// One plane's slice, resampled to square pixels.
class Slice {
 public:
  Slice(Volume const& geometry, Plane const& plane, double pixel)
      : m_geometry(geometry), m_h(geometry.patient[plane.horizontal]), m_v(geometry.patient[plane.vertical]) {
    m_width  = pixels(m_h.axis, pixel);
    m_height = pixels(m_v.axis, pixel);
  }

  int width() const { return m_width; }
  int height() const { return m_height; }

  /// Value at a pixel, interpolated between the nearest four voxels.
  float operator()(std::vector<float> const& voxels, int column, int row) const {
    auto const [x0, x1, wx] = between(m_h, column, m_width);
    auto const [y0, y1, wy] = between(m_v, m_height - 1 - row, m_height);
    float const low         = std::lerp(at(voxels, x0, y0), at(voxels, x1, y0), wx);
    float const high        = std::lerp(at(voxels, x0, y1), at(voxels, x1, y1), wx);
    return std::lerp(low, high, wy);
  }

 private:
  struct Between {
    std::int64_t low, high;
    float weight;
  };

  int pixels(int axis, double pixel) const {
    return std::max(1, int(std::lround(double(m_geometry.size[axis]) * m_geometry.spacing[axis] / pixel)));
  }

  Between between(Volume::Direction const& direction, int pixel, int count) const {
    auto const n = m_geometry.size[direction.axis];
    if (direction.flipped) pixel = count - 1 - pixel;
    double const at = std::clamp((pixel + 0.5) * double(n) / count - 0.5, 0., double(n - 1));
    auto const low  = static_cast<std::int64_t>(at);
    return {low, std::min(low + 1, n - 1), static_cast<float>(at - double(low))};
  }

  float at(std::vector<float> const& voxels, std::int64_t h, std::int64_t v) const {
    auto const& n = m_geometry.size;
    std::array<std::int64_t, 3> index{n[0] / 2, n[1] / 2, n[2] / 2};
    auto const right = m_geometry.patient[0].axis;
    index[right]     = n[right] * 2 / 5;  // beside the cleft between the hemispheres
    index[m_h.axis]  = h;
    index[m_v.axis]  = v;
    return voxels[(index[2] * n[1] + index[1]) * n[0] + index[0]];
  }

  Volume const& m_geometry;
  Volume::Direction m_h, m_v;
  int m_width, m_height;
};

/// Edge of a square pixel, in the unit of the spacings.
double pixel_size(Volume const& geometry) {
  double pixel = *std::min_element(geometry.spacing.begin(), geometry.spacing.end());
  double edge  = 0;
  for (int d = 0; d < 3; ++d) edge = std::max(edge, double(geometry.size[d]) * geometry.spacing[d]);
  return std::clamp(pixel, edge / largest_panel, edge / smallest_panel);
}

/// The value below which the given share of the voxels lies, from every seventh of them.
float quantile(std::vector<float> const& voxels, double share) {
  std::vector<float> some;
  for (std::size_t p = 0; p < voxels.size(); p += 7) some.push_back(voxels[p]);
  auto const at = some.begin() + std::ptrdiff_t(share * double(some.size() - 1));
  std::nth_element(some.begin(), at, some.end());
  return *at;
}

std::uint8_t shade(float zero_to_one) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(zero_to_one, 0.F, 1.F)));
}

}  // namespace

Picture before_and_after(Volume const& geometry, std::vector<float> const& before, std::vector<float> const& after) {
  double const pixel = pixel_size(geometry);
  std::array<Slice, 3> const slices{Slice(geometry, planes[0], pixel), Slice(geometry, planes[1], pixel),
                                    Slice(geometry, planes[2], pixel)};
  int widest = 0, height = title_height;
  for (auto const& slice : slices) {
    widest = std::max(widest, slice.width());
    height += slice.height() + gap;
  }
  Picture picture(3 * widest + 4 * gap, height, black);
  auto const left_of = [&](int column) { return gap + column * (widest + gap); };
  for (int column = 0; column < 3; ++column)
    letters.draw_centered(picture, std::array{"BEFORE", "AFTER", "REMOVED"}[column], left_of(column) + widest / 2, gap);

  // The third column: black to white is what nearly all pixels of the three slices have.
  std::vector<float> removed;
  for (auto const& slice : slices)
    for (int y = 0; y < slice.height(); ++y)
      for (int x = 0; x < slice.width(); ++x) removed.push_back(std::abs(slice(before, x, y) - slice(after, x, y)));

  float const dark  = quantile(before, 0.01);
  float const width = std::max(quantile(before, 0.998) - dark, 1e-30F);
  float const swing = std::max(quantile(removed, 0.98), 0.02F * width);
  int top           = title_height;
  for (auto const& slice : slices) {
    int const indent = (widest - slice.width()) / 2;
    for (int y = 0; y < slice.height(); ++y)
      for (int x = 0; x < slice.width(); ++x) {
        float const b = slice(before, x, y), a = slice(after, x, y);
        picture.at(left_of(0) + indent + x, top + y) = shade((b - dark) / width);
        picture.at(left_of(1) + indent + x, top + y) = shade((a - dark) / width);
        picture.at(left_of(2) + indent + x, top + y) = shade(0.5F + (b - a) / (2 * swing));
      }
    top += slice.height() + gap;
  }
  return picture;
}

}  // namespace examples::mri
