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

/// By hand: weights are constants of the launch. On a GPU, a thread makes four neighbors of a row from 12 pixels, and a
/// column's 16 sums from 24: scratch memory is read a third as often. On a host, a strip's rows are copied to where
/// they have their borders, so that loops along them vectorize.
template <class Kernel>
struct ConvolutionExpert : ByHand {
  static constexpr int radius = Kernel::radius, taps = Kernel::taps;
  static constexpr int width = on_host ? 96 : 64, height = 32, halo = 2 * radius;
  static constexpr int threads = team_of(128), own = 16;  // sums of a column
  static constexpr std::size_t scratch_bytes =
      sizeof(float) * ((on_host ? 1 : height + halo) * (width + halo) + (height + halo) * width);

  explicit ConvolutionExpert(Kernel const& k) : in(k.in), result(k.result) {
    auto const host = on_the_host(k.weights);
    for (int t = 0; t < taps; ++t) weights[t] = host(t);
  }
  KOKKOS_FUNCTION int across() const { return (int(in.extent(1)) + width - 1) / width; }
  void run() const { run_teams(Index(in.extent(0)) / height * across(), *this); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const row0 = team.league_rank() / across() * height, column0 = team.league_rank() % across() * width;
    if constexpr (on_host) strip(team, row0, column0);
    else tile(team, row0, column0);
  }

  KOKKOS_FUNCTION void strip(Member const& team, int row0, int column0) const {
    int const rows = int(in.extent(0)), columns = int(in.extent(1));
    int const many     = Kokkos::min(width + 0, columns - column0);
    float* const line  = scratch<float>(team, width + halo);
    float* const along = scratch<float>(team, (height + halo) * width);
    for (int i = 0; i < height + halo; ++i) {
      float const* const row = &in(clamp(row0 + i - radius, 0, rows - 1), 0);
      if (column0 >= radius && column0 + width + radius <= columns) {
        KOALESCE_PERF_SIMD
        for (int j = 0; j < width + halo; ++j) line[j] = row[column0 + j - radius];
      } else {
        for (int j = 0; j < width + halo; ++j) line[j] = row[clamp(column0 + j - radius, 0, columns - 1)];
      }
      KOALESCE_PERF_SIMD
      for (int j = 0; j < width; ++j) {
        float sum = 0;
        for (int t = 0; t < taps; ++t) sum += weights[t] * line[j + t];
        along[i * width + j] = sum;
      }
    }
    for (int i = 0; i < height; ++i) {
      float* const to = &result(row0 + i, column0);
      KOALESCE_PERF_SIMD
      for (int j = 0; j < many; ++j) {
        float sum = 0;
        for (int t = 0; t < taps; ++t) sum += weights[t] * along[(i + t) * width + j];
        to[j] = sum;
      }
    }
  }

  KOKKOS_FUNCTION void tile(Member const& team, int row0, int column0) const {
    constexpr int pitch = width + halo;
    int const r = team.team_rank(), rows = int(in.extent(0)), columns = int(in.extent(1));
    float* const pixels = scratch<float>(team, (height + halo) * pitch);
    float* const along  = scratch<float>(team, (height + halo) * width);
    for (int i = r; i < (height + halo) * (pitch / 4); i += threads) {
      int const y = i / (pitch / 4), x = i % (pitch / 4) * 4;
      put_four(pixels + y * pitch + x,
               four_of_row(&in(clamp(row0 + y - radius, 0, rows - 1), 0), columns, column0 + x - radius));
    }
    team.team_barrier();
    for (int i = r; i < (height + halo) * (width / 4); i += threads) {
      int const y = i / (width / 4), x = i % (width / 4) * 4;
      float near[12];
      KOALESCE_PERF_UNROLL
      for (int f = 0; f < 3; ++f) {
        auto const four = four_at(pixels + y * pitch + x + 4 * f);
        KOALESCE_PERF_UNROLL
        for (int k = 0; k < 4; ++k) near[4 * f + k] = four.v[k];
      }
      Four<float> sums;
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < 4; ++k) {
        sums.v[k] = 0;
        KOALESCE_PERF_UNROLL
        for (int t = 0; t < taps; ++t) sums.v[k] += weights[t] * near[k + t];
      }
      put_four(along + y * width + x, sums);
    }
    team.team_barrier();
    int const x = r % width, y0 = r / width * own;
    float sums[own];
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) sums[k] = 0;
    KOALESCE_PERF_UNROLL
    for (int y = 0; y < own + halo; ++y) {
      float const value = along[(y0 + y) * width + x];
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k)
        if (y - k >= 0 && y - k < taps) sums[k] += weights[y - k] * value;
    }
    KOALESCE_PERF_UNROLL
    for (int k = 0; k < own; ++k) result(row0 + y0 + k, column0 + x) = sums[k];
  }

  Image<float> in, result;
  float weights[taps];
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

/// By hand: tiles do not overlap, but have coefficients for a row and a column more. What a pixel's coefficient makes
/// of its northern and western differences is summed at once, so that a thread keeps three numbers of each of its
/// pixels, in registers. On a host, rows of these.
template <class Kernel>
struct SradExpert : ByHand {
  static constexpr int width = 64, height = on_host ? 24 : 32;
  static constexpr int threads = team_of(256), resident = on_host ? 0 : 4, own = height * width / threads;
  static constexpr int pitch = width + 3, coefficients = width + 1;  // of a row of the tile, and of the coefficients
  static constexpr std::size_t scratch_bytes =
      sizeof(float) * ((height + 3) * pitch + 1 + (height + 1) * coefficients) + 16;

  explicit SradExpert(Kernel const& k) : in(k.in), result(k.result) {}
  KOKKOS_FUNCTION int across() const { return (int(in.extent(1)) + width - 1) / width; }
  void run() const { run_teams(up_div(Index(in.extent(0)), height) * across(), *this); }

  struct Pixel {
    float here, south, east;
  };

  /// Leaves the pixel's coefficient; returns what else the result is made of.
  KOKKOS_FORCEINLINE_FUNCTION static Pixel look(float const* tile, float* coefficient, int y, int x) {
    float const* const at = tile + (y + 1) * pitch + x + 1;
    float const p = at[0], north = at[-pitch] - p, south = at[pitch] - p, west = at[-1] - p, east = at[1] - p;
    float const c                     = diffusion(p, north, south, west, east, Kernel::speckle);
    coefficient[y * coefficients + x] = c;
    return {p + Kernel::step / 4 * (c * (north + west)), south, east};
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const r = team.team_rank(), rows = int(in.extent(0)), columns = int(in.extent(1));
    int const row0 = team.league_rank() / across() * height, column0 = team.league_rank() % across() * width;
    float* const tile        = scratch<float>(team, (height + 3) * pitch);
    float* const coefficient = scratch<float>(team, (height + 1) * coefficients);
    if constexpr (on_host) {
      bool const inside = column0 >= 1 && column0 + width + 2 <= columns;
      for (int y = 0; y < height + 3; ++y) {
        float const* const row = &in(clamp(row0 + y - 1, 0, rows - 1), 0);
        if (inside) {
          KOALESCE_PERF_SIMD
          for (int x = 0; x < pitch; ++x) tile[y * pitch + x] = Kernel::pixel(row[column0 + x - 1]);
        } else {
          for (int x = 0; x < pitch; ++x)
            tile[y * pitch + x] = Kernel::pixel(row[clamp(column0 + x - 1, 0, columns - 1)]);
        }
      }
      for (int y = 0; y < height + 1; ++y) {
        KOALESCE_PERF_SIMD
        for (int x = 0; x < width; ++x) look(tile, coefficient, y, x);
        look(tile, coefficient, y, width);
      }
      for (int y = 0; y < height && row0 + y < rows; ++y) {
        float* const to = &result(row0 + y, column0);
        int const many  = Kokkos::min(width + 0, columns - column0);
        KOALESCE_PERF_SIMD
        for (int x = 0; x < many; ++x) {
          float const* const at = tile + (y + 1) * pitch + x + 1;
          float const* const c  = coefficient + y * coefficients + x;
          float const p = at[0], north = at[-pitch] - p, south = at[pitch] - p, west = at[-1] - p, east = at[1] - p;
          to[x] = p + Kernel::step / 4 * (c[0] * (north + west) + c[coefficients] * south + c[1] * east);
        }
      }
    } else {
      for (int i = r; i < (height + 3) * pitch; i += threads)
        tile[i] =
            Kernel::pixel(in(clamp(row0 + i / pitch - 1, 0, rows - 1), clamp(column0 + i % pitch - 1, 0, columns - 1)));
      team.team_barrier();
      Pixel pixels[own];
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k)
        pixels[k] = look(tile, coefficient, (k * threads + r) / width, (k * threads + r) % width);
      if (r < coefficients) look(tile, coefficient, height, r);
      else if (r - coefficients < height) look(tile, coefficient, r - coefficients, width);
      team.team_barrier();
      KOALESCE_PERF_UNROLL
      for (int k = 0; k < own; ++k) {
        int const y = (k * threads + r) / width, x = (k * threads + r) % width;
        float const* const c = coefficient + y * coefficients + x;
        if (row0 + y < rows && column0 + x < columns)
          result(row0 + y, column0 + x) =
              pixels[k].here + Kernel::step / 4 * (c[coefficients] * pixels[k].south + c[1] * pixels[k].east);
      }
    }
  }

  Image<float> in, result;
};

template <class Kernel, template <class> class Expert>
void add() {
  add_kernel<Kernel, Expert<Kernel>>();
}

}  // namespace

void add_convolution() { add<Convolution<team_of(256)>, ConvolutionExpert>(); }
void add_srad() { add<Srad<team_of(256)>, SradExpert>(); }

}  // namespace perf::placement
