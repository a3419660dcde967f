// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sweep of 7 points over active points: stencil/active/<points>/<type>/<nz>x<ny>x<nx>/<impl>, and stencil_aligned/...
// with fields of make_field; points are 7pt_all,
// 7pt_tenth (blocks of 32^3, one in ten), 7pt_ball (the ball that fits), 7pt_half (every second point of a
// checkerboard). Active points alone (koalesce), all points (koalesce_sweep), the best MDRangePolicy whose body looks
// at the mask (kokkos_mdrange_tuned), a loop over a list of the points (kokkos_index_list), and the preparation from a
// mask (koalesce_prepare). Figures count active points, those of the sweep and of the preparation all.

#include <Koalesce/Koalesce.hpp>

#include <string>

#include "StencilCases.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using Around = Star<1, 1, 1>;
using Mask   = Kokkos::View<bool***, Kokkos::LayoutRight, Exec>;

template <class T>
struct Sum {
  template <class U, class... I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, I...) const {
    return T(0.4) * u() + T(0.1) * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1));
  }
};

/// The same with Views, where the mask says so.
template <class T, class View>
struct MaskedSum {
  static constexpr int rank = 3;

  View u, out;
  Mask mask;

  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION void at(I z0, I y0, I x0) const {
    if (!mask(z0, y0, x0)) return;
    I const z = z0 + 1, y = y0 + 1, x = x0 + 1;
    out(z, y, x) = T(0.4) * u(z, y, x) + T(0.1) * (u(z - 1, y, x) + u(z + 1, y, x) + u(z, y - 1, x) + u(z, y + 1, x) +
                                                   u(z, y, x - 1) + u(z, y, x + 1));
  }
};

/// What is active.
enum class Region { all, tenth, ball, half };

struct InRegion {
  Region region;
  Kokkos::Array<std::int64_t, 3> n;

  KOKKOS_FUNCTION bool operator()(int z, int y, int x) const {
    if (region == Region::tenth) {
      unsigned const block = ((unsigned(z) / 32) * 6947u + unsigned(y) / 32) * 4801u + unsigned(x) / 32;
      return (block * 2654435761u >> 8) % 10 == 0;
    }
    if (region == Region::half) return (z + y + x) % 2 == 0;
    if (region == Region::all) return true;
    auto const from_middle = [](double i, std::int64_t extent) { return (2 * i + 1) / double(extent) - 1; };
    double const dz = from_middle(z, n[0]), dy = from_middle(y, n[1]), dx = from_middle(x, n[2]);
    return dz * dz + dy * dy + dx * dx < 1;
  }
};

Mask make_mask(Region region, Extents const& n) {
  Mask mask("mask", n[0], n[1], n[2]);
  InRegion const in{region, {n[0], n[1], n[2]}};
  Kokkos::parallel_for(
      "mask", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(Exec(), {0, 0, 0}, {n[0], n[1], n[2]}),
      KOKKOS_LAMBDA(int z, int y, int x) { mask(z, y, x) = in(z, y, x); });
  return mask;
}

/// The places of the active points in the fields, in order.
template <class View>
Kokkos::View<int*, Exec> list_points(Mask const& mask, View const& field, std::int64_t count) {
  Kokkos::View<int*, Exec> list("list", count);
  auto const ny = mask.extent(1), nx = mask.extent(2), plane = field.stride(0), pitch = field.stride(1);
  Kokkos::parallel_scan(
      "list", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Exec(), 0, std::int64_t(mask.size())),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & before, bool last) {
        std::size_t const x = i % nx, y = i / nx % ny, z = i / nx / ny;
        if (!mask(z, y, x)) return;
        if (last) list(before) = int((z + 1) * plane + (y + 1) * pitch + x + 1);
        ++before;
      });
  return list;
}

/// The sum at a place in a field.
template <class T>
struct ListedSum {
  T const* u;
  T* out;
  Kokkos::View<int*, Exec> list;
  std::int64_t plane, pitch;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i) const {
    T const* const p = u + list(i);
    out[list(i)]     = T(0.4) * p[0] + T(0.1) * (p[-plane] + p[plane] + p[-pitch] + p[pitch] + p[-1] + p[1]);
  }
};

/// A benchmark over some of a grid's points.
Prepared of_points(Prepared const& ready, std::int64_t points, Cost const& point) {
  double const n = double(points);
  return {ready.kernel,
          n * double(point.bytes),
          {{"points", n}, {"GStencil/s", n * 1e-9}, {"flops", n * point.flops}},
          ready.label};
}

template <class T, bool Aligned = false>
void add_active_of(Extents const& n, Region region, std::string const& name) {
  using F                = Fields<T, 3, 1, 1, Aligned>;
  auto const grid        = grid_of(n, 1);
  std::string const base = std::string(Aligned ? "stencil_aligned" : "stencil") + "/active/7pt_" + name + "/" +
                           type_name<T>() + "/" + grid.name() + "/";
  constexpr Cost point{2 * sizeof(T), 8};
  using Active     = ActivePoints<Exec, 3>;
  auto const plain = [=](Mask const& mask, Sweep const& sweep, F const& f) {
    mdrange(grid.n, sweep, MaskedSum<T, typename F::View>{f.ins[0], f.outs[0], mask});
  };

  // What is not active keeps what it has: 0, in both fields that are compared.
  auto const compared = [=](Mask const& mask, std::int64_t points, auto const& run, std::string const& label = "") {
    F const fields(grid);
    F right = fields;
    for (auto& out : right.outs) out = F::make(grid);
    plain(mask, Sweep{}, right);
    run(fields);
    if (auto const wrong = mismatch(grid, fields.outs[0], right.outs[0]); !wrong.empty())
      return Prepared{.error = wrong};
    auto const kernel = [=] { run(fields); };
    settle(kernel);
    return of_points(prepared(grid, point, kernel, label), points, point);
  };

  add_prepared(base + "koalesce", [=] {
    Mask const mask = make_mask(region, n);
    Active const active(policy_of<Around>(grid), mask);
    return compared(mask, active.count(), [=](F const& f) {
      parallel_stencil("active", policy_of<Around>(grid).with_active(active), f.ins[0], f.outs[0], Sum<T>());
    });
  });
  add_prepared(base + "koalesce_sweep", [=] {
    auto const sweep = [=](F const& f) {
      parallel_stencil("all", policy_of<Around>(grid), f.ins[0], f.outs[0], Sum<T>());
    };
    return checked(grid, point, F(grid), sweep, sweep);
  });
  add_prepared(base + "koalesce_prepare", [=] {
    Mask const mask = make_mask(region, n);
    Active const active(policy_of<Around>(grid), mask);
    return prepared(grid, {1, 0}, [=] { Active(active).update(mask); });
  });
  add_prepared(base + "kokkos_mdrange_tuned", [=] {
    Mask const mask   = make_mask(region, n);
    auto const points = Active(policy_of<Around>(grid), mask).count();
    F const f(grid);
    auto const best = best_sweep(grid, [&](Sweep const& sweep) { plain(mask, sweep, f); });
    return compared(
        mask, points, [=](F const& fields) { plain(mask, best, fields); }, best.name());
  });
  add_prepared(base + "kokkos_index_list", [=] {
    Mask const mask   = make_mask(region, n);
    auto const points = Active(policy_of<Around>(grid), mask).count();
    auto const list   = list_points(mask, F::make(grid), points);
    return compared(mask, points, [=](F const& f) {
      auto const &u = f.ins[0], &out = f.outs[0];
      Kokkos::parallel_for(
          "list", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Exec(), 0, list.extent(0)),
          ListedSum<T>{u.data(), out.data(), list, std::int64_t(u.stride(0)), std::int64_t(u.stride(1))});
    });
  });
}

}  // namespace

void perf::add_active() {
  Extents const n = sizes().front();
  add_active_of<double>(n, Region::all, "all");
  add_active_of<double>(n, Region::tenth, "tenth");
  add_active_of<double>(n, Region::ball, "ball");
  add_active_of<double>(n, Region::half, "half");
  add_active_of<float>(n, Region::tenth, "tenth");
  add_active_of<double, true>(n, Region::tenth, "tenth");
  add_active_of<double, true>(n, Region::half, "half");
  add_active_of<float, true>(n, Region::tenth, "tenth");
}
