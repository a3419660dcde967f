// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The time steps of one number of points; Steps.cpp says what is measured.

#include <Koalesce/Stencil.hpp>

#include <array>
#include <cstdint>
#include <string>

#include "Measure.hpp"
#include "StencilCases.hpp"
#include "StepsCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

/// A step of the heat equation.
template <class T>
struct Heat {
  T speed = T(0.1);

  template <class U, class I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, I, I, I) const {
    return u() + speed * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1) - 6 * u());
  }
  template <class U, class I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, I, I) const {
    return u() + speed * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u());
  }
};

/// An average over the shape: it neither grows nor decays.
template <class T, class Shape, template <class, class> class Weights = LinearStencil>
Weights<T, Shape> average() {
  return Weights<T, Shape>(
      [](auto... offset) { return ((offset == 0) && ...) ? T(0.5) : T(0.5) / T(Shape::size - 1); });
}

enum class Beyond { halo, periodic, mirror };

template <class Shape, Beyond beyond>
auto policy_with(Grid const& grid) {
  if constexpr (beyond == Beyond::halo) return policy_of<Shape>(grid);
  else if constexpr (beyond == Beyond::periodic) return policy_of<Shape>(grid).with_boundary(Periodic());
  else return policy_of<Shape>(grid).with_boundary(Mirror());
}

template <class Shape, class T, Beyond beyond = Beyond::halo, class Functor>
void add_impl(std::string const& name, Grid const& grid, int depth, Functor const& functor) {
  add_prepared(name, [=]() -> Prepared {
    using F           = Fields<T, Shape::rank, 1, 1, true>;
    auto const policy = policy_with<Shape, beyond>(grid);
    F f(grid);
    {
      auto const a = f.outs[0], b = F::make(grid), state = F::make(grid);
      for (auto const& view : {a, b, state}) fill(view);
      for (int s = 0; s < 7; ++s) parallel_stencil("steps", policy, s % 2 == 0 ? a : b, s % 2 == 0 ? b : a, functor);
      parallel_stencil_steps("steps", policy.with_fused_steps(depth), state, f.ins[0], 7, functor);
      if (auto const wrong = mismatch(grid, state, b); !wrong.empty()) return {.error = wrong};
      fill(f.ins[0]);
    }
    auto const kernel = [=] {
      parallel_stencil_steps(name, policy.with_fused_steps(depth), f.ins[0], f.outs[0], steps_per_call(grid), functor);
    };
    return prepared_steps(grid, {2 * sizeof(T), 0}, kernel, name);
  });
}

template <class Shape, class T, std::size_t Rank>
void add_case(std::array<std::int64_t, Rank> const& n) {
  auto const grid        = grid_of(n, Shape::radius(0));
  std::string const base = steps_name<Shape, T>(grid);
  auto const all         = [&](std::string const& impl, auto const& functor) {
    add_impl<Shape, T>(base + impl, grid, 0, functor);
    add_impl<Shape, T>(base + impl + "_one", grid, 1, functor);
    if constexpr (!on_host)
      for (int const depth : Shape::rank == 3 ? std::array{2, 4} : std::array{4, 8})
        add_impl<Shape, T>(base + impl + "_" + std::to_string(depth), grid, depth, functor);
  };
  if constexpr (Shape::size == 2 * Shape::rank + 1) all("koalesce", Heat<T>());
  all("koalesce_linear", average<T, Shape>());
  if constexpr (Shape::size == 27) all("koalesce_symmetric", average<T, Shape, SymmetricStencil>());
  if constexpr (Shape::size == 2 * Shape::rank + 1) {
    add_impl<Shape, T, Beyond::periodic>(base + "koalesce_periodic", grid, 0, average<T, Shape>());
    add_impl<Shape, T, Beyond::mirror>(base + "koalesce_mirror", grid, 0, average<T, Shape>());
    add_impl<Shape, T, Beyond::mirror>(base + "koalesce_mirror_one", grid, 1, average<T, Shape>());
  }
  add_copy<T>(base, grid, {2 * sizeof(T), 0});
}

}  // namespace

template <int Points, class T>
void perf::add_steps() {
  using Shape = StepsShape<Points>;
  for (auto const& n : steps_sizes<Shape>(Points)) add_case<Shape, T>(n);
  add_steps_peers<Points, T>();
}

#ifdef KOALESCE_PERF_TYPE
template void perf::add_steps<KOALESCE_PERF_POINTS, KOALESCE_PERF_TYPE>();
#else
template void perf::add_steps<KOALESCE_PERF_POINTS, double>();
template void perf::add_steps<KOALESCE_PERF_POINTS, float>();
#endif
