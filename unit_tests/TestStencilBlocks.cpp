// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "StencilOracle.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

/// Many equal blocks in one sweep.
namespace Koalesce::Test {
namespace {

template <class P>
class StencilBlocks : public ::testing::Test {};
TYPED_TEST_SUITE(StencilBlocks, DefaultPaths::types, PathNames);

/// A block's index before a point's, or a halo's width.
template <std::size_t Rank>
Index<int(Rank) + 1> with_first(std::int64_t first, Kokkos::Array<std::int64_t, Rank> const& others) {
  Index<int(Rank) + 1> all{};
  all[0] = first;
  for (std::size_t d = 0; d < Rank; ++d) all[d + 1] = others[d];
  return all;
}

/// What the oracle's functors receive in place of a Neighborhood.
template <int Rank, class TestField>
struct BlockValues {
  TestField const& field;
  Index<Rank + 1> point;

  template <class... Offset>
  auto operator()(Offset... offset) const {
    Index<Rank + 1> p = point;
    int d             = 1;
    ((p[d++] += offset), ...);
    return field(p);
  }
  auto operator()() const { return field(point); }
};

/// f(u..., block, i...) at a point.
template <int Rank, class F, class... Us>
auto call_in(F const& f, Index<Rank + 1> const& p, Us const&... u) {
  if constexpr (Rank == 1) return f(u..., p[0], p[1]);
  else if constexpr (Rank == 2) return f(u..., p[0], p[1], p[2]);
  else return f(u..., p[0], p[1], p[2], p[3]);
}

/// A probe of one input and a value at the point, in a block.
template <class Shape>
struct BlockProbe {
  template <class U, class V, class... I>
  KOKKOS_FUNCTION auto operator()(U const& u, V value, std::int64_t block, I... i) const {
    return Probe<Shape>()(u, i...) + 2 * value - 3 * int(block);
  }
};

struct AfterSum {
  template <class Sum, class V, class... I>
  KOKKOS_FUNCTION auto operator()(Sum sum, V value, std::int64_t block, I... i) const {
    return sum + 2 * value - 3 * int(block) + Probe<Box<0>>::position(int(i % 13)...);
  }
};

template <class Shape>
LinearStencil<double, Shape> probe_weights() {
  return LinearStencil<double, Shape>([](auto... offset) { return double(Probe<Shape>::weight(offset...)); });
}

/// Weights and what follows, as one functor of the oracle.
template <class Shape>
struct OnHost {
  template <class U, class V, class... I>
  auto operator()(U const& u, V value, I... i) const {
    double sum = 0;
    for_each_offset<Shape>([&](auto... offset) { sum += Probe<Shape>::weight(offset...) * u(offset...); });
    return AfterSum()(sum, value, i...);
  }
};

template <class P, class Shape, class T, class Layout, class Right, class... Functors>
void try_blocks(Rng& rng, std::int64_t count, Index<Shape::rank> const& n, Right const& right,
                Functors const&... functors) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  auto const extents = with_first(count, n);
  SCOPED_TRACE("blocks and interior " + to_string<rank + 1>(extents));
  using TestField  = Field<Exec, T, rank + 1, Layout>;
  auto const field = [&](auto const& halo) { return TestField(extents, with_first(0, halo), rng); };
  TestField u = field(halo_for<Shape>(rng, 2)), v = field(random_halo<rank>(rng, 2)),
            out = field(random_halo<rank>(rng, 2));
  u.fill(rng);
  v.fill(rng);
  out.poison_all();
  for_each_index<rank + 1>({}, extents, [&](Index<rank + 1> const& p) {
    out(p) = T(call_in<rank>(right, p, BlockValues<rank, TestField>{u, p}, v(p)));
  });

  Exec const exec;
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    out.poison_device();
    auto const policy = StencilPolicy<Exec, Shape, typename P::backend>(exec, n).with_taps(taps).with_blocks(count);
    parallel_stencil("blocks", policy, fields(u.view(), at_point(v.view())), out.view(), functors...);
    exec.fence();
    EXPECT_TRUE(out.device_matches());
  }
}

template <class P, class Shape, class T, class Layout, class Right, class... Functors>
void try_extents(std::int64_t points, Right const& right, Functors const&... functors) {
  for_each_seed([&](Rng& rng) {
    for (std::int64_t count : {0, 1, 3, 8})
      try_blocks<P, Shape, T, Layout>(rng, count, random_extents<Shape::rank>(rng, points), right, functors...);
    for (std::int64_t n : {0, 1, 2})
      try_blocks<P, Shape, T, Layout>(rng, 5, index_of<Shape::rank>(n), right, functors...);
  });
}

TYPED_TEST(StencilBlocks, three_dimensions) {
  using Shape = Star<1, 2, 1>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutRight>(4000, BlockProbe<Shape>(), BlockProbe<Shape>());
}
TYPED_TEST(StencilBlocks, two_dimensions_left) {
  using Shape = Box<1, 1>;
  try_extents<TypeParam, Shape, float, Kokkos::LayoutLeft>(2000, BlockProbe<Shape>(), BlockProbe<Shape>());
}
TYPED_TEST(StencilBlocks, one_dimension_strided) {
  using Shape = Star<3>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutStride>(1000, BlockProbe<Shape>(), BlockProbe<Shape>());
}
TYPED_TEST(StencilBlocks, known_weights) {
  using Shape = Box<1, 1, 1>;
  try_extents<TypeParam, Shape, double, Kokkos::LayoutRight>(4000, OnHost<Shape>(), probe_weights<Shape>(), AfterSum());
}

// ---- Lists of Views ----

/// So many blocks of a field, as Views in this order.
template <class Exec, class TestField>
auto list_of(Exec const& exec, TestField const& field, std::vector<std::int64_t> const& order) {
  std::vector<decltype(Impl::first_block(field.view()))> views;
  for (auto const b : order) {
    auto const all = field.view();
    if constexpr (TestField::rank == 3) views.push_back(Kokkos::subview(all, b, Kokkos::ALL, Kokkos::ALL));
    else views.push_back(Kokkos::subview(all, b, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL));
  }
  return FieldList(exec, views);
}

/// From a list and a plain field to a list; what lies between the Views stays.
template <class P, class Shape, class T, class Layout, class Functor>
void try_list(Rng& rng, std::int64_t count, Index<Shape::rank> const& n, Functor const& functor) {
  constexpr int rank = Shape::rank;
  using Exec         = typename P::exec;
  using TestField    = Field<Exec, T, rank + 1, Layout>;
  SCOPED_TRACE("blocks and interior " + to_string<rank + 1>(with_first(count, n)));
  auto const field = [&](std::int64_t blocks, auto const& halo) {
    return TestField(with_first(blocks, n), with_first(0, halo), rng);
  };
  auto const shuffled = [&] {
    std::vector<std::int64_t> order(std::size_t(2 * count));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng);
    order.resize(std::size_t(count));
    return order;
  };
  TestField u = field(2 * count, halo_for<Shape>(rng, 2)), v = field(count, random_halo<rank>(rng, 2)),
            out   = field(2 * count, random_halo<rank>(rng, 2));
  auto const from = shuffled(), to = shuffled();
  u.fill(rng);
  v.fill(rng);
  out.poison_all();
  for_each_index<rank + 1>({}, with_first(count, n), [&](Index<rank + 1> const& p) {
    auto in = p, there = p;
    in[0] = from[p[0]], there[0] = to[p[0]];
    out(there) = T(call_in<rank>(functor, p, BlockValues<rank, TestField>{u, in}, v(p)));
  });

  Exec const exec;
  auto const in = list_of(exec, u, from), written = list_of(exec, out, to);
  for (StencilTaps const taps : taps_of<typename P::backend>()) {
    SCOPED_TRACE("taps " + std::to_string(int(taps)));
    out.poison_device();
    auto const policy = StencilPolicy<Exec, Shape, typename P::backend>(exec, n).with_taps(taps).with_blocks(count);
    parallel_stencil("listed blocks", policy, fields(in, at_point(v.view())), written, functor);
    exec.fence();
    EXPECT_TRUE(out.device_matches());
  }
}

TYPED_TEST(StencilBlocks, lists_of_three_dimensions) {
  using Shape = Star<1, 2, 1>;
  for_each_seed([&](Rng& rng) {
    for (std::int64_t count : {0, 1, 3, 8})
      try_list<TypeParam, Shape, double, Kokkos::LayoutRight>(rng, count, random_extents<3>(rng, 4000),
                                                              BlockProbe<Shape>());
    // Rows that lie at multiples of a vector.
    try_list<TypeParam, Shape, double, Kokkos::LayoutRight>(rng, 5, {4, 6, 32}, BlockProbe<Shape>());
  });
}
TYPED_TEST(StencilBlocks, lists_of_two_dimensions_left) {
  using Shape = Box<1, 1>;
  for_each_seed([&](Rng& rng) {
    for (std::int64_t count : {1, 5})
      try_list<TypeParam, Shape, float, Kokkos::LayoutLeft>(rng, count, random_extents<2>(rng, 2000),
                                                            BlockProbe<Shape>());
  });
}

/// What kernels that read several elements at once ask.
TEST(FieldListTest, blocks_are_multiples_of_elements_apart) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::View<float*, Exec> const all("all", 100);
  auto const elements = [&](auto const&... begin) {
    auto const from = [&](int i) { return Kokkos::subview(all, std::pair(i, i + 4)); };
    return FieldList(Exec(), std::vector{from(begin)...}).places().elements;
  };
  EXPECT_EQ(elements(3), 0);
  EXPECT_EQ(elements(20, 8, 36), 4);
  EXPECT_EQ(elements(1, 9, 2), 1);

  struct Pair {
    float first, second;
  };
  auto const pairs = [&](int i) {
    return Kokkos::View<Pair*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(reinterpret_cast<Pair*>(all.data() + i),
                                                                              4);
  };
  EXPECT_TRUE(FieldList(Exec(), std::vector{pairs(0), pairs(8)}).places().whole);
  EXPECT_FALSE(FieldList(Exec(), std::vector{pairs(0), pairs(9)}).places().whole);
}

// ---- Errors ----

struct Same {
  template <class U, class... I>
  KOKKOS_FUNCTION double operator()(U const& u, I...) const {
    return u();
  }
};

TEST(StencilBlockErrors, say_what_is_wrong) {
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::View<double***, Exec> const u("u", 4, 10, 10), v("v", 4, 8, 8), fewer("fewer", 3, 8, 8);
  StencilPolicy<Exec, Star<1, 1>> const policy(Exec(), {8, 8});
  auto const run = [&](std::int64_t count, auto const& in, auto const& out) {
    parallel_stencil("blocks", policy.with_blocks(count), in, out, Same());
  };
  EXPECT_NO_THROW(run(4, u, v));
  expect_error({"parallel_stencil(\"blocks\"): output field 0 (\"fewer\") has 3 blocks", "the policy has 4"},
               [&] { run(4, u, fewer); });
  expect_error({"there are -1 blocks", "give 0 or more"}, [&] { run(-1, u, v); });
  expect_error({"input field 0 (\"v\") has a halo of 0 points in dimension 1"}, [&] { run(4, v, u); });
  Exec().fence();
}

/// No memory is behind these blocks: nothing runs.
TYPED_TEST(StencilBlocks, more_than_teams_can_be_are_refused) {
  using Exec    = typename TypeParam::exec;
  using Backend = typename TypeParam::backend;
  using View =
      Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const count = std::int64_t(1) << 31;
  auto const at    = [&](int bit) { return View(reinterpret_cast<double*>(std::uintptr_t(1) << bit), count, 1); };
  auto const run   = [&](auto shape, auto const&... functors) {
    auto const policy = StencilPolicy<Exec, decltype(shape), Backend>(Exec(), {1}).with_blocks(count);
    expect_error({"parallel_stencil(\"blocks\"): 2147483648 blocks take ", "; run fewer blocks at a time"}, [&] {
      parallel_stencil("blocks", policy.with_taps(StencilTaps::queue), at(40), at(41), functors...);
    });
  };
  run(Staged<Star<0>, Star<0>>(), Same(), Same());
  if (Backend::name != std::string("openmp")) run(Star<0>(), Same());  // its loops take any number
}

TEST(StencilBlockErrors, of_lists_say_what_is_wrong) {
  using Exec  = Kokkos::DefaultExecutionSpace;
  using View  = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  using Views = std::vector<View>;
  Exec const exec;
  View const a("a", 10, 10), b("b", 10, 10), c("c", 8, 8), d("d", 8, 8), none(nullptr, 10, 10);
  auto const wide = Kokkos::subview(View("wide", 8, 9), Kokkos::ALL, std::pair(0, 8));
  StencilPolicy<Exec, Star<1, 1>> const policy(exec, {8, 8});
  auto const run = [&](std::int64_t count, auto const& in, auto const& out) {
    parallel_stencil("blocks", policy.with_blocks(count), in, out, Same());
  };
  FieldList const in(exec, Views{a, b}), out(exec, Views{d, c}), turned(exec, Views{c, d}), twice(exec, Views{c, c}),
      with_input(exec, Views{b, View("e", 10, 10)});
  EXPECT_NO_THROW(run(2, in, out));
  EXPECT_NO_THROW(run(2, FieldList(exec, Views{a, a}), out)) << "inputs may be listed twice";
  EXPECT_NO_THROW(run(2, fields(in, at_point(out)), out)) << "in place";
  EXPECT_NO_THROW(run(0, FieldList(exec, Views()), FieldList(exec, Views())));
  expect_error({"input field 0 (\"a\") has 2 blocks", "the policy has 3"}, [&] { run(3, in, out); });
  expect_error({"output field 0 (\"c\") is a list of Views that overlap", "list each View once"},
               [&] { run(2, in, twice); });
  expect_error({"output field 0 (\"b\") and input field 0 (\"a\") overlap in memory"}, [&] { run(2, in, with_input); });
  expect_error({"output field 0 (\"d\") and input field 1 (\"c\") overlap in memory"},
               [&] { run(2, fields(in, at_point(turned)), out); });
  expect_error({"FieldList: View 1 (\"c\") has extent 8 in dimension 0, but the first one has 10"}, [&] {
    FieldList(exec, Views{a, c});
  });
  expect_error({"FieldList: View 1 (\"wide\") has stride 9 in dimension 0, but the first one has 8"}, [&] {
    FieldList(exec, std::vector<Kokkos::View<double**, Kokkos::LayoutStride, Exec>>{c, wide});
  });
  expect_error({"FieldList: View 1", "has no memory"}, [&] { FieldList(exec, Views{a, none}); });
  exec.fence();
}

}  // namespace
}  // namespace Koalesce::Test
