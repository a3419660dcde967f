// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

/// Every item of a regrouped loop runs once, at its own index, on its own path, whichever variant runs.
namespace Koalesce::Test {
namespace {

template <class P>
class Regrouped : public ::testing::Test {};
TYPED_TEST_SUITE(Regrouped, DefaultPaths::types, PathNames);

// ---- One functor for all paths ----

TYPED_TEST(Regrouped, random_items) {
  for_each_seed([](Rng& rng) {
    for (int const paths : {1, 2, 3, 8, 32, 33, 300}) {
      auto const items = random_items(rng, paths, random_size(rng));
      for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
    }
  });
}

TYPED_TEST(Regrouped, sizes_around_those_of_warps_teams_and_tiles) {
  for_each_seed([](Rng& rng) {
    for (std::int64_t const around : {1, 32, 64, 256, 1024, 4096, 8192})
      for (auto size = around - 1; size <= around + 1; ++size)
        for (int const paths : {2, 5}) {
          Items const items{size % 7, paths, make_paths(rng, Mix::equal, paths, size)};
          for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
        }
  });
}

TYPED_TEST(Regrouped, mixes_of_paths) {
  for_each_seed([](Rng& rng) {
    for (Mix const mix : all_mixes)
      for (int const paths : {2, 3, 32, 40}) {
        SCOPED_TRACE("mix " + std::to_string(int(mix)));
        Items const items{3, paths, make_paths(rng, mix, paths, 5000)};
        for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
      }
  });
}

TYPED_TEST(Regrouped, more_paths_than_items) {
  for_each_seed([](Rng& rng) {
    for (int const paths : {40, 254, 255, 256, 257, 1000}) {
      Items const items{11, paths, make_paths(rng, Mix::equal, paths, 37)};
      for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
    }
  });
}

/// More than 65535 paths have no order within a team.
TYPED_TEST(Regrouped, very_many_paths) {
  Rng rng(4);
  for (int const paths : {5000, 65535, 65536, 100000}) {
    Items const items{1, paths, make_paths(rng, Mix::equal, paths, 20011)};
    for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
  }
}

/// On a device, so many that its teams take as many items as they may.
TYPED_TEST(Regrouped, many_items) {
  Rng rng(5);
  bool const host = Backend::on_host<typename TypeParam::exec>;
  for (int const paths : {2, 7}) {
    Items const items{5, paths, make_paths(rng, Mix::clustered, paths, host ? 200003 : 18000011)};
    for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
  }
}

TYPED_TEST(Regrouped, items_far_beyond_the_range_of_int) {
  for_each_seed([](Rng& rng) {
    Items const items{std::int64_t(1) << 40, 3, make_paths(rng, Mix::equal, 3, 3000)};
    for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant); });
  });
}

TYPED_TEST(Regrouped, nothing_runs_where_there_are_no_items) {
  for (std::int64_t const begin : {0, 77})
    for (int const paths : {1, 2, 40})
      for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>({begin, paths, {}}, variant); });
}

TYPED_TEST(Regrouped, sizes_and_numbers_of_paths_change_from_call_to_call) {
  for_each_seed([](Rng& rng) {
    for (int call = 0; call < 20; ++call) {
      auto const items = random_items(rng, int(random_int(rng, 2, 50)), random_size(rng) / 4 + 1);
      for_each_variant(index_variants, [&](Variant variant) { check_visits<TypeParam>(items, variant, "changing"); });
    }
  });
}

// ---- A functor per path ----

template <class P, int... Path, class Predict>
void check_functors(Items const& items, Variant variant, Predict const& predict, std::integer_sequence<int, Path...>) {
  typename P::exec const exec;
  VisitsOf<P> const visits(items);
  RegroupPolicy const policy(exec, items.begin, items.end());
  parallel_regroup("functors", ask(policy, variant).with_backend(typename P::backend()), predict,
                   VisitAs<typename P::exec::memory_space>{visits, Path}...);
  exec.fence();
  EXPECT_TRUE(visits.match(items));
}

/// As many functors as there are paths; the predictor returns a T.
template <class P, class T, int Functors>
void check_functors() {
  for_each_seed([](Rng& rng) {
    for (std::int64_t const size : {1, 33, 2999, 9000}) {
      auto const items = random_items(rng, Functors, size);
      PathTableOf<P, T> const predict(items);
      for_each_variant(index_variants, [&](Variant variant) {
        check_functors<P>(items, variant, predict, std::make_integer_sequence<int, Functors>());
      });
    }
  });
}

enum class Event { absorb, scatter, leave };
enum Reaction : unsigned char { first, second, third, fourth, fifth };

TYPED_TEST(Regrouped, one_functor_and_an_unsigned_char) { check_functors<TypeParam, unsigned char, 1>(); }
TYPED_TEST(Regrouped, predictor_returns_bool) { check_functors<TypeParam, bool, 2>(); }
TYPED_TEST(Regrouped, predictor_returns_a_scoped_enumerator) { check_functors<TypeParam, Event, 3>(); }
TYPED_TEST(Regrouped, predictor_returns_an_unscoped_enumerator) { check_functors<TypeParam, Reaction, 5>(); }

// ---- Predictors and policies that core takes, for every backend alike ----

template <class P>
class RegroupedRange : public ::testing::Test {};

TYPED_TEST_SUITE(RegroupedRange, NativePath::types, PathNames);

/// Whatever has predictor(i) and lies where the loop runs.
TYPED_TEST(RegroupedRange, a_view_is_a_predictor) {
  Rng rng(9);
  Items const items{0, 4, make_paths(rng, Mix::equal, 4, 2000)};
  PathTableOf<TypeParam> const table(items);
  VisitsOf<TypeParam> const visits(items);
  RegroupPolicy const policy(typename TypeParam::exec(), 0, 2000);
  parallel_regroup("view", policy.with_backend(typename TypeParam::backend()), Paths(4), table.at, visits);
  policy.space().fence();
  EXPECT_TRUE(visits.match(items));
}

struct AddItems {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int, std::int64_t& sum) const { sum += item; }
};

/// Kokkos' policies have no backend: the execution space's own runs.
template <class P, class Policy>
void check_range_policy(Policy const& policy, Items const& items) {
  PathTableOf<P> const predict(items);
  VisitsOf<P> const visits(items);
  for (int call = 1; call < 5; ++call) {
    Kokkos::deep_copy(visits.times, 0);
    parallel_regroup("range", policy, Paths(items.paths), predict, visits);
    policy.space().fence();
    EXPECT_TRUE(visits.match(items));
  }
}

TYPED_TEST(RegroupedRange, as_kokkos_has_it) {
  using Exec = typename TypeParam::exec;
  Rng rng(8);
  Items const items{100, 4, make_paths(rng, Mix::equal, 4, 2345)};
  check_range_policy<TypeParam>(Kokkos::RangePolicy<Exec>(100, 2445), items);
  check_range_policy<TypeParam>(Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(Exec(), 100, 2445), items);
}

// ---- The policy ----

TEST(RegroupPolicy, with_backend_keeps_the_rest) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<int*, Kokkos::HostSpace> const x("x", 7);
  auto const policy = RegroupPolicy(Exec(), 2, 7)
                          .with_payload(round_trip(x))
                          .with_regroup(Regroup::always)
                          .with_scope(RegroupScope::team)
                          .with_remap(RegroupRemap::data);
  auto const portable = policy.with_backend(Backend::Portable{});
  static_assert(std::is_same_v<decltype(portable)::backend_type, Backend::Portable>);
  static_assert(std::is_same_v<decltype(portable.with_backend(Backend::Native{})), std::decay_t<decltype(policy)>>);
  static_assert(std::is_same_v<
                decltype(RegroupPolicy(Exec(), 2, 7).with_backend(Backend::Portable{}).with_payload(round_trip(x))),
                std::decay_t<decltype(portable)>>);
  EXPECT_EQ(portable.begin(), 2);
  EXPECT_EQ(portable.end(), 7);
  EXPECT_EQ(portable.regroup(), Regroup::always);
  EXPECT_EQ(portable.scope(), RegroupScope::team);
  EXPECT_EQ(portable.remap(), RegroupRemap::data);
}

/// As Kokkos::parallel_for takes it.
TEST(RegroupPolicy, number_of_items_runs_on_the_default_execution_space) {
  using Exec   = Kokkos::DefaultExecutionSpace;
  using Memory = Exec::memory_space;
  Rng rng(10);
  Items const items{0, 4, make_paths(rng, Mix::equal, 4, 1234)};
  PathTable<Memory> const predict(items);
  auto const check = [&](auto n) {
    Visits<Memory> const visits(items);
    parallel_regroup("items", n, Paths(4), predict, visits);
    Kokkos::fence();
    EXPECT_TRUE(visits.match(items));
    std::int64_t count = 0;
    parallel_regroup_reduce("items: sum", n, Paths(4), predict, AddItems(), count);
    EXPECT_EQ(count, 1234 * 1233 / 2);
  };
  check(1234);
  check(std::size_t(1234));
  Visits<Memory> const none(items);
  expect_error({"parallel_regroup(\"items\")", "the items are 0 to -5"},
               [&] { parallel_regroup("items", -5, Paths(4), predict, none); });
}

TEST(RegroupPolicy, setters_return_changed_copies) {
  Kokkos::DefaultExecutionSpace const exec;
  RegroupPolicy const policy(exec, 3, 9);
  auto const changed =
      policy.with_regroup(Regroup::always).with_scope(RegroupScope::grid).with_remap(RegroupRemap::data);
  EXPECT_EQ(policy.regroup(), Regroup::automatic);
  EXPECT_EQ(policy.scope(), RegroupScope::automatic);
  EXPECT_EQ(policy.remap(), RegroupRemap::automatic);
  Kokkos::View<double*, Kokkos::DefaultExecutionSpace::memory_space> const x("x", 9), y("y", 9);
  auto const moving = changed.with_payload(one_way(x), round_trip(y));
  for (auto const& p : {changed, changed.with_regroup(Regroup::always)}) EXPECT_EQ(p.scope(), RegroupScope::grid);
  EXPECT_EQ(moving.regroup(), Regroup::always);
  EXPECT_EQ(moving.scope(), RegroupScope::grid);
  EXPECT_EQ(moving.remap(), RegroupRemap::data);
  EXPECT_EQ(moving.begin(), 3);
  EXPECT_EQ(moving.end(), 9);
  EXPECT_EQ(moving.space(), exec);
  EXPECT_FALSE(decltype(one_way(x))::returns);
  EXPECT_TRUE(decltype(round_trip(y))::returns);
}

}  // namespace
}  // namespace Koalesce::Test
