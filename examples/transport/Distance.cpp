// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace examples::transport {
namespace {

using Offset = std::array<std::int64_t, 3>;

struct Neighbor {
  Offset offset;
  float mm;
};

/// The 13 neighbors that come before a cell in the grid's order.
std::vector<Neighbor> neighbors_before(Head const& head) {
  std::vector<Neighbor> result;
  for (int n = 0; n < 13; ++n) {
    Offset const offset{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    double square = 0;
    for (int d = 0; d < 3; ++d) square += std::pow(double(offset[d]) * head.spacing[d], 2);
    result.push_back({offset, float(std::sqrt(square))});
  }
  return result;
}

/// One pass in the grid's order, `sign` +1, or against it, -1.
void pass(Head const& head, std::vector<Neighbor> const& neighbors, int sign, std::vector<float>& distances) {
  auto const& n = head.size;
  for (std::int64_t step = 0; step < head.cells(); ++step) {
    std::int64_t const c = sign > 0 ? step : head.cells() - 1 - step;
    Offset const at{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
    for (auto const& [offset, mm] : neighbors) {
      Offset const other{at[0] + sign * offset[0], at[1] + sign * offset[1], at[2] + sign * offset[2]};
      bool inside = true;
      for (int d = 0; d < 3; ++d) inside = inside && other[d] >= 0 && other[d] < n[d];
      if (inside) distances[c] = std::min(distances[c], distances[head.cell(other)] + mm);
    }
  }
}

}  // namespace

std::vector<float> distance(Head const& head, Cells const& from) {
  std::vector<float> distances(from.size());
  std::transform(from.begin(), from.end(), distances.begin(),
                 [](auto in) { return in ? 0 : std::numeric_limits<float>::infinity(); });
  auto const neighbors = neighbors_before(head);
  pass(head, neighbors, +1, distances);
  pass(head, neighbors, -1, distances);
  return distances;
}

Cells within(std::vector<float> const& distances, double most) {
  Cells result(distances.size());
  std::transform(distances.begin(), distances.end(), result.begin(), [&](float mm) { return mm <= most; });
  return result;
}

Cells reachable_from_border(Head const& head, Cells const& obstacle) {
  auto const& n = head.size;
  Cells reached(obstacle.size());
  std::vector<std::int64_t> todo;
  auto const reach = [&](Offset const& at) {
    auto const c = head.cell(at);
    if (obstacle[c] || reached[c]) return;
    reached[c] = 1;
    todo.push_back(c);
  };
  for (std::int64_t c = 0; c < head.cells(); ++c) {
    Offset const at{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
    for (int d = 0; d < 3; ++d)
      if (at[d] == 0 || at[d] == n[d] - 1) reach(at);
  }
  while (!todo.empty()) {
    auto const c = todo.back();
    todo.pop_back();
    Offset const at{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
    for (int d = 0; d < 3; ++d)
      for (int const to : {-1, 1}) {
        auto other = at;
        other[d] += to;
        if (other[d] >= 0 && other[d] < n[d]) reach(other);
      }
  }
  return reached;
}

}  // namespace examples::transport
