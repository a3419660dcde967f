// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_STENCIL_WEIGHTED_HPP
#define KOALESCE_PERF_STENCIL_WEIGHTED_HPP

#include <Koalesce/Koalesce.hpp>

#include <string>

#include "Measure.hpp"
#include "StencilCases.hpp"

/// Weighted sums: stencil/<points>/<type>/<extents>/<impl>, and stencil_aligned/... with fields from make_field.
namespace perf {

/// The weighted sum as an ordinary functor: for parallel_stencil and for the peers. The weights are members, so that no
/// compiler folds them.
template <class T, class Shape>
struct WeightedSum {
  T weight[4] = {T(0.4), T(0.05), T(0.02), T(0.01)};

  KOKKOS_FORCEINLINE_FUNCTION T weight_at(int dz, int dy, int dx) const {
    return weight[(dz != 0) + (dy != 0) + (dx != 0)];
  }

  template <class U, class... Index>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, Index...) const {
    constexpr int a = Reach<Shape>::z, b = Reach<Shape>::y, c = Reach<Shape>::x;
    T sum{};
    Koalesce::Impl::static_for<2 * a + 1>([&](auto i) KOALESCE_INLINE_LAMBDA {
      Koalesce::Impl::static_for<2 * b + 1>([&](auto j) KOALESCE_INLINE_LAMBDA {
        Koalesce::Impl::static_for<2 * c + 1>([&](auto k) KOALESCE_INLINE_LAMBDA {
          constexpr int dz = decltype(i)::value - a, dy = decltype(j)::value - b, dx = decltype(k)::value - c;
          if constexpr (Reach<Shape>::contains(dz, dy, dx)) {
            if constexpr (Shape::rank == 3) sum += weight_at(dz, dy, dx) * u(dz, dy, dx);
            else if constexpr (Shape::rank == 2) sum += weight_at(dz, dy, dx) * u(dz, dx);
            else sum += weight_at(dz, dy, dx) * u(dx);
          }
        });
      });
    });
    return sum;
  }
};

/// A functor, the same weights as a LinearStencil, and the peers, at one size.
template <class T, class Shape, bool Aligned = false>
void add_weighted(std::string const& points, Grid const& grid, std::string const& group = "") {
  using namespace Koalesce;
  using F   = Fields<T, Shape::rank, 1, 1, Aligned>;
  using Sum = WeightedSum<T, Shape>;
  std::string const base =
      group + (Aligned ? "stencil_aligned/" : "stencil/") + points + "/" + type_name<T>() + "/" + grid.name() + "/";
  constexpr Cost point{2 * sizeof(T), 2 * Shape::size - 1};

  auto const ours = [=](auto backend, StencilTaps taps, F const& f) {
    parallel_stencil("stencil", policy_of<Shape>(grid, backend).with_taps(taps), f.ins[0], f.outs[0], Sum{});
  };
  add_sweeps<F, Shape>(base, grid, point, ours, Sum{});
  auto const add_weights = [=](std::string const& name, auto const& weights) {
    add_prepared(base + name, [=] {
      return checked(
          grid, point, F(grid), [=](F const& f) { ours(Backend::Default<Exec>{}, StencilTaps::automatic, f); },
          [=](F const& f) { parallel_stencil("stencil", policy_of<Shape>(grid), f.ins[0], f.outs[0], weights); });
    });
  };
  auto const weight = [](auto... d) { return Sum{}.weight[((d != 0) + ...)]; };
  add_weights("koalesce_linear", LinearStencil<T, Shape>(weight));
  if constexpr (Shape::rank > 1 && Reach<Shape>::box)
    add_weights("koalesce_symmetric", SymmetricStencil<T, Shape>(weight));
}

}  // namespace perf

#endif
