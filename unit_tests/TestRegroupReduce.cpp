// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>

/// What regrouped loops reduce into.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupedReduce : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupedReduce, DefaultPaths::types, PathNames);

/// A number for an item on a path: any sum of them is exact in a double.
KOKKOS_FUNCTION inline std::int64_t number_of(std::int64_t path, std::int64_t item) {
  return (item * 2654435761 + path * 40503) % 100003;
}

struct SumNumbers {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, std::int64_t& sum) const {
    sum += number_of(path, item);
  }
};

struct SumAs {
  int path;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::int64_t& sum) const { sum += number_of(path, item); }
};

struct LargestNumber {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, std::int64_t& largest) const {
    if (number_of(path, item) > largest) largest = number_of(path, item);
  }
};

using MinLoc      = Kokkos::MinLoc<std::int64_t, std::int64_t, Kokkos::HostSpace>;
using MinLocValue = MinLoc::value_type;

/// Of equal numbers, the first item's.
struct SmallestNumber {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, MinLocValue& smallest) const {
    auto const n = number_of(path, item) * 100000 + item % 100000;
    if (n < smallest.val) smallest.val = n, smallest.loc = item;
  }
};

/// What the plain loop makes of it.
template <class T, class Functor>
T expected_of(Items const& items, Functor const& functor, T value) {
  for (auto i = items.begin; i < items.end(); ++i) functor(i, int(items.path_of(i)), value);
  return value;
}

template <class P, class Functor, class Result>
void reduce(Items const& items, Variant variant, Functor const& functor, Result&& result) {
  RegroupPolicy const policy(typename P::exec(), items.begin, items.end());
  parallel_regroup_reduce("reduce", ask(policy, variant).with_backend(typename P::backend()), Paths(items.paths),
                          PathTableOf<P>(items), functor, result);
}

/// For loops of different sizes and numbers of paths, one of them empty.
template <class Body>
void for_each_loop(Body const& body) {
  for_each_seed([&](Rng& rng) {
    body(Items{9, 3, {}});
    for (int const paths : {1, 2, 3, 9, 32, 33, 300}) body(random_items(rng, paths, random_size(rng)));
  });
}

TYPED_TEST(RegroupedReduce, sum_of_integers) {
  for_each_loop([](Items const& items) {
    for_each_variant(index_variants, [&](Variant variant) {
      std::int64_t sum = 17;
      reduce<TypeParam>(items, variant, SumNumbers(), sum);
      EXPECT_EQ(sum, expected_of(items, SumNumbers(), std::int64_t(0)));
    });
  });
}

TYPED_TEST(RegroupedReduce, largest) {
  using Max = Kokkos::Max<std::int64_t>;
  for_each_loop([](Items const& items) {
    for_each_variant(index_variants, [&](Variant variant) {
      std::int64_t largest = 0;
      reduce<TypeParam>(items, variant, LargestNumber(), Max(largest));
      EXPECT_EQ(largest, expected_of(items, LargestNumber(), Kokkos::reduction_identity<std::int64_t>::max()));
    });
  });
}

TYPED_TEST(RegroupedReduce, smallest_and_its_item) {
  for_each_loop([](Items const& items) {
    for_each_variant(index_variants, [&](Variant variant) {
      MinLocValue smallest, expected;
      MinLoc(expected).init(expected);
      reduce<TypeParam>(items, variant, SmallestNumber(), MinLoc(smallest));
      expected = expected_of(items, SmallestNumber(), expected);
      EXPECT_EQ(smallest.val, expected.val);
      EXPECT_EQ(smallest.loc, expected.loc);
    });
  });
}

template <class P, class Memory>
void check_result_view() {
  for_each_loop([](Items const& items) {
    Kokkos::View<std::int64_t, Memory> const sum("sum");
    for_each_variant(index_variants, [&](Variant variant) {
      reduce<P>(items, variant, SumNumbers(), sum);
      Kokkos::fence();
      std::int64_t found = -1;
      Kokkos::deep_copy(found, sum);
      EXPECT_EQ(found, expected_of(items, SumNumbers(), std::int64_t(0)));
    });
  });
}

TYPED_TEST(RegroupedReduce, into_a_view) {
  check_result_view<TypeParam, typename TypeParam::exec::memory_space>();
  check_result_view<TypeParam, Kokkos::HostSpace>();
}

TYPED_TEST(RegroupedReduce, into_a_view_by_a_reducer) {
  using Memory = typename TypeParam::exec::memory_space;
  for_each_loop([](Items const& items) {
    Kokkos::View<std::int64_t, Memory> const largest("largest");
    for_each_variant(index_variants, [&](Variant variant) {
      reduce<TypeParam>(items, variant, LargestNumber(), Kokkos::Max<std::int64_t, Memory>(largest));
      Kokkos::fence();
      std::int64_t found = 0;
      Kokkos::deep_copy(found, largest);
      EXPECT_EQ(found, expected_of(items, LargestNumber(), Kokkos::reduction_identity<std::int64_t>::max()));
    });
  });
}

/// A reducer of a user's, which does not say what its result is.
template <class Space>
struct LargestOfAll {
  using reducer          = LargestOfAll;
  using value_type       = std::int64_t;
  using result_view_type = Kokkos::View<std::int64_t, Space>;

  result_view_type result;

  KOKKOS_FUNCTION void join(std::int64_t& a, std::int64_t const& b) const { a = b > a ? b : a; }
  KOKKOS_FUNCTION void init(std::int64_t& a) const { a = Kokkos::reduction_identity<std::int64_t>::max(); }
  KOKKOS_FUNCTION std::int64_t& reference() const { return *result.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result; }
};

TYPED_TEST(RegroupedReduce, by_a_reducer_that_does_not_say_what_it_refers_to) {
  using Space = typename TypeParam::exec::memory_space;
  for_each_loop([](Items const& items) {
    Kokkos::View<std::int64_t, Space> const largest("largest");
    for_each_variant(index_variants, [&](Variant variant) {
      reduce<TypeParam>(items, variant, LargestNumber(), LargestOfAll<Space>{largest});
      std::int64_t found = 0;
      Kokkos::deep_copy(found, largest);
      EXPECT_EQ(found, expected_of(items, LargestNumber(), Kokkos::reduction_identity<std::int64_t>::max()));
    });
  });
}

TYPED_TEST(RegroupedReduce, functor_a_path) {
  Rng rng(1);
  for (std::int64_t const size : {0, 1, 33, 9999}) {
    auto const items = random_items(rng, 3, size);
    RegroupPolicy const policy(typename TypeParam::exec(), items.begin, items.end());
    PathTableOf<TypeParam> const predict(items);
    for_each_variant(index_variants, [&](Variant variant) {
      std::int64_t sum = 5;
      parallel_regroup_reduce("functors", ask(policy, variant).with_backend(typename TypeParam::backend()), predict,
                              SumAs{0}, SumAs{1}, SumAs{2}, sum);
      EXPECT_EQ(sum, expected_of(items, SumNumbers(), std::int64_t(0)));
    });
  }
}

template <class P>
class RegroupedReduceRange : public ::testing::Test {};

TYPED_TEST_SUITE(RegroupedReduceRange, NativePath::types, PathNames);

TYPED_TEST(RegroupedReduceRange, as_kokkos_has_it) {
  Rng rng(2);
  Items const items{4, 3, make_paths(rng, Mix::equal, 3, 3000)};
  std::int64_t sum = 0;
  parallel_regroup_reduce("range", Kokkos::RangePolicy<typename TypeParam::exec>(items.begin, items.end()), Paths(3),
                          PathTableOf<TypeParam>(items), SumNumbers(), sum);
  EXPECT_EQ(sum, expected_of(items, SumNumbers(), std::int64_t(0)));
}

// ---- While elements travel ----

/// A sum of doubles.
struct SumAndChange {
  template <class X>
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, X& x, double& y, double& sum) const {
    y += x + path;
    sum += y * double(item % 3 + 1);
  }
};

TYPED_TEST(RegroupedReduce, what_travels) {
  using P     = TypeParam;
  using Field = Field<typename P::exec, double, 1>;
  for_each_seed([](Rng& rng) {
    for (int const paths : {2, 5, 300}) {
      auto const items = random_items(rng, paths, random_size(rng));
      Field x({items.end()}, {0}, rng), y({items.end()}, {0}, rng);
      x.fill(rng), y.fill(rng);
      auto const policy = RegroupPolicy(typename P::exec(), items.begin, items.end())
                              .with_payload(one_way(x.view()), round_trip(y.view()));
      for_each_variant(all_variants, [&](Variant variant) {
        double sum = 3, expected = 0;
        parallel_regroup_reduce("travel", ask(policy, variant).with_backend(typename P::backend()), Paths(paths),
                                PathTableOf<P>(items), SumAndChange(), sum);
        for (auto i = items.begin; i < items.end(); ++i)
          SumAndChange()(i, int(items.path_of(i)), x({i}), y({i}), expected);
        EXPECT_EQ(sum, expected);
        EXPECT_TRUE(x.device_matches() && y.device_matches());
      });
    }
  });
}

// ---- A type of one's own ----

struct Moments {
  std::int64_t count = 0, sum = 0, squares = 0;

  KOKKOS_FUNCTION Moments& operator+=(Moments const& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
};

struct SumMoments {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, Moments& m) const {
    m += {1, number_of(path, item), number_of(path, item) * path};
  }
};

/// Kokkos sums what has += and a constructor.
TYPED_TEST(RegroupedReduce, sum_of_a_struct) {
  Rng rng(3);
  for (int const paths : {2, 5, 300}) {
    auto const items = random_items(rng, paths, 10007);
    for_each_variant(index_variants, [&](Variant variant) {
      Moments m{7, 7, 7};
      reduce<TypeParam>(items, variant, SumMoments(), m);
      auto const expected = expected_of(items, SumMoments(), Moments());
      EXPECT_EQ(m.count, expected.count);
      EXPECT_EQ(m.sum, expected.sum);
      EXPECT_EQ(m.squares, expected.squares);
    });
  }
}

// ---- Numbers of threads ----

#ifdef KOKKOS_ENABLE_OPENMP
/// Rounded at every step: in another order, the sum has other bits.
struct SumReciprocals {
  KOKKOS_FUNCTION void operator()(std::int64_t item, int path, double const& x, double& sum) const {
    sum += x / double(1 + number_of(path, item));
  }
};

/// Items of very different numbers of steps, the state of each its own sum.
struct BeginSum {
  KOKKOS_FUNCTION double operator()(std::int64_t) const { return 0; }
};
struct AddReciprocal {
  KOKKOS_FUNCTION static std::int64_t steps(std::int64_t item) { return 1 + 100003 / (1 + number_of(1, item)); }

  KOKKOS_FUNCTION bool operator()(std::int64_t item, double& sum) const {
    sum += 1 / (sum + double(item % 7 + 1));
    return sum * sum >= double(steps(item) % 500);
  }
};
struct EndSum {
  KOKKOS_FUNCTION void operator()(std::int64_t item, double const& own, double& sum) const {
    sum += own / double(1 + number_of(0, item));
  }
};
struct OneStep {
  KOKKOS_FUNCTION bool operator()(std::int64_t item, double& sum) const {
    sum += 0.7 / double(1 + number_of(0, item));
    return true;
  }
};

/// Of all ways, those that are measured as well.
void print_until_sums(std::ostream& sums) {
  RegroupPolicy const policy(Kokkos::OpenMP(), 3, 20014);
  for (auto const regroup : {Regroup::never, Regroup::always, Regroup::automatic})
    for (int call = 0; call < (regroup == Regroup::automatic ? 6 : 1); ++call) {
      double sum = 0, single = 0;
      parallel_regroup_until_reduce("until", policy.with_regroup(regroup), BeginSum(), AddReciprocal(), EndSum(), sum);
      parallel_regroup_until_reduce("one step", policy.with_regroup(regroup), OneStep(), single);
      sums << "until, " << int(regroup) << ": " << std::hexfloat << sum << ' ' << single << '\n';
    }
}

/// Sums of the process' number of threads, every variant, with all their bits.
std::string sums_of_this_process() {
  std::ostringstream sums;
  print_until_sums(sums);
  Rng rng(4);
  for (int const paths : {2, 5, 300}) {
    Items const items{3, paths, make_paths(rng, Mix::skewed, paths, 50021)};
    Kokkos::View<double*, Kokkos::HostSpace> const x("x", items.end());
    Kokkos::deep_copy(x, 0.7);
    auto const policy = RegroupPolicy(Kokkos::OpenMP(), items.begin, items.end()).with_payload(one_way(x));
    for (Variant const variant : all_variants) {
      if (!variant) continue;
      double sum = 0;
      parallel_regroup_reduce("threads", ask(policy, variant), Paths(paths), PathTable<Kokkos::HostSpace>(items),
                              SumReciprocals(), sum);
      sums << paths << " paths, " << to_string(*variant) << ": " << std::hexfloat << sum << '\n';
    }
  }
  return sums.str();
}

TEST(RegroupedReduceThreads, DISABLED_print) { std::cout << "sums:\n" << sums_of_this_process() << "end\n"; }

/// This program's sums when it runs with so many threads.
std::string sums_with(int threads) {
  auto const command = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX '" +
                       std::filesystem::read_symlink("/proc/self/exe").string() +
                       "' --gtest_also_run_disabled_tests --gtest_filter=RegroupedReduceThreads.DISABLED_print" +
                       " --kokkos-num-threads=" + std::to_string(threads) + " 2>/dev/null";
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) output += char(c);
  if (pipe == nullptr || pclose(pipe) != 0) return "failed: " + command;
  auto const begin = output.find("sums:\n"), end = output.find("end\n");
  return begin < end ? output.substr(begin + 6, end - begin - 6) : "nothing printed: " + command;
}

TEST(RegroupedReduceThreads, sums_do_not_depend_on_their_number) {
  if (!std::filesystem::exists("/proc/self/exe")) GTEST_SKIP() << "the program cannot find itself";
  auto const sums = sums_of_this_process();
  EXPECT_EQ(sums_of_this_process(), sums) << "in a second run";
  for (int const threads : {1, 2, 3, 4}) EXPECT_EQ(sums_with(threads), sums) << threads << " threads";
}
#endif

}  // namespace
}  // namespace Koalesce::Test
