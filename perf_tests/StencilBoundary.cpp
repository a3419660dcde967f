// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sweep of 7 points in a box: stencil/<periodic or dirichlet>/7pt/<type>/<nz>x<ny>x<nx>/<impl>, dirichlet with a
// constant at the faces. The boundary is in the sweep (koalesce), in a halo that is filled before each one
// (koalesce_fill_halo), or in a halo that somebody else filled (koalesce_sweep), which is the sweep alone.

#include <Koalesce/Koalesce.hpp>

#include <string>

#include "StencilCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using Around = Star<1, 1, 1>;

template <class T, class Condition>
void add_bounded(std::string const& name, Extents const& n, Condition const& condition) {
  using F                = Fields<T>;
  auto const grid        = grid_of(n, 1);
  std::string const base = "stencil/" + name + "/7pt/" + type_name<T>() + "/" + grid.name() + "/";
  constexpr Cost point{2 * sizeof(T), 13};
  LinearStencil<T, Around> const weights(
      [](int dz, int dy, int dx) { return dz == 0 && dy == 0 && dx == 0 ? T(0.4) : T(0.1); });

  auto const fill  = [=](F const& f) { fill_halo(Exec(), f.ins[0], {n[0], n[1], n[2]}, condition); };
  auto const sweep = [=](auto const& policy, F const& f) {
    parallel_stencil(name, policy, f.ins[0], f.outs[0], weights);
  };
  auto const filled = [=](F const& f) {
    fill(f);
    sweep(policy_of<Around>(grid), f);
  };
  // Of the same values elsewhere: the halo of what is measured stays as it is.
  auto const expected = [=](F const& f) {
    F right(grid);
    right.outs = f.outs;
    filled(right);
  };
  auto const add = [=](char const* impl, bool has_halo, auto const& run) {
    add_prepared(base + impl, [=] {
      F const f(grid);
      if (has_halo) fill(f);
      return checked(grid, point, f, expected, run);
    });
  };
  add("koalesce", false, [=](F const& f) { sweep(policy_of<Around>(grid).with_boundary(condition), f); });
  add("koalesce_fill_halo", false, filled);
  add("koalesce_sweep", true, [=](F const& f) { sweep(policy_of<Around>(grid), f); });
  add_copy<T>(base, grid, point);
}

}  // namespace

void perf::add_boundary() {
  for (auto const& n : sizes()) {
    add_bounded<double>("periodic", n, Periodic());
    add_bounded<float>("periodic", n, Periodic());
    add_bounded<double>("dirichlet", n, Dirichlet(1.));
    add_bounded<float>("dirichlet", n, Dirichlet(1.F));
  }
}
