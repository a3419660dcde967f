// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Head.hpp"

#include "Distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace examples::transport {
namespace {

constexpr std::int64_t largest_edge = 256;  // cells
constexpr double opening            = 4;    // mm: half the width of what does not count as a way out
constexpr double outer_csf = 2, outer_bone = 8, outer_scalp = 13;  // mm from the brain
constexpr double csf_share = 0.08, csf_and_grey_share = 0.54;

/// The grid with means of the voxels, and empty cells around them.
Head average(Volume const& volume, double margin) {
  Head head;
  head.patient              = volume.patient;
  std::int64_t const edge   = *std::max_element(volume.size.begin(), volume.size.end());
  std::int64_t const factor = (edge + largest_edge - 1) / largest_edge;
  std::array<std::int64_t, 3> pad{};
  for (int d = 0; d < 3; ++d) {
    head.spacing[d] = volume.spacing[d] * double(factor);
    pad[d]          = std::int64_t(std::ceil(margin / head.spacing[d])) + 1;
    head.size[d]    = (volume.size[d] + factor - 1) / factor + 2 * pad[d];
  }
  head.anatomy.resize(head.cells());
  std::vector<int> count(head.cells());
  auto const& n = volume.size;
  for (std::int64_t z = 0, voxel = 0; z < n[2]; ++z)
    for (std::int64_t y = 0; y < n[1]; ++y)
      for (std::int64_t x = 0; x < n[0]; ++x, ++voxel) {
        auto const cell = head.cell({x / factor + pad[0], y / factor + pad[1], z / factor + pad[2]});
        head.anatomy[cell] += volume.voxels[voxel];
        ++count[cell];
      }
  float const background = *std::min_element(volume.voxels.begin(), volume.voxels.end());
  for (std::int64_t c = 0; c < head.cells(); ++c)
    head.anatomy[c] = count[c] > 0 ? head.anatomy[c] / float(count[c]) : background;
  return head;
}

/// The value that divides all into two classes of the least variance (N. Otsu, IEEE Trans. SMC 9 (1979) 62-66).
double otsu_threshold(std::vector<float> const& values) {
  constexpr int bins    = 256;
  auto const [low, top] = std::minmax_element(values.begin(), values.end());
  double const width    = (double(*top) - double(*low)) / bins;
  std::array<double, bins> histogram{};
  for (float const v : values) ++histogram[std::min(bins - 1, int((double(v) - double(*low)) / width))];
  double all = 0, sum = 0;
  for (int b = 0; b < bins; ++b) {
    all += histogram[b];
    sum += b * histogram[b];
  }
  double below = 0, sum_below = 0, best = -1;
  int first = 0, last = 0;
  for (int b = 0; b + 1 < bins; ++b) {
    below += histogram[b];
    sum_below += b * histogram[b];
    if (below == 0 || below == all) continue;
    double const apart   = sum_below / below - (sum - sum_below) / (all - below);
    double const between = below * (all - below) * apart * apart;
    if (between > best) {
      best  = between;
      first = b;
    }
    if (between == best) last = b;
  }
  // Between two peaks with nothing in between every value is as good: the middle.
  return double(*low) + (0.5 * (first + last) + 1) * width;
}

float quantile(std::vector<float> values, double share) {
  auto const at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Object and what it encloses: grown until openings close, filled, and shrunk again.
Cells closed(Head const& head, Cells const& object) {
  auto const grown = within(distance(head, object), opening);
  auto outside     = reachable_from_border(head, grown);
  auto const apart = distance(head, outside);
  Cells result(object.size());
  for (std::size_t c = 0; c < result.size(); ++c) result[c] = object[c] || apart[c] > opening;
  return result;
}

Tissue shell(float mm) {
  if (mm <= outer_csf) return Tissue::csf;
  if (mm <= outer_bone) return Tissue::bone;
  return mm <= outer_scalp ? Tissue::scalp : Tissue::air;
}

/// The middle of the cells' extent.
std::array<double, 3> middle(Head const& head, Cells const& cells) {
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(0);
  for (std::int64_t z = 0, c = 0; z < head.size[2]; ++z)
    for (std::int64_t y = 0; y < head.size[1]; ++y)
      for (std::int64_t x = 0; x < head.size[0]; ++x, ++c)
        if (std::array const index{x, y, z}; cells[c])
          for (int d = 0; d < 3; ++d) {
            double const at = (double(index[d]) + 0.5) * head.spacing[d];
            low[d]          = std::min(low[d], at);
            high[d]         = std::max(high[d], at);
          }
  return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
}

void check_size(Volume const& volume, std::string const& name) {
  auto const [low, top] = std::minmax_element(volume.voxels.begin(), volume.voxels.end());
  if (!(*low < *top)) throw std::runtime_error(name + ": all voxels have the same value");
  for (int d = 0; d < 3; ++d) {
    double const length = double(volume.size[d]) * volume.spacing[d];
    if (!(volume.spacing[d] >= 0.01 && length <= 2000))
      throw std::runtime_error(name + ": edges of 2 m at most and voxels of 0.01 mm or more are expected, not " +
                               std::to_string(volume.size[d]) + " voxels of " + std::to_string(volume.spacing[d]) +
                               " mm");
  }
}

}  // namespace

Head segment(Volume const& volume, bool add_skull, std::string const& name) {
  check_size(volume, name);
  auto head              = average(volume, add_skull ? outer_scalp : 0);
  double const threshold = otsu_threshold(volume.voxels);
  Cells object(head.cells());
  std::vector<float> inside;
  for (std::int64_t c = 0; c < head.cells(); ++c) {
    object[c] = head.anatomy[c] > threshold;
    if (object[c]) inside.push_back(head.anatomy[c]);
  }
  if (inside.empty()) throw std::runtime_error(name + ": no object is brighter than its background");
  float const grey = quantile(inside, csf_share), white = quantile(inside, csf_and_grey_share);

  auto const brain = closed(head, object);
  auto const apart = distance(head, brain);
  head.center      = middle(head, brain);
  head.tissue.resize(head.cells());
  for (std::int64_t c = 0; c < head.cells(); ++c) {
    if (object[c])
      head.tissue[c] = head.anatomy[c] < grey ? Tissue::csf : head.anatomy[c] < white ? Tissue::grey : Tissue::white;
    else if (brain[c]) head.tissue[c] = Tissue::csf;
    else head.tissue[c] = add_skull ? shell(apart[c]) : Tissue::air;
  }
  return head;
}

}  // namespace examples::transport
