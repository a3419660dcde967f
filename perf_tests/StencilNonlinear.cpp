// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils that are no weighted sums, where much is computed at a point or two fields change together, and one that
// users write as no such sum:
// stencil/<name>/<type>/<nz>x<ny>x<nx>/<impl>.

#include <Koalesce/Koalesce.hpp>

#include <string>

#include "StencilCases.hpp"
#include "StencilFunctors.hpp"

namespace {

using namespace Koalesce;
using perf::Exec;
using perf::Extents;
using perf::PeronaMalik;

/// A step of the heat equation: 7 points, added before one product. The weighted sums of other benchmarks multiply
/// each.
template <class T>
struct Heat {
  static constexpr char const* name = "heat";
  static constexpr int flops        = 9;
  using value_type                  = T;
  using Shape                       = Star<1, 1, 1>;

  T rate = T(0.125);

  template <class U, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, Index...) const {
    return u() + rate * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6 * u());
  }
};

/// The bilateral filter of the six nearest neighbors (C. Tomasi, R. Manduchi: "Bilateral filtering for gray and color
/// images", 1998): an exponential function a neighbor.
struct Bilateral {
  static constexpr char const* name = "bilateral";
  static constexpr int flops        = 6 * 8 + 1;  // an exponential function counts as one
  using value_type                  = double;
  using Shape                       = Star<1, 1, 1>;

  double inverse_k2 = 4, near = 0.6;

  template <class U, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(U const& u, Index...) const {
    double const center = u(0, 0, 0);
    double sum = center, weights = 1;
    auto const add = [&](double v) {
      double const d = v - center, w = near * Kokkos::exp(-d * d * inverse_k2);
      sum += w * v;
      weights += w;
    };
    add(u(-1, 0, 0));
    add(u(1, 0, 0));
    add(u(0, -1, 0));
    add(u(0, 1, 0));
    add(u(0, 0, -1));
    add(u(0, 0, 1));
    return sum / weights;
  }
};

template <class Functor>
void add_filter(Extents const& n) {
  using T     = typename Functor::value_type;
  using Shape = typename Functor::Shape;
  using F     = perf::Fields<T>;

  auto const grid = perf::grid_of(n, 1);
  std::string const base =
      "stencil/" + std::string(Functor::name) + "/" + perf::type_name<T>() + "/" + grid.name() + "/";
  auto const ours = [=](auto backend, StencilTaps taps, F const& f) {
    parallel_stencil("stencil", perf::policy_of<Shape>(grid, backend).with_taps(taps), f.ins[0], f.outs[0], Functor{});
  };
  perf::add_sweeps<F, Shape>(base, grid, {2 * sizeof(T), Functor::flops}, ours, Functor{});
}

/// Two substances that diffuse and react (P. Gray, S. K. Scott, 1984): two fields in, two out.
struct GrayScott {
  static constexpr int flops = 2 * 8 + 11;

  double feed = 0.04, kill = 0.06, du = 0.16, dv = 0.08;

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION static double laplacian(U const& u) {
    return u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6 * u();
  }

  template <class U, class V>
  KOKKOS_FORCEINLINE_FUNCTION double next_u(U const& u, V const& v) const {
    return u() + du * laplacian(u) - u() * v() * v() + feed * (1 - u());
  }

  template <class U, class V>
  KOKKOS_FORCEINLINE_FUNCTION double next_v(U const& u, V const& v) const {
    return v() + dv * laplacian(v) + u() * v() * v() - (feed + kill) * v();
  }

  template <class U, class V, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(U const& u, V const& v, Index...) const {
    return values(next_u(u, v), next_v(u, v));
  }
};

void add_gray_scott(Extents const& n) {
  using Shape = Star<1, 1, 1>;
  using F     = perf::Fields<double, 3, 2>;

  auto const grid = perf::grid_of(n, 1);
  auto const ours = [=](auto backend, StencilTaps taps, F const& f) {
    parallel_stencil("reaction", perf::policy_of<Shape>(grid, backend).with_taps(taps), fields(f.ins[0], f.ins[1]),
                     fields(f.outs[0], f.outs[1]), GrayScott{});
  };
  perf::add_sweeps<F, Shape>("stencil/gray_scott/f64/" + grid.name() + "/", grid,
                             {4 * sizeof(double), GrayScott::flops}, ours, GrayScott{});
}

}  // namespace

void perf::add_nonlinear_stencils() {
  for (auto const& n : sizes()) {
    add_filter<Heat<double>>(n);
    add_filter<Heat<float>>(n);
    add_filter<PeronaMalik>(n);
    add_filter<Bilateral>(n);
    add_gray_scott(n);
  }
}
