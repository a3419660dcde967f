// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Koalesce/Koalesce.hpp>

#include <Kokkos_Graph.hpp>

#include <cstdlib>
#include <vector>

using Exec   = Kokkos::DefaultExecutionSpace;
using Volume = Kokkos::View<double***, Exec>;

// u = z * z + x, so its Laplacian is 2 and its biharmonic 0.
template <class Field>
static void fill(Field const& u) {
  auto const host = Kokkos::create_mirror_view(u);
  for (std::size_t z = 0; z < u.extent(0); ++z)
    for (std::size_t y = 0; y < u.extent(1); ++y)
      for (std::size_t x = 0; x < u.extent(2); ++x) host(z, y, x) = double(z * z + x);
  Kokkos::deep_copy(u, host);
}

static void expect(Volume const& field, double value) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field);
  for (std::size_t i = 0; i < host.span(); ++i)
    if (host.data()[i] != value) Kokkos::abort("guide: a stencil's result is not what the page says");
}

static void one_sweep() {
  std::int64_t const nz = 6, ny = 7, nx = 8;
#include "stencil/fields.inc"
  fill(u);
  Koalesce::StencilPolicy<Exec, Koalesce::Star<1, 1, 1>> const policy({nz, ny, nx});
#include "stencil/weights.inc"
  expect(out, 2);

  Koalesce::StencilPolicy<Exec, Koalesce::Box<1, 1, 1>> const box({nz, ny, nx});
#include "stencil/functor.inc"
  Kokkos::deep_copy(u, 3);
  Koalesce::parallel_stencil("largest", box, u, out, f);
  expect(out, 3);
#include "stencil/symmetric.inc"
  expect(out, 3);
}

static void aligned_fields() {
  std::int64_t const nz = 6, ny = 7, nx = 8;
  Koalesce::StencilPolicy<Exec, Koalesce::Star<1, 1, 1>> const policy({nz, ny, nx});
#include "stencil/make_field.inc"
  fill(u);
#include "stencil/weights.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  if (host(1, 1, 1) != 2 || host(nz, ny, nx) != 2) Kokkos::abort("guide: an aligned field is wrong");
}

static void halos() {
  Exec const exec;
  std::int64_t const nz = 2, ny = 3, nx = 4;
  Volume u("u", nz + 2, ny + 2, nx + 2);
  fill(u);
#include "stencil/halos.inc"
  // The interior holds z * z + x, counted from the halo's first point.
  auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  if (host(0, 1, 2) != 6 || host(1, 0, 2) != 3 || host(1, 1, 0) != 1 || host(1, 1, 5) != 5)
    Kokkos::abort("guide: a halo is not what the page says");

#include "stencil/faces.inc"
  host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  if (host(0, 1, 2) != 6 || host(1, 0, 2) != 0 || host(2, 3, 0) != -1 || host(0, 1, 5) != 8)
    Kokkos::abort("guide: a halo is not what the page says");
}

static void boundaries() {
  using Koalesce::Dirichlet, Koalesce::Mirror, Koalesce::Neumann, Koalesce::Periodic, Koalesce::sides;
  Exec const exec;
  std::int64_t const nz = 3, ny = 4, nx = 5;
  Volume u("u", nz, ny, nx), next("next", nz, ny, nx);
  Kokkos::deep_copy(u, 1);
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
  Koalesce::LinearStencil<double, Koalesce::Star<1, 1, 1>> laplace(
      [](int dz, int dy, int dx) { return dz == 0 && dy == 0 && dx == 0 ? -6. : 1.; });
#include "stencil/boundary.inc"
  expect(next, 0);
}

static void values_at_the_point() {
  Exec const exec;
  std::int64_t const nz = 2, ny = 3, nx = 4;
  Volume u("u", nz + 2, ny + 2, nx + 2), previous("previous", nz, ny, nx), c2("c2", nz, ny, nx);
  fill(u);
  Kokkos::deep_copy(c2, 0.5);
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
#include "stencil/at_point.inc"
  auto const twice = [&](std::int64_t z, std::int64_t x) { return 2 * double((z + 1) * (z + 1) + x + 1); };
  auto const check = [&] {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), previous);
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t x = 0; x < nx; ++x)
        if (host(z, 1, x) != twice(z, x) + 1) Kokkos::abort("guide: a wave's step is not what the page says");
  };
  check();  // the Laplacian is 2
  Koalesce::LinearStencil<double, Koalesce::Star<1, 1, 1>> laplace(
      [](int dz, int dy, int dx) { return dz == 0 && dy == 0 && dx == 0 ? -6. : 1.; });
  Kokkos::deep_copy(previous, 0);
#include "stencil/sum.inc"
  check();
}

static void reductions() {
  using Koalesce::at_point, Koalesce::fields;
  using U = Koalesce::Neighborhood<double, Koalesce::Star<1, 1, 1>>;
  Exec const exec;
  std::int64_t const nz = 2, ny = 3, nx = 4;
  Volume u("u", nz + 2, ny + 2, nx + 2), f("f", nz, ny, nx), next("next", nz, ny, nx);
  fill(u);
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
#include "stencil/reduce.inc"
  if (norm != 4. * double(nz * ny * nx) || most != 2)  // the Laplacian is 2
    Kokkos::abort("guide: a norm is not what the page says");
}

static void reproducible_sum() {
  using Koalesce::at_point, Koalesce::fields;
  using U               = Koalesce::Neighborhood<double, Koalesce::Star<1, 1, 1>>;
  std::int64_t const nz = 2, ny = 3, nx = 4;
  Volume u("u", nz + 2, ny + 2, nx + 2), f("f", nz, ny, nx), next("next", nz, ny, nx);
  fill(u);
  Koalesce::StencilPolicy policy(Exec(), Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
#include "stencil/reproducible.inc"
  if (norm != 4. * double(nz * ny * nx)) Kokkos::abort("guide: a reproducible sum is not what the page says");
}

static void blocks_of_a_mesh() {
  Exec const exec;
  std::int64_t const blocks = 3, nz = 2, ny = 3, nx = 4;
  Kokkos::View<double****, Exec> u("u", blocks, nz + 2, ny + 2, nx + 2), out("out", blocks, nz, ny, nx);
  Kokkos::View<double*, Exec> h("h", blocks);
  Kokkos::deep_copy(h, 0.5);
  for (std::int64_t b = 0; b < blocks; ++b) fill(Volume(u.data() + b * u.stride(0), nz + 2, ny + 2, nx + 2));
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
#include "stencil/blocks.inc"
  auto const check = [&] {
    for (std::int64_t b = 0; b < blocks; ++b)
      expect(Volume(out.data() + b * out.stride(0), nz, ny, nx), 8);  // the Laplacian is 2
  };
  check();
  Kokkos::deep_copy(out, 0);
  std::vector<Volume> patches;
  for (std::int64_t b = 0; b < blocks; ++b) fill(patches.emplace_back("patch", nz + 2, ny + 2, nx + 2));
#include "stencil/list.inc"
  check();
}

static void active_points() {
  Exec const exec;
  std::int64_t const nz = 5, ny = 6, nx = 7;
  Volume u("u", nz + 2, ny + 2, nx + 2), out("out", nz, ny, nx);
  Kokkos::View<int***, Exec> depth("depth", nz, ny, nx);
  Kokkos::deep_copy(u, 3);
  Kokkos::deep_copy(out, 3);
  Kokkos::deep_copy(depth, 1);
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
#include "stencil/active.inc"
  expect(out, 3);
  Kokkos::deep_copy(out, 4);
  Kokkos::deep_copy(depth, 0);
  Koalesce::ActivePoints(wet).update(depth);
  Koalesce::parallel_stencil("mean", policy.with_active(wet), u, out, mean);
  expect(out, 4);
}

static void staggered() {
  Exec const exec;
  std::int64_t const nz = 6, ny = 7, nx = 8;
  double const dt = 0.5;
  Volume p("p", nz, ny, nx), vz("vz", nz + 2, ny + 2, nx + 2), vx("vx", nz + 2, ny + 2, nx + 2);
  fill(vx);
  Kokkos::deep_copy(p, 1);
  Koalesce::StencilPolicy policy(exec, Koalesce::Star<1, 1, 1>{}, {nz, ny, nx});
  using Koalesce::around, Koalesce::at_point, Koalesce::fields;
#include "stencil/staggered.inc"
  expect(p, 0.5);
}

static void two_stages() {
  Exec const exec;
  std::int64_t const nz = 6, ny = 7, nx = 8;
  Volume u("u", nz + 4, ny + 4, nx + 4), out("out", nz, ny, nx);
  fill(u);
  using Star   = Koalesce::Star<1, 1, 1>;
  auto laplace = Koalesce::LinearStencil<double, Star>([](int z, int y, int x) { return z || y || x ? 1. : -6.; });
  auto const first =
      KOKKOS_LAMBDA(Koalesce::Neighborhood<double, Star> const& v, std::int64_t, std::int64_t, std::int64_t) {
    return laplace(v);
  };
  auto const second =
      KOKKOS_LAMBDA(Koalesce::Neighborhood<double, Star> const& mid, double, std::int64_t, std::int64_t, std::int64_t) {
    return laplace(mid);
  };
#include "stencil/stages.inc"
  expect(out, 0);
}

static void three_stages() {
  Exec const exec;
  std::int64_t const nz = 6, ny = 7, nx = 8;
  double const nu_dt = 0.5;
  Volume u("u", nz + 6, ny + 6, nx + 6), out("out", nz, ny, nx);
  fill(u);
  auto const laplace = Koalesce::LinearStencil<double, Koalesce::Star<1, 1, 1>>(
      [](int z, int y, int x) { return z || y || x ? 1. : -6.; });
#include "stencil/three_stages.inc"
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  if (host(0, 0, 0) != 12 || host(2, 3, 4) != 32) Kokkos::abort("guide: a damped field is not what the page says");
}

#if KOKKOS_VERSION >= 50000
static void step(Exec const& exec, Volume const& u, Volume const& next) {
  std::int64_t const nz = next.extent(0), ny = next.extent(1), nx = next.extent(2);
  Koalesce::StencilPolicy<Exec, Koalesce::Star<1, 1, 1>> const policy(exec, {nz, ny, nx});
  Koalesce::parallel_stencil("step", policy, u, next,
                             Koalesce::LinearStencil<double, Koalesce::Star<1, 1, 1>>(
                                 [](int z, int y, int x) { return z || y || x ? 1. : -6.; }));
}

static void in_a_graph() {
  Exec const exec;
  Volume u("u", 8, 9, 10), next("next", 6, 7, 8);
  fill(u);
  step(exec, u, next);
  Kokkos::deep_copy(next, 0);
#include "stencil/graph.inc"
  exec.fence();
  expect(next, 2);
}
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  one_sweep();
  aligned_fields();
  halos();
  boundaries();
  values_at_the_point();
  reductions();
  reproducible_sum();
  blocks_of_a_mesh();
  active_points();
  staggered();
  two_stages();
  three_stages();
#if KOKKOS_VERSION >= 50000
  in_a_graph();
#endif
  return EXIT_SUCCESS;
}
