// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels of image processing: a convolution, a step against speckles.

#include <algorithm>
#include <vector>

#include "Placement.hpp"

namespace perf::placement {
namespace {

/// A separable convolution: along the rows of a tile, then down its columns. Pixels outside are those of the border.
template <int Threads>
struct Convolution {
  static constexpr char const* name = "convolution";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-5;
  static constexpr int edge = 32, radius = 4, taps = 2 * radius + 1, wide = edge + 2 * radius;
  static constexpr int own = edge * edge / Threads;

  explicit Convolution(Size size)
      : in(filled<Image<float>>(sized(size, 96, 16384, 2048), sized(size, 64, 8192, 2048))),
        weights(filled<Line<float>>(taps)),
        result(room<Image<float>>(in.extent(0), in.extent(1))) {}

  static auto arrays() {
    return Koalesce::OnChip(Koalesce::TeamArray<float[wide][wide]>("tile"),
                            Koalesce::TeamArray<float[wide][edge]>("rows"), Koalesce::TeamArray<float[taps]>("weights"),
                            Koalesce::ThreadArray<float[own]>("sums"));
  }
  Index teams() const { return Index(in.size()) / (edge * edge); }
  double bytes() const { return 2. * double(in.size()) * sizeof(float); }
  double flops() const { return 0; }

  std::vector<float> expected() const {
    auto const x   = on_the_host(in);
    auto const w   = on_the_host(weights);
    int const rows = int(in.extent(0)), columns = int(in.extent(1));
    std::vector<float> y;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        double sum = 0;
        for (int i = -radius; i <= radius; ++i)
          for (int j = -radius; j <= radius; ++j)
            sum += double(w(radius + i)) * double(w(radius + j)) *
                   double(x(std::clamp(row + i, 0, rows - 1), std::clamp(column + j, 0, columns - 1)));
        y.push_back(float(sum));
      }
    return y;
  }
  void add_trips(Koalesce::TripCounts&) const {}

  KOKKOS_FUNCTION void operator()(Member const& team, auto& tile, auto& along, auto& weight, auto& sums) const {
    int const r = team.team_rank(), rows = int(in.extent(0)), columns = int(in.extent(1));
    int const row0    = team.league_rank() / (columns / edge) * edge;
    int const column0 = team.league_rank() % (columns / edge) * edge;
    for (int i = r; i < taps; i += Threads) weight(i) = weights(i);
    for (int i = r; i < wide * wide; i += Threads)
      tile(i / wide, i % wide) =
          in(clamp(row0 + i / wide - radius, 0, rows - 1), clamp(column0 + i % wide - radius, 0, columns - 1));
    team.team_barrier();
    for (int i = r; i < wide * edge; i += Threads) {
      float sum = 0;
      for (int t = 0; t < taps; ++t) sum += weight(t) * tile(i / edge, i % edge + t);
      along(i / edge, i % edge) = sum;
    }
    team.team_barrier();
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) sums(r, k) = 0;
    KOALESCE_PERF_UNROLL
    for (int t = 0; t < taps; ++t) {
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        int const i = k * Threads + r;
        sums(r, k) += weight(t) * along(i / edge + t, i % edge);
      }
    }
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const i                                 = k * Threads + r;
      result(row0 + i / edge, column0 + i % edge) = sums(r, k);
    }
  }

  Image<float> in;
  Line<float> weights;
  Image<float> result;
};

/// How much of a pixel's differences from its neighbors flows: much where the image is even, little across edges.
/// From Y. Yu, S. T. Acton, Speckle Reducing Anisotropic Diffusion, IEEE Trans. Image Process. 11 (2002).
KOKKOS_INLINE_FUNCTION float diffusion(float pixel, float north, float south, float west, float east, float speckle) {
  float const gradient  = (north * north + south * south + west * west + east * east) / (pixel * pixel);
  float const laplacian = (north + south + west + east) / pixel;
  float const scale     = 1 + laplacian / 4;
  float const variation = (gradient / 2 - laplacian * laplacian / 16) / (scale * scale);
  return clamp(1 / (1 + (variation - speckle) / (speckle * (1 + speckle))), 0.F, 1.F);
}

/// A step of that diffusion. A pixel needs the coefficients of its southern and eastern neighbors: tiles overlap there.
template <int Threads>
struct Srad {
  static constexpr char const* name = "srad";
  static constexpr int threads      = Threads;
  static constexpr double tolerance = 1e-4;
  static constexpr int height = 16, width = 32, own = height * width / Threads;
  static constexpr float speckle = 0.05F, step = 0.5F;

  explicit Srad(Size size)
      : in(filled<Image<float>>(sized(size, 50, 16384, 2048), sized(size, 77, 8192, 2048))),
        result(room<Image<float>>(in.extent(0), in.extent(1))) {}

  static auto arrays() {
    using Own = Koalesce::ThreadArray<float[own]>;
    return Koalesce::OnChip(Koalesce::TeamArray<float[height + 2][width + 2]>("tile"),
                            Koalesce::TeamArray<float[height][width]>("coefficient"), Own("north"), Own("south"),
                            Own("west"), Own("east"));
  }
  KOKKOS_FUNCTION int tiles_across() const { return (int(in.extent(1)) + width - 2) / (width - 1); }
  Index teams() const { return up_div(Index(in.extent(0)), height - 1) * tiles_across(); }
  double bytes() const { return 2. * double(in.size()) * sizeof(float); }
  double flops() const { return 0; }

  /// No pixel is 0.
  KOKKOS_FUNCTION static float pixel(float stored) { return 1 + stored; }

  std::vector<float> expected() const {
    auto const x   = on_the_host(in);
    int const rows = int(in.extent(0)), columns = int(in.extent(1));
    auto const at = [&](int row, int column) {
      return pixel(x(std::clamp(row, 0, rows - 1), std::clamp(column, 0, columns - 1)));
    };
    auto const coefficient = [&](int row, int column) {
      int const i = std::min(row, rows - 1), j = std::min(column, columns - 1);
      float const p = at(i, j);
      return diffusion(p, at(i - 1, j) - p, at(i + 1, j) - p, at(i, j - 1) - p, at(i, j + 1) - p, speckle);
    };
    std::vector<float> y;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        float const p = at(i, j);
        y.push_back(p + step / 4 *
                            (coefficient(i, j) * (at(i - 1, j) + at(i, j - 1) - 2 * p) +
                             coefficient(i + 1, j) * (at(i + 1, j) - p) + coefficient(i, j + 1) * (at(i, j + 1) - p)));
      }
    return y;
  }
  void add_trips(Koalesce::TripCounts&) const {}

  KOKKOS_FUNCTION void operator()(Member const& team, auto& tile, auto& coefficient, auto& north, auto& south,
                                  auto& west, auto& east) const {
    int const r = team.team_rank(), rows = int(in.extent(0)), columns = int(in.extent(1));
    int const row0    = team.league_rank() / tiles_across() * (height - 1);
    int const column0 = team.league_rank() % tiles_across() * (width - 1);
    for (int i = r; i < (height + 2) * (width + 2); i += Threads) {
      int const y = i / (width + 2), x = i % (width + 2);
      tile(y, x) = pixel(in(clamp(row0 + y - 1, 0, rows - 1), clamp(column0 + x - 1, 0, columns - 1)));
    }
    team.team_barrier();
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const y = (k * Threads + r) / width, x = (k * Threads + r) % width;
      float const p     = tile(y + 1, x + 1);
      north(r, k)       = tile(y, x + 1) - p;
      south(r, k)       = tile(y + 2, x + 1) - p;
      west(r, k)        = tile(y + 1, x) - p;
      east(r, k)        = tile(y + 1, x + 2) - p;
      coefficient(y, x) = diffusion(p, north(r, k), south(r, k), west(r, k), east(r, k), speckle);
    }
    team.team_barrier();
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) {
      int const y = (k * Threads + r) / width, x = (k * Threads + r) % width;
      int const row = row0 + y, column = column0 + x;
      if (y + 1 < height && x + 1 < width && row < rows && column < columns) {
        float const here = coefficient(y, x), below = coefficient(y + 1, x), right = coefficient(y, x + 1);
        result(row, column) = tile(y + 1, x + 1) +
                              step / 4 * (here * (north(r, k) + west(r, k)) + below * south(r, k) + right * east(r, k));
      }
    }
  }

  Image<float> in, result;
};

}  // namespace

void add_convolution() { add_kernel<Convolution<team_of(256)>>(); }
void add_srad() { add_kernel<Srad<team_of(256)>>(); }

}  // namespace perf::placement
