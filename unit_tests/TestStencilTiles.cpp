// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StencilOracle.hpp"

/// Fields whose rows begin anywhere: what tiles in registers have to be cut at.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilTiles : public ::testing::Test {};

TYPED_TEST_SUITE(StencilTiles, NativePath::types, PathNames);

/// A sum that tells all taps apart, and counts how often each point is asked for.
template <class Exec, class T>
struct CountingSum {
  Kokkos::View<int***, Kokkos::LayoutRight, Exec> calls;

  KOKKOS_FUNCTION T operator()(Neighborhood<T, Star<1, 2, 2>> const& u, std::int64_t z, std::int64_t y,
                               std::int64_t x) const {
    Kokkos::atomic_inc(&calls(z, y, x));
    return 2 * u() + 3 * u(-1, 0, 0) + 5 * u(1, 0, 0) + 7 * u(0, -1, 0) + 11 * u(0, 1, 0) + 13 * u(0, -2, 0) +
           17 * u(0, 2, 0) + 19 * u(0, 0, -1) + 23 * u(0, 0, 1) + 29 * u(0, 0, -2) + 31 * u(0, 0, 2) + T(x);
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

template <class T, class Exec, class Backend>
void sweep_shifted(Rng& rng, Index<3> const& n) {
  Index<3> const all{n[0] + 2, n[1] + 4, n[2] + 4};
  std::int64_t const unit = std::int64_t(1) << random_int(rng, 0, 2), in_shift = random_int(rng, 0, 3),
                     out_shift = random_int(rng, 0, 1) == 0 ? in_shift : random_int(rng, 0, 3);
  ShiftedField<Exec, T> const in(all, in_shift, unit), out(all, out_shift, unit);
  SCOPED_TRACE("interior " + to_string<3>(n) + ", shifts " + std::to_string(in_shift) + " and " +
               std::to_string(out_shift) + ", pitch " + std::to_string(in.pitch));

  auto const values = Kokkos::create_mirror_view(in.memory);
  for (std::size_t i = 0; i < values.size(); ++i) values(i) = T(random_int(rng, -9, 9));
  Kokkos::deep_copy(in.memory, values);
  auto const value = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return values(std::size_t(in.shift + (z * all[1] + y) * in.pitch + x));
  };

  for (StencilTaps const taps : taps_of<Backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    Kokkos::deep_copy(out.memory, T(-1));
    Exec const exec;
    CountingSum<Exec, T> const sum{Kokkos::View<int***, Kokkos::LayoutRight, Exec>(
        "calls", std::size_t(n[0]), std::size_t(n[1]), std::size_t(n[2]))};
    parallel_stencil("shifted", StencilPolicy<Exec, Star<1, 2, 2>, Backend>(exec, n).with_taps(taps), in.view, out.view,
                     sum);
    exec.fence();

    auto const results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out.memory);
    auto const calls   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum.calls);
    std::int64_t wrong = 0, repeated = 0, outside = 0;
    for_each_index<3>({}, {all[0], all[1], out.pitch}, [&](Index<3> const& p) {
      std::int64_t const z = p[0] - 1, y = p[1] - 2, x = p[2] - out.shift - 2;
      auto const result = results(std::size_t((p[0] * all[1] + p[1]) * out.pitch + p[2]));
      if (z < 0 || y < 0 || x < 0 || z >= n[0] || y >= n[1] || x >= n[2]) {
        outside += result != T(-1);
        return;
      }
      auto const u     = [&](int dz, int dy, int dx) { return value(z + 1 + dz, y + 2 + dy, x + 2 + dx); };
      T const expected = 2 * u(0, 0, 0) + 3 * u(-1, 0, 0) + 5 * u(1, 0, 0) + 7 * u(0, -1, 0) + 11 * u(0, 1, 0) +
                         13 * u(0, -2, 0) + 17 * u(0, 2, 0) + 19 * u(0, 0, -1) + 23 * u(0, 0, 1) + 29 * u(0, 0, -2) +
                         31 * u(0, 0, 2) + T(x);
      wrong += result != expected;
      repeated += calls(z, y, x) != 1;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(repeated, 0);
    EXPECT_EQ(outside, 0);
  }
}

TYPED_TEST(StencilTiles, every_point_once_wherever_rows_begin) {
  using Exec    = typename TypeParam::exec;
  using Backend = typename TypeParam::backend;
  Rng rng(21);
  for (int k = 0; k < 12; ++k) {
    Index<3> const n{random_int(rng, 1, 19), random_int(rng, 1, 11), random_int(rng, 1, 150)};
    sweep_shifted<float, Exec, Backend>(rng, n);
    sweep_shifted<double, Exec, Backend>(rng, n);
  }
  sweep_shifted<float, Exec, Backend>(rng, {70, 65, 131});
}

}  // namespace
}  // namespace Koalesce::Test
