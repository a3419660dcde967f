// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A step of Jacobi's method for 7 points, and the norm of the residual:
// stencil/residual/7pt/<type>/<nz>x<ny>x<nx>/<impl>. The norm is summed in the sweep (koalesce), there as a
// ReproducibleSum (koalesce_reproducible), by a loop of its own after it (koalesce_separate), or not at all
// (koalesce_sweep), which is the sweep alone.

#include <Koalesce/Koalesce.hpp>

#include <cmath>
#include <string>

#include "StencilCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using Around = Star<1, 1, 1>;

template <class T>
struct Jacobi {
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION static T residual(U const& u, T f) {
    return f + u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6 * u();
  }
  template <class U, class I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, T f, I, I, I) const {
    return u() + residual(u, f) * T(1. / 6);
  }
  template <class U, class I, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, T f, I, I, I, Sum& sum) const {
    T const r = residual(u, f);
    sum += double(r) * double(r);
    return u() + r * T(1. / 6);
  }
};

/// The residual's square from Views, as a loop of Kokkos has it.
template <class T, class View>
struct ResidualSquare {
  View u, f;
  int ny, nx;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i, double& sum) const {
    (*this)(i / nx / ny + 1, i / nx % ny + 1, i % nx + 1, sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int z, int y, int x, double& sum) const {
    T const r = f(z, y, x) + u(z - 1, y, x) + u(z + 1, y, x) + u(z, y - 1, x) + u(z, y + 1, x) + u(z, y, x - 1) +
                u(z, y, x + 1) - 6 * u(z, y, x);
    sum += double(r) * double(r);
  }
};

inline double value_of(double sum) { return sum; }
inline double value_of(ReproducibleSum<double> const& sum) { return sum.value(); }

/// Sums it by the faster loop: of one index on GPUs, where Kokkos 4.6 takes six times as long for one of three.
template <class Square, class Sum>
void sum_squares(Extents const& n, Square const& square, Sum const& sum) {
  using Index = Kokkos::IndexType<int>;
  if constexpr (on_host)
    Kokkos::parallel_reduce(
        "residual",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Index>(Exec(), {1, 1, 1}, {n[0] + 1, n[1] + 1, n[2] + 1}), square,
        sum);
  else
    Kokkos::parallel_reduce("residual", Kokkos::RangePolicy<Exec, Index>(Exec(), 0, int(n[0] * n[1] * n[2])), square,
                            sum);
}

template <class T>
void add_residual_of(Extents const& n) {
  using F                = Fields<T, 3, 2, 1>;
  using Sum              = Kokkos::View<double, Exec>;
  auto const grid        = grid_of(n, 1);
  std::string const base = "stencil/residual/7pt/" + type_name<T>() + "/" + grid.name() + "/";
  constexpr Cost point{3 * sizeof(T), 10};

  auto const sweep = [=](F const& f) {
    parallel_stencil("jacobi", policy_of<Around>(grid), fields(f.ins[0], at_point(f.ins[1])), f.outs[0], Jacobi<T>());
  };
  auto const reduce = [=](F const& f, auto const& sum) {
    parallel_stencil_reduce("jacobi", policy_of<Around>(grid), fields(f.ins[0], at_point(f.ins[1])), f.outs[0],
                            Jacobi<T>(), sum);
  };
  auto const separate = [=](F const& f, Sum const& sum) {
    sweep(f);
    sum_squares(n, ResidualSquare<T, typename F::View>{f.ins[0], f.ins[1], int(n[1]), int(n[2])}, sum);
  };

  add_prepared(base + "koalesce_sweep", [=] { return checked(grid, point, F(grid), sweep, sweep); });
  auto const add = [=]<class Result>(char const* impl, Result, auto const& run) {
    add_prepared(base + impl, [=]() -> Prepared {
      F const f(grid);
      Kokkos::View<Result, Exec> const sum("sum");
      Sum const right("sum");
      separate(f, right);
      run(f, sum);
      Result result;
      double theirs = 0;
      Kokkos::deep_copy(result, sum);
      Kokkos::deep_copy(theirs, right);
      double const ours = value_of(result);
      if (!(std::abs(ours - theirs) <= 1e-6 * theirs))
        return {.error = "the sums differ: " + std::to_string(ours) + " and " + std::to_string(theirs)};
      return checked(grid, point, f, sweep, [=](F const& given) { run(given, sum); });
    });
  };
  add("koalesce", double(), reduce);
  add("koalesce_reproducible", ReproducibleSum<double>(), reduce);
  add("koalesce_separate", double(), separate);
  add_copy<T>(base, grid, point);
}

}  // namespace

void perf::add_residual() {
  for (auto const& n : sizes()) {
    add_residual_of<double>(n);
    add_residual_of<float>(n);
  }
}
