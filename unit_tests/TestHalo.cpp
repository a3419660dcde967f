// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class Halo : public ::testing::Test {};

TYPED_TEST_SUITE(Halo, NativePaths, PathNames);

/// What the halo point p has to hold, from the definition: the last dimension that p is outside of decides.
template <class T, int R, class TestField>
T expected_at(TestField const& field, HaloConditions<T, R> const& conditions, Index<R> p) {
  for (int d = R - 1; d >= 0; --d) {
    std::int64_t const n = field.interior()[d];
    if (p[d] >= 0 && p[d] < n) continue;
    HaloFace<T> const& face = p[d] < 0 ? conditions.sides[d].low : conditions.sides[d].high;
    if (face.kind == HaloKind::dirichlet) return face.value;
    if (face.kind == HaloKind::neumann) p[d] = p[d] < 0 ? 0 : n - 1;
    while (p[d] < 0) p[d] += n;
    while (p[d] >= n) p[d] -= n;
    return expected_at<T, R>(field, conditions, p);
  }
  return field(p);
}

template <class T>
HaloSides<T> random_sides(Rng& rng) {
  auto const face = [&]() -> HaloFace<T> {
    if (random_int(rng, 0, 1) == 0) return Neumann();
    return Dirichlet(Element<T>::make(int(random_int(rng, -8, 8))));
  };
  if (random_int(rng, 0, 2) == 0) return Periodic();
  auto const low = face(), high = face();
  return {low, high};
}

template <class T, int R>
HaloConditions<T, R> random_conditions(Rng& rng) {
  if constexpr (R == 1) return {random_sides<T>(rng)};
  else if constexpr (R == 2) return {random_sides<T>(rng), random_sides<T>(rng)};
  else return {random_sides<T>(rng), random_sides<T>(rng), random_sides<T>(rng)};
}

template <class Exec, class T, int R, class Layout>
void fill_and_compare(Rng& rng, Index<R> const& n, HaloConditions<T, R> const& conditions) {
  SCOPED_TRACE("interior " + to_string<R>(n));
  auto halo = random_halo<R>(rng, 5);
  if (halo == Index<R>{}) halo[0] = 1;  // none at all is an error
  Field<Exec, T, R, Layout> field(n, halo, rng);
  for_each_index<R>({}, n, [&](Index<R> const& p) { field(p) = Element<T>::make(int(random_int(rng, -99, 99))); });
  field.upload();
  Exec const exec;
  fill_halo(exec, field.view(), n, conditions);
  exec.fence();
  bool empty = false;
  for (int d = 0; d < R; ++d) empty = empty || n[d] == 0;
  if (!empty)
    for_each_index<R>(field.low(), field.high(),
                      [&](Index<R> const& p) { field(p) = expected_at<T, R>(field, conditions, p); });
  EXPECT_TRUE(field.device_matches());
}

template <class P, class T, int R, class Layout = Kokkos::LayoutRight>
void try_conditions() {
  for_each_seed([](Rng& rng) {
    for (int n = 0; n < 12; ++n)
      fill_and_compare<typename P::exec, T, R, Layout>(rng, random_extents<R>(rng, 2000), random_conditions<T, R>(rng));
    for (int n = 0; n < 12; ++n) {  // halos wider than the interior
      Index<R> small{};
      for (int d = 0; d < R; ++d) small[d] = random_int(rng, n == 0 ? 0 : 1, 3);
      fill_and_compare<typename P::exec, T, R, Layout>(rng, small, random_conditions<T, R>(rng));
    }
  });
}

TYPED_TEST(Halo, three_dimensions) { try_conditions<TypeParam, double, 3>(); }
TYPED_TEST(Halo, three_dimensions_left) { try_conditions<TypeParam, std::int64_t, 3, Kokkos::LayoutLeft>(); }
TYPED_TEST(Halo, three_dimensions_stride) { try_conditions<TypeParam, Vec3<float>, 3, Kokkos::LayoutStride>(); }
TYPED_TEST(Halo, two_dimensions) { try_conditions<TypeParam, Kokkos::complex<double>, 2>(); }
TYPED_TEST(Halo, two_dimensions_left) { try_conditions<TypeParam, float, 2, Kokkos::LayoutLeft>(); }
TYPED_TEST(Halo, one_dimension) { try_conditions<TypeParam, int, 1>(); }
TYPED_TEST(Halo, one_dimension_stride) { try_conditions<TypeParam, double, 1, Kokkos::LayoutStride>(); }

/// The ways to write conditions, on numbers that can be checked by eye.
TYPED_TEST(Halo, conditions_as_users_write_them) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space> const u("u", 4, 3);
  auto const host  = Kokkos::create_mirror(Kokkos::HostSpace(), u);
  auto const check = [&](HaloConditions<double, 2> const& conditions, std::vector<double> const& expected) {
    Kokkos::deep_copy(host, 0);
    host(1, 1) = 1;
    host(2, 1) = 2;
    Kokkos::deep_copy(u, host);
    fill_halo(Exec(), u, {2, 1}, conditions);
    Kokkos::deep_copy(host, u);
    EXPECT_EQ(std::vector<double>(host.data(), host.data() + 12), expected);
  };
  check(Periodic(), {2, 2, 2, 1, 1, 1, 2, 2, 2, 1, 1, 1});
  check(Neumann(), {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
  check(Dirichlet(7), {7, 7, 7, 7, 1, 7, 7, 2, 7, 7, 7, 7});
  check({Periodic(), Dirichlet(8.)}, {8, 2, 8, 8, 1, 8, 8, 2, 8, 8, 1, 8});
  check({{Neumann(), Dirichlet(5.f)}, {Dirichlet(8.), Neumann()}}, {8, 1, 1, 8, 1, 1, 8, 2, 2, 8, 5, 5});
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

TYPED_TEST(Halo, one_kernel_a_dimension_without_a_fence) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<double***, typename Exec::memory_space> const u("u", 5, 6, 7);
  for (int halos = 1; halos <= 3; ++halos) {  // the dimensions that have one
    KernelRecorder const record;
    fill_halo(Exec(), u, {halos > 0 ? 3 : 5, halos > 1 ? 4 : 6, halos > 2 ? 3 : 7}, Periodic());
    EXPECT_EQ(int(record.kernels.size()), halos);
    for (auto const& kernel : record.kernels) {
      EXPECT_EQ(kernel.name, "Koalesce::fill_halo");
      EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(Exec()));
    }
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
                 fill_halo(exec, u, {4, 5}, {Neumann(), {Periodic(), Neumann()}});
               });
  expect_error({"periodic on the high side of dimension 0 only"}, [&] {
    fill_halo(exec, u, {4, 5}, {{Dirichlet(1.), Periodic()}, Periodic()});
  });
  expect_error({"extent 7 in dimension 1", "does not match", "4 interior points", "give it 4 + 2 * halo"}, [&] {
    fill_halo(exec, u, {4, 4}, Periodic());
  });
  expect_error({"extent 6 in dimension 0", "8 interior points"}, [&] { fill_halo(exec, u, {8, 5}, Neumann()); });
  expect_error({"-2 interior points in dimension 0"}, [&] { fill_halo(exec, u, {-2, 5}, Neumann()); });
  expect_error({"the field (\"u\") has no halo in any dimension", "without the halo"}, [&] {
    fill_halo(exec, u, {6, 7}, Neumann());
  });
  EXPECT_NO_THROW(fill_halo(exec, View("empty", 0, 7), {0, 7}, Neumann()));
  expect_error({"has no memory"}, [&] {
    fill_halo(exec, View(static_cast<double*>(nullptr), 6, 7), {4, 5}, Neumann());
  });
}

}  // namespace
}  // namespace Koalesce::Test
