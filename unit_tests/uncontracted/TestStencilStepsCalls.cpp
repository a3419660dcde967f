// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"
#include "StepsFunctor.hpp"
#include "TuningFolder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Time steps as calls: what they are made of, what they tell while they go on, and their errors.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilStepsCalls : public ::testing::Test {};
TYPED_TEST_SUITE(StencilStepsCalls, DefaultPaths::types, PathNames);

using Kokkos::LayoutRight;

/// Two time levels as two fields: what was the newer one becomes the older one.
struct Leapfrog {
  template <class U>
  KOKKOS_FUNCTION auto operator()(U const& u, double before, std::int64_t, std::int64_t) const {
    return values(0.25 * (u(0, 1) + u(0, -1) + u(1, 0) + u(-1, 0)) + u() - before, u());
  }
};

/// One field, and a coefficient.
struct Coefficient {
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, double k, std::int64_t, std::int64_t) const {
    return u() + k;
  }
};

/// A field of two time levels and one of one.
template <class Shape>
struct WaveAndMix {
  template <class U, class V, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, V const& v, double before, double k, I... i) const {
    return values(Wave<Shape>()(u, before, k, i...), Mix<Shape>()(v, i...));
  }
};

/// What takes one step per sweep gives what single sweeps give.
TYPED_TEST(StencilStepsCalls, as_single_sweeps) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  using View  = Kokkos::View<double**, LayoutRight, typename Exec::memory_space>;
  for_each_seed([](Rng& rng) {
    auto const n    = random_extents<2>(rng, 5000);
    auto const make = [&](char const* label) {
      return View(std::string(label), std::size_t(n[0] + 2), std::size_t(n[1] + 2));
    };
    auto const random = [&](View const& view) {
      auto const host = Kokkos::create_mirror_view(view);
      for (std::size_t i = 0; i < host.extent(0); ++i)
        for (std::size_t j = 0; j < host.extent(1); ++j) host(i, j) = double(random_int(rng, -100, 100)) / 7;
      Kokkos::deep_copy(view, host);
    };
    auto const expect_equal = [](View const& a, View const& b, std::size_t halo = 0) {
      auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
      auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
      for (std::size_t i = halo; i < x.extent(0) - halo; ++i)
        for (std::size_t j = halo; j < x.extent(1) - halo; ++j) ASSERT_EQ(x(i, j), y(i, j)) << i << ", " << j;
    };
    View const a = make("a"), b = make("b"), c = make("c"), d = make("d"), e = make("e"), f = make("f");
    random(a);
    random(b);
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, n);

    // A field that is read at the point.
    for (auto const& [from, to] : {std::pair(a, c), std::pair(b, d), std::pair(a, e), std::pair(b, f)})
      Kokkos::deep_copy(to, from);
    parallel_stencil_steps("leapfrog", policy, fields(c, at_point(d)), fields(make("s"), make("t")), 5, Leapfrog());
    for (int s = 0; s < 5; ++s) {
      View const newer = make("newer"), older = make("older");
      Kokkos::deep_copy(newer, e);
      Kokkos::deep_copy(older, f);
      Kokkos::deep_copy(newer, e);
      Kokkos::deep_copy(older, f);
      parallel_stencil("once", policy, fields(e, at_point(f)), fields(newer, older), Leapfrog());
      Kokkos::deep_copy(e, newer);
      Kokkos::deep_copy(f, older);
    }
    expect_equal(c, e);
    expect_equal(d, f);

    // A boundary.
    auto const periodic = policy.with_boundary(Periodic(), Neumann(0.5));
    Kokkos::deep_copy(c, a);
    Kokkos::deep_copy(d, a);
    Kokkos::deep_copy(e, a);
    parallel_stencil_steps("bounded", periodic, c, b, 3, Mix<Shape>());
    parallel_stencil("once", periodic, d, e, Mix<Shape>());
    parallel_stencil("once", periodic, e, d, Mix<Shape>());
    parallel_stencil("once", periodic, d, e, Mix<Shape>());
    expect_equal(c, e);

    // Active points: the others keep the state's values.
    Kokkos::View<int**, LayoutRight, typename Exec::memory_space> const mask("mask", std::size_t(n[0]),
                                                                             std::size_t(n[1]));
    auto const host = Kokkos::create_mirror_view(mask);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      for (std::size_t j = 0; j < host.extent(1); ++j) host(i, j) = int(random_int(rng, 0, 1));
    Kokkos::deep_copy(mask, host);
    auto const active = policy.with_active(ActivePoints(policy, mask));
    for (View const& view : {c, d, e}) Kokkos::deep_copy(view, a);
    parallel_stencil_steps("active", active, c, b, 3, Mix<Shape>());
    parallel_stencil("once", active, d, e, Mix<Shape>());
    Kokkos::deep_copy(d, e);
    parallel_stencil("once", active, e, d, Mix<Shape>());
    Kokkos::deep_copy(e, d);
    parallel_stencil("once", active, d, e, Mix<Shape>());
    expect_equal(c, e);

    // Of two time levels, these values are the previous level's after the first step.
    Kokkos::View<double**, LayoutRight, typename Exec::memory_space> const zero("zero", std::size_t(n[0]),
                                                                                std::size_t(n[1]));
    View const newer = make("newer"), older = make("older");
    for (View const& view : {c, d, newer}) Kokkos::deep_copy(view, a);
    for (View const& view : {e, older}) Kokkos::deep_copy(view, b);
    parallel_stencil_steps("active levels", active, fields(time_levels(c, e), constant(at_point(zero))), fields(), 3,
                           Wave<Shape>());
    auto const step = [&](View const& u, View const& before) {
      View const next = make("next");
      Kokkos::deep_copy(next, u);
      parallel_stencil("once", active, fields(u, at_point(before), at_point(zero)), next, Wave<Shape>());
      Kokkos::deep_copy(before, u);
      Kokkos::deep_copy(u, next);
    };
    for (int s = 0; s < 3; ++s) step(newer, older);
    expect_equal(c, newer);
    expect_equal(e, older, 1);
  });
}

TYPED_TEST(StencilStepsCalls, every_so_many_steps) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  for_each_seed([](Rng& rng) {
    auto const n = random_extents<2>(rng, 5000);
    Field<Exec, double, 2, LayoutRight> state(n, halo_for<Shape>(rng, 1), rng),
        scratch(n, halo_for<Shape>(rng, 1), rng);
    fill_state<double>(rng, state);
    auto result = state.with_own_host_copy();
    StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, n);
    std::vector<std::int64_t> told;
    auto const compare = [&](std::int64_t done) {
      for (int s = 0; s < 5; ++s)
        run_on_host<2>(result,
                       [&](Index<2> const& p) { return Impl::get<0>(apply_at<2>(Mix<Shape>(), p, std::tie(result))); });
      Exec().fence();
      EXPECT_TRUE(result.device_matches()) << done;
      told.push_back(done);
      if (done == 15) throw std::runtime_error("stop");
    };
    EXPECT_THROW(
        parallel_stencil_steps("every", policy, state.view(), scratch.view(), 33, Mix<Shape>(), every(5, compare)),
        std::runtime_error);
    EXPECT_EQ(told, (std::vector<std::int64_t>{5, 10, 15}));
    Exec().fence();
    EXPECT_TRUE(result.device_matches());
  });
}

/// The function gets the Views that hold the newest values: those of the state and the others in turn.
TYPED_TEST(StencilStepsCalls, every_so_many_steps_with_views) {
  using Exec  = typename TypeParam::exec;
  using Shape = Star<1, 1>;
  using View  = Kokkos::View<double**, LayoutRight, typename Exec::memory_space>;
  View const u("u", 14, 13), before("before", 14, 13), k("k", 12, 11), v("v", 14, 13), scratch("scratch", 14, 13),
      levels("levels", 14, 13), plain("plain", 14, 13);
  Kokkos::deep_copy(u, 3);
  Kokkos::deep_copy(v, 2);
  for (auto const& [from, to] : {std::pair(u, levels), std::pair(v, plain)}) Kokkos::deep_copy(to, from);
  StencilPolicy<Exec, Shape, typename TypeParam::backend> const policy({}, {12, 11});
  auto const equal = [](View const& a, View const& b) {
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    return std::equal(x.data(), x.data() + x.span(), y.data());
  };

  std::vector<bool> in_state;
  auto const look = [&](std::int64_t done, View const& newest, View const& newest_plain) {
    // The same steps in a call of their own.
    View const before2("before", 14, 13), scratch2("scratch", 14, 13);
    for (auto const& [from, to] : {std::pair(u, levels), std::pair(v, plain)}) Kokkos::deep_copy(to, from);
    parallel_stencil_steps("levels", policy, fields(time_levels(levels, before2), constant(at_point(k))), fields(),
                           done, Wave<Shape>());
    parallel_stencil_steps("plain", policy, plain, scratch2, done, Mix<Shape>());
    EXPECT_TRUE(equal(newest, levels)) << done;
    EXPECT_TRUE(equal(newest_plain, plain)) << done;
    in_state.push_back(newest_plain.data() != scratch.data());
    if (done == 5) throw std::runtime_error("stop");
  };
  View const first("first", 14, 13), state("state", 14, 13);
  Kokkos::deep_copy(first, u);
  Kokkos::deep_copy(state, v);
  EXPECT_THROW(parallel_stencil_steps("both", policy, fields(time_levels(first, before), constant(at_point(k)), state),
                                      scratch, 9, WaveAndMix<Shape>(), every(1, look)),
               std::runtime_error);
  EXPECT_EQ(in_state, (std::vector<bool>{false, true, false, true, false}));
  EXPECT_TRUE(equal(first, levels));
  EXPECT_TRUE(equal(state, plain));
}

/// How many sweeps 8 steps take on the portable backend, if two may share one.
template <class Shape, class State, class Scratch, class Functor>
std::size_t portable_sweeps(auto const& bound, Index<Shape::rank> const& n, State const& state, Scratch const& scratch,
                            Functor const& functor) {
  StencilPolicy<Kokkos::DefaultExecutionSpace, Shape, Backend::Portable> const policy({}, n);
  KernelRecorder const record;
  parallel_stencil_steps("portable", bound(policy).with_fused_steps(2), state, scratch, 8, functor);
  auto const names = record.kernel_names();
  return std::size_t(std::count(names.begin(), names.end(), Impl::kernel_label(Backend::Portable{}, "portable")));
}

TEST(PortableSteps, two_share_a_sweep) {
  using Space         = Kokkos::DefaultExecutionSpace::memory_space;
  auto const halo     = [](auto const& policy) { return policy; };
  auto const periodic = [](auto const& policy) { return policy.with_boundary(Periodic()); };
  auto const mixed    = [](auto const& policy) { return policy.with_boundary(Periodic(), Dirichlet(0.5)); };
  auto const mirrored = [](auto const& policy) { return policy.with_boundary(Mirror()); };
  Kokkos::View<double**, Space> const a("a", 42, 90), b("b", 42, 90), c("c", 42, 90), d("d", 42, 90);
  Kokkos::View<double***, Space> const e("e", 22, 36, 36), f("f", 22, 36, 36);
  EXPECT_EQ((portable_sweeps<Box<1, 1>>(halo, {40, 88}, a, b, Mix<Box<1, 1>>())), 4u);
  EXPECT_EQ((portable_sweeps<Star<1, 1>>(halo, {40, 86}, fields(a, around(Box<1, 2>(), b)), fields(c, d),
                                         MixTwo<Star<1, 1>, Box<1, 2>>())),
            4u);
  EXPECT_EQ((portable_sweeps<Star<1, 1, 1>>(halo, {20, 34, 34}, e, f, LinearStencil<double, Star<1, 1, 1>>())), 4u);
  EXPECT_EQ((portable_sweeps<Star<1, 1, 1>>(periodic, {22, 36, 36}, e, f, Mix<Star<1, 1, 1>>())), 4u);
  EXPECT_EQ((portable_sweeps<Star<1, 1>>(mixed, {42, 90}, a, b, Mix<Star<1, 1>>())), 4u);
  EXPECT_EQ((portable_sweeps<Star<1, 1>>(mirrored, {42, 90}, a, b, Mix<Star<1, 1>>())), 8u);
  // Scratch memory has no room for tiles that pay.
  EXPECT_EQ((portable_sweeps<Star<8, 8, 8>>(halo, {6, 20, 20}, e, f, Mix<Star<8, 8, 8>>())), 8u);
  Kokkos::fence();
}

/// Calls of few steps measure nothing, but run what was the fastest in longer ones, or in an earlier process.
TEST(StencilStepsChoice, of_few_steps) {
  using Exec  = Kokkos::DefaultExecutionSpace;
  using Shape = Star<1, 1>;
  Kokkos::View<double**, LayoutRight, Exec::memory_space> const u("u", 42, 52), v("v", 42, 52);
  StencilPolicy<Exec, Shape> const policy({}, {40, 50});
  TuningFolder const folder;
  forget_tuning();
  auto const run    = [&](int steps) { parallel_stencil_steps("few", policy, u, v, steps, Mix<Shape>()); };
  auto const sweeps = [&] {
    KernelRecorder const record;
    run(7);
    auto const names = record.kernel_names();
    return std::count(names.begin(), names.end(), Impl::kernel_label(Impl::Resolve<Backend::Native, Exec>(), "few"));
  };
  auto const before            = sweeps();
  auto const columns_of_choice = [&]() -> std::vector<std::string> {
    for (auto const& [columns, choice] : TuningFile(folder.file()).read().entries) {
      std::vector<std::string> texts(1);
      for (char const c : columns)
        if (c == '\t') texts.emplace_back();
        else texts.back() += c;
      if (texts[2] == "stencil_steps") return texts;
    }
    return {};
  };
  for (int calls = 0; calls < 100 && columns_of_choice().empty(); ++calls) run(200);
  auto const columns = columns_of_choice();
  if (columns.empty()) {  // a backend with one step per sweep
    EXPECT_TRUE(before == 7 || tuning_mode() == TuningMode::by_extents);
    return;
  }
  EXPECT_LT(before, 7);
  TuningKey const choice{columns[2], columns[3], columns[4], columns[5], {columns[0], columns[1]}};
  EXPECT_EQ(append(folder.file(), choice, {"1", 1e-9}), "");
  forget_tuning();
  EXPECT_EQ(sweeps(), 7);
  Kokkos::fence();
}

/// Blocks' halos and points that are not active keep the state's values, whatever the scratch holds.
TYPED_TEST(StencilStepsCalls, what_no_step_writes_stays) {
  using Exec  = typename TypeParam::exec;
  using Block = Kokkos::View<double**, LayoutRight, typename Exec::memory_space>;
  using View  = Kokkos::View<double***, LayoutRight, typename Exec::memory_space>;
  Exec const exec;
  StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy(exec, {5, 6});
  Kokkos::View<int**, LayoutRight, typename Exec::memory_space> const mask("mask", 5, 6);
  auto const host_mask = Kokkos::create_mirror_view(mask);
  host_mask(2, 3)      = 1;
  Kokkos::deep_copy(mask, host_mask);
  auto const active = policy.with_boundary(Periodic()).with_active(ActivePoints(policy, mask));

  View const u("u", 2, 7, 8), scratch("scratch", 2, 7, 8);
  Block const v("v", 5, 6), other("other", 5, 6), zero("zero", 5, 6);
  auto const block = [](View const& view, int b) { return Block(Kokkos::subview(view, b, Kokkos::ALL, Kokkos::ALL)); };
  auto const list  = [&](View const& view) { return FieldList(exec, std::vector{block(view, 0), block(view, 1)}); };
  auto const begin = [&] {
    for (auto const& [view, value] : {std::pair(u, 1.), std::pair(scratch, -7.)}) Kokkos::deep_copy(view, value);
    for (auto const& [view, value] : {std::pair(v, 1.), std::pair(other, -7.)}) Kokkos::deep_copy(view, value);
  };
  auto const expect_halos = [&](int steps) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 8; ++j)
          if (i == 0 || i == 6 || j == 0 || j == 7)
            EXPECT_EQ(host(b, i, j), 1) << steps << " steps: " << i << ", " << j;
  };
  auto const expect_inactive = [&](int steps) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 6; ++j)
        if (i != 2 || j != 3) EXPECT_EQ(host(i, j), 1) << steps << " steps: " << i << ", " << j;
  };
  for (int const steps : {1, 2, 3}) {
    begin();
    parallel_stencil_steps("blocks", policy.with_blocks(2), u, scratch, steps, Mix<Star<1, 1>>());
    expect_halos(steps);
    auto const of_view = Kokkos::create_mirror(Kokkos::HostSpace(), u);  // a mirror view may be u itself
    Kokkos::deep_copy(of_view, u);
    begin();
    parallel_stencil_steps("list", policy.with_blocks(2), list(u), list(scratch), steps, Mix<Star<1, 1>>());
    expect_halos(steps);
    auto const of_list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
    for (std::size_t i = 0; i < of_view.size(); ++i)
      EXPECT_EQ(of_list.data()[i], of_view.data()[i]) << steps << " steps";
    begin();
    parallel_stencil_steps("active", active, v, other, steps, Mix<Star<1, 1>>());
    expect_inactive(steps);
    begin();
    parallel_stencil_steps("levels", active, fields(time_levels(v, other), constant(at_point(zero))), fields(), steps,
                           Wave<Star<1, 1>>());
    expect_inactive(steps);
  }
}

/// Where Kokkos checks bounds, there is no block to look at.
TYPED_TEST(StencilStepsCalls, no_blocks) {
  using Exec = typename TypeParam::exec;
  using View = Kokkos::View<double***, LayoutRight, typename Exec::memory_space>;
  View const u("u", 0, 7, 8), scratch("scratch", 0, 7, 8);
  auto const policy = StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend>(Exec(), {5, 6}).with_blocks(0);
  for (int const steps : {0, 1, 3}) parallel_stencil_steps("none", policy, u, scratch, steps, Mix<Star<1, 1>>());
}

TYPED_TEST(StencilStepsCalls, errors) {
  using Exec = typename TypeParam::exec;
  Kokkos::View<double**, typename Exec::memory_space> const u("u", 10, 10), v("v", 10, 10), small("small", 8, 8);
  StencilPolicy<Exec, Star<1, 1>, typename TypeParam::backend> const policy({}, {8, 8});
  Mix<Star<1, 1>> const f;
  expect_error({"Koalesce::parallel_stencil_steps(\"run\")", "-1 steps", "give 0 or more"},
               [&] { parallel_stencil_steps("run", policy, u, v, -1, f); });
  expect_error({"every() has a period of 0", "1 or more"},
               [&] { parallel_stencil_steps("run", policy, u, v, 1, f, every(0, [](std::int64_t) {})); });
  expect_error({"with_fused_steps(-2)", "0 for as many as are fastest"},
               [&] { parallel_stencil_steps("run", policy.with_fused_steps(-2), u, v, 1, f); });
  expect_error({"scratch field 0 (\"u\") and state field 0 (\"u\") overlap in memory", "give each its own memory"},
               [&] { parallel_stencil_steps("run", policy, u, u, 1, f); });
  expect_error({"scratch field 0 (\"small\")", "halo of 0 points"},
               [&] { parallel_stencil_steps("run", policy, u, small, 1, f); });
  auto const levels = [&](auto const& now, auto const& before) {
    parallel_stencil_steps("run", policy, fields(time_levels(now, before), constant(at_point(small))), fields(), 1,
                           Wave<Star<1, 1>>());
  };
  expect_error({"previous field 0 (\"u\") and state field 0 (\"u\") overlap in memory"}, [&] { levels(u, u); });
  auto const constants = [&](auto const& now, auto const& scratch, auto const& coefficient) {
    parallel_stencil_steps("run", policy, fields(now, constant(at_point(coefficient))), scratch, 1, Coefficient());
  };
  for (auto const& written : {u, v})
    expect_error({"constant() field", written.label(), "overlap in memory", "its own memory"},
                 [&] { constants(u, v, written); });
  expect_error({"(\"small\")", "halo of 0 points"}, [&] { levels(u, small); });
}

}  // namespace
}  // namespace Koalesce::Test
