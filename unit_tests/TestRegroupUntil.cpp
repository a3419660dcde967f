// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegroupOracle.hpp"

#include <cmath>

/// Loops whose items take steps until they are done, against a loop over them on the host.
namespace Koalesce::Test {
namespace {

template <class P>
class RegroupUntil : public ::testing::Test {};
TYPED_TEST_SUITE(RegroupUntil, DefaultPaths::types, PathNames);

inline constexpr Regroup all_ways[] = {Regroup::never, Regroup::always, Regroup::automatic};

// ---- Items of different lengths ----

enum class Lengths { ones, equal, geometric, power_law, one_giant };

inline constexpr Lengths all_lengths[] = {Lengths::ones, Lengths::equal, Lengths::geometric, Lengths::power_law,
                                          Lengths::one_giant};

std::vector<int> make_lengths(Rng& rng, Lengths lengths, std::int64_t items) {
  std::vector<int> steps(std::size_t(items), lengths == Lengths::equal ? int(random_int(rng, 1, 70)) : 1);
  for (auto& n : steps) {
    double const u = (double(rng() % 1000000) + 1) / 1e6;
    if (lengths == Lengths::geometric) n = 1 + int(-20 * std::log(u));
    if (lengths == Lengths::power_law) n = int(std::min(2 / u, 500.));
  }
  if (lengths == Lengths::one_giant && items > 0) steps[rng() % std::size_t(items)] = 20000;
  return steps;
}

/// Items from `begin` on, their lengths, and what steps did.
template <class Memory>
struct Steps {
  Steps(std::vector<int> const& lengths, std::int64_t first)
      : length("length", lengths.size()),
        taken("taken", lengths.size()),
        times_finished("finished", lengths.size()),
        begin(first) {
    auto const host = Kokkos::create_mirror_view(length);
    std::copy(lengths.begin(), lengths.end(), host.data());
    Kokkos::deep_copy(length, host);
  }

  std::int64_t items() const { return std::int64_t(length.extent(0)); }

  Kokkos::View<int*, Memory> length, taken, times_finished;
  std::int64_t begin;
};

template <class P>
using StepsOf = Steps<typename P::exec::memory_space>;

/// The form with a functor: counts in memory.
template <class Memory>
struct CountInMemory {
  Steps<Memory> steps;

  KOKKOS_FUNCTION bool operator()(std::int64_t item) const {
    auto const i = item - steps.begin;
    return ++steps.taken(i) == steps.length(i);
  }
  KOKKOS_FUNCTION bool operator()(std::int64_t item, std::int64_t& all) const {
    ++all;
    return (*this)(item);
  }
};

/// The form with three: counts in registers, and sums up, which shows whether a lane has another item's state.
struct Count {
  std::int64_t item;
  int taken, length;
};
template <class Memory>
struct BeginCount {
  Steps<Memory> steps;

  KOKKOS_FUNCTION Count operator()(std::int64_t item) const { return {item, 0, steps.length(item - steps.begin)}; }
};
struct StepCount {
  KOKKOS_FUNCTION bool operator()(std::int64_t item, Count& count) const {
    if (count.item != item) count.taken += 1000000;
    return ++count.taken >= count.length;
  }
};
template <class Memory>
struct EndCount {
  Steps<Memory> steps;

  KOKKOS_FUNCTION void operator()(std::int64_t item, Count const& count) const {
    auto const i   = item - steps.begin;
    steps.taken(i) = count.taken;
    Kokkos::atomic_inc(&steps.times_finished(i));
  }
  template <class T>
  KOKKOS_FUNCTION void operator()(std::int64_t item, Count const& count, T& all) const {
    if constexpr (std::is_integral_v<T>) all += T(count.taken);
    else all += double(count.taken);
    (*this)(item, count);
  }
};

/// The same with a state that is too large to wait in shared memory.
struct LargeCount {
  Count count;
  double ballast[20];
};
template <class Memory>
struct BeginLarge {
  Steps<Memory> steps;

  KOKKOS_FUNCTION LargeCount operator()(std::int64_t item) const {
    LargeCount large{BeginCount<Memory>{steps}(item), {}};
    for (int n = 0; n < 20; ++n) large.ballast[n] = double(item + n);
    return large;
  }
};
struct StepLarge {
  KOKKOS_FUNCTION bool operator()(std::int64_t item, LargeCount& large) const {
    int const n = large.count.taken % 20;
    if (large.ballast[n] != double(item + n)) large.count.taken += 1000000;
    return StepCount()(item, large.count);
  }
};
template <class Memory>
struct EndLarge {
  Steps<Memory> steps;

  KOKKOS_FUNCTION void operator()(std::int64_t item, LargeCount const& large) const {
    EndCount<Memory>{steps}(item, large.count);
  }
};

template <class P>
auto policy_of(StepsOf<P> const& steps, Regroup regroup) {
  return RegroupPolicy(typename P::exec(), steps.begin, steps.begin + steps.items())
      .with_backend(typename P::backend())
      .with_regroup(regroup);
}

template <class View>
std::vector<int> host_copy(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<int>(host.data(), host.data() + host.extent(0));
}

/// All forms; automatic calls until every variant has run.
template <class P>
void check_steps(std::vector<int> const& lengths, std::int64_t begin, std::string const& label) {
  using Memory = typename P::exec::memory_space;
  for (auto const regroup : all_ways)
    for (int call = 0; call < (regroup == Regroup::never ? 1 : 6); ++call) {
      SCOPED_TRACE("regroup " + std::to_string(int(regroup)) + ", " + std::to_string(lengths.size()) + " items");
      StepsOf<P> const memory(lengths, begin), registers(lengths, begin), large(lengths, begin);
      parallel_regroup_until(label + ", memory", policy_of<P>(memory, regroup), CountInMemory<Memory>{memory});
      EXPECT_EQ(host_copy(memory.taken), lengths);
      parallel_regroup_until(label + ", registers", policy_of<P>(registers, regroup), BeginCount<Memory>{registers},
                             StepCount(), EndCount<Memory>{registers});
      EXPECT_EQ(host_copy(registers.taken), lengths);
      EXPECT_EQ(host_copy(registers.times_finished), std::vector<int>(lengths.size(), 1));
      parallel_regroup_until(label + ", large", policy_of<P>(large, regroup), BeginLarge<Memory>{large}, StepLarge(),
                             EndLarge<Memory>{large});
      EXPECT_EQ(host_copy(large.taken), lengths);
      EXPECT_EQ(host_copy(large.times_finished), std::vector<int>(lengths.size(), 1));
    }
}

TYPED_TEST(RegroupUntil, every_item_takes_its_steps_and_is_finished_once) {
  for_each_seed([](Rng& rng) {
    for (auto const lengths : all_lengths) {
      SCOPED_TRACE("lengths " + std::to_string(int(lengths)));
      auto const items = random_size(rng);
      check_steps<TypeParam>(make_lengths(rng, lengths, items), rng() % 2 == 0 ? 0 : random_int(rng, 1, 5000),
                             "lengths " + std::to_string(int(lengths)));
    }
  });
}

TYPED_TEST(RegroupUntil, few_items_and_none) {
  Rng rng(1);
  for (std::int64_t const items : {0, 1, 2, 31, 32, 33, 127, 129, 4097})
    check_steps<TypeParam>(make_lengths(rng, Lengths::geometric, items), 3, "few");
}

/// On a device, so many that every warp takes many stretches.
TYPED_TEST(RegroupUntil, many_items) {
  Rng rng(2);
  bool const host = Backend::on_host<typename TypeParam::exec>;
  check_steps<TypeParam>(make_lengths(rng, Lengths::power_law, host ? 30011 : 2000003), 1, "many");
}

TYPED_TEST(RegroupUntil, items_far_beyond_the_range_of_int) {
  Rng rng(3);
  check_steps<TypeParam>(make_lengths(rng, Lengths::geometric, 3000), std::int64_t(1) << 40, "far");
}

/// A small state that cannot be copied bytewise.
struct CopiedCount {
  Count count{};

  CopiedCount() = default;
  KOKKOS_FUNCTION explicit CopiedCount(Count const& of) : count(of) {}
  KOKKOS_FUNCTION CopiedCount(CopiedCount const& other) : count(other.count) {}
  KOKKOS_FUNCTION CopiedCount& operator=(CopiedCount const& other) {
    count = other.count;
    return *this;
  }
};
template <class Memory>
struct BeginCopied {
  Steps<Memory> steps;

  KOKKOS_FUNCTION CopiedCount operator()(std::int64_t item) const {
    return CopiedCount(BeginCount<Memory>{steps}(item));
  }
};
struct StepCopied {
  KOKKOS_FUNCTION bool operator()(std::int64_t item, CopiedCount& state) const {
    return StepCount()(item, state.count);
  }
};
template <class Memory>
struct EndCopied {
  Steps<Memory> steps;

  KOKKOS_FUNCTION void operator()(std::int64_t item, CopiedCount const& state) const {
    EndCount<Memory>{steps}(item, state.count);
  }
};

TYPED_TEST(RegroupUntil, states_with_a_copy_constructor) {
  using Memory = typename TypeParam::exec::memory_space;
  Rng rng(4);
  auto const lengths = make_lengths(rng, Lengths::geometric, 3001);
  StepsOf<TypeParam> const steps(lengths, 0);
  parallel_regroup_until("copied", policy_of<TypeParam>(steps, Regroup::always), BeginCopied<Memory>{steps},
                         StepCopied(), EndCopied<Memory>{steps});
  EXPECT_EQ(host_copy(steps.taken), lengths);
  EXPECT_EQ(host_copy(steps.times_finished), std::vector<int>(lengths.size(), 1));
}

// ---- Reductions ----

template <class P, class Memory = typename P::exec::memory_space>
void check_reductions(std::vector<int> const& lengths) {
  std::int64_t total = 0, longest = 0;
  for (int const n : lengths) {
    total += n;
    longest = std::max<std::int64_t>(longest, n);
  }
  for (auto const regroup : all_ways)
    for (int call = 0; call < (regroup == Regroup::never ? 1 : 6); ++call) {
      StepsOf<P> const memory(lengths, 7), registers(lengths, 7);
      std::int64_t all = -1;
      parallel_regroup_until_reduce("sum, memory", policy_of<P>(memory, regroup), CountInMemory<Memory>{memory}, all);
      EXPECT_EQ(all, total);
      auto const reduce = [&](auto&& result) {
        parallel_regroup_until_reduce("sum, registers", policy_of<P>(registers, regroup), BeginCount<Memory>{registers},
                                      StepCount(), EndCount<Memory>{registers}, result);
      };
      all = -1;
      reduce(all);
      EXPECT_EQ(all, total);
      all = -1;
      reduce(Kokkos::Sum<std::int64_t>(all));
      EXPECT_EQ(all, total);
      Kokkos::View<std::int64_t, Memory> const view("sum");
      reduce(view);
      EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view)(), total);
      ReproducibleSum<double> sum;
      reduce(Kokkos::Sum<ReproducibleSum<double>>(sum));
      EXPECT_EQ(sum.value(), double(total));
    }
}

TYPED_TEST(RegroupUntil, reductions) {
  Rng rng(4);
  for (std::int64_t const items : {0, 1, 33, 5003})
    check_reductions<TypeParam>(make_lengths(rng, Lengths::power_law, items));
}

template <class Memory>
struct Longest {
  EndCount<Memory> end;

  KOKKOS_FUNCTION void operator()(std::int64_t item, Count const& count, int& longest) const {
    longest = Kokkos::max(longest, count.taken);
    end(item, count);
  }
};

TYPED_TEST(RegroupUntil, other_reducers) {
  using Memory = typename TypeParam::exec::memory_space;
  Rng rng(5);
  auto const lengths = make_lengths(rng, Lengths::geometric, 4001);
  for (auto const regroup : all_ways) {
    StepsOf<TypeParam> const steps(lengths, 0);
    int longest = -1;
    parallel_regroup_until_reduce("longest", policy_of<TypeParam>(steps, regroup), BeginCount<Memory>{steps},
                                  StepCount(), Longest<Memory>{{steps}}, Kokkos::Max<int>(longest));
    EXPECT_EQ(longest, *std::max_element(lengths.begin(), lengths.end()));
  }
}

/// A sum that depends on the order of its addends.
template <class Memory>
struct AddRoot {
  EndCount<Memory> end;

  KOKKOS_FUNCTION void operator()(std::int64_t item, Count const& count, double& sum) const {
    sum += Kokkos::sqrt(double(count.taken)) * double(item % 7 + 1);
    end(item, count);
  }
};

TYPED_TEST(RegroupUntil, sums_of_the_native_backend_of_hosts_do_not_change) {
  using Exec = typename TypeParam::exec;
  if constexpr (std::is_same_v<typename TypeParam::backend, Backend::Default<Exec>> && Backend::on_host<Exec>) {
    using Memory = typename Exec::memory_space;
    Rng rng(6);
    auto const lengths = make_lengths(rng, Lengths::power_law, 20011);
    StepsOf<TypeParam> const steps(lengths, 0);
    double first = 0;
    for (int call = 0; call < 12; ++call) {
      double sum = 0;
      parallel_regroup_until_reduce("roots", policy_of<TypeParam>(steps, all_ways[call % 3]), BeginCount<Memory>{steps},
                                    StepCount(), AddRoot<Memory>{{steps}}, sum);
      if (call == 0) first = sum;
      EXPECT_EQ(sum, first);
    }
  } else {
    GTEST_SKIP() << "threads take items as they come";
  }
}

// ---- What runs, and what is told ----

TYPED_TEST(RegroupUntil, kernels_have_the_label_and_the_variant) {
  using Memory = typename TypeParam::exec::memory_space;
  StepsOf<TypeParam> const steps({3, 1, 2}, 0);
  {
    CountInMemory<Memory> const step{steps};
    auto const policy = policy_of<TypeParam>(steps, Regroup::never);
    KernelRecorder const record;
    parallel_regroup_until("named", policy, step);
    EXPECT_EQ(record.kernel_names(), Strings{regroup_kernel<TypeParam>("named", "plain")});
    EXPECT_EQ(record.regions, Strings{"Koalesce::parallel_regroup_until"});
  }
  typename TypeParam::exec().fence();
}

TYPED_TEST(RegroupUntil, decisions_are_told) {
  using Memory = typename TypeParam::exec::memory_space;
  std::vector<int> const lengths(300, 2);
  std::string const label = "decides on " + TypeParam::name();
  for (int call = 0; call < 60; ++call) {
    StepsOf<TypeParam> const steps(lengths, 0);
    parallel_regroup_until(label, policy_of<TypeParam>(steps, Regroup::automatic), CountInMemory<Memory>{steps});
    typename TypeParam::exec().fence();
    auto const decisions = tuning_decisions(label);
    if (decisions.empty()) return;  // one thread has no choice
    ASSERT_EQ(decisions.size(), 1U);
    EXPECT_EQ(decisions[0].pattern, "regroup_until");
    EXPECT_EQ(decisions[0].trials.at(0).choice, "plain");
    EXPECT_GT(decisions[0].trials.size(), 1U);
    if (decisions[0].decided) return;
  }
  ADD_FAILURE() << "nothing was decided";
}

struct DoneAtOnce {
  KOKKOS_FUNCTION bool operator()(std::int64_t) const { return true; }
};

TYPED_TEST(RegroupUntil, by_extents_the_plain_loop_runs) {
  std::string const label = "by extents on " + TypeParam::name();
  auto const policy = RegroupPolicy(typename TypeParam::exec(), 0, 5000).with_backend(typename TypeParam::backend());
  auto const run = [&](Regroup regroup) { parallel_regroup_until(label, policy.with_regroup(regroup), DoneAtOnce()); };
  ByExtents const mode;
  KernelRecorder record;
  for (int call = 0; call < 30; ++call) run(Regroup::automatic);
  EXPECT_EQ(record.kernel_names(), Strings(30, regroup_kernel<TypeParam>(label, "plain")));
  EXPECT_TRUE(tuning_decisions(label).empty());
  record.kernels.clear();
  run(Regroup::always);
  bool const portable = std::is_same_v<typename TypeParam::backend, Backend::Portable>,
             one      = typename TypeParam::exec().concurrency() == 1;
  EXPECT_EQ(record.kernel_names() == Strings{regroup_kernel<TypeParam>(label, "plain")}, one && !portable);
  typename TypeParam::exec().fence();
}

TYPED_TEST(RegroupUntil, a_number_and_a_range_are_policies) {
  using Exec = typename TypeParam::exec;
  StepsOf<TypeParam> const steps({3, 1, 2}, 0);
  CountInMemory<typename Exec::memory_space> const step{steps};
  parallel_regroup_until("range", Kokkos::RangePolicy<Exec>(1, 3), step);
  EXPECT_EQ(host_copy(steps.taken), (std::vector<int>{0, 1, 2}));
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultExecutionSpace>) {
    parallel_regroup_until("number", 1, step);
    EXPECT_EQ(host_copy(steps.taken), (std::vector<int>{3, 1, 2}));
  }
}

TYPED_TEST(RegroupUntil, arguments_are_checked) {
  using Exec = typename TypeParam::exec;
  StepsOf<TypeParam> const steps({3, 1, 2}, 0);
  CountInMemory<typename Exec::memory_space> const step{steps};
  auto const policy = policy_of<TypeParam>(steps, Regroup::automatic);
  expect_error({"Koalesce::parallel_regroup_until(\"bad\")", "asks for a scope or a remap"},
               [&] { parallel_regroup_until("bad", policy.with_scope(RegroupScope::team), step); });
  expect_error({"asks for a scope or a remap", "leave out"},
               [&] { parallel_regroup_until("bad", policy.with_remap(RegroupRemap::index), step); });
  expect_error({"Koalesce::parallel_regroup_until(\"bad\")"},
               [&] { parallel_regroup_until("bad", RegroupPolicy(Exec(), 5, 4), step); });
}

}  // namespace
}  // namespace Koalesce::Test
