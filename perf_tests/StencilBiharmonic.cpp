// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The biharmonic operator, a Laplacian of a Laplacian: one staged sweep against two plain ones:
// stencil/biharmonic/f64/<nz>x<ny>x<nx>/<impl>.

#include <functional>
#include <string>
#include <vector>

#include "StencilWeighted.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using T         = double;
using Laplacian = Star<1, 1, 1>;
using Sum       = WeightedSum<T, Laplacian>;
using F         = Fields<T>;

constexpr Cost point{2 * sizeof(T), 2 * (2 * Laplacian::size - 1)};

/// A grid whose interior is wider by a point all around.
Grid widened(Grid grid) {
  for (int d = 0; d < 3; ++d) grid.n[d] += 2, grid.halo[d] -= 1;
  return grid;
}

void staged(Grid const& grid, F const& f) {
  StencilPolicy<Exec, Staged<Laplacian, Laplacian>> const policy(Exec(), {grid.n[0], grid.n[1], grid.n[2]});
  parallel_stencil("biharmonic", policy, f.ins[0], f.outs[0], Sum{}, SecondStage<Sum>{});
}

/// The fields of the first and of the second plain sweep, which the intermediate result connects.
struct TwoSweeps {
  F first, second;

  explicit TwoSweeps(F const& f) : first(f), second(f) {
    first.outs[0] = typename F::View("mid", f.outs[0].layout());
    poison(first.outs[0]);
    second.ins = first.outs;
  }
};

#ifdef KOKKOS_ENABLE_CUDA
/// Both sweeps by the same variant, the fastest that variants(sweep) lists.
template <class Variants>
void add_cuda(std::string const& name, Grid const& grid, Variants const& variants) {
  add_prepared(name, [=] {
    F const f(grid);
    TwoSweeps const two(f);
    auto const first   = peer_sweep<Laplacian>(widened(grid), two.first, Sum{});
    auto const second  = peer_sweep<Laplacian>(grid, two.second, Sum{});
    auto const best_of = [&](auto const& sweep) {
      return fastest(variants(sweep), [&](auto const& variant) { variant.run(sweep); });
    };
    auto const best_first = best_of(first), best_second = best_of(second);
    return checked(
        grid, point, f, [=](F const& fields) { staged(grid, fields); },
        [=, between = two](F const& fields) {
          auto to_result   = second;
          to_result.out[0] = fields.outs[0].data() + Strides(grid, fields.outs[0]).origin;
          best_first.run(first);
          best_second.run(to_result);
        },
        best_first.name + "; " + best_second.name);
  });
}
#endif

void add_biharmonic_of(Grid const& grid) {
  std::string const base = "stencil/biharmonic/f64/" + grid.name() + "/";
  add_prepared(base + "koalesce", [=] {
    F const f(grid);
    auto const kernel = [=] { staged(grid, f); };
    settle(kernel);
    return prepared(grid, point, kernel);
  });
  for (bool const tuned : {false, true})
    add_prepared(base + (tuned ? "kokkos_mdrange_tuned" : "kokkos_mdrange"), [=] {
      F const f(grid);
      TwoSweeps const two(f);
      auto const run = [=](Sweep const& sweep, F const& fields) {
        mdrange_stencil(widened(grid), sweep, two.first.ins, two.first.outs, Sum{});
        mdrange_stencil(grid, sweep, two.second.ins, fields.outs, Sum{});
      };
      auto const sweep = tuned ? best_sweep(grid, [&](Sweep const& one) { run(one, f); }) : Sweep{};
      return checked(
          grid, point, f, [=](F const& fields) { staged(grid, fields); }, [=](F const& fields) { run(sweep, fields); },
          tuned ? sweep.name() : "");
    });
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!on_host) {
    add_cuda(base + "cuda", grid, [](auto const& sweep) { return cuda_point_variants(sweep); });
    add_cuda(base + "cuda_tiles", grid, [](auto const& sweep) { return cuda_tile_variants(sweep); });
    add_cuda(base + "cuda_partial_sums", grid, [](auto const& sweep) { return cuda_sum_variants(sweep); });
  }
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>)
    add_prepared(base + "openmp_simd", [=] {
      F const f(grid);
      TwoSweeps const two(f);
      return checked(
          grid, point, f, [=](F const& fields) { staged(grid, fields); },
          [=](F const& fields) {
            auto second = two.second;
            second.outs = fields.outs;
            openmp_sweep(peer_sweep<Laplacian>(widened(grid), two.first, Sum{}));
            openmp_sweep(peer_sweep<Laplacian>(grid, second, Sum{}));
          });
    });
#endif
}

}  // namespace

void perf::add_biharmonic() {
  for (auto const& n : sizes()) add_biharmonic_of(grid_of(n, 2));
}
