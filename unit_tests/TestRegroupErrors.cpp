// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

/// Predictors outside the paths, and what a regrouped loop refuses before anything runs.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupedErrors : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupedErrors, NativePath::types, PathNames);

/// The text of the Error that call() throws, if it throws one.
template <class Call>
std::string error_of(Call const& call) {
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  }
  return "";
}

void expect_phrases(std::string const& text, Strings const& phrases) {
  for (auto const& phrase : phrases)
    EXPECT_NE(text.find(phrase), std::string::npos) << "\"" << phrase << "\" is not in\n" << text;
}

// ---- Predictors outside the paths ----

/// Bad predictors at some items of a loop.
struct BadItem {
  std::int64_t index, path;
};

Items items_with(std::vector<BadItem> const& bad, int paths, std::int64_t size, std::int64_t begin = 0) {
  Rng rng(std::uint64_t(paths) + 1);
  Items items{begin, paths, make_paths(rng, Mix::equal, paths, size)};
  for (auto const& b : bad) items.path[std::size_t(b.index)] = b.path;
  return items;
}

template <class P>
struct Loop {
  Loop(Items const& i, std::string const& name) : items(i), label(name), predict(i), visits(i) {}

  void run(Variant variant) const {
    RegroupPolicy const policy(typename P::exec(), items.begin, items.end());
    parallel_regroup(label, ask(policy, variant).with_backend(typename P::backend()), Paths(items.paths), predict,
                     visits);
  }

  /// What the call throws where it waits, or else what check_paths() throws.
  std::string error(Variant variant) const {
    typename P::exec const exec;
    Kokkos::deep_copy(visits.times, 0);
    auto const at_once = error_of([&] { run(variant); });
    EXPECT_EQ(!at_once.empty(), Backend::on_host<typename P::exec>);
    auto const later = error_of([&] { check_paths(exec); });
    EXPECT_NE(at_once.empty(), later.empty()) << "an error is thrown once";
    EXPECT_EQ(error_of([&] { check_paths(exec); }), "") << "an error is thrown once";
    return at_once + later;
  }

  Items items;
  std::string label;
  PathTableOf<P> predict;
  VisitsOf<P> visits;
};

/// Each variant names the item, runs the others, and takes good predictors afterwards.
template <class P>
void expect_bad_item(Items const& items, Strings const& phrases) {
  Loop<P> const loop(items, "bad");
  for_each_variant(index_variants, [&](Variant variant) {
    expect_phrases(loop.error(variant), phrases);
    EXPECT_TRUE(loop.visits.match(items));
  });
  for_each_variant(index_variants,
                   [&](Variant variant) { check_visits<P>(items_with({}, items.paths, 500), variant, "bad"); });
  check_paths(typename P::exec());
}

TYPED_TEST(RegroupedErrors, negative_path) {
  expect_bad_item<TypeParam>(items_with({{17, -1}}, 3, 5000),
                             {"Koalesce::parallel_regroup(\"bad\")", "item 17 the path -1", "paths are numbered 0 to 2",
                              "that item has run no path", "return one of them"});
}

TYPED_TEST(RegroupedErrors, first_path_that_is_none) {
  for (int const paths : {1, 2, 3, 32, 33, 254, 255, 256, 300})
    expect_bad_item<TypeParam>(
        items_with({{40, paths}}, paths, 1100, 7),
        {"item 47 the path " + std::to_string(paths) + ",", "numbered 0 to " + std::to_string(paths - 1)});
}

/// Of paths far away, only that they are far is told.
TYPED_TEST(RegroupedErrors, huge_and_tiny_paths) {
  for (std::int64_t const path : {std::int64_t(1) << 20, std::int64_t(1) << 40, std::int64_t(1) << 62})
    for (int const paths : {2, 5}) {
      expect_bad_item<TypeParam>(items_with({{600, path}}, paths, 601), {"item 600 the path "});
      expect_bad_item<TypeParam>(items_with({{0, -path}}, paths, 601), {"item 0 the path -"});
      expect_bad_item<TypeParam>(items_with({{5, path + 1}}, paths, 601), {"item 5 the path "});
    }
}

TYPED_TEST(RegroupedErrors, far_paths_are_named) {
  expect_bad_item<TypeParam>(items_with({{7, 100001}}, 300, 601), {"item 7 the path 100001, "});
  expect_bad_item<TypeParam>(items_with({{7, std::int64_t(1) << 40}}, 300, 601), {"item 7 the path 8388607 or more, "});
  expect_bad_item<TypeParam>(items_with({{7, -100001}}, 300, 601), {"item 7 the path -100001, "});
}

/// The last ones have all bits.
template <class Path>
struct PathsBelow {
  std::int64_t items;

  KOKKOS_FUNCTION Path operator()(std::int64_t item) const { return Path(item < items ? 0ull : ~0ull); }
};

enum class UnsignedPath : std::uint64_t {};
enum class SignedPath : std::int64_t {};

struct IgnoreItem {
  KOKKOS_FUNCTION void operator()(std::int64_t, int) const {}
};

TYPED_TEST(RegroupedErrors, unsigned_paths_are_not_below_0) {
  using Exec        = typename TypeParam::exec;
  auto const policy = RegroupPolicy(Exec(), 0, 100).with_backend(typename TypeParam::backend());
  auto const expect = [&](auto const& predict, std::string const& path) {
    for (Regroup const when : {Regroup::never, Regroup::always}) {
      auto const at_once = error_of([&] {
        parallel_regroup("unsigned", policy.with_regroup(when).with_scope(RegroupScope::grid), Paths(2), predict,
                         IgnoreItem());
      });
      expect_phrases(at_once + error_of([&] { check_paths(Exec()); }), {"item 70 the path " + path + ", "});
    }
  };
  expect(PathsBelow<std::uint64_t>{70}, "8388607 or more");
  expect(PathsBelow<UnsignedPath>{70}, "8388607 or more");
  expect(PathsBelow<std::uint32_t>{70}, "8388607 or more");
  expect(PathsBelow<SignedPath>{70}, "-1");
}

TYPED_TEST(RegroupedErrors, far_items_are_told) {
  auto const begin = std::int64_t(1) << 41;
  expect_bad_item<TypeParam>(items_with({{7, -1}}, 3, 601, begin), {"item 549755813886 or a later one the path -1, "});
}

TYPED_TEST(RegroupedErrors, of_several_bad_items_the_first_is_named) {
  for (int const paths : {2, 3, 300})
    expect_bad_item<TypeParam>(
        items_with({{9999, -5}, {1200, 7000}, {4000, -2}, {1201, -3}, {20000, 999}}, paths, 20001, 50),
        {"item 1250 the path 7000"});
}

TYPED_TEST(RegroupedErrors, items_without_a_path_only) {
  for (int const paths : {1, 2, 5, 300}) {
    Items const items{30, paths, PathNumbers(3000, -9)};
    expect_bad_item<TypeParam>(items, {"item 30 the path -9"});
  }
}

TYPED_TEST(RegroupedErrors, next_call_throws_what_the_last_one_left) {
  typename TypeParam::exec const exec;
  if (Backend::on_host<typename TypeParam::exec>) GTEST_SKIP() << "the call itself throws";
  Loop<TypeParam> const bad(items_with({{3, 8}}, 8, 5000), "next"), good(items_with({}, 8, 5000), "next");
  for_each_variant(index_variants, [&](Variant variant) {
    EXPECT_EQ(error_of([&] { bad.run(variant); }), "");
    exec.fence();
    expect_error({"parallel_regroup(\"next\")", "item 3 the path 8"}, [&] { good.run(variant); });
    Kokkos::deep_copy(good.visits.times, 0);
    EXPECT_EQ(error_of([&] { good.run(variant); }), "");
    EXPECT_EQ(error_of([&] { check_paths(exec); }), "");
    EXPECT_TRUE(good.visits.match(good.items));
  });
}

TYPED_TEST(RegroupedErrors, loops_tell_of_their_own_items) {
  typename TypeParam::exec const exec;
  Loop<TypeParam> const a(items_with({{3, -1}}, 4, 500), "loop a"), b(items_with({{9, 5}}, 5, 900), "loop b");
  for_each_variant(index_variants, [&](Variant variant) {
    std::string text = error_of([&] { a.run(variant); }) + error_of([&] { b.run(variant); });
    for (int i = 0; i < 2; ++i) text += error_of([&] { check_paths(exec); });
    expect_phrases(text, {"\"loop a\"): the predictor gives item 3 the path -1, but paths are numbered 0 to 3",
                          "\"loop b\"): the predictor gives item 9 the path 5, but paths are numbered 0 to 4"});
    EXPECT_EQ(error_of([&] { check_paths(exec); }), "");
  });
}

#if defined(KOKKOS_ENABLE_SERIAL) || defined(KOKKOS_ENABLE_OPENMP)
/// Instances of one thread that do not wait for each other.
std::vector<OneThread> two_instances() {
#if defined(KOKKOS_ENABLE_SERIAL)
  auto const parts = Kokkos::Experimental::partition_space(OneThread(), 1, 1);
  return {parts[0], parts[1]};
#else
  return {one_thread(), one_thread()};
#endif
}

/// Counts items; one of them waits until another thread's call has ended.
struct WaitsOnce {
  std::atomic<int>* ran;
  std::atomic<bool>*begun, *ended;
  std::int64_t waits_at;  // -1: none does

  void operator()(std::int64_t item, int) const {
    ++*ran;
    if (item != waits_at) return;
    *begun = true;
    while (!*ended) std::this_thread::yield();
  }
};

/// Item 0 of the first call has no path. The second call begins after that is known and before the first one ends.
TEST(RegroupedErrorsOfThreads, are_those_of_their_own_calls) {
  auto const instances = two_instances();
  std::atomic<int> ran[2]{0, 0};
  std::atomic<bool> begun = false, ended = false;
  // Made here, because new Views wait for all kernels.
  PathTable<Kokkos::HostSpace> const bad(items_with({{0, 7}}, 3, 100)), good(items_with({}, 3, 100));
  auto const run = [&](std::size_t which, PathTable<Kokkos::HostSpace> const& predict) {
    WaitsOnce const body{&ran[which], &begun, &ended, which == 0 ? 1 : -1};
    return error_of([&] {
      parallel_regroup("loop of two threads", RegroupPolicy(instances[which], 0, 100).with_regroup(Regroup::never),
                       Paths(3), predict, body);
    });
  };
  std::string first;
  std::thread thread([&] { first = run(0, bad); });
  while (!begun) std::this_thread::yield();
  std::string const second = run(1, good);
  ended                    = true;
  thread.join();
  expect_phrases(first, {"item 0 the path 7"});
  EXPECT_EQ(second, "");
  EXPECT_EQ(ran[0], 99);
  EXPECT_EQ(ran[1], 100);
}
#endif

struct CountItems {
  KOKKOS_FUNCTION void operator()(std::int64_t, int, std::int64_t& sum) const { ++sum; }
};

TYPED_TEST(RegroupedErrors, reductions_into_variables_throw_at_once) {
  for (int const paths : {2, 3, 40, 300}) {
    auto const items = items_with({{88, paths}, {2100, -1}}, paths, 3000, 4);
    PathTableOf<TypeParam> const predict(items);
    RegroupPolicy const policy(typename TypeParam::exec(), items.begin, items.end());
    for_each_variant(index_variants, [&](Variant variant) {
      std::int64_t count = -1;
      auto const text    = error_of([&] {
        parallel_regroup_reduce("sum", ask(policy, variant).with_backend(typename TypeParam::backend()), Paths(paths),
                                   predict, CountItems(), count);
      });
      expect_phrases(text, {"Koalesce::parallel_regroup_reduce(\"sum\")", "item 92 the path " + std::to_string(paths)});
      EXPECT_EQ(count, 2998) << "the other items ran";
    });
  }
}

/// Items that change as they travel.
struct Count {
  KOKKOS_FUNCTION void operator()(std::int64_t, int path, int& x) const { x += path + 1; }
};

TYPED_TEST(RegroupedErrors, elements_of_items_without_a_path_stay_as_they_are) {
  using P = TypeParam;
  Rng rng(1);
  auto const items = items_with({{0, -1}, {300, 4}, {2999, 100}}, 4, 3000);
  Field<typename P::exec, int, 1> x({3000}, {0}, rng);
  x.fill(rng);
  PathTableOf<P> const predict(items);
  auto const policy = RegroupPolicy(typename P::exec(), 0, 3000).with_payload(round_trip(x.view()));
  for_each_variant(all_variants, [&](Variant variant) {
    auto const text = error_of([&] {
      parallel_regroup("travel", ask(policy, variant).with_backend(typename P::backend()), Paths(4), predict, Count());
      check_paths(policy.space());
    });
    expect_phrases(text, {"item 0 the path -1"});
    for (std::int64_t i = 0; i < 3000; ++i)
      if (items.path_of(i) >= 0 && items.path_of(i) < 4) x({i}) += int(items.path_of(i)) + 1;
    EXPECT_TRUE(x.device_matches());
  });
}

// ---- Arguments ----

/// A backend that runs nothing: arguments are checked before.
struct Refusing : Backend::Portable {
  static constexpr char const* name = "refusing";
  static inline int calls           = 0;
};

bool can_regroup(Refusing, auto const&, RegroupVariant) { return true; }
std::size_t regroup_memory(Refusing, auto const&, auto const&, RegroupVariant) { return 0; }
std::int64_t regroup_bytes(Refusing, auto const&, RegroupVariant) { return 0; }
void run_regroup(Refusing, auto const&, auto const&, auto const&, RegroupVariant, char*, auto&) { ++Refusing::calls; }

template <class P>
class RegroupedArguments : public ::testing::Test {
 protected:
  RegroupedArguments() { Refusing::calls = 0; }
};
TYPED_TEST_SUITE(RegroupedArguments, NativePath::types, PathNames);

struct Zero {
  KOKKOS_FUNCTION int operator()(std::int64_t) const { return 0; }
};

struct Ignore {
  template <class... Args>
  KOKKOS_FUNCTION void operator()(std::int64_t, int, Args&&...) const {}
};

void expect_refused_call(Strings phrases, std::function<void()> const& call) {
  phrases.push_back("Koalesce::parallel_regroup(\"r\")");
  expect_error(phrases, call);
  EXPECT_EQ(Refusing::calls, 0);
}

template <class Policy>
void run_nothing(Policy const& policy, int paths = 2) {
  parallel_regroup("r", policy.with_backend(Refusing()), Paths(paths), Zero(), Ignore());
}

template <class Policy>
void expect_refusal(Policy const& policy, Strings const& phrases, int paths = 2) {
  expect_refused_call(phrases, [&] { run_nothing(policy, paths); });
}

TYPED_TEST(RegroupedArguments, items_below_zero) {
  typename TypeParam::exec const exec;
  expect_refusal(RegroupPolicy(exec, -2, 5), {"the items are -2 to 5", "0 <= begin <= end"});
  expect_refusal(RegroupPolicy(exec, 7, 5), {"the items are 7 to 5", "give a range with 0 <= begin <= end"});
  std::int64_t count = 0;
  expect_error({"Koalesce::parallel_regroup_reduce(\"r\")", "the items are -2 to 5"}, [&] {
    parallel_regroup_reduce("r", RegroupPolicy(exec, -2, 5).with_backend(Refusing()), Paths(2), Zero(), CountItems(),
                            count);
  });
}

TYPED_TEST(RegroupedArguments, items_that_cannot_be_counted) {
  typename TypeParam::exec const exec;
  std::int64_t const most = std::int64_t(1) << 62;
  expect_refusal(RegroupPolicy(exec, most, most + 1), {"the items end at 4611686018427387905", "2^62 or earlier"});
}

TYPED_TEST(RegroupedArguments, no_paths) {
  RegroupPolicy const policy(typename TypeParam::exec(), 0, 5);
  for (int const paths : {0, -3})
    expect_refusal(policy, {"there are " + std::to_string(paths) + " paths", "give 1 or more"}, paths);
}

template <class P>
using View1 = Kokkos::View<double*, typename P::exec::memory_space>;

TYPED_TEST(RegroupedArguments, payload_that_is_too_short) {
  RegroupPolicy const policy(typename TypeParam::exec(), 3, 100);
  View1<TypeParam> const x("x", 100), y("y", 99);
  expect_refusal(policy.with_payload(one_way(x), round_trip(y)),
                 {"payload View 1 (\"y\") has 99 elements", "the items end at 100", "give it 100 or more"});
  expect_refusal(policy.with_payload(one_way(y)), {"payload View 0 (\"y\") has 99 elements"});
}

TYPED_TEST(RegroupedArguments, payload_without_memory) {
  RegroupPolicy const policy(typename TypeParam::exec(), 0, 100);
  View1<TypeParam> const none(static_cast<double*>(nullptr), 100), x("x", 100);
  expect_refusal(policy.with_payload(round_trip(none)), {"payload View 0", "has no memory", "allocate it first"});
  expect_refusal(policy.with_payload(one_way(x), one_way(none)), {"payload View 1", "has no memory"});
}

TYPED_TEST(RegroupedArguments, payload_that_overlap) {
  RegroupPolicy const policy(typename TypeParam::exec(), 0, 100);
  View1<TypeParam> const x("x", 150), part = Kokkos::subview(x, std::pair(50, 150));
  for (auto const& overlapping : {part, x}) {
    Strings const phrases{"payload Views 0 (\"x\") and 1 (\"x\")", "overlap in memory",
                          "give each View memory of its own"};
    expect_refusal(policy.with_payload(round_trip(x), round_trip(overlapping)), phrases);
    expect_refusal(policy.with_payload(one_way(x), round_trip(overlapping)), phrases);
    expect_refusal(policy.with_payload(round_trip(x), one_way(overlapping)), phrases);
    run_nothing(policy.with_payload(one_way(x), one_way(overlapping)).with_regroup(Regroup::never));
    EXPECT_EQ(std::exchange(Refusing::calls, 0), 1);
  }
}

TYPED_TEST(RegroupedArguments, payload_that_overlaps_itself) {
  RegroupPolicy const policy(typename TypeParam::exec(), 0, 100);
  Kokkos::View<double, typename TypeParam::exec::memory_space> const one("one");
  Kokkos::View<double*, Kokkos::LayoutStride, typename TypeParam::exec::memory_space> const x(
      one.data(), Kokkos::LayoutStride(100, 0));
  expect_refusal(policy.with_payload(round_trip(x)),
                 {"payload View 0 (", "overlaps itself", "give it strides", "memory of its own"});
  run_nothing(policy.with_payload(one_way(x)).with_regroup(Regroup::never));
  EXPECT_EQ(std::exchange(Refusing::calls, 0), 1);
}

TYPED_TEST(RegroupedArguments, data_that_does_not_travel) {
  RegroupPolicy const policy(typename TypeParam::exec(), 0, 100);
  for (Regroup const when : {Regroup::automatic, Regroup::always})
    expect_refusal(policy.with_regroup(when).with_remap(RegroupRemap::data),
                   {"the policy has none", "RegroupPolicy::with_payload()", "RegroupRemap::index"});
}

TYPED_TEST(RegroupedArguments, payload_out_of_reach) {
  using Exec = typename TypeParam::exec;
  if constexpr (Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) {
    GTEST_SKIP() << Exec::name() << " reaches the host's memory";
  } else {
    Kokkos::View<double*, Kokkos::HostSpace> const h("h", 100);
    expect_refusal(RegroupPolicy(Exec(), 0, 100).with_payload(one_way(h)),
                   {"payload View 0 (\"h\")", "lies in Host", "cannot reach"});
  }
}

}  // namespace
}  // namespace Koalesce::Test
