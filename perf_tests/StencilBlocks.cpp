// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sweep of 7 points over many blocks of 32^3, each with its halo: stencil/blocks/7pt/<type>/<blocks>x32x32x32/<impl>.
// One call for all blocks (koalesce), a call for each (koalesce_each), one field of as many points (koalesce_sweep),
// and the best of MDRangePolicies of rank 4 (kokkos_mdrange_tuned).

#include <Koalesce/Koalesce.hpp>

#include <string>
#include <vector>

#include "StencilCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using Around = Star<1, 1, 1>;

constexpr std::int64_t edge = 32;

template <class T>
using Blocks = Kokkos::View<T****, Kokkos::LayoutRight, Exec>;

template <class T>
struct Sum {
  template <class U, class... I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, I...) const {
    return T(0.4) * u() + T(0.1) * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1));
  }
};

/// The same with Views alone.
template <class T>
struct PlainSum {
  Blocks<T> u, out;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int b, int z, int y, int x) const {
    out(b, z, y, x) = T(0.4) * u(b, z, y, x) + T(0.1) * (u(b, z - 1, y, x) + u(b, z + 1, y, x) + u(b, z, y - 1, x) +
                                                         u(b, z, y + 1, x) + u(b, z, y, x - 1) + u(b, z, y, x + 1));
  }
};

template <Kokkos::Iterate Order, class T>
void sweep_plainly(Blocks<T> const& u, Blocks<T> const& out, std::vector<int> const& tile) {
  using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<4, Order, Order>, Kokkos::IndexType<int>>;
  int const n  = int(u.extent(0));
  Kokkos::parallel_for("plain",
                       Policy(Exec(), {0, 1, 1, 1}, {n, int(edge) + 1, int(edge) + 1, int(edge) + 1},
                              {tile[0], tile[1], tile[2], tile[3]}),
                       PlainSum<T>{u, out});
}

/// The blocks, filled, and the best way to sweep over them plainly.
template <class T>
struct Case {
  Blocks<T> u, out;

  explicit Case(std::int64_t count)
      : u("u", count, edge + 2, edge + 2, edge + 2), out("out", count, edge + 2, edge + 2, edge + 2) {
    fill(u);
    poison(out);
  }
};

template <class T>
double largest_difference(Blocks<T> const& a, Blocks<T> const& b) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "difference",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<4>>(Exec(), {0, 1, 1, 1},
                                                   {std::int64_t(a.extent(0)), edge + 1, edge + 1, edge + 1}),
      KOKKOS_LAMBDA(int n, int z, int y, int x, double& most) {
        double const d = Kokkos::fabs(double(a(n, z, y, x)) - double(b(n, z, y, x)));
        if (!(d <= most)) most = d;  // NaN, too
      },
      Kokkos::Max<double>(largest));
  return largest;
}

auto policy_of_blocks() { return StencilPolicy(Exec(), Around{}, {edge, edge, edge}); }

template <class T>
void sweep_each(Blocks<T> const& u, Blocks<T> const& out) {
  auto const block = [](Blocks<T> const& all, std::size_t n) {
    return Kokkos::subview(all, n, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  };
  for (std::size_t n = 0; n < u.extent(0); ++n)
    parallel_stencil("each", policy_of_blocks(), block(u, n), block(out, n), Sum<T>());
}

template <class T>
void sweep_blocks(Blocks<T> const& u, Blocks<T> const& out) {
  auto const count = std::int64_t(u.extent(0));
  parallel_stencil("blocks", policy_of_blocks().with_blocks(count), u, out, Sum<T>());
}

template <class T>
void add_blocks_of(std::int64_t count) {
  std::string const base = "stencil/blocks/7pt/" + type_name<T>() + "/" +
                           size_name(std::array<std::int64_t, 4>{count, edge, edge, edge}) + "/";
  constexpr Cost point{2 * sizeof(T), 8};
  Grid const grid = grid_of({count * edge, edge, edge}, 1);  // as many points

  auto const add = [=](char const* impl, auto const& run) {
    add_prepared(base + impl, [=]() -> Prepared {
      Case<T> const fields(count);
      Blocks<T> const right("right", count, edge + 2, edge + 2, edge + 2);
      sweep_each(fields.u, right);
      run(fields.u, fields.out);
      double const difference = largest_difference(fields.out, right);
      if (!(difference < 1e-5)) return {.error = "results differ by " + std::to_string(difference)};
      auto const kernel = [=] { run(fields.u, fields.out); };
      settle(kernel);
      return prepared(grid, point, kernel);
    });
  };
  add("koalesce", [](Blocks<T> const& u, Blocks<T> const& out) { sweep_blocks(u, out); });
  add("koalesce_each", [](Blocks<T> const& u, Blocks<T> const& out) { sweep_each(u, out); });
  for (auto const& tile : {std::vector<int>{1, 1, 4, 32}, {1, 2, 4, 32}, {1, 4, 4, 16}})
    add(("kokkos_mdrange_" + std::to_string(tile[1]) + "x" + std::to_string(tile[2]) + "x" + std::to_string(tile[3]))
            .c_str(),
        [tile](Blocks<T> const& u, Blocks<T> const& out) {
          sweep_plainly<on_host ? Kokkos::Iterate::Right : Kokkos::Iterate::Right>(u, out, tile);
        });
  add_copy<T>(base, grid, point);
}

}  // namespace

void perf::add_blocks() {
  std::int64_t const count = on_host ? 216 : 4096;
  add_blocks_of<double>(count);
  add_blocks_of<float>(count);
}
