// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Items that take steps until they are done: regroup/until/<distribution>/<impl>. Distributions: numbers of steps that
// are distributed geometrically, or by a power law (exponent 2) that is cut at 100 times the mean; means of 32 and 256;
// a step of 20 or 200 flops; and the Mandelbrot set, up to 1000 steps of a pixel.
//
//   koalesce  parallel_regroup_until with init, step and finish, once it has decided; the label says what
//   plain     a Kokkos::parallel_for with a loop over an item's steps
//   expert    persistent warps, each of whose lanes takes the next item when it is done (CUDA), after every step or
//             every eighth, as is faster; Kokkos' dynamic schedule on CPUs
//   ideal     the plain loop with as many steps in all, as many for each item; of the Mandelbrot set, items in order of
//             their steps

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "Regroup.hpp"
#include "RegroupUntilCases.hpp"

namespace perf::regroup {
namespace {

enum class Law { geometric, power };

/// Draws numbers of steps.
struct DrawLength {
  Law law;
  double mean;
  Kokkos::View<int*, Exec> length;

  KOKKOS_FUNCTION void operator()(Index i) const {
    double const u = 1 - random_at(i, 60);  // in (0, 1]
    if (law == Law::geometric) {
      length(i) = 1 + int(Kokkos::log(u) / Kokkos::log(1 - 1 / mean));
    } else {
      // The least one, with which the mean is the one asked for.
      double const least = 0.155 * mean, most = 100 * mean;
      length(i) = Kokkos::max(1, int(least / (1 - (1 - u) * (1 - least / most)) + 0.5));
    }
  }
};

/// Chains of multiplications and additions.
template <int Flops>
struct Chains {
  struct State {
    double x;
    int left;
  };

  Kokkos::View<int const*, Exec> length;
  Kokkos::View<double*, Exec> y;

  KOKKOS_FUNCTION State init(Index i) const { return {double(i & 1023) * 1e-3, length(i)}; }
  KOKKOS_FUNCTION bool step(Index, State& s) const {
    Koalesce::Impl::static_for<Flops / 2>([&](auto) KOALESCE_INLINE_LAMBDA { s.x = 0.5 + 0.25 * s.x; });
    return --s.left == 0;
  }
  KOKKOS_FUNCTION void finish(Index i, State const& s) const { y(i) = s.x; }
};

/// z * z + c until |z| > 2, over the whole set; rows in order of memory.
struct Mandelbrot {
  static constexpr int width = on_host ? 600 : 6000, height = on_host ? 400 : 4000, most = 1000;

  struct State {
    double cx, cy, x, y;
    int steps;
  };

  Kokkos::View<double*, Exec> result;
  Kokkos::View<int const*, Exec> order;  // of the items; empty: their own

  KOKKOS_FUNCTION Index pixel(Index i) const { return order.extent(0) > 0 ? order(i) : i; }
  KOKKOS_FUNCTION State init(Index i) const {
    Index const p = pixel(i);
    return {-2 + 3. * double(p % width) / width, -1 + 2. * double(p / width) / height, 0, 0, 0};
  }
  KOKKOS_FUNCTION bool step(Index, State& s) const {
    double const x = s.x * s.x - s.y * s.y + s.cx;
    s.y            = 2 * s.x * s.y + s.cy;
    s.x            = x;
    return ++s.steps == most || s.x * s.x + s.y * s.y > 4;
  }
  KOKKOS_FUNCTION void finish(Index i, State const& s) const { result(pixel(i)) = s.steps; }
};

template <int Flops>
void add_law(Law law, int mean) {
  Index const items = on_host ? Index(1) << 16 : Index(1) << 26;
  auto const name   = std::string(law == Law::geometric ? "geometric" : "powerlaw") + std::to_string(mean) + "/" +
                    std::to_string(Flops) + "flops";
  add_distribution(name, Flops, true, [=] {
    Kokkos::View<int*, Exec> const length("lengths", std::size_t(items));
    Kokkos::parallel_for("lengths", Range(0, items), DrawLength{law, double(mean), length});
    auto lengths     = to_host(length);
    auto const total = std::accumulate(lengths.begin(), lengths.end(), Index(0));
    for (Index i = 0; i < items; ++i) lengths[std::size_t(i)] = int(total / items + (i < total % items));
    Kokkos::View<double*, Exec> const y("y", std::size_t(items));
    using Loop = Chains<Flops>;
    return Case<Loop>{items, Loop{length, y}, Loop{to_device(lengths), y}, y, double(total)};
  });
}

void add_mandelbrot() {
  Index const items = Index(Mandelbrot::width) * Mandelbrot::height;
  add_distribution("mandelbrot", 10, true, [=] {
    Kokkos::View<double*, Exec> const result("result", std::size_t(items));
    Mandelbrot const loop{result, {}};
    plain(items, loop);
    auto const [order, total] = in_order_of_steps(result);
    return Case<Mandelbrot>{items, loop, Mandelbrot{result, order}, result, total};
  });
}

}  // namespace

void add_until() {
  for (auto const law : {Law::geometric, Law::power})
    for (int const mean : {32, 256}) {
      add_law<20>(law, mean);
      add_law<200>(law, mean);
    }
  add_mandelbrot();
}

}  // namespace perf::regroup
