// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <Kokkos_ScatterView.hpp>

#include <stdexcept>
#include <vector>

/// Regrouped loops of one thread, of which functors of the host's may start others and throw.
#ifdef KOKKOS_ENABLE_SERIAL
namespace Koalesce::Test {
namespace {

// ---- Loops within loops ----

/// A functor of the host's that runs a loop of its own for its item; see `label_of`.
template <class BackendTag, class Exec>
struct RunInner {
  Exec inner;
  Items const* items;
  Visits<Kokkos::HostSpace> const* visits;  // an inner loop's each
  Variant variant;

  void operator()(std::int64_t item, int path) const {
    PathTable<Kokkos::HostSpace> const predict(items[item]);
    RegroupPolicy const policy(inner, items[item].begin, items[item].end());
    parallel_regroup(path == 0 ? "outer" : "inner", ask(policy, variant).with_backend(BackendTag()),
                     Paths(items[item].paths), predict, visits[item]);
  }
};

/// Outer items on one instance run inner loops on another.
template <class BackendTag, class Exec>
void check_nested(Exec const& outer, Exec const& inner) {
  Rng rng(1);
  std::vector<Items> items;
  std::vector<Visits<Kokkos::HostSpace>> visits;
  for (int i = 0; i < 12; ++i) visits.emplace_back(items.emplace_back(random_items(rng, 2 + i % 3, 100 * i)));
  for_each_variant(index_variants, [&](Variant variant) {
    for (auto const& v : visits) Kokkos::deep_copy(v.times, 0);
    RunInner<BackendTag, Exec> const body{inner, items.data(), visits.data(), variant};
    PathTable<Kokkos::HostSpace> const predict(Items{0, 2, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}});
    parallel_regroup("outer", ask(RegroupPolicy(outer, 0, 12), variant).with_backend(BackendTag()), Paths(2), predict,
                     body);
    for (std::size_t i = 0; i < items.size(); ++i) EXPECT_TRUE(visits[i].match(items[i])) << "inner loop " << i;
  });
}

TEST(RegroupedNested, serial_loops_on_instances_of_their_own) {
  if (KOKKOS_VERSION < 50000) GTEST_SKIP() << "loops within loops wait for each other in Kokkos 4";
  auto const parts = Kokkos::Experimental::partition_space(Kokkos::Serial(), 1, 1);
  check_nested<Backend::Native>(parts[0], parts[1]);
  check_nested<Backend::Portable>(parts[0], parts[1]);
}

// ---- A call that throws ----

/// An exception while a timed call makes the plan: the others are timed, and decide.
TEST(RegroupPlanChoice, is_made_although_a_call_throws) {
  forget_tuning();
  RegroupPlan<Kokkos::Serial> const plan;
  bool throws        = false;
  auto const predict = [&](std::int64_t i) {
    if (throws && i == 4000) throw std::runtime_error("a predictor's own");
    return int(i % 5);
  };
  int thrown = 0;
  for (int call = 0; call < 100; ++call) {
    throws = call == 2;
    try {
      parallel_regroup("throws", RegroupPolicy(Kokkos::Serial(), 0, 5000).with_plan(plan), Paths(5), predict,
                       [](std::int64_t, int) {});
    } catch (std::runtime_error const&) {
      ++thrown;
    }
  }
  EXPECT_EQ(thrown, 1);
  ASSERT_EQ(regroup_decisions("throws").size(), 1u);
  EXPECT_TRUE(regroup_decisions("throws")[0].decided);
}

// ---- Items that share memory ----

using Tally   = Kokkos::View<double*, Kokkos::HostSpace>;
using Scatter = Kokkos::Experimental::ScatterView<double*, Tally::array_layout, Kokkos::Serial>;

struct AddToBin {
  Scatter bins;
  Kokkos::View<int*, Kokkos::HostSpace> bin;
  double amount;

  void operator()(std::int64_t item) const { bins.access()(bin(item)) += amount; }
};

/// On Serial a ScatterView adds without atomics: two items of a path and bin lie next to each other.
TEST(RegroupedTally, loses_no_update) {
  int const items = 1 << 14;
  Kokkos::View<int*, Kokkos::HostSpace> const bin("bin", items);
  for (int i = 0; i < items; ++i) bin(i) = i / 2 % 16;
  for_each_variant(index_variants, [&](Variant variant) {
    Tally sums("sums", 16);
    Scatter const bins(sums);
    parallel_regroup(
        "tally", ask(RegroupPolicy(Kokkos::Serial(), 0, items), variant), [](std::int64_t i) { return int(i % 2); },
        AddToBin{bins, bin, 1}, AddToBin{bins, bin, 2});
    Kokkos::Experimental::contribute(sums, bins);
    for (int b = 0; b < 16; ++b) EXPECT_EQ(sums(b), 1.5 * items / 16) << "bin " << b;
  });
}

}  // namespace
}  // namespace Koalesce::Test
#endif
