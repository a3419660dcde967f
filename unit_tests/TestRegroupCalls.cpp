// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <thread>

/// What regrouped loops run and wait for: kernels, instances, host threads, measurements.
namespace Koalesce::Test {
namespace {

using enum RegroupVariant;

template <class P>
class RegroupedCalls : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupedCalls, DefaultPaths::types, PathNames);

Items any_items(int paths, std::int64_t size, std::uint64_t seed = 1) {
  Rng rng(seed);
  return {3, paths, make_paths(rng, Mix::equal, paths, size)};
}

/// Elements that travel.
struct Step {
  KOKKOS_FUNCTION void operator()(std::int64_t, int path, float const& x, double& y) const { y += x + path; }
};

template <class P, class T>
using ViewOf = Kokkos::View<T*, typename P::exec::memory_space>;

/// A loop whose Views and predictor are there: a call runs kernels, and nothing else.
template <class P>
struct Loop {
  Loop(Items const& i, typename P::exec const& e = {})
      : items(i), exec(e), predict(i), x("x", i.end()), y("y", i.end()) {}

  void run(Variant variant) const {
    auto const policy = RegroupPolicy(exec, items.begin, items.end()).with_payload(one_way(x), round_trip(y));
    parallel_regroup("calls", ask(policy, variant).with_backend(typename P::backend()), Paths(items.paths), predict,
                     Step());
  }

  Items items;
  typename P::exec exec;
  PathTableOf<P> predict;
  ViewOf<P, float> x;
  ViewOf<P, double> y;
};

// ---- Kernels ----

/// Whether these are a variant's kernels: "label [variant]", and before it "label [grid: <step>]" over the grid.
template <class P>
void expect_kernels(Strings const& names, Variant variant, std::string const& label) {
  bool const over_grid = variant == grid || variant == grid_moved;
  auto before          = regroup_kernel<P>(label, "grid: ");
  before.pop_back();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.size() > 1, over_grid);
  for (std::size_t k = 0; k + 1 < names.size(); ++k) EXPECT_EQ(names[k].find(before), 0u) << names[k];
  EXPECT_EQ(names.back(), regroup_kernel<P>(label, to_string(*variant)));
}

std::vector<Variant> const known_variants{plain, team, team_moved, grid, grid_moved};

TYPED_TEST(RegroupedCalls, labels_show_the_way_asked_for) {
  Loop<TypeParam> const loop(any_items(3, 5000));
  for_each_variant(known_variants, [&](Variant variant) {
    KernelRecorder const record;
    loop.run(variant);
    expect_kernels<TypeParam>(record.kernel_names(), variant, "calls");
    EXPECT_EQ(record.regions, Strings{"Koalesce::parallel_regroup"});
    for (auto const& kernel : record.kernels) EXPECT_FALSE(kernel.reduces);
  });
  loop.exec.fence();
}

struct CountItems {
  template <class... Payload>
  KOKKOS_FUNCTION void operator()(std::int64_t, int, std::int64_t& count) const {
    ++count;
  }
};

TYPED_TEST(RegroupedCalls, labels_of_reductions_show_the_variant) {
  auto const items = any_items(3, 5000);
  PathTableOf<TypeParam> const predict(items);
  RegroupPolicy const policy(typename TypeParam::exec(), items.begin, items.end());
  for_each_variant({plain, team, grid}, [&](Variant variant) {
    std::int64_t count = 0;
    KernelRecorder const record;
    parallel_regroup_reduce("r", ask(policy, variant).with_backend(typename TypeParam::backend()), Paths(3), predict,
                            CountItems(), count);
    EXPECT_EQ(record.regions, Strings{"Koalesce::parallel_regroup_reduce"});
    auto const names = record.kernel_names();
    auto const last  = regroup_kernel<TypeParam>("r", to_string(*variant));
    EXPECT_EQ(std::count(names.begin(), names.end(), last), 1) << last;
  });
}

TYPED_TEST(RegroupedCalls, one_path_or_no_items_are_not_regrouped) {
  for (auto const& items : {any_items(1, 1000), any_items(4, 0)}) {
    Loop<TypeParam> const loop(items);
    for_each_variant(all_variants, [&](Variant variant) {
      KernelRecorder const record;
      loop.run(variant);
      expect_kernels<TypeParam>(record.kernel_names(), plain, "calls");
    });
    loop.exec.fence();
  }
}

/// Only what the policy allows is measured.
TYPED_TEST(RegroupedCalls, automatic_takes_a_way_that_the_policy_allows) {
  using P = TypeParam;
  Loop<P> const loop(any_items(4, 2000));
  auto const policy = RegroupPolicy(loop.exec, 3, 2003)
                          .with_payload(one_way(loop.x), round_trip(loop.y))
                          .with_scope(RegroupScope::team);
  for (RegroupRemap const remap : {RegroupRemap::index, RegroupRemap::data}) {
    KernelRecorder const record;
    for (int call = 0; call < 30; ++call) {
      parallel_regroup("allowed", policy.with_remap(remap).with_backend(typename P::backend()), Paths(4), loop.predict,
                       Step());
      loop.exec.fence();
    }
    auto const allowed = to_string(remap == RegroupRemap::index ? team : team_moved);
    for (auto const& name : record.kernel_names())
      EXPECT_TRUE(name == regroup_kernel<P>("allowed", "plain") || name == regroup_kernel<P>("allowed", allowed) ||
                  name == regroup_kernel<P>("allowed", "sample"))
          << name;
  }
}

// ---- Instances, fences, memory ----

/// Memory is there from an earlier call.
template <class P>
void expect_asynchronous(typename P::exec const& exec) {
  Loop<P> const loop(any_items(5, 9000), exec);
  for_each_variant(known_variants, [&](Variant variant) {
    loop.run(variant);
    exec.fence();
    KernelRecorder const record;
    loop.run(variant);
    EXPECT_EQ(record.fences, Strings());
    EXPECT_EQ(record.allocations, Strings());
    for (auto const& kernel : record.kernels)
      EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(exec)) << kernel.name;
  });
  exec.fence();
}

TYPED_TEST(RegroupedCalls, run_on_the_callers_instance_and_wait_for_nothing) {
  expect_asynchronous<TypeParam>({});
  for (auto const& exec : two_instances<typename TypeParam::exec>()) expect_asynchronous<TypeParam>(exec);
}

TYPED_TEST(RegroupedCalls, automatic_runs_on_the_callers_instance) {
  using Exec                  = typename TypeParam::exec;
  std::vector<Exec> instances = two_instances<Exec>();
  instances.push_back(Exec());
  for (auto const& exec : instances) {
    KernelRecorder const record;
    for (int call = 0; call < 20; ++call) check_visits<TypeParam>(any_items(4, 700), {}, "instances", exec);
    for (auto const& kernel : record.kernels) {
      bool const ours = kernel.name.find("instances") != std::string::npos;
      EXPECT_TRUE(!ours || kernel.device == Kokkos::Tools::Experimental::device_id(exec)) << kernel.name;
    }
  }
}

/// On CUDA, measurements and samples come in while the host goes on.
TYPED_TEST(RegroupedCalls, automatic_does_not_wait_on_a_device) {
  if (Backend::on_host<typename TypeParam::exec>) GTEST_SKIP() << "on the host, a measured call waits";
  if (!std::is_same_v<typename TypeParam::backend, Backend::Default<typename TypeParam::exec>>) GTEST_SKIP();
  Loop<TypeParam> const loop(any_items(5, 9000));
  for (Variant const variant : known_variants) loop.run(variant);
  loop.run({});
  loop.exec.fence();
  KernelRecorder const record;
  for (int call = 0; call < 30; ++call) loop.run({});
  EXPECT_EQ(record.fences, Strings());
  loop.exec.fence();
}

TYPED_TEST(RegroupedCalls, two_instances_take_turns) {
  auto const instances = two_instances<typename TypeParam::exec>();
  for_each_variant(index_variants, [&](Variant variant) {
    for (int call = 0; call < 10; ++call)
      check_visits<TypeParam>(any_items(6, 3000 + 100 * call), variant, "turns", instances[call % 2]);
  });
}

/// Neither waits for the other, and neither may have the other's memory.
TYPED_TEST(RegroupedCalls, loops_on_two_instances_run_side_by_side) {
  auto const instances          = two_instances<typename TypeParam::exec>();
  Loop<TypeParam> const loops[] = {{any_items(6, 60000, 1), instances[0]}, {any_items(6, 60000, 2), instances[1]}};
  for_each_variant(known_variants, [&](Variant variant) {
    for (auto const& loop : loops) Kokkos::deep_copy(loop.y, 0.0);
    for (int call = 0; call < 10; ++call)
      for (auto const& loop : loops) loop.run(variant);
    Kokkos::fence();
    for (auto const& loop : loops) {
      auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loop.y);
      for (auto i = loop.items.begin; i < loop.items.end(); ++i) ASSERT_EQ(y(i), 10.0 * double(loop.items.path_of(i)));
    }
  });
}

TYPED_TEST(RegroupedCalls, two_threads_call_a_loop_at_once) {
  auto const instances = two_instances<typename TypeParam::exec>();
  for_each_variant(index_variants, [&](Variant variant) {
    auto const many = [&](int i) {
      for (int call = 0; call < 25; ++call)
        check_visits<TypeParam>(any_items(6, 5000 + 77 * i * call, std::uint64_t(i)), variant, "at once", instances[i]);
    };
    std::thread first(many, 0), second(many, 1);
    first.join();
    second.join();
  });
}

// ---- What is measured ----

/// Calls until the loop has decided.
template <class P>
RegroupDecision decide(std::string const& label, Items const& items) {
  for (int call = 0; call < 200; ++call) {
    check_visits<P>(items, {}, label);
    auto const decisions = regroup_decisions(label);
    if (decisions.size() == 1 && decisions[0].decided) return decisions[0];
  }
  ADD_FAILURE() << "nothing was decided";
  return {};
}

TYPED_TEST(RegroupedCalls, automatic_decides_by_what_it_measures) {
  forget_tuning();
  auto const items    = any_items(4, 20000);
  auto const decision = decide<TypeParam>("decides", items);
  EXPECT_EQ(decision.label, "decides");
  EXPECT_EQ(decision.space, TypeParam::exec::name());
  EXPECT_EQ(decision.size_class, 14);
  EXPECT_FALSE(decision.why.empty());
  ASSERT_EQ(decision.trials.size(), 3u);
  for (std::size_t t = 0; t < 3; ++t) {
    auto const& trial = decision.trials[t];
    EXPECT_EQ(trial.variant, *index_variants[t]);
    EXPECT_GT(trial.calls, 0);
    EXPECT_GT(trial.seconds, 0);
    EXPECT_EQ(trial.bytes > 0, trial.variant == grid);
  }
  EXPECT_EQ(decision.sample.paths, 4);
  EXPECT_GT(decision.sample.items, 0);
  EXPECT_GT(decision.sample.paths_per_warp(), 3.5);
  for (int p = 0; p < PathSample::buckets; ++p) EXPECT_EQ(decision.sample.histogram[p] > 0, p < 4);
}

/// Paths that are close to each other are told apart, however many there may be.
TYPED_TEST(RegroupedCalls, samples_count_paths_among_many) {
  forget_tuning();
  auto items = any_items(4096, 20000);
  for (std::size_t i = 0; i < items.path.size(); ++i) items.path[i] = int(i % 64);
  EXPECT_GT(decide<TypeParam>("64 of 4096", items).sample.paths_per_warp(), 20);
  for (auto& path : items.path) path = 4095;
  EXPECT_EQ(decide<TypeParam>("one of 4096", items).sample.paths_per_warp(), 1);
}

/// So many counters cost more than the loop.
TYPED_TEST(RegroupedCalls, more_paths_than_items_are_not_ordered_over_the_grid) {
  forget_tuning();
  for (int const paths : {1 << 16, (1 << 16) + 1, 1 << 27}) {
    auto items       = any_items(4, 1000);
    items.paths      = paths;
    auto const label = std::to_string(paths) + " paths";
    check_visits<TypeParam>(items, {}, label);
    bool tried = false;
    for (auto const& decision : regroup_decisions(label))
      for (auto const& trial : decision.trials) tried = tried || trial.variant == grid;
    EXPECT_EQ(tried, paths == 1 << 16);
  }
}

TYPED_TEST(RegroupedCalls, automatic_runs_what_it_decided) {
  forget_tuning();
  auto const items    = any_items(4, 20000);
  auto const decision = decide<TypeParam>("stays", items);
  for (int call = 0; call < 5; ++call) {
    KernelRecorder const record;
    check_visits<TypeParam>(items, {}, "stays");
    auto const names   = record.kernel_names();
    auto const variant = regroup_kernel<TypeParam>("stays", to_string(decision.variant));
    EXPECT_EQ(std::count(names.begin(), names.end(), variant), 1);
  }
}

TYPED_TEST(RegroupedCalls, automatic_measures_size_classes_apart) {
  forget_tuning();
  for (std::int64_t const size : {1000, 1023, 1024, 3000}) check_visits<TypeParam>(any_items(3, size), {}, "sizes");
  auto const decisions = regroup_decisions("sizes");
  ASSERT_EQ(decisions.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(decisions[i].size_class, 9 + i);
}

TYPED_TEST(RegroupedCalls, are_measured_again_after_another_tuning_file_is_named) {
  forget_tuning();
  auto const items = any_items(4, 5000);
  decide<TypeParam>("another file", items);
  set_tuning_file("");
  EXPECT_TRUE(regroup_decisions("another file").empty());
  check_visits<TypeParam>(items, {}, "another file");
  auto const decisions = regroup_decisions("another file");
  set_tuning_file(std::nullopt);
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_FALSE(decisions[0].decided);
}

TYPED_TEST(RegroupedCalls, by_extents_the_plain_loop_runs) {
  forget_tuning();
  Loop<TypeParam> const loop(any_items(4, 5000));
  ByExtents const mode;
  {
    KernelRecorder const record;
    for (int call = 0; call < 30; ++call) loop.run({});
    EXPECT_EQ(record.kernel_names(), Strings(30, regroup_kernel<TypeParam>("calls", "plain")));
  }
  EXPECT_TRUE(regroup_decisions("calls").empty());
  for_each_variant(known_variants, [&](Variant variant) {
    KernelRecorder const record;
    loop.run(variant);
    expect_kernels<TypeParam>(record.kernel_names(), variant, "calls");
  });
  loop.exec.fence();
}

/// Empty loops have one variant, and nothing to be measured.
TYPED_TEST(RegroupedCalls, nothing_is_measured_where_there_is_one_way) {
  forget_tuning();
  check_visits<TypeParam>(any_items(1, 1000), {}, "alone");
  check_visits<TypeParam>(any_items(3, 0), {}, "alone");
  check_visits<TypeParam>(any_items(3, 1000), grid, "alone");
  EXPECT_TRUE(regroup_decisions("alone").empty());
}

}  // namespace
}  // namespace Koalesce::Test
