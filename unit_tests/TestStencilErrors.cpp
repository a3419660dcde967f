// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

namespace Koalesce::Test {
namespace {

template <class P>
class StencilErrors : public ::testing::Test {};
TYPED_TEST_SUITE(StencilErrors, NativePath::types, PathNames);

template <class P>
using View2 = Kokkos::View<double**, typename P::exec::memory_space>;

struct Sum {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, I, I) const {
    return u(-1, 0) + u(0, 1);
  }
  template <class U, class V, class I>
  KOKKOS_FUNCTION double operator()(U const& u, V const& v, I, I) const {
    return u(-1, 0) + v(0, 1);
  }
};

struct Two {
  template <class U, class I>
  KOKKOS_FUNCTION auto operator()(U const& u, I, I) const {
    return values(u(-1, 0), u(0, 1));
  }
};

/// Star<1, 1> over n points.
template <class P, class In, class Out, class F = Sum>
void run(Index<2> const& n, In const& in, Out const& out, F const& f = {}) {
  StencilPolicy<typename P::exec, Star<1, 1>, typename P::backend> const policy({}, n);
  parallel_stencil("run", policy, in, out, f);
}

TYPED_TEST(StencilErrors, extents_that_do_not_match) {
  View2<TypeParam> const in("in", 12, 13), out("out", 10, 10), odd("odd", 12, 12), wide("wide", 12, 14);
  expect_error({"Koalesce::parallel_stencil(\"run\")", "input field 0 (\"in\")", "extent 13 in dimension 1",
                "does not match", "10 interior points", "give it 10 + 2 * halo"},
               [&] {
                 run<TypeParam>({10, 10}, in, out);
               });
  expect_error({"input field 0 (\"odd\")", "extent 12 in dimension 0", "does not match", "11 interior points"}, [&] {
    run<TypeParam>({11, 10}, odd, out);
  });
  expect_error({"output field 0 (\"out\")", "extent 10 in dimension 1", "12 interior points"}, [&] {
    run<TypeParam>({10, 12}, wide, out);
  });
  expect_error({"input field 1 (\"in\")"}, [&] { run<TypeParam>({10, 10}, fields(odd, in), out); });
}

TYPED_TEST(StencilErrors, halo_narrower_than_the_radius) {
  View2<TypeParam> const in("in", 12, 10), out("out", 10, 10);
  expect_error({"input field 0 (\"in\")", "halo of 0 points in dimension 1", "narrower", "radius 1",
                "extent 12 or more", "or, if 10 already counts the halo, give the policy 8"},
               [&] {
                 run<TypeParam>({10, 10}, in, out);
               });
}

TYPED_TEST(StencilErrors, staged_halo_narrower_than_both_radii) {
  View2<TypeParam> const in("in", 14, 12), out("out", 10, 10);
  using Shape = Staged<Star<1, 1>, Star<1, 1>>;
  LinearStencil<double, Star<1, 1>> const w;
  StencilPolicy<typename TypeParam::exec, Shape, typename TypeParam::backend> const policy({}, {10, 10});
  expect_error({"halo of 1 points in dimension 1", "radius 2", "extent 14 or more", "give the policy 6"},
               [&] { parallel_stencil("staged", policy, in, out, w, w); });
}

TYPED_TEST(StencilErrors, extents_that_count_the_halo) {
  View2<TypeParam> const u("u", 12, 12), next("next", 12, 12);
  expect_error({"halo of 0 points in dimension 0", "or, if 12 already counts the halo, give the policy 10"}, [&] {
    run<TypeParam>({12, 12}, u, next);
  });
}

TYPED_TEST(StencilErrors, negative_extents) {
  View2<TypeParam> const in("in", 12, 12), out("out", 10, 10);
  expect_error({"-1 interior points in dimension 1", "give 0 or more"}, [&] { run<TypeParam>({10, -1}, in, out); });
}

TYPED_TEST(StencilErrors, field_without_memory) {
  View2<TypeParam> const in(static_cast<double*>(nullptr), 12, 12), out("out", 10, 10);
  expect_error({"input field 0", "has no memory", "allocate it first"}, [&] { run<TypeParam>({10, 10}, in, out); });
}

TYPED_TEST(StencilErrors, errors_hold_for_zero_points_too) {
  View2<TypeParam> const in("in", 2, 1), out("out", 0, 1);
  expect_error({"narrower than the stencil's radius"}, [&] { run<TypeParam>({0, 1}, in, out); });
}

TYPED_TEST(StencilErrors, input_and_output_overlap) {
  View2<TypeParam> const u("u", 12, 12), v("v", 12, 12), out("out", 12, 12);
  Strings const phrases{"output field 0 (\"u\")", "input field 0 (\"u\") overlap", "memory of its own"};
  expect_error(phrases, [&] { run<TypeParam>({10, 10}, u, u); });
  expect_error({"output field 0 (\"u\")", "input field 1 (\"u\") overlap"}, [&] {
    run<TypeParam>({10, 10}, fields(v, u), u);
  });
  expect_error({"output field 1 (\"u\") and input field 0 (\"u\") overlap"}, [&] {
    run<TypeParam>({10, 10}, u, fields(out, u), Two());
  });
  expect_error({"output field 0 (\"out\") and output field 1 (\"out\") overlap", "give each memory of its own"}, [&] {
    run<TypeParam>({10, 10}, u, fields(out, out), Two());
  });
}

/// Windows of one allocation: refused where they share an element, allowed where they are interleaved.
TYPED_TEST(StencilErrors, overlap_of_windows) {
  using Kokkos::make_pair;
  View2<TypeParam> const all("all", 24, 24);
  auto const window = [&](int row, int col) {
    return Kokkos::subview(all, make_pair(row, row + 12), make_pair(col, col + 12));
  };
  auto const overlaps = [&](auto const& a, auto const& b) {
    expect_error({"overlap in memory"}, [&] { run<TypeParam>({10, 10}, a, b); });
  };
  overlaps(window(0, 0), window(1, 0));
  overlaps(window(0, 0), window(11, 11));
  EXPECT_NO_THROW(run<TypeParam>({10, 10}, window(0, 0), window(0, 12)));
  EXPECT_NO_THROW(run<TypeParam>({10, 10}, window(12, 0), window(0, 0)));
  EXPECT_NO_THROW(run<TypeParam>({10, 10}, window(0, 12), window(11, 0)));
  typename TypeParam::exec().fence();
}

TYPED_TEST(StencilErrors, output_whose_elements_share_memory) {
  using Strided   = Kokkos::View<double**, Kokkos::LayoutStride, typename TypeParam::exec::memory_space>;
  auto const view = [](std::string const& label, int row, int point) {
    return Strided(label, Kokkos::LayoutStride(12, row, 12, point));
  };
  auto const in = view("in", 12, 1), rows = view("rows", 0, 1), near = view("near", 9, 1), halos = view("halos", 10, 1),
             columns = view("columns", 1, 13);
  expect_error({"output field 0 (\"rows\") overlaps itself", "every element has memory of its own"}, [&] {
    run<TypeParam>({10, 10}, in, rows);
  });
  expect_error({"output field 0 (\"near\") overlaps itself"}, [&] { run<TypeParam>({10, 10}, in, near); });
  EXPECT_NO_THROW(run<TypeParam>({10, 10}, rows, columns));
  EXPECT_NO_THROW(run<TypeParam>({10, 10}, in, halos)) << "only halos share memory";
  typename TypeParam::exec().fence();
}

TYPED_TEST(StencilErrors, outputs_stay_as_they_are) {
  using Exec = typename TypeParam::exec;
  Rng rng(1);
  Field<Exec, double, 2> in({10, 10}, {1, 0}, rng), out({10, 10}, {0, 0}, rng);
  expect_error({"narrower"}, [&] { run<TypeParam>({10, 10}, in.view(), out.view()); });
  EXPECT_TRUE(out.device_matches());
}

/// A field of the host's for an execution space that has memory of its own.
TYPED_TEST(StencilErrors, field_out_of_reach) {
  using Exec = typename TypeParam::exec;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches the host's memory";
  } else {
    View2<TypeParam> const out("out", 10, 10);
    Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const in("in", 12, 12);
    expect_error({"input field 0 (\"in\")", "lies in Host", "cannot reach", "copy it to a View in"}, [&] {
      run<TypeParam>({10, 10}, in, out);
    });
  }
}

// ---- Scratch memory ----

template <std::size_t Size>
struct Block {
  double v[Size];
};

template <int Size>
struct FirstNumbers {
  template <class U, class I>
  KOKKOS_FUNCTION double operator()(U const& u, I, I, I) const {
    return u(4, 4, 4).v[0] + u(-4, -4, -4).v[Size - 1];
  }
};

/// One point: the smallest tile there is.
template <class P, int Size>
double run_blocks(StencilTaps taps) {
  using Exec = typename P::exec;
  Kokkos::View<Block<Size>***, Kokkos::LayoutRight, typename Exec::memory_space> const in("in", 9, 9, 9);
  Kokkos::View<double***, typename Exec::memory_space> const out("out", 1, 1, 1);
  auto const host           = Kokkos::create_mirror_view(in);
  host(8, 8, 8).v[0]        = 2;
  host(0, 0, 0).v[Size - 1] = 3;
  Kokkos::deep_copy(in, host);
  parallel_stencil("blocks", StencilPolicy<Exec, Box<4, 4, 4>, typename P::backend>({}, {1, 1, 1}).with_taps(taps), in,
                   out, FirstNumbers<Size>());
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out)(0, 0, 0);
}

/// 729 blocks of 96 bytes: more than level 0 of a CPU has.
TYPED_TEST(StencilErrors, queue_that_needs_the_second_level) {
  EXPECT_EQ((run_blocks<TypeParam, 12>(StencilTaps::queue)), 5);
}

/// 729 blocks of 128 KiB: more than any level has.
TEST(StencilScratch, queue_that_fits_nowhere) {
  using Portable = Path<Kokkos::DefaultHostExecutionSpace, Backend::Portable>;
  EXPECT_EQ((run_blocks<Portable, 16384>(StencilTaps::automatic)), 5) << "the caches need no room";
  try {
    run_blocks<Portable, 16384>(StencilTaps::queue);
    ADD_FAILURE() << "nothing was thrown";
  } catch (Error const& e) {
    for (char const* phrase : {"blocks", "scratch memory", "tile of one point", "level 0", "level 1", "smaller radius"})
      EXPECT_NE(std::string(e.what()).find(phrase), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace Koalesce::Test
