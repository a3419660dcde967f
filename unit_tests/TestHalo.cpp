// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class Halo : public ::testing::Test {};

TYPED_TEST_SUITE(Halo, NativePath::types, PathNames);

/// Doubles its index of the dimension that it is given for.
struct Twice {
  int dim;

  KOKKOS_FUNCTION double operator()(std::int64_t y, std::int64_t x) const { return 2. * double(dim == 0 ? y : x); }
};

/// The ways to write conditions, on numbers that can be checked by eye.
template <class Exec, class... C>
std::vector<double> filled(C const&... conditions) {
  Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space> const u("u", 4, 3);
  auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), u);
  host(1, 1)      = 1;
  host(2, 1)      = 2;
  Kokkos::deep_copy(u, host);
  fill_halo(Exec(), u, {2, 1}, conditions...);
  Kokkos::deep_copy(host, u);
  return {host.data(), host.data() + 12};
}

TYPED_TEST(Halo, conditions_as_users_write_them) {
  using Exec   = typename TypeParam::exec;
  using Values = std::vector<double>;
  EXPECT_EQ(filled<Exec>(Periodic()), (Values{2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1}));
  EXPECT_EQ(filled<Exec>(Neumann()), (Values{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(filled<Exec>(Mirror()), (Values{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(filled<Exec>(Extrapolation(0)), (Values{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(filled<Exec>(Dirichlet(7)), (Values{7, 7, 7, 7, 1, 7, 7, 2, 7, 7, 7, 7}));
  EXPECT_EQ(filled<Exec>(Neumann(10)), (Values{21, 11, 21, 11, 1, 11, 12, 2, 12, 22, 12, 22}));
  EXPECT_EQ(filled<Exec>(Periodic(), Dirichlet(8.)), (Values{8, 2, 8, 8, 1, 8, 8, 2, 8, 8, 1, 8}));
  EXPECT_EQ(filled<Exec>(Mirror(about_point), Periodic()), (Values{2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1}));
  EXPECT_EQ(filled<Exec>(Extrapolation(1), Neumann()), (Values{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
  EXPECT_EQ(filled<Exec>(sides(Neumann(), Dirichlet(5.f)), sides(Dirichlet(8.), Neumann())),
            (Values{8, 1, 1, 8, 1, 1, 8, 2, 2, 8, 5, 5}));
  EXPECT_EQ(filled<Exec>(Dirichlet(Twice{0}), Dirichlet(Twice{1})), (Values{-2, -2, 2, -2, 1, 2, -2, 2, 2, -2, 4, 2}));
  EXPECT_EQ(filled<Exec>(Neumann(), sides(Neumann(Twice{1}), Neumann())),
            (Values{-1, 1, 1, -1, 1, 1, 0, 2, 2, 0, 2, 2}));

  Kokkos::View<double*, typename Exec::memory_space> const face("face", 2);
  auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), face);
  host(0)         = 6;
  host(1)         = 9;
  Kokkos::deep_copy(face, host);
  Kokkos::View<double const*, typename Exec::memory_space> const read_only = face;
  EXPECT_EQ(filled<Exec>(Periodic(), Dirichlet(face)), (Values{6, 2, 6, 6, 1, 6, 9, 2, 9, 9, 1, 9}));
  EXPECT_EQ(filled<Exec>(Periodic(), sides(Mirror(), Neumann(read_only))),
            (Values{2, 2, 8, 1, 1, 7, 2, 2, 11, 1, 1, 10}));
}

TYPED_TEST(Halo, polynomials_and_mirrors) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<int*, typename Exec::memory_space> const u("u", 7);
  auto const host  = Kokkos::create_mirror(Kokkos::HostSpace(), u);
  auto const check = [&](auto const& condition, std::vector<int> const& expected) {
    Kokkos::deep_copy(host, 0);
    for (int i = 0; i < 3; ++i) host(2 + i) = 10 + i * i;
    Kokkos::deep_copy(u, host);
    fill_halo(Exec(), u, {3}, condition);
    Kokkos::deep_copy(host, u);
    EXPECT_EQ(std::vector<int>(host.data(), host.data() + 7), expected);
  };
  check(Extrapolation(0), {10, 10, 10, 11, 14, 14, 14});
  check(Extrapolation(1), {8, 9, 10, 11, 14, 17, 20});
  check(Extrapolation(2), {14, 11, 10, 11, 14, 19, 26});
  check(Mirror(about_face), {11, 10, 10, 11, 14, 14, 11});
  check(Mirror(about_point), {14, 11, 10, 11, 14, 11, 10});
  check(Periodic(), {11, 14, 10, 11, 14, 10, 11});
  check(Neumann(-2), {6, 8, 10, 11, 14, 12, 10});
}

/// Nothing leaves a periodic box: steps of diffusion and halo filling, queued without a fence in between.
TYPED_TEST(Halo, diffusion_in_a_periodic_box_keeps_its_sum) {
  using Exec = typename TypeParam::exec;
  Rng rng(3);
  Index<3> const n{7, 9, 20};
  Field<Exec, std::int64_t, 3> u(n, {1, 1, 1}, rng), v(n, {2, 1, 1}, rng);
  u.fill(rng);
  std::int64_t before = 0, after = 0;
  for_each_index<3>({}, n, [&](Index<3> const& p) { before += u(p); });
  using Shape = Star<1, 1, 1>;
  LinearStencil<std::int64_t, Shape> const step(
      [](int a, int b, int c) { return a == 0 && b == 0 && c == 0 ? 19 : -3; });
  Exec const exec;
  StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(exec, n);
  auto a = u.view(), b = v.view();
  for (int i = 0; i < 6; ++i, std::swap(a, b)) {
    fill_halo(exec, a, n, Periodic());
    parallel_stencil("step", policy, a, b, step);
  }
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  for_each_index<3>({}, n, [&](Index<3> const& p) { after += result(p[0] + 1, p[1] + 1, p[2] + 1); });
  EXPECT_EQ(before, after);
}

TYPED_TEST(Halo, one_kernel_without_a_fence) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<double***, typename Exec::memory_space> const u("u", 5, 6, 7);
  for (int halos = 1; halos <= 3; ++halos) {  // the dimensions that have one
    KernelRecorder const record;
    fill_halo(Exec(), u, {halos > 0 ? 3 : 5, halos > 1 ? 4 : 6, halos > 2 ? 3 : 7}, Periodic());
    EXPECT_EQ(record.kernel_names(), Strings{"Koalesce::fill_halo"});
    EXPECT_EQ(record.kernels.front().device, Kokkos::Tools::Experimental::device_id(Exec()));
    EXPECT_EQ(record.fences, Strings());
    EXPECT_EQ(record.regions, Strings{"Koalesce::fill_halo"});
  }
}

TYPED_TEST(Halo, errors) {
  using Exec = typename TypeParam::exec;
  using View = Kokkos::View<double**, typename Exec::memory_space>;
  View const u("u", 6, 7);
  Exec const exec;
  expect_error({"Koalesce::fill_halo: the field (\"u\")", "periodic on the low side of dimension 1 only",
                "give Periodic for both"},
               [&] {
                 fill_halo(exec, u, {4, 5}, Neumann(), sides(Periodic(), Neumann()));
               });
  expect_error({"periodic on the high side of dimension 0 only"}, [&] {
    fill_halo(exec, u, {4, 5}, sides(Dirichlet(1.), Periodic()), Periodic());
  });
  expect_error({"extent 7 in dimension 1", "does not match", "4 interior points", "give it 4 + 2 * halo"}, [&] {
    fill_halo(exec, u, {4, 4}, Periodic());
  });
  expect_error({"extent 6 in dimension 0", "8 interior points"}, [&] { fill_halo(exec, u, {8, 5}, Neumann()); });
  expect_error({"-2 interior points in dimension 0"}, [&] { fill_halo(exec, u, {-2, 5}, Neumann()); });
  expect_error({"the field (\"u\") has no halo in any dimension", "without the halo"}, [&] {
    fill_halo(exec, u, {6, 7}, Neumann());
  });
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, typename Exec::memory_space>;
  Strided const row("row", Kokkos::LayoutStride(6, 0, 7, 1));
  expect_error({"the field (\"row\") overlaps itself"}, [&] { fill_halo(exec, row, {4, 5}, Neumann()); });
  EXPECT_NO_THROW(fill_halo(exec, View("empty", 0, 7), {0, 7}, Neumann()));
  expect_error({"has no memory"}, [&] {
    fill_halo(exec, View(static_cast<double*>(nullptr), 6, 7), {4, 5}, Neumann());
  });
}

TYPED_TEST(Halo, errors_of_conditions) {
  using Exec  = typename TypeParam::exec;
  using Space = typename Exec::memory_space;
  using Face  = Kokkos::View<double*, Space>;
  Kokkos::View<double**, Space> const u("u", 7, 7), narrow("narrow", 7, 3);
  Kokkos::View<Vec3<float>**, Space> const vectors("vectors", 4, 4);
  Face const wall("wall", 7), none(static_cast<double*>(nullptr), 5);
  Exec const exec;
  expect_error({"the field (\"u\") is mirrored about the low face of dimension 0", "3 interior points", "halo of 3",
                "there are 1", "give the field more points"},
               [&] {
                 fill_halo(exec, u, {1, 5}, Mirror(), Periodic());
               });
  expect_error({"about the point at the high face of dimension 1", "2 interior points", "halo of 1"}, [&] {
    fill_halo(exec, narrow, {5, 1}, Periodic(), sides(Mirror(), Mirror(about_point)));
  });
  expect_error({"1 interior points in dimension 1", "order 2 reads 3", "give a lower order"}, [&] {
    fill_halo(exec, narrow, {5, 1}, Extrapolation(2));
  });
  expect_error({"extrapolation at the low face of dimension 0 has order 3", "0 to 2"}, [&] {
    fill_halo(exec, u, {5, 5}, Extrapolation(3));
  });
  expect_error({"high face of dimension 1 has order -1"}, [&] {
    fill_halo(exec, u, {5, 5}, Periodic(), sides(Neumann(), Extrapolation(-1)));
  });
  expect_error({"has order 1", "cannot be multiplied", "give order 0"}, [&] {
    fill_halo(exec, vectors, {2, 2}, Extrapolation(1));
  });
  expect_error({"the View (\"wall\") of the low face of dimension 1 has extent 7 in its dimension 0",
                "5 interior points in dimension 0", "give it as many entries"},
               [&] {
                 fill_halo(exec, u, {5, 5}, Periodic(), Dirichlet(wall));
               });
  expect_error({"the View of the high face of dimension 0 (\"\") has no memory"}, [&] {
    fill_halo(exec, u, {5, 5}, sides(Neumann(1.), Neumann(none)), Periodic());
  });

  // Points of the field: those of the halo are written.
  auto const row    = [&](int i) { return Kokkos::subview(u, i, Kokkos::make_pair(1, 6)); };
  auto const column = [&](int j) { return Kokkos::subview(u, Kokkos::make_pair(1, 6), j); };
  expect_error({"fill_halo: the View (\"u\") of the low face of dimension 0 has halo points of the field (\"u\")"},
               [&] {
                 fill_halo(exec, u, {5, 5}, sides(Dirichlet(row(0)), Neumann()), Periodic());
               });
  expect_error({"the View (\"u\") of the high face of dimension 1 has halo points"}, [&] {
    fill_halo(exec, u, {5, 5}, Mirror(), sides(Dirichlet(column(5)), Neumann(column(6))));
  });
  expect_error({"of the low face of dimension 0 has halo points"}, [&] {
    fill_halo(exec, u, {5, 5}, sides(Dirichlet(Kokkos::subview(u, 3, Kokkos::make_pair(2, 7))), Neumann()), Mirror());
  });
  EXPECT_NO_THROW(fill_halo(exec, u, {5, 5}, sides(Dirichlet(row(1)), Neumann(row(5))), Dirichlet(column(3))));
  EXPECT_NO_THROW(fill_halo(exec, u, {5, 5}, Dirichlet(column(3)), Dirichlet(row(4))));
  Kokkos::View<double* [7][2], Space> const levels("levels", 7);
  auto const level = [&](int i) { return Kokkos::subview(levels, Kokkos::ALL, Kokkos::ALL, i); };
  auto const other = Kokkos::subview(levels, 0, Kokkos::make_pair(1, 6), 1);
  EXPECT_NO_THROW(fill_halo(exec, level(0), {5, 5}, Dirichlet(other), Mirror()));
  expect_error({"has halo points"}, [&] { fill_halo(exec, level(1), {5, 5}, Dirichlet(other), Mirror()); });

  // What is not used does no harm.
  EXPECT_NO_THROW(fill_halo(exec, u, {7, 5}, Dirichlet(Kokkos::subview(u, 3, Kokkos::make_pair(2, 7))), Mirror()));
  EXPECT_NO_THROW(fill_halo(exec, u, {1, 5}, Neumann(), Mirror()));
  EXPECT_NO_THROW(fill_halo(exec, Kokkos::View<double**, Space>("v", 1, 4), {1, 2}, Extrapolation(1)));
  EXPECT_NO_THROW(fill_halo(exec, Kokkos::View<double**, Space>("v", 6, 4), {0, 2}, Mirror()));
}

}  // namespace
}  // namespace Koalesce::Test
