// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BoundaryOracle.hpp"
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

/// Sweeps with boundaries: as fill_halo and a plain sweep. Values are whole numbers, so that results are exact.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilBoundary : public ::testing::Test {};
TYPED_TEST_SUITE(StencilBoundary, DefaultPaths::types, PathNames);

template <class TestField>
auto host_copy(TestField const& field) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.view());
}

template <class Host, class Point>
auto const& element(Host const& host, Point const& p) {
  if constexpr (Host::rank() == 1) return host(p[0]);
  else if constexpr (Host::rank() == 2) return host(p[0], p[1]);
  else return host(p[0], p[1], p[2]);
}

/// What a sweep reads of one input.
template <class Exec, class T, class Shape, class Layout>
struct TwoFields {
  static constexpr int rank = Shape::rank;
  using TestField           = Field<Exec, T, rank, Layout>;

  TestField bare;    ///< of any halo, which must not count
  TestField filled;  ///< the same interior, with a halo that holds the conditions

  template <class... Conditions>
  TwoFields(Rng& rng, Index<rank> const& n, Conditions const&... conditions)
      : bare(n, random_halo<rank>(rng, 2), rng), filled(n, halo_for<Shape>(rng, 0), rng) {
    bare.fill(rng);
    for_each_index<rank>({}, n, [&](Index<rank> const& p) { filled(p) = bare(p); });
    filled.upload();
    Exec const exec;
    if (filled.halo() != Index<rank>{}) fill_halo(exec, filled.view(), n, conditions...);
    exec.fence();
  }
};

/// Runs sweep(policy, whether fields are bare, output), once plain and then with a boundary in every way.
template <class P, class Shape, class T, class Layout, class Sweep, class... Conditions>
void compare_sweeps(Rng& rng, Index<Shape::rank> const& n, Sweep const& sweep, Conditions const&... conditions) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  SCOPED_TRACE("interior " + to_string<rank>(n));
  Field<Exec, T, rank, Layout> plain(n, {}, rng), out(n, random_halo<rank>(rng, 2), rng);
  Exec const exec;
  StencilPolicy<Exec, Shape, typename P::backend> const policy(exec, n);
  sweep(policy, std::false_type(), plain.view());
  exec.fence();
  auto const expected = host_copy(plain);
  for_each_index<rank>({}, n, [&](Index<rank> const& p) { out(p) = element(expected, p); });
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    out.poison_device();
    sweep(policy.with_taps(taps).with_boundary(conditions...), std::true_type(), out.view());
    exec.fence();
    EXPECT_TRUE(out.device_matches());
  }
}

/// One input.
template <class P, class Shape, class T, class Layout, class... Conditions>
void try_probe(Rng& rng, Index<Shape::rank> const& n, Conditions const&... conditions) {
  TwoFields<typename P::exec, T, Shape, Layout> u(rng, n, conditions...);
  compare_sweeps<P, Shape, T, Layout>(
      rng, n,
      [&](auto const& policy, auto bare, auto const& out) {
        parallel_stencil("boundary", policy, (bare ? u.bare : u.filled).view(), out, Probe<Shape>());
      },
      conditions...);
  EXPECT_TRUE(u.bare.device_matches());
}

TYPED_TEST(StencilBoundary, three_dimensions) {
  using Shape = Box<1, 2, 1>;
  for_each_seed([](Rng& rng) {
    auto const run = [&](Index<3> const& n, auto const&... conditions) {
      try_probe<TypeParam, Shape, double, Kokkos::LayoutRight>(rng, n, conditions...);
    };
    run(random_extents<3>(rng, 10000), Periodic());
    run({1, 1, 1}, Periodic());
    run({0, 3, 2}, Periodic());
    run({2, 9, 40}, Periodic());
    run({12, 5, 33}, Mirror(), Extrapolation(2), sides(Dirichlet(2.), Neumann(3.)));
    run({3, 4, 3}, Mirror(about_point), sides(Neumann(), Mirror(about_point)), Extrapolation(1));
    Index<3> const n{5, 8, 17};
    auto const face = random_face<typename TypeParam::exec, double, 3>(rng, n, 1);
    run(n, Dirichlet(OfPoint<double, 3>{3}), sides(Dirichlet(face), Neumann(face)), Periodic());
  });
}

TYPED_TEST(StencilBoundary, one_dimension) {
  for_each_seed([](Rng& rng) {
    for (std::int64_t n : {3, 4, 5, 300})
      try_probe<TypeParam, Box<2>, std::int64_t, Kokkos::LayoutRight>(rng, Index<1>{n},
                                                                      sides(Mirror(), Extrapolation(2)));
  });
}

/// Rows of several warps: those of a GPU that meet faces, beyond which lie copies, and others.
template <class P, class Shape, class T, class Layout, class Sweep>
void try_long_rows(Rng& rng, Sweep const& sweep) {
  auto const run = [&](Index<3> n, auto const&... conditions) {
    if (std::is_same_v<Layout, Kokkos::LayoutLeft>) std::swap(n[0], n[2]);
    TwoFields<typename P::exec, T, Shape, Layout> u(rng, n, conditions...);
    compare_sweeps<P, Shape, T, Layout>(
        rng, n,
        [&](auto const& policy, auto bare, auto const& out) { sweep(policy, (bare ? u.bare : u.filled).view(), out); },
        conditions...);
  };
  std::int64_t const z = random_int(rng, 4, 13), y = random_int(rng, 4, 13), x = random_int(rng, 130, 300);
  run({z, y, x}, Periodic());
  run({z, y, x}, Mirror(), Mirror(about_point), Neumann());
  run({y, z, x + 1}, Dirichlet(T(3)), sides(Neumann(), Mirror()), Periodic());
  run({z, y, x}, sides(Dirichlet(T(1)), Dirichlet(T(2))), sides(Mirror(), Dirichlet(T(5))),
      sides(Dirichlet(T(7)), Neumann()));
  run({z, y, x}, Dirichlet(T(4)), sides(Neumann(T(2)), Dirichlet(T(3))), Dirichlet(T(6)));
  run({z, y, x}, Periodic(), Periodic(), sides(Mirror(), Extrapolation(1)));
  run({4, 4, 6}, Periodic(), Mirror(), Neumann());
}

TYPED_TEST(StencilBoundary, long_rows_of_a_functor) {
  for_each_seed([](Rng& rng) {
    try_long_rows<TypeParam, Box<1, 2, 1>, double, Kokkos::LayoutRight>(
        rng, [](auto const& policy, auto const& in, auto const& out) {
          parallel_stencil("boundary", policy, in, out, Probe<Box<1, 2, 1>>());
        });
  });
}

TYPED_TEST(StencilBoundary, long_rows_of_a_sum) {
  using Shape = Box<1, 1, 1>;
  LinearStencil<float, Shape> const weights([](auto... d) { return float(Probe<Shape>::weight(d...)); });
  for_each_seed([&](Rng& rng) {
    try_long_rows<TypeParam, Shape, float, Kokkos::LayoutLeft>(
        rng, [&](auto const& policy, auto const& in, auto const& out) {
          parallel_stencil("boundary", policy, in, out, weights);
        });
  });
}

struct SumAndBefore {
  template <class I>
  KOKKOS_FUNCTION float operator()(float sum, float before, I y, I x) const {
    return sum + 2 * before + float(y % 5 - x % 3);
  }
};

/// Known weights and values at the point, of which one is the output.
TYPED_TEST(StencilBoundary, in_place_of_a_sum) {
  using Shape = Star<2, 1>;
  using Exec  = typename TypeParam::exec;
  LinearStencil<float, Shape> const weights([](auto... d) { return float(Probe<Shape>::weight(d...)); });
  for_each_seed([&](Rng& rng) {
    for (auto const& n : {Index<2>{2, 2}, Index<2>{40, 33}, random_extents<2>(rng, 5000)}) {
      auto const conditions = sides(Neumann(-1.f), Dirichlet(5.f));
      TwoFields<Exec, float, Shape, Kokkos::LayoutLeft> u(rng, n, conditions, Periodic());
      Field<Exec, float, 2, Kokkos::LayoutLeft> before(n, {}, rng);
      before.fill(rng);
      auto const previous = before.view();
      compare_sweeps<TypeParam, Shape, float, Kokkos::LayoutLeft>(
          rng, n,
          [&](auto const& policy, auto bare, auto const& out) {
            auto const inner = bare ? u.bare.view() : u.filled.view();
            before.upload();
            parallel_stencil("boundary", policy, fields(inner, at_point(previous)), previous, weights, SumAndBefore());
            // The output of the comparison may have a halo, the field in place has none.
            parallel_stencil("copy", StencilPolicy<Exec, Box<0, 0>>(policy.space(), n), previous, out,
                             LinearStencil<float, Box<0, 0>>([](int, int) { return 1.f; }));
          },
          conditions, Periodic());
    }
  });
}

template <class Shape>
struct FirstProbe {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, double a, I y, I x) const {
    return Probe<Shape>()(u, y, x) + 3 * a;
  }
};
template <class Shape>
struct SecondProbe {
  template <class M, class I>
  KOKKOS_FUNCTION double operator()(M const& m, double u, double a, I y, I x) const {
    return Probe<Shape>()(m, y, x) + 5 * u - 7 * a;
  }
};

/// The first stage runs outside of the interior, too.
TYPED_TEST(StencilBoundary, two_stages) {
  using First  = Star<1, 1>;
  using Second = Box<1, 2>;
  using Shape  = Staged<First, Second>;
  using Exec   = typename TypeParam::exec;
  for_each_seed([&](Rng& rng) {
    auto const run = [&](Index<2> const& n, auto const&... conditions) {
      TwoFields<Exec, double, Shape, Kokkos::LayoutRight> u(rng, n, conditions...);
      TwoFields<Exec, double, Second, Kokkos::LayoutRight> a(rng, n, conditions...);
      compare_sweeps<TypeParam, Shape, double, Kokkos::LayoutRight>(
          rng, n,
          [&](auto const& policy, auto bare, auto const& out) {
            parallel_stencil("boundary", policy,
                             bare ? fields(u.bare.view(), at_point(a.bare.view()))
                                  : fields(u.filled.view(), at_point(a.filled.view())),
                             out, FirstProbe<First>(), SecondProbe<Second>());
          },
          conditions...);
    };
    run({4, 5}, Mirror(), sides(Dirichlet(1.), Extrapolation(2)));
    run({50, 31}, Mirror(), sides(Dirichlet(1.), Extrapolation(2)));
  });
}

struct UAndV {
  template <class U, class V, class I>
  KOKKOS_FUNCTION double operator()(U const& u, V const& v, I z, I, I x) const {
    return u(1, 0, 0) - 2 * u(0, -1, 0) + 3 * u(0, 0, 1) + 5 * v(2, 0, 0) - v() + double(z * x % 7);
  }
};

/// Each input has its own conditions.
TYPED_TEST(StencilBoundary, a_boundary_per_field) {
  using Shape = Star<1, 1, 1>;
  using Above = Offsets<At<0, 0, 0>, At<2, 0, 0>>;
  using Exec  = typename TypeParam::exec;
  for_each_seed([&](Rng& rng) {
    Index<3> const n{9, 6, 35};
    TwoFields<Exec, double, Shape, Kokkos::LayoutRight> u(rng, n, Periodic());
    TwoFields<Exec, double, Above, Kokkos::LayoutRight> v(rng, n, Dirichlet(4.), Periodic(), Periodic());
    compare_sweeps<TypeParam, Shape, double, Kokkos::LayoutRight>(
        rng, n,
        [&](auto const& policy, auto bare, auto const& out) {
          if constexpr (bare)
            parallel_stencil(
                "boundary", policy,
                fields(u.bare.view(),
                       around(Above{}, v.bare.view()).with_boundary(Dirichlet(4.), Periodic(), Periodic())),
                out, UAndV());
          else
            parallel_stencil("boundary", policy, fields(u.filled.view(), around(Above{}, v.filled.view())), out,
                             UAndV());
        },
        Periodic());
  });
}

TYPED_TEST(StencilBoundary, kernels_without_a_fence) {
  using Exec = typename TypeParam::exec;
  // CPU threads sweep up to the faces.
  constexpr bool one = std::is_same_v<typename TypeParam::backend, Impl::OpenMPBackend::Tag>;
  Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space> const u("u", 6, 7), v("v", 6, 7);
  auto const policy =
      StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend>(Exec(), {6, 7}).with_boundary(Periodic());
  KernelRecorder const record;
  parallel_stencil("heat", policy.with_taps(StencilTaps::cache), u, v, Probe<Star<1, 1>>());
  EXPECT_EQ(record.kernels.size(), one ? 1u : 2u);
  EXPECT_NE(record.kernels.back().name.find(one ? "heat" : "heat, boundary"), std::string::npos);
  EXPECT_EQ(record.fences, Strings());
}

TEST(StencilBoundaryErrors, say_what_is_wrong) {
  using Exec  = Kokkos::DefaultExecutionSpace;
  using Shape = Star<1, 2>;
  Kokkos::View<double**, Exec> const u("u", 8, 2), v("v", 8, 2), wall("wall", 3, 1);
  StencilPolicy<Exec, Shape> const policy(Exec(), {8, 2});
  auto const run = [&](auto const&... conditions) {
    parallel_stencil("heat", policy.with_boundary(conditions...), u, v, Probe<Shape>());
  };
  std::string const field = "Koalesce::parallel_stencil(\"heat\"): input field 0 (\"u\")";
  expect_error({field, "is periodic on the low side of dimension 0 only"},
               [&] { run(sides(Periodic(), Neumann()), Periodic()); });
  expect_error({field, "is mirrored about the point at the low face of dimension 1", "takes 3 interior points"},
               [&] { run(Periodic(), Mirror(about_point)); });
  expect_error({field, "has 2 interior points in dimension 1, but an extrapolation of order 2 reads 3"},
               [&] { run(Extrapolation(2)); });
  Kokkos::View<double*, Exec> const face("face", 3);
  expect_error({"the View (\"face\") of the low face of dimension 1 has extent 3"},
               [&] { run(Periodic(), Dirichlet(face)); });
  EXPECT_NO_THROW(run(Mirror()));
}

TEST(StencilBoundaryErrors, faces_in_an_output) {
  using Exec  = Kokkos::DefaultExecutionSpace;
  using Shape = Star<1, 1>;
  Kokkos::View<double***, Kokkos::LayoutRight, Exec> const levels("levels", 8, 9, 3);
  auto const level = [&](int i) { return Kokkos::subview(levels, Kokkos::ALL, Kokkos::ALL, i); };
  auto const wall  = [&](int i) { return Kokkos::subview(levels, Kokkos::ALL, 8, i); };
  auto const u = level(0), next = level(1);
  StencilPolicy<Exec, Shape> const policy(Exec(), {8, 9});
  auto const run = [&](auto const& in, auto const&... conditions) {
    parallel_stencil("heat", policy.with_boundary(conditions...), in, next, Probe<Shape>());
  };
  std::string const field = "Koalesce::parallel_stencil(\"heat\"): output field 0 (\"levels\")";
  expect_error({field, "the View (\"levels\") of the high face of dimension 1 overlap in memory"},
               [&] { run(u, Periodic(), sides(Neumann(), Dirichlet(wall(1)))); });
  expect_error({field, "the View (\"levels\") of the low face of dimension 1 overlap in memory"},
               [&] { run(around(Shape(), u).with_boundary(Periodic(), Neumann(wall(1))), Periodic()); });
  // Those of other levels lie between its elements.
  EXPECT_NO_THROW(run(u, Periodic(), sides(Dirichlet(wall(0)), Neumann(wall(2)))));
  // Those of an input with conditions of its own are not asked.
  EXPECT_NO_THROW(run(around(Shape(), u).with_boundary(Periodic()), Periodic(), Dirichlet(wall(1))));
  Exec().fence();
}

}  // namespace
}  // namespace Koalesce::Test
