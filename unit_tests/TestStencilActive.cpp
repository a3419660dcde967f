// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

#include <algorithm>
#include <vector>

/// Sweeps over active points: what the oracle gives there, and nothing written elsewhere.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilActive : public ::testing::Test {};
TYPED_TEST_SUITE(StencilActive, DefaultPaths::types, PathNames);

template <int Rank>
bool contains(IndexBox<Rank> const& box, Index<Rank> const& p) {
  bool in = true;
  for (int d = 0; d < Rank; ++d) in = in && box.from[d] <= p[d] && p[d] < box.to[d];
  return in;
}

/// Boxes of an interior, some of them without points.
template <int Rank>
std::vector<IndexBox<Rank>> random_boxes(Rng& rng, Index<Rank> const& n) {
  std::vector<IndexBox<Rank>> boxes(std::size_t(random_int(rng, 1, 4)));
  for (auto& box : boxes)
    for (int d = 0; d < Rank; ++d) {
      box.from[d] = random_int(rng, 0, n[d]);
      box.to[d]   = random_int(rng, 0, n[d]);
      if (box.to[d] < box.from[d] && random_int(rng, 0, 3) > 0) std::swap(box.from[d], box.to[d]);
    }
  return boxes;
}

enum class Kind { none, one, few, half, boxes, all_but_one, all };
constexpr Kind kinds[] = {Kind::none, Kind::one, Kind::few, Kind::half, Kind::boxes, Kind::all_but_one, Kind::all};

/// Fills the interior of a mask; its halo holds what must not count.
template <int Rank, class Mask>
void fill_mask(Rng& rng, Kind kind, Mask& mask) {
  auto const& n    = mask.interior();
  auto const boxes = random_boxes<Rank>(rng, n);
  Index<Rank> chosen{};
  for (int d = 0; d < Rank; ++d) chosen[d] = random_int(rng, 0, std::max<std::int64_t>(n[d] - 1, 0));
  mask.fill(rng, [](Rng&) { return 7; });
  for_each_index<Rank>({}, n, [&](Index<Rank> const& p) {
    bool is_chosen = true;
    for (int d = 0; d < Rank; ++d) is_chosen = is_chosen && p[d] == chosen[d];
    bool const in_box =
        std::any_of(boxes.begin(), boxes.end(), [&](auto const& box) { return contains<Rank>(box, p); });
    bool const active = kind == Kind::all || (kind == Kind::all_but_one && !is_chosen) ||
                        (kind == Kind::one && is_chosen) || (kind == Kind::boxes && in_box) ||
                        (kind == Kind::half && random_int(rng, 0, 1) == 0) ||
                        (kind == Kind::few && random_int(rng, 0, 40) == 0);
    mask(p) = active ? int(random_int(rng, 1, 3)) : 0;
  });
  mask.upload();
}

/// A functor whose results are added, and counted.
template <class F>
struct Summing {
  F functor;

  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, std::int64_t x, double& sum, std::int64_t& points) const {
    return add(functor(u, x), sum, points);
  }
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, std::int64_t z, std::int64_t x, double& sum, std::int64_t& points) const {
    return add(functor(u, z, x), sum, points);
  }
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, std::int64_t z, std::int64_t y, std::int64_t x, double& sum,
                                  std::int64_t& points) const {
    return add(functor(u, z, y, x), sum, points);
  }
  /// After a stage: the input's value, too.
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, double at, std::int64_t z, std::int64_t y, std::int64_t x, double& sum,
                                  std::int64_t& points) const {
    return add(functor(u, at, z, y, x), sum, points);
  }

 private:
  template <class T>
  KOKKOS_FUNCTION static T add(T value, double& sum, std::int64_t& points) {
    sum += double(value);
    ++points;
    return value;
  }
};

template <class F>
Summing<F> summing(F const& functor) {
  return {functor};
}

/// The functor without the sums, as parallel_stencil takes it.
template <class F>
F const& plain(Summing<F> const& f) {
  return f.functor;
}
template <class F>
F const& plain(F const& f) {
  return f;
}

struct AfterSum {
  template <class Sum, class... I>
  KOKKOS_FUNCTION auto operator()(Sum sum, I... i) const {
    return 2 * sum + Probe<Box<0>>::position(int(i % 13)...);
  }
};

template <class Shape>
struct AfterStage {
  template <class M, class... I>
  KOKKOS_FUNCTION double operator()(M const& m, double at, I... i) const {
    return Probe<Shape>()(m, i...) + at;
  }
};

template <class Shape>
LinearStencil<double, Shape> probe_weights() {
  return LinearStencil<double, Shape>([](auto... offset) { return double(Probe<Shape>::weight(offset...)); });
}

/// The sums of a sweep.
struct Sums {
  double sum          = -1;
  std::int64_t points = -1;
};

/// Leaves the oracle's output at active points alone, and sums it.
template <int Rank, class Out, class Mask>
Sums keep_active(Out& out, Mask const& mask) {
  Sums sums{0, 0};
  for_each_index<Rank>({}, mask.interior(), [&](Index<Rank> const& p) {
    if (mask(p) == 0) {
      out(p) = poison<typename Out::value_type>();
    } else {
      sums.sum += double(out(p));
      ++sums.points;
    }
  });
  return sums;
}

/// A mask whose rows lie as those of a field.
template <class Exec, int Rank, class Layout, class Out>
auto mask_like(Rng& rng, Out const& out) {
  for (;;) {
    Field<Exec, int, Rank, Layout> mask(out.interior(), random_halo<Rank>(rng, 2), rng);
    if (Impl::is_reversed(mask.view()) == Impl::is_reversed(out.view())) return mask;
  }
}

/// sweep(policy, output, sums) over the active points, compared with what `out` holds on the host.
template <class P, class Shape, class Out, class Mask, class Sweep>
void expect_active(Out& out, Mask const& mask, Sweep const& sweep) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  Sums const right   = keep_active<rank>(out, mask);
  Exec const exec;
  StencilPolicy<Exec, Shape, typename P::backend> const policy(exec, mask.interior());
  ActivePoints const active(policy, mask.view());
  EXPECT_EQ(active.count(), right.points);
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    out.poison_device();
    Sums sums;
    sweep(policy.with_taps(taps).with_active(active), out.view(), sums);
    exec.fence();
    EXPECT_TRUE(out.device_matches());
    EXPECT_EQ(sums.sum, right.sum);
    EXPECT_EQ(sums.points, right.points);
  }
}

template <class P, class Shape, class T, class Layout, class... Functors>
void try_active(Rng& rng, Kind kind, Index<Shape::rank> const& n, Functors const&... functors) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  SCOPED_TRACE("interior " + to_string<rank>(n) + ", kind " + std::to_string(int(kind)));
  Field<Exec, T, rank, Layout> in(n, halo_for<Shape>(rng, 2), rng), out(n, random_halo<rank>(rng, 2), rng);
  auto mask = mask_like<Exec, rank, Layout>(rng, out);
  fill_mask<rank>(rng, kind, mask);
  in.fill(rng);
  out.poison_all();
  auto const ins = std::tie(in);
  auto const to  = std::tie(out);
  if constexpr (Impl::is_staged<Shape>) run_oracle<rank>(n, ins, to, plain(functors)...);
  else run_oracle<rank>(n, ins, to, on_host(plain(functors)...));
  expect_active<P, Shape>(out, mask, [&](auto const& policy, auto const& view, Sums& sums) {
    parallel_stencil_reduce("active", policy, in.view(), view, functors..., sums.sum, sums.points);
  });
}

template <class P, class Shape, class T, class Layout, class... Functors>
void try_kinds(std::int64_t points, Functors const&... functors) {
  for_each_seed([&](Rng& rng) {
    for (Kind const kind : kinds)
      try_active<P, Shape, T, Layout>(rng, kind, random_extents<Shape::rank>(rng, points), functors...);
    for (std::int64_t n : {0, 1, 2})
      try_active<P, Shape, T, Layout>(rng, Kind::half, index_of<Shape::rank>(n), functors...);
  });
}

TYPED_TEST(StencilActive, three_dimensions) {
  using Shape = Star<1, 2, 1>;
  try_kinds<TypeParam, Shape, double, Kokkos::LayoutRight>(20000, summing(Probe<Shape>()));
}
TYPED_TEST(StencilActive, tiles_with_all_of_their_points) {
  using Shape = Star<1, 1, 1>;
  for_each_seed([](Rng& rng) {
    for (Kind const kind : {Kind::all_but_one, Kind::boxes})
      try_active<TypeParam, Shape, float, Kokkos::LayoutLeft>(rng, kind, {67, 19, 17}, summing(Probe<Shape>()));
  });
}
TYPED_TEST(StencilActive, two_dimensions_strided) {
  using Shape = Box<1, 1>;
  try_kinds<TypeParam, Shape, float, Kokkos::LayoutStride>(20000, summing(Probe<Shape>()));
}
TYPED_TEST(StencilActive, one_dimension) {
  using Shape = Star<3>;
  try_kinds<TypeParam, Shape, double, Kokkos::LayoutLeft>(9000, summing(Probe<Shape>()));
}
TYPED_TEST(StencilActive, known_weights) {
  using Shape = Box<1, 1, 1>;
  try_kinds<TypeParam, Shape, double, Kokkos::LayoutRight>(20000, probe_weights<Shape>(), summing(AfterSum()));
}
TYPED_TEST(StencilActive, two_stages) {
  using Second = Star<1, 2, 1>;
  using Shape  = Staged<Star<1, 1, 1>, Second>;
  try_kinds<TypeParam, Shape, double, Kokkos::LayoutRight>(10000, Probe<Star<1, 1, 1>>(),
                                                           summing(AfterStage<Second>()));
}

// ---- With boundaries ----

/// Compares with a sweep over all points, whose boundaries have tests of their own.
template <class P, class Shape, class... Functors>
void try_boundary(Functors const&... functors) {
  using Exec = typename P::exec;
  for_each_seed([&](Rng& rng) {
    for (Kind const kind : {Kind::half, Kind::boxes, Kind::all}) {
      auto n = random_extents<3>(rng, 20000);
      for (auto& extent : n) extent = std::max<std::int64_t>(extent, 4);
      SCOPED_TRACE("interior " + to_string<3>(n) + ", kind " + std::to_string(int(kind)));
      Field<Exec, double, 3> in(n, random_halo<3>(rng, 2), rng), all(n, {}, rng), out(n, random_halo<3>(rng, 2), rng);
      auto mask = mask_like<Exec, 3, Kokkos::LayoutRight>(rng, out);
      fill_mask<3>(rng, kind, mask);
      in.fill(rng);
      auto const sweep = [&](auto const& policy, auto const& view, Sums& sums) {
        parallel_stencil_reduce("boundary", policy.with_boundary(Periodic(), Mirror(), Dirichlet(2.)), in.view(), view,
                                functors..., sums.sum, sums.points);
      };
      Exec const exec;
      Sums of_all;
      sweep(StencilPolicy<Exec, Shape, typename P::backend>(exec, n), all.view(), of_all);
      exec.fence();
      auto const expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.view());
      for_each_index<3>({}, n, [&](Index<3> const& p) { out(p) = expected(p[0], p[1], p[2]); });
      expect_active<P, Shape>(out, mask, sweep);
    }
  });
}

TYPED_TEST(StencilActive, boundaries) {
  using Shape = Star<2, 1, 1>;
  try_boundary<TypeParam, Shape>(summing(Probe<Shape>()));
}
TYPED_TEST(StencilActive, boundaries_of_two_stages) {
  using Shape = Staged<Star<1, 1, 1>, Box<1, 0, 1>>;
  try_boundary<TypeParam, Shape>(Probe<Star<1, 1, 1>>(), summing(AfterStage<Box<1, 0, 1>>()));
}

// ---- Boxes, updates ----

TYPED_TEST(StencilActive, boxes) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1, 1>;
  for_each_seed([](Rng& rng) {
    auto const n     = random_extents<3>(rng, 20000);
    auto const boxes = random_boxes<3>(rng, n);
    Field<Exec, double, 3> in(n, halo_for<Shape>(rng, 1), rng), out(n, random_halo<3>(rng, 2), rng);
    Field<Exec, int, 3> mask(n, {}, rng);
    in.fill(rng);
    out.poison_all();
    run_oracle<3>(n, std::tie(in), std::tie(out), Probe<Shape>());
    for_each_index<3>({}, n, [&](Index<3> const& p) {
      mask(p) = std::any_of(boxes.begin(), boxes.end(), [&](auto const& box) { return contains<3>(box, p); });
    });
    auto const points = keep_active<3>(out, mask).points;

    Exec const exec;
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy(exec, n);
    using Boxes = std::vector<IndexBox<3>>;
    // A policy made before sees what is updated later.
    ActivePoints active(policy, Boxes{{{0, 0, 0}, n}}, Kokkos::LayoutRight());
    EXPECT_EQ(active.count(), n[0] * n[1] * n[2]);
    auto const some = policy.with_active(active);
    active.update(boxes);
    EXPECT_EQ(active.count(), points);
    out.poison_device();
    parallel_stencil("boxes", some, in.view(), out.view(), Probe<Shape>());
    exec.fence();
    EXPECT_TRUE(out.device_matches());

    mask.upload();
    active.update(Boxes());
    EXPECT_EQ(active.count(), 0);
    active.update(mask.view());
    EXPECT_EQ(active.count(), points);
  });
}

// ---- Errors ----

struct Same {
  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, I...) const {
    return u();
  }
};

/// One row of points has the same strides in both orders.
TYPED_TEST(StencilActive, strides_that_do_not_tell_the_order) {
  using Exec  = typename TypeParam::exec;
  using Space = typename Exec::memory_space;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const u("u", 3, 6);
  Kokkos::View<bool**, Kokkos::LayoutLeft, Space> const mask("mask", 1, 4);
  Kokkos::View<double**, Kokkos::LayoutStride, Space> const out(
      Kokkos::View<double**, Kokkos::LayoutLeft, Space>("out", 1, 4));
  Kokkos::View<bool**, Kokkos::LayoutStride, Space> const same_mask(mask);
  auto const host_u    = Kokkos::create_mirror(u);
  auto const host_mask = Kokkos::create_mirror(mask);
  for (int x = 0; x < 4; ++x) {
    host_u(1, 1 + x) = x + 1;
    host_mask(0, x)  = x != 1;
  }
  Kokkos::deep_copy(u, host_u);
  Kokkos::deep_copy(mask, host_mask);
  StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy(Exec(), {1, 4});
  ActivePoints active(policy, mask);
  active.update(same_mask);
  for (StencilTaps const taps : taps_of<typename TypeParam::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    Kokkos::deep_copy(out, -1.);
    parallel_stencil("row", policy.with_taps(taps).with_active(active), u, out, Same());
    Exec().fence();
    Kokkos::View<double*, Space> const row("row", 4);
    Kokkos::deep_copy(row, Kokkos::subview(out, 0, Kokkos::ALL));
    auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), row);
    for (int x = 0; x < 4; ++x) EXPECT_EQ(result(x), x == 1 ? -1. : x + 1.) << x;
  }
}

TEST(StencilActiveErrors, say_what_is_wrong) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const u("u", 10, 10), out("out", 8, 8);
  Kokkos::View<bool**, Kokkos::LayoutRight, Exec> const mask("mask", 8, 8), small("small", 8, 6);
  Kokkos::View<bool**, Kokkos::LayoutLeft, Exec> const left("left", 8, 8);
  StencilPolicy<Exec, Star<1, 1>> const policy(Exec(), {8, 8});
  using Boxes = std::vector<IndexBox<2>>;
  expect_error({"Koalesce::ActivePoints: the mask field (\"small\")", "extent 6 in dimension 1", "8 interior points"},
               [&] { ActivePoints(policy, small); });
  expect_error({"Koalesce::ActivePoints: box 1 goes from 3 to 9 in dimension 1", "8 points"}, [&] {
    ActivePoints(policy, Boxes{{{0, 0}, {8, 8}}, {{0, 3}, {8, 9}}});
  });
  ActivePoints active(policy, mask);
  expect_error({"the mask (\"left\") has its smallest stride in the first dimension"}, [&] { active.update(left); });

  auto const run = [&](auto const& given) { parallel_stencil("active", given, u, out, Same()); };
  EXPECT_NO_THROW(run(policy.with_active(active)));
  StencilPolicy<Exec, Star<1, 1>> const other(Exec(), {8, 6});
  ActivePoints const others(other, small);
  expect_error({"parallel_stencil(\"active\")", "prepared for 6 interior points in dimension 1", "the policy has 8"},
               [&] { run(policy.with_active(others)); });
  ActivePoints const reversed(policy, left);
  expect_error({"(\"out\") has its smallest stride in the last dimension"}, [&] { run(policy.with_active(reversed)); });
  Exec().fence();
}

}  // namespace
}  // namespace Koalesce::Test
