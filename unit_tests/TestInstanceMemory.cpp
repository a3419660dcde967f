// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRecorder.hpp"
#include "TestSupport.hpp"

#include <Koalesce/common/impl/InstanceMemory.hpp>

#include <vector>

/// What of the memory for kernels is kept, and for which instances.
namespace Koalesce::Test {
namespace {

template <class P>
class InstanceMemory : public ::testing::Test {
 protected:
  using Exec   = typename P::exec;
  using Pieces = std::vector<typename Impl::InstanceMemory<Exec>::Taken>;

  static Exec new_instance() {
#ifdef KOKKOS_ENABLE_OPENMP
    // Its partitions are one instance, unless parallel regions may nest.
    if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) return Exec(1);
#endif
    return Kokkos::Experimental::partition_space(Exec(), 1)[0];
  }

  static std::vector<Exec> instances(int count) {
    std::vector<Exec> all;
    for (int i = 0; i < count; ++i) all.push_back(new_instance());
    return all;
  }

  /// A call on every instance, one after the other.
  void call(std::vector<Exec> const& all) {
    for (auto const& exec : all) memory.give_back(memory.take(exec, bytes));
  }

  /// Calls at once on an instance.
  void call_at_once(Exec const& exec, int count) {
    Pieces pieces;
    for (int i = 0; i < count; ++i) pieces.push_back(memory.take(exec, bytes));
    for (auto& piece : pieces) memory.give_back(std::move(piece));
  }

  static constexpr int bytes = 1000;
  Impl::InstanceMemory<Exec> memory{"kept"};
};
TYPED_TEST_SUITE(InstanceMemory, NativePath::types, PathNames);

TYPED_TEST(InstanceMemory, of_many_instances_is_kept) {
  auto const all = this->instances(32);
  this->call(all);
  KernelRecorder const recorder;
  for (int round = 0; round < 3; ++round) this->call(all);
  EXPECT_EQ(recorder.allocations, Strings());
}

TYPED_TEST(InstanceMemory, of_calls_at_once_is_kept_for_eight) {
  typename TypeParam::exec const exec;
  this->call_at_once(exec, 12);
  KernelRecorder const recorder;
  for (int round = 0; round < 3; ++round) this->call_at_once(exec, 8);
  EXPECT_EQ(recorder.allocations, Strings());
  this->call_at_once(exec, 12);
  EXPECT_EQ(recorder.allocations, Strings(4, "kept"));
}

/// Programs may make an instance for every call.
TYPED_TEST(InstanceMemory, of_the_least_recent_instance_gives_way) {
  auto const all = this->instances(65);
  if (all[0] == all[1]) GTEST_SKIP() << "all instances are one";
  this->call(all);
  KernelRecorder const recorder;
  this->call({all.back(), all[1]});
  EXPECT_EQ(recorder.allocations, Strings());
  this->call({all.front()});
  EXPECT_EQ(recorder.allocations, Strings(1, "kept"));
}

}  // namespace
}  // namespace Koalesce::Test
