// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BoundaryOracle.hpp"

#include <array>
#include <map>

namespace Koalesce::Test {
namespace {

template <class P>
class Boundary : public ::testing::Test {};

TYPED_TEST_SUITE(Boundary, NativePath::types, PathNames);

template <Kind Low, Kind High = Low>
struct Pair {
  static constexpr Kind low = Low, high = High;
};

/// The conditions of a dimension, chosen by `choice`. Each combination is a kernel of its own only if it has functors.
template <class T, int Choice>
auto pair_of() {
  constexpr bool sums = Impl::has_sums<T>;
  constexpr int c     = Choice % 7;
  if constexpr (c == 0) return Pair<Kind::periodic>();
  else if constexpr (c == 1) return Pair<Kind::mirror, Kind::value>();
  else if constexpr (c == 2) return Pair<Kind::extrapolation>();
  else if constexpr (c == 3) return Pair < Kind::view, sums ? Kind::slope : Kind::copied > ();
  else if constexpr (c == 4) return Pair<Kind::functor, Kind::extrapolation>();
  else if constexpr (c == 5) return Pair < sums ? Kind::slopes : Kind::view, Kind::mirror_point > ();
  else return Pair < Kind::copied, sums ? Kind::slope_of_point : Kind::functor > ();
}

template <class Exec, class T, int R, class Layout, class... C>
void fill_and_compare(Rng& rng, Index<R> const& n, C const&... conditions) {
  auto halo = random_halo<R>(rng, 5);
  std::vector<Rule<T, R>> low, high;
  int d = 0;
  (
      [&](auto const& both) {
        halo[d] = std::min({halo[d], max_points(both.low, n[d]), max_points(both.high, n[d])});
        halo[d] = std::max<std::int64_t>(halo[d], 0);
        low.push_back(rule_of<T, R>(both.low, n, d));
        high.push_back(rule_of<T, R>(both.high, n, d));
        ++d;
      }(conditions),
      ...);
  if (halo == Index<R>{}) return;  // an error
  SCOPED_TRACE("interior " + to_string<R>(n) + ", halo " + to_string<R>(halo));
  Field<Exec, T, R, Layout> field(n, halo, rng);
  for_each_index<R>({}, n, [&](Index<R> const& p) { field(p) = Element<T>::make(int(random_int(rng, -99, 99))); });
  field.upload();
  Exec const exec;
  fill_halo(exec, field.view(), n, conditions...);
  exec.fence();
  if (!Impl::has_no_points(n)) fill_halo_of<T, R>(field, low, high);
  EXPECT_TRUE(field.device_matches());
}

template <class Exec, class T, int R, class Layout, int Choice>
void try_pairs(Rng& rng, Index<R> const& n) {
  SCOPED_TRACE("choice " + std::to_string(Choice));
  auto const condition = [&](auto pair, int d) {
    using Pair      = decltype(pair);
    auto const low  = random_condition<Exec, T, R, Pair::low>(rng, n, d);
    auto const high = random_condition<Exec, T, R, Pair::high>(rng, n, d);
    return sides(low, high);
  };
  auto const first = condition(pair_of<T, Choice>(), 0);
  if constexpr (R == 1) {
    fill_and_compare<Exec, T, R, Layout>(rng, n, first);
  } else {
    auto const second = condition(pair_of<T, Choice + Choice / 7 + 1>(), 1);
    if constexpr (R == 2) fill_and_compare<Exec, T, R, Layout>(rng, n, first, second);
    else fill_and_compare<Exec, T, R, Layout>(rng, n, first, second, condition(pair_of<T, Choice + 3>(), 2));
  }
}

template <class P, class T, int R, class Layout = Kokkos::LayoutRight>
void try_all() {
  for_each_seed([](Rng& rng) {
    [&]<int... Choice>(std::integer_sequence<int, Choice...>) {
      for (int i = 0; i < 8; ++i) {
        (try_pairs<typename P::exec, T, R, Layout, Choice>(rng, random_extents<R>(rng, 2000)), ...);
        Index<R> small{};  // halos wider than the interior
        for (int d = 0; d < R; ++d) small[d] = random_int(rng, 1, 4);
        (try_pairs<typename P::exec, T, R, Layout, Choice>(rng, small), ...);
        small[int(random_int(rng, 0, R - 1))] = 0;  // nothing to do
        (try_pairs<typename P::exec, T, R, Layout, Choice>(rng, small), ...);
      }
    }(std::make_integer_sequence<int, 7>());
  });
}

TYPED_TEST(Boundary, three_dimensions) { try_all<TypeParam, double, 3>(); }
TYPED_TEST(Boundary, three_dimensions_left) { try_all<TypeParam, std::int64_t, 3, Kokkos::LayoutLeft>(); }
TYPED_TEST(Boundary, three_dimensions_stride) { try_all<TypeParam, Vec3<float>, 3, Kokkos::LayoutStride>(); }
TYPED_TEST(Boundary, two_dimensions) { try_all<TypeParam, Kokkos::complex<double>, 2>(); }
TYPED_TEST(Boundary, two_dimensions_left) { try_all<TypeParam, float, 2, Kokkos::LayoutLeft>(); }
TYPED_TEST(Boundary, one_dimension) { try_all<TypeParam, int, 1>(); }
TYPED_TEST(Boundary, one_dimension_stride) { try_all<TypeParam, double, 1, Kokkos::LayoutStride>(); }

/// Fills the halo of dimension D alone, which includes the halos of earlier dimensions.
template <int D, class Exec, class View, class... C>
void fill_one_dimension(Exec const& exec, View const& u, Index<3> const& n, Index<3> const& halo, C const&... all) {
  Index<3> extents{};
  std::pair<std::int64_t, std::int64_t> part[3];
  for (int d = 0; d < 3; ++d) {
    auto const whole = std::int64_t(u.extent(d));
    part[d]          = {d <= D ? 0 : halo[d], d <= D ? whole : whole - halo[d]};
    extents[d]       = d < D ? whole : n[d];
  }
  fill_halo(exec, Kokkos::subview(u, part[0], part[1], part[2]), extents, all...);
}

template <class Exec, class... C>
void compare_with_one_at_a_time(Rng& rng, C const&... conditions) {
  Index<3> const n{4, 5, 6}, halo{2, 3, 1};
  using View = Kokkos::View<double***, Kokkos::LayoutRight, typename Exec::memory_space>;
  View const u("u", 8, 11, 8), v("v", 8, 11, 8);
  auto const host  = Kokkos::create_mirror(Kokkos::HostSpace(), u),
             other = Kokkos::create_mirror(Kokkos::HostSpace(), v);
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = 1. / double(random_int(rng, 1, 1000));
  Kokkos::deep_copy(u, host);
  Kokkos::deep_copy(v, host);
  Exec const exec;
  fill_halo(exec, u, n, conditions...);
  fill_one_dimension<0>(exec, v, n, halo, conditions...);
  fill_one_dimension<1>(exec, v, n, halo, conditions...);
  fill_one_dimension<2>(exec, v, n, halo, conditions...);
  Kokkos::deep_copy(host, u);
  Kokkos::deep_copy(other, v);
  EXPECT_EQ(std::vector<double>(host.data(), host.data() + host.size()),
            std::vector<double>(other.data(), other.data() + other.size()));
}

/// Not one bit differs, whatever is rounded.
TYPED_TEST(Boundary, equals_one_dimension_after_the_other) {
  using Exec = typename TypeParam::exec;
  for_each_seed([](Rng& rng) {
    double const a = 1. / 3, b = 1. / 7;
    compare_with_one_at_a_time<Exec>(rng, Extrapolation(2), Extrapolation(2), Extrapolation(1));
    compare_with_one_at_a_time<Exec>(rng, Neumann(a), sides(Neumann(b), Extrapolation(1)), Extrapolation(2));
    compare_with_one_at_a_time<Exec>(rng, Periodic(), Mirror(), sides(Dirichlet(a), Neumann(b)));
    compare_with_one_at_a_time<Exec>(rng, sides(Mirror(about_point), Neumann(a)), Extrapolation(2), Periodic());
  });
}

/// The kernel's numbers are the halo's points, each once, also where there are more than 2^32 of them.
TEST(HaloPoints, every_halo_point_has_one_number) {
  for_each_seed([](Rng& rng) {
    for (int i = 0; i < 50; ++i) {
      Index<3> const n = random_extents<3>(rng, 500), h = random_halo<3>(rng, 3);
      Impl::HaloPoints const points(n, h);
      std::map<std::array<std::int64_t, 3>, int> times;
      for (std::int64_t p = 0; p < points.size(); ++p) ++times[{points(p)[0], points(p)[1], points(p)[2]}];
      Index<3> end = n, begin{};
      for (int d = 0; d < 3; ++d) end[d] += h[d], begin[d] -= h[d];
      for_each_index<3>(begin, end, [&](Index<3> const& p) {
        bool inside = true;
        for (int d = 0; d < 3; ++d) inside = inside && p[d] >= 0 && p[d] < n[d];
        EXPECT_EQ((times[{p[0], p[1], p[2]}]), inside ? 0 : 1) << to_string<3>(p);
      });
      EXPECT_EQ(points.size(), (n[0] + 2 * h[0]) * (n[1] + 2 * h[1]) * (n[2] + 2 * h[2]) - n[0] * n[1] * n[2]);
    }
  });

  std::int64_t const m = 100'000;
  Impl::HaloPoints const large({m, m, m}, {1, 1, 1});
  std::int64_t const planes = 2 * (m + 2) * (m + 2), rows = m * 2 * (m + 2);
  EXPECT_EQ(large.size(), planes + rows + m * m * 2);
  EXPECT_EQ(large(0), (Index<3>{-1, -1, -1}));
  EXPECT_EQ(large(planes - 1), (Index<3>{m, m, m}));
  EXPECT_EQ(large(planes + rows - 1), (Index<3>{m - 1, m, m}));
  EXPECT_EQ(large(large.size() - 2), (Index<3>{m - 1, m - 1, -1}));
  EXPECT_EQ(large(large.size() - 1), (Index<3>{m - 1, m - 1, m}));
}

/// Numbers as users have them in structs.
struct Pressure {
  double value;

  KOKKOS_FUNCTION Pressure& operator+=(Pressure const& other) {
    value += other.value;
    return *this;
  }
  KOKKOS_FUNCTION friend Pressure operator*(double weight, Pressure const& p) { return {weight * p.value}; }
};

TYPED_TEST(Boundary, structs_with_sums) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<Pressure*, typename Exec::memory_space> const u("u", 7);
  auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), u);
  for (int i = 0; i < 3; ++i) host(2 + i).value = 10 + i * i;
  Kokkos::deep_copy(u, host);
  fill_halo(Exec(), u, {3}, sides(Extrapolation(2), Neumann(Pressure{5})));
  Kokkos::deep_copy(host, u);
  EXPECT_EQ(host(0).value, 14);
  EXPECT_EQ(host(1).value, 11);
  EXPECT_EQ(host(5).value, 19);
  EXPECT_EQ(host(6).value, 24);
}

}  // namespace
}  // namespace Koalesce::Test
