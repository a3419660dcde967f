// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sweep of 7 points over many blocks of 32^3, each with its halo: stencil/blocks/7pt/<type>/<blocks>x32x32x32/<impl>,
// and stencil_aligned/... with fields of make_field.
// One call for all blocks (koalesce), a call for each (koalesce_each), and one field of as many points
// (koalesce_sweep); the best of MDRangePolicies of rank 4 (mdrange_of_rank_4); plain CUDA, a thread a point (cuda) and
// register tiles (cuda_tiles), each the best of several thread blocks.

#include <Koalesce/Koalesce.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "StencilCases.hpp"
#include "StencilCudaBlocks.hpp"

namespace {

using namespace Koalesce;
using namespace perf;

using Around = Star<1, 1, 1>;

constexpr std::int64_t edge = 32;

auto policy_of_blocks() { return StencilPolicy(Exec(), Around{}, {edge, edge, edge}); }

template <class T, bool Aligned>
auto make_blocks(std::string const& label, std::int64_t count) {
  if constexpr (Aligned) return make_field<T>(label, policy_of_blocks().with_blocks(count));
  else return Kokkos::View<T****, Kokkos::LayoutRight, Exec>(label, count, edge + 2, edge + 2, edge + 2);
}

template <class T>
struct Sum {
  template <class U, class... I>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(U const& u, I...) const {
    return T(0.4) * u() + T(0.1) * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1));
  }
};

/// The same with Views alone.
template <class View, bool XFirst>
struct PlainSum {
  using T = typename View::value_type;

  View u, out;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i, int j, int k, int l) const {
    if constexpr (XFirst) at(l, k, j, i);
    else at(i, j, k, l);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void at(int b, int z, int y, int x) const {
    out(b, z, y, x) = T(0.4) * u(b, z, y, x) + T(0.1) * (u(b, z - 1, y, x) + u(b, z + 1, y, x) + u(b, z, y - 1, x) +
                                                         u(b, z, y + 1, x) + u(b, z, y, x - 1) + u(b, z, y, x + 1));
  }
};

/// How a loop of Kokkos goes through the blocks.
struct PlainLoop {
  Kokkos::Array<int, 4> tile{};  ///< 0: Kokkos' own
  bool x_first = false;          ///< the fastest index is the loop's first

  std::string name() const {
    std::string text = x_first ? "x first, " : "";
    if (tile[0] == 0) return text + "own tiles";
    for (int d = 0; d < 4; ++d) text += (d > 0 ? "x" : "") + std::to_string(tile[d]);
    return text;
  }
};

template <bool XFirst, class View>
void sweep_plainly(PlainLoop const& loop, View const& u, View const& out) {
  constexpr auto order = XFirst ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;
  using Policy         = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<4, order, order>, Kokkos::IndexType<int>>;
  using Point          = typename Policy::point_type;
  int const n = int(u.extent(0)), end = int(edge) + 1;
  auto const& t    = loop.tile;
  Point const from = XFirst ? Point{1, 1, 1, 0} : Point{0, 1, 1, 1},
              to   = XFirst ? Point{end, end, end, n} : Point{n, end, end, end};
  PlainSum<View, XFirst> const body{u, out};
  if (t[0] == 0) Kokkos::parallel_for("plain", Policy(Exec(), from, to), body);
  else if (XFirst) Kokkos::parallel_for("plain", Policy(Exec(), from, to, {t[3], t[2], t[1], t[0]}), body);
  else Kokkos::parallel_for("plain", Policy(Exec(), from, to, {t[0], t[1], t[2], t[3]}), body);
}

template <class View>
void sweep_plainly(PlainLoop const& loop, View const& u, View const& out) {
  if (loop.x_first) sweep_plainly<true>(loop, u, out);
  else sweep_plainly<false>(loop, u, out);
}

std::vector<PlainLoop> plain_loops() {
  if (on_host) return {{}, {{1, 4, 4, edge}}, {{1, edge, 4, edge}}, {{1, edge, edge, edge}}};
  return {{},
          {{}, true},
          {{1, 1, 8, edge}, true},
          {{1, 2, 4, edge}, true},
          {{1, 4, 2, edge}, true},
          {{1, 2, 8, edge}, true}};
}

template <class View>
void fill_blocks(View const& u) {
  using T = typename View::value_type;
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Exec(), 0, std::int64_t(u.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        auto const nx = u.extent(3), ny = u.extent(2), nz = u.extent(1);
        u(i / nx / ny / nz, i / nx / ny % nz, i / nx % ny, i % nx) = T((i * 31 % 101) * 0.01);
      });
}

/// Points inside the halos that differ by more than sums in another order do.
template <class View>
std::int64_t mismatches(View const& a, View const& b) {
  using T             = typename View::value_type;
  T const tolerance   = T(sizeof(T) == 4 ? 1e-4 : 1e-12);
  std::int64_t points = 0;
  Kokkos::parallel_reduce(
      "mismatches",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<4>>(Exec(), {0, 1, 1, 1},
                                                   {std::int64_t(a.extent(0)), edge + 1, edge + 1, edge + 1}),
      KOKKOS_LAMBDA(int n, int z, int y, int x, std::int64_t& wrong) {
        T const right = b(n, z, y, x);
        if (!(Kokkos::abs(a(n, z, y, x) - right) <= tolerance * (Kokkos::abs(right) + 1))) ++wrong;
      },
      points);
  return points;
}

template <class View>
void sweep_each(View const& u, View const& out) {
  auto const block = [](View const& all, std::size_t n) {
    return Kokkos::subview(all, n, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  };
  for (std::size_t n = 0; n < u.extent(0); ++n)
    parallel_stencil("each", policy_of_blocks(), block(u, n), block(out, n), Sum<typename View::value_type>());
}

template <class View>
void sweep_blocks(View const& u, View const& out) {
  parallel_stencil("blocks", policy_of_blocks().with_blocks(std::int64_t(u.extent(0))), u, out,
                   Sum<typename View::value_type>());
}

template <class View>
auto sweep_of(View const& u, View const& out) {
  return blocks_sweep<Around, int(edge)>(u, out, Sum<typename View::value_type>());
}

template <class T, bool Aligned>
struct Case {
  using View = decltype(make_blocks<T, Aligned>("", 0));

  View u, out, right;

  explicit Case(std::int64_t count)
      : u(make_blocks<T, Aligned>("u", count)),
        out(make_blocks<T, Aligned>("out", count)),
        right(make_blocks<T, Aligned>("right", count)) {
    fill_blocks(u);
    poison(out);
    sweep_plainly<false>(PlainLoop(), u, right);
  }
};

template <class T, bool Aligned>
void add_blocks_of(std::int64_t count) {
  using F                = Case<T, Aligned>;
  using View             = typename F::View;
  std::string const base = std::string(Aligned ? "stencil_aligned" : "stencil") + "/blocks/7pt/" + type_name<T>() +
                           "/" + std::to_string(count) + "x32x32x32/";
  constexpr Cost point{2 * sizeof(T), 8};
  std::int64_t const across = std::int64_t(std::cbrt(double(count)) + 0.5) * edge;
  Grid const grid           = grid_of(Extents{across, across, across}, 1);  // as many points

  auto const ready = [=](F const& fields, auto const& run, std::string const& label = "") -> Prepared {
    poison(fields.out);
    run(fields.u, fields.out);
    if (auto const wrong = mismatches(fields.out, fields.right); wrong != 0)
      return {.error = std::to_string(wrong) + " points are wrong"};
    auto const kernel = [=] { run(fields.u, fields.out); };
    settle(kernel);
    return prepared(grid, point, kernel, label);
  };
  add_prepared(base + "koalesce",
               [=] { return ready(F(count), [](View const& u, View const& out) { sweep_blocks(u, out); }); });
  add_prepared(base + "koalesce_each",
               [=] { return ready(F(count), [](View const& u, View const& out) { sweep_each(u, out); }); });
  add_prepared(base + "koalesce_sweep", [=] {
    using One        = Fields<T, 3, 1, 1, Aligned>;
    auto const sweep = [=](One const& f) {
      parallel_stencil("one field", policy_of<Around>(grid), f.ins[0], f.outs[0], Sum<T>());
    };
    return checked(grid, point, One(grid), sweep, sweep);
  });
  add_prepared(base + "mdrange_of_rank_4", [=] {
    F const fields(count);
    auto const best = fastest(plain_loops(), [&](auto const& loop) { sweep_plainly(loop, fields.u, fields.out); });
    return ready(
        fields, [=](View const& u, View const& out) { sweep_plainly(best, u, out); }, best.name());
  });
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (!on_host) {
    auto const add_peer = [=](std::string const& name, auto const& variants) {
      add_prepared(base + name, [=]() -> Prepared {
        F const fields(count);
        auto const all = variants(sweep_of(fields.u, fields.out));
        if (all.empty()) return {.error = "no variant fits these fields"};
        auto const best = fastest(all, [&](auto const& variant) { variant.run(sweep_of(fields.u, fields.out)); });
        return ready(
            fields, [=](View const& u, View const& out) { best.run(sweep_of(u, out)); }, best.name);
      });
    };
    add_peer("cuda", [](auto const& sweep) { return cuda_blocks_point_variants(sweep); });
    add_peer("cuda_tiles", [](auto const& sweep) { return cuda_blocks_tile_variants(sweep); });
  }
#endif
  add_copy<T>(base, grid, point);
}

}  // namespace

void perf::add_blocks() {
  std::int64_t const count = on_host ? 512 : 4096;
  add_blocks_of<double, false>(count);
  add_blocks_of<float, false>(count);
  add_blocks_of<double, true>(count);
  add_blocks_of<float, true>(count);
}
