// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

/// Fields whose rows begin anywhere: what tiles in registers have to be cut at.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilTiles : public ::testing::Test {};

TYPED_TEST_SUITE(StencilTiles, NativePath::types, PathNames);

/// Counts calls for each point, and those for places beyond the interior.
template <class Shape, class Exec>
struct CountingProbe {
  Kokkos::View<int***, Kokkos::LayoutRight, Exec> calls;
  Kokkos::View<int, Exec> beyond;

  template <class T>
  KOKKOS_FUNCTION T operator()(Neighborhood<T, Shape> const& u, std::int64_t z, std::int64_t y, std::int64_t x) const {
    bool const inside = z >= 0 && y >= 0 && x >= 0 && z < std::int64_t(calls.extent(0)) &&
                        y < std::int64_t(calls.extent(1)) && x < std::int64_t(calls.extent(2));
    Kokkos::atomic_inc(inside ? &calls(z, y, x) : &beyond());
    return Probe<Shape>()(u, z, y, x);
  }
};

/// A field of rank 3 in a larger allocation: its rows begin `shift` elements after a multiple of `pitch`.
template <class Exec, class T>
struct ShiftedField {
  using View = Kokkos::View<T***, Kokkos::LayoutStride, Exec>;

  std::int64_t shift, pitch;
  Kokkos::View<T*, Exec> memory;
  View view;

  ShiftedField(Index<3> const& extents, std::int64_t shift_, std::int64_t unit)
      : shift(shift_), pitch((shift + extents[2] + unit - 1) / unit * unit) {
    memory = Kokkos::View<T*, Exec>("shifted", std::size_t(extents[0] * extents[1] * pitch));
    view   = View(memory.data() + shift,
                  Kokkos::LayoutStride(std::size_t(extents[0]), std::size_t(extents[1] * pitch), std::size_t(extents[1]),
                                       std::size_t(pitch), std::size_t(extents[2]), 1));
  }
};

/// The values around a point.
template <class T>
struct Around {
  T const* point;
  std::int64_t plane, row;

  KOKKOS_FUNCTION T operator()(int dz = 0, int dy = 0, int dx = 0) const { return point[dz * plane + dy * row + dx]; }
};

template <class Shape, class T, class Exec, class Backend>
void sweep_shifted(Rng& rng, Index<3> const& n) {
  constexpr int rz = Shape::radius(0), ry = Shape::radius(1), rx = Shape::radius(2);
  Index<3> const all{n[0] + 2 * rz, n[1] + 2 * ry, n[2] + 2 * rx};
  std::int64_t const unit = std::int64_t(1) << random_int(rng, 0, 2), in_shift = random_int(rng, 0, 3),
                     out_shift = random_int(rng, 0, 1) == 0 ? in_shift : random_int(rng, 0, 3);
  ShiftedField<Exec, T> const in(all, in_shift, unit), out(all, out_shift, unit);
  SCOPED_TRACE("interior " + to_string<3>(n) + ", shifts " + std::to_string(in_shift) + " and " +
               std::to_string(out_shift) + ", pitch " + std::to_string(in.pitch));

  auto const values = Kokkos::create_mirror_view(in.memory);
  for (std::size_t i = 0; i < values.size(); ++i) values(i) = T(random_int(rng, -9, 9));
  Kokkos::deep_copy(in.memory, values);

  for (StencilTaps const taps : taps_of<Backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    Kokkos::deep_copy(out.memory, T(-1));
    Exec const exec;
    CountingProbe<Shape, Exec> const probe{Kokkos::View<int***, Kokkos::LayoutRight, Exec>(
                                               "calls", std::size_t(n[0]), std::size_t(n[1]), std::size_t(n[2])),
                                           Kokkos::View<int, Exec>("beyond")};
    parallel_stencil("shifted", StencilPolicy<Exec, Shape, Backend>(exec, n).with_taps(taps), in.view, out.view, probe);
    exec.fence();

    auto const results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out.memory);
    auto const calls   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), probe.calls);
    std::int64_t wrong = 0, missed = 0, outside = 0;
    for_each_index<3>({}, {all[0], all[1], out.pitch}, [&](Index<3> const& p) {
      std::int64_t const z = p[0] - rz, y = p[1] - ry, x = p[2] - out.shift - rx;
      auto const result = results(std::size_t((p[0] * all[1] + p[1]) * out.pitch + p[2]));
      if (z < 0 || y < 0 || x < 0 || z >= n[0] || y >= n[1] || x >= n[2]) {
        outside += result != T(-1);
        return;
      }
      auto const* const point = values.data() + in.shift + (p[0] * all[1] + p[1]) * in.pitch + x + rx;
      auto const expected     = Probe<Shape>()(Around<T>{point, all[1] * in.pitch, in.pitch}, z, y, x);
      wrong += result != expected;
      missed += calls(z, y, x) < 1;
    });
    auto const beyond = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), probe.beyond);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(outside, 0);
    EXPECT_EQ(beyond(), 0);
  }
}

template <class Shape, class Exec, class Backend>
void sweep_shape() {
  Rng rng(21);
  for (int k = 0; k < 12; ++k) {
    Index<3> const n{random_int(rng, 1, 19), random_int(rng, 1, 11), random_int(rng, 1, 150)};
    sweep_shifted<Shape, float, Exec, Backend>(rng, n);
    sweep_shifted<Shape, double, Exec, Backend>(rng, n);
  }
  // Rows of which tiles of several points may be cut, in memory that ends where the field does.
  for (int k = 0; k < 4; ++k)
    sweep_shifted<Shape, float, Exec, Backend>(rng, {random_int(rng, 4, 9), random_int(rng, 2, 5), 256 + k});
  sweep_shifted<Shape, float, Exec, Backend>(rng, {70, 65, 131});
}

TYPED_TEST(StencilTiles, star_wherever_rows_begin) {
  sweep_shape<Star<1, 2, 2>, typename TypeParam::exec, typename TypeParam::backend>();
}

TYPED_TEST(StencilTiles, box_wherever_rows_begin) {
  sweep_shape<Box<1, 1, 1>, typename TypeParam::exec, typename TypeParam::backend>();
}

TYPED_TEST(StencilTiles, flat_box_wherever_rows_begin) {
  sweep_shape<Box<0, 1, 2>, typename TypeParam::exec, typename TypeParam::backend>();
}

TYPED_TEST(StencilTiles, box_across_rows_wherever_rows_begin) {
  sweep_shape<Box<1, 1, 0>, typename TypeParam::exec, typename TypeParam::backend>();
}

/// Adds a value at the point, and counts values that no point has.
template <class Exec>
struct ValueProbe {
  static constexpr int none = 99;

  Kokkos::View<int, Exec> beyond;

  template <class T, class U>
  KOKKOS_FUNCTION static T sum(U const& u, T value) {
    return value + u(-1, 0, 0) + 2 * u(0, 1, 0) + 3 * u(0, 0, -1) + 4 * u(0, 0, 1);
  }
  template <class T>
  KOKKOS_FUNCTION T operator()(Neighborhood<T, Star<1, 1, 1>> const& u, T value, std::int64_t, std::int64_t,
                               std::int64_t) const {
    if (value == T(none)) Kokkos::atomic_inc(&beyond());
    return sum(u, value);
  }
};

/// A field that is read at the point, and maybe overwritten, in memory that ends where it does.
template <class T, class Exec, class Backend>
void read_shifted(Rng& rng, Index<3> const& n, bool overwrite) {
  Index<3> const all{n[0] + 2, n[1] + 2, n[2] + 2};
  std::int64_t const unit = std::int64_t(1) << random_int(rng, 0, 2), in_shift = random_int(rng, 0, 3),
                     shift = random_int(rng, 0, 2) > 0 ? (in_shift + 1) % unit : random_int(rng, 0, 3);
  ShiftedField<Exec, T> const in(all, in_shift, unit), at(n, shift, unit), other(n, shift, unit);
  auto const& out = overwrite ? at : other;
  SCOPED_TRACE("interior " + to_string<3>(n) + ", shifts " + std::to_string(in_shift) + " and " +
               std::to_string(shift) + ", pitch " + std::to_string(in.pitch) + (overwrite ? ", overwritten" : ""));
  auto const values = Kokkos::create_mirror_view(in.memory), added = Kokkos::create_mirror(at.memory);
  for (std::size_t i = 0; i < values.size(); ++i) values(i) = T(random_int(rng, -9, 9));
  for (std::size_t i = 0; i < added.size(); ++i) added(i) = T(ValueProbe<Exec>::none);
  for_each_index<3>({}, n, [&](Index<3> const& p) {
    added(std::size_t(shift + (p[0] * n[1] + p[1]) * at.pitch + p[2])) = T(random_int(rng, -9, 9));
  });
  Kokkos::deep_copy(in.memory, values);

  for (StencilTaps const taps : taps_of<Backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    Kokkos::deep_copy(out.memory, T(-1));
    Kokkos::deep_copy(at.memory, added);
    Exec const exec;
    ValueProbe<Exec> const probe{Kokkos::View<int, Exec>("beyond")};
    parallel_stencil("values", StencilPolicy<Exec, Star<1, 1, 1>, Backend>(exec, n).with_taps(taps),
                     fields(in.view, at_point(at.view)), out.view, probe);
    exec.fence();
    auto const results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out.memory);
    auto const beyond  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), probe.beyond);
    std::int64_t wrong = 0;
    for_each_index<3>({}, n, [&](Index<3> const& p) {
      auto const* const point = values.data() + in.shift + ((p[0] + 1) * all[1] + p[1] + 1) * in.pitch + p[2] + 1;
      std::size_t const place = std::size_t(shift + (p[0] * n[1] + p[1]) * at.pitch + p[2]);
      wrong += results(place) != ValueProbe<Exec>::sum(Around<T>{point, all[1] * in.pitch, in.pitch}, added(place));
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(beyond(), 0);
  }
}

TYPED_TEST(StencilTiles, values_at_the_point_wherever_rows_begin) {
  using Exec    = typename TypeParam::exec;
  using Backend = typename TypeParam::backend;
  Rng rng(22);
  for (int k = 0; k < 12; ++k) {
    Index<3> const n{random_int(rng, 1, 19), random_int(rng, 1, 11), random_int(rng, 1, 150)};
    read_shifted<float, Exec, Backend>(rng, n, k % 2 == 1);
    read_shifted<double, Exec, Backend>(rng, n, k % 2 == 0);
  }
  for (int k = 0; k < 8; ++k)
    read_shifted<float, Exec, Backend>(rng, {random_int(rng, 4, 9), random_int(rng, 2, 5), 256 + k}, k % 2 == 1);
}

}  // namespace
}  // namespace Koalesce::Test
