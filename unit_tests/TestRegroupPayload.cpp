// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

/// Elements that travel with their items: functors find and change them, wherever they lie.
namespace Koalesce::Test {
namespace {

using Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class P>
class RegroupedPayload : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupedPayload, DefaultPaths::types, PathNames);

/// What a path makes of an element y, given x: exact in every type. The oracle calls it, too.
template <class T>
KOKKOS_FUNCTION void react(std::int64_t path, std::int64_t item, T const& x, T& y) {
  Element<T>::add(y, int(path % 3) + 1, x);
  Element<T>::add(y, int(path % 2), Element<T>::make(int(item % 5)));
}

/// A functor for elements that stay as they are and elements that change.
template <class T>
struct React {
  template <class X, class Y>
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, X& x, Y& y) const {
    static_assert(std::is_same_v<X, T const>, "elements that go one way cannot be written");
    static_assert(std::is_same_v<Y, T>);
    react<T>(path, item, x, y);
  }
};

template <class T>
struct ReactAs {
  int path;

  KOKKOS_FUNCTION void operator()(std::int64_t item, T const& x, T& y) const { react<T>(path, item, x, y); }
};

/// Two fields with an element for every item, more behind them, and the loop's items.
template <class P, class T, class Layout>
struct TwoFields {
  TwoFields(Rng& rng, Items const& items)
      : x({items.end() + 3}, {0}, rng), y({items.end() + random_int(rng, 0, 9)}, {0}, rng) {
    x.fill(rng);
    y.fill(rng);
  }

  /// What the plain loop does.
  void expect(Items const& items) {
    for (auto i = items.begin; i < items.end(); ++i) react<T>(items.path_of(i), i, x({i}), y({i}));
  }

  void compare() const {
    EXPECT_TRUE(x.device_matches()) << "what goes one way is not written back";
    EXPECT_TRUE(y.device_matches());
  }

  Field<typename P::exec, T, 1, Layout> x, y;
};

/// Three calls of each variant, every one on what the last one left.
template <class P>
void check_two_fields(Rng& rng, Items const& items) {
  typename P::exec const exec;
  TwoFields<P, float, LayoutStride> fields(rng, items);
  PathTableOf<P> const predict(items);
  auto const policy =
      RegroupPolicy(exec, items.begin, items.end()).with_payload(one_way(fields.x.view()), round_trip(fields.y.view()));
  for_each_variant(all_variants, [&](Variant variant) {
    fields.y.fill(rng);
    for (int call = 0; call < 3; ++call) {
      parallel_regroup("travel", ask(policy, variant).with_backend(typename P::backend()), Paths(items.paths), predict,
                       React<float>());
      fields.expect(items);
    }
    exec.fence();
    fields.compare();
  });
}

template <class P>
void check_two_fields() {
  for_each_seed([](Rng& rng) {
    for (int const paths : {1, 2, 3, 8, 33, 300}) check_two_fields<P>(rng, random_items(rng, paths, random_size(rng)));
  });
}

TYPED_TEST(RegroupedPayload, strided_of_4_bytes) { check_two_fields<TypeParam>(); }

TYPED_TEST(RegroupedPayload, sizes_around_those_of_warps_teams_and_tiles) {
  Rng rng(1);
  for (std::int64_t const around : {1, 32, 256, 512, 819, 1024, 4096, 8192})
    for (auto size = around - 1; size <= around + 1; ++size)
      check_two_fields<TypeParam>(rng, {size % 3, 5, make_paths(rng, Mix::equal, 5, size)});
}

/// Of 8 bytes, without gaps.
TYPED_TEST(RegroupedPayload, functor_a_path) {
  using P = TypeParam;
  Rng rng(2);
  for (std::int64_t const size : {1, 100, 1024, 5001, 24575}) {
    auto const items = random_items(rng, 3, size);
    TwoFields<P, double, LayoutRight> fields(rng, items);
    PathTableOf<P> const predict(items);
    auto const policy = RegroupPolicy(typename P::exec(), items.begin, items.end())
                            .with_payload(one_way(fields.x.view()), round_trip(fields.y.view()));
    for_each_variant(all_variants, [&](Variant variant) {
      parallel_regroup("functors", ask(policy, variant).with_backend(typename P::backend()), predict,
                       ReactAs<double>{0}, ReactAs<double>{1}, ReactAs<double>{2});
      fields.expect(items);
      policy.space().fence();
      fields.compare();
    });
  }
}

// ---- Other numbers and kinds of payload ----

/// Keeps what comes one way.
template <class Memory>
struct KeepElement {
  Kokkos::View<double*, Memory> kept;

  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, Vec3<double> const& x) const { kept(item) = x.z + path; }
};

template <class P, class View>
void check_one_way(Items const& items, View const& view) {
  typename P::exec const exec;
  Kokkos::View<double*, typename P::exec::memory_space> const kept("kept", items.end() + 1);
  PathTableOf<P> const predict(items);
  auto const policy = RegroupPolicy(exec, items.begin, items.end()).with_payload(one_way(view));
  for_each_variant(all_variants, [&](Variant variant) {
    Kokkos::deep_copy(kept, -1.0);
    parallel_regroup("one way", ask(policy, variant).with_backend(typename P::backend()), Paths(items.paths), predict,
                     KeepElement<typename P::exec::memory_space>{kept});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kept);
    for (std::int64_t i = 0; i <= items.end(); ++i) {
      bool const inside = i >= items.begin && i < items.end();
      ASSERT_EQ(host(i), inside ? 3.0 * double(i) + double(items.path_of(i)) : -1.0) << "item " << i;
    }
  });
}

struct Triple {
  template <class View>
  static void fill(View const& view) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < view.extent(0); ++i) host(i) = {0, 1, 3.0 * double(i)};
    Kokkos::deep_copy(view, host);
  }
};

/// Of 24 bytes. What goes one way is const, whatever the View's elements are.
TYPED_TEST(RegroupedPayload, one_way_only_and_const) {
  using Memory = typename TypeParam::exec::memory_space;
  Rng rng(3);
  Items const items{7, 4, make_paths(rng, Mix::equal, 4, 3333)};
  using T = Vec3<double>;
  Kokkos::View<T*, Memory> const x("x", items.end());
  Triple::fill(x);
  static_assert(std::is_same_v<decltype(one_way(x)), decltype(one_way(Kokkos::View<T const*, Memory>(x)))>);
  check_one_way<TypeParam>(
      items, Kokkos::View<T const*, Memory, Kokkos::MemoryTraits<Kokkos::RandomAccess | Kokkos::Unmanaged>>(x));
}

/// One small, one large, one in between: what lies behind what, and how it is aligned.
struct ReactToThree {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, signed char& a, Vec3<float> const& b, double& c) const {
    react<double>(path, item, double(b.x) - a, c);
    a = static_cast<signed char>(a / 2 - path);
  }
};

template <class P, class T>
using Field1 = Field<typename P::exec, T, 1>;

TYPED_TEST(RegroupedPayload, three_of_1_12_and_8_bytes) {
  using P = TypeParam;
  Rng rng(4);
  for (std::int64_t const size : {1, 33, 1001, 9999}) {
    auto const items = random_items(rng, 6, size);
    Field1<P, signed char> a({items.end()}, {0}, rng);
    Field1<P, Vec3<float>> b({items.end()}, {0}, rng);
    Field1<P, double> c({items.end()}, {0}, rng);
    a.fill(rng), b.fill(rng), c.fill(rng);
    PathTableOf<P> const predict(items);
    auto const policy = RegroupPolicy(typename P::exec(), items.begin, items.end())
                            .with_payload(round_trip(a.view()), one_way(b.view()), round_trip(c.view()));
    for_each_variant(all_variants, [&](Variant variant) {
      parallel_regroup("three", ask(policy, variant).with_backend(typename P::backend()), Paths(6), predict,
                       ReactToThree());
      for (auto i = items.begin; i < items.end(); ++i) ReactToThree()(i, int(items.path_of(i)), a({i}), b({i}), c({i}));
      policy.space().fence();
      EXPECT_TRUE(a.device_matches() && b.device_matches() && c.device_matches());
    });
  }
}

/// More bytes than a team has scratch memory for.
struct Large {
  double value[64];
};

struct ReactToLarge {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, Large& a) const { a.value[item % 64] += path + 1; }
};

TYPED_TEST(RegroupedPayload, of_512_bytes) {
  using P = TypeParam;
  Rng rng(5);
  Items const items{2, 3, make_paths(rng, Mix::equal, 3, 1111)};
  PathTableOf<P> const predict(items);
  Kokkos::View<Large*, typename P::exec::memory_space> const a("a", items.end());
  auto const policy = RegroupPolicy(typename P::exec(), items.begin, items.end()).with_payload(round_trip(a));
  int calls         = 0;
  for_each_variant(all_variants, [&](Variant variant) {
    parallel_regroup("large", ask(policy, variant).with_backend(typename P::backend()), Paths(3), predict,
                     ReactToLarge());
    ++calls;
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    for (std::int64_t i = 0; i < items.end(); ++i)
      for (int k = 0; k < 64; ++k) {
        bool const written = i >= items.begin && i % 64 == k;
        ASSERT_EQ(host(i).value[k], written ? calls * double(items.path_of(i) + 1) : 0) << "item " << i;
      }
  });
}

/// The predictor reads what travels.
template <class View>
struct ByValue {
  View x;

  KOKKOS_FUNCTION int operator()(std::int64_t item) const { return int(x(item)) % 3; }
};

struct NextPath {
  KOKKOS_FUNCTION void operator()(std::int64_t, int path, double& x) const { x = (3 * int(x) + path + 1) % 101; }
};

TYPED_TEST(RegroupedPayload, predictor_depends_on_what_the_last_call_left) {
  using P = TypeParam;
  Rng rng(6);
  Field1<P, double> x({4444}, {0}, rng);
  x.fill(rng, [](Rng& r) { return double(random_int(r, 0, 99)); });
  auto const policy = RegroupPolicy(typename P::exec(), 0, 4444).with_payload(round_trip(x.view()));
  ByValue<typename Field1<P, double>::View> const predict{x.view()};
  for (int round = 0; round < 4; ++round)
    for_each_variant(all_variants, [&](Variant variant) {
      parallel_regroup("next", ask(policy, variant).with_backend(typename P::backend()), Paths(3), predict, NextPath());
      for (std::int64_t i = 0; i < 4444; ++i) NextPath()(i, int(x({i})) % 3, x({i}));
      policy.space().fence();
      EXPECT_TRUE(x.device_matches());
    });
}

}  // namespace
}  // namespace Koalesce::Test
