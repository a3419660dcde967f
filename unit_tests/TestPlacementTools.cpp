// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"
#include "TuningTool.hpp"

#include <Koalesce/Placement.hpp>

#include <string>

/// Tuning tools and where arrays lie, and keys.
namespace Koalesce::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// Notes whether its array lies in registers.
struct NotePlace {
  Kokkos::View<int*, Exec::memory_space> seen;

  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<Exec>::member_type const& team, auto& own, auto& shared) const {
    using Own                = std::remove_reference_t<decltype(own)>;
    constexpr bool reg       = std::is_same_v<Own, Impl::LocalElements<Impl::ArrayShape<int[2]>>>;
    own(team.team_rank(), 0) = 1;
    shared()                 = 1;
    if (team.league_rank() == 0) seen(0) = reg ? 2 : 1;
  }

  int run() const {
    OnChip const arrays(ThreadArray<int[2]>("own"), TeamArray<int>("shared"));
    parallel_placed("places", PlacementPolicy(Exec(), 12, 1), arrays, *this);
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen)(0);
  }
};

TEST(PlacementTools, without_a_tool_the_first_call_has_everything_in_scratch_memory) {
  forget_tuning();
  EXPECT_EQ((NotePlace{Kokkos::View<int*, Exec::memory_space>("seen", 1)}.run()), 1);
}

#ifndef KOKKOS_ENABLE_TUNING

TEST(PlacementTools, a_tool_decides) { GTEST_SKIP() << "Kokkos was built without Kokkos_ENABLE_TUNING"; }

#else

TEST(PlacementTools, a_tool_decides) {
  NotePlace const kernel{Kokkos::View<int*, Exec::memory_space>("seen", 1)};
  for (std::string const answer : {"ss", "rs", "sg", "rg"}) {
    TuningTool const tool(answer);
    EXPECT_EQ(kernel.run(), answer[0] == 'r' ? 2 : 1);
    EXPECT_TRUE(tool.open.empty());
    EXPECT_EQ(tool.texts, Strings{"places"});
    EXPECT_EQ(tool.numbers, (std::vector<std::int64_t>{1, 12}));
    EXPECT_EQ(tool.names, (Strings{"automatic", "ss", "rs", "sg", "rg"}));
  }
}

TEST(PlacementTools, a_tool_may_leave_it_to_koalesce) {
  for (std::string const answer : {"", "automatic", "tt", "rrrrr"}) {
    forget_tuning();
    TuningTool const tool(answer);
    EXPECT_EQ((NotePlace{Kokkos::View<int*, Exec::memory_space>("seen", 1)}.run()), 1) << answer;
    EXPECT_TRUE(tool.open.empty());
  }
}

#endif

// ---- Keys, for which no kernel is compiled ----

template <class P>
class PlacementKeys : public ::testing::Test {};
TYPED_TEST_SUITE(PlacementKeys, DefaultPaths::types, PathNames);

struct Keyed {};

template <class P, class Policy, class Array>
Impl::TuningKey key_of(Policy const& policy, Array const& array) {
  std::string const label("keyed");
  OnChip const arrays(array);
  return Impl::PlacementCall<typename P::backend, Policy, Keyed, Array>("f", label, policy, arrays, Keyed()).key();
}

TYPED_TEST(PlacementKeys, have_launch_bounds_and_extents) {
  auto const policy  = PlacementPolicy(typename TypeParam::exec(), 64, 1).with_backend(typename TypeParam::backend());
  auto const extents = [](auto const& how, auto const& array) { return key_of<TypeParam>(how, array).extents; };
  ThreadArray<int[4]> const four("a");
  EXPECT_EQ(extents(policy, four), extents(policy, four));
  EXPECT_NE(extents(policy, four), extents(policy.template with_launch_bounds<64>(), four));
  EXPECT_NE(extents(policy, four), extents(policy, ThreadArray<int[5]>("a")));
}

/// A kernel takes any arrays, and is another one for each.
TYPED_TEST(PlacementKeys, have_types_of_elements) {
  auto const policy = PlacementPolicy(typename TypeParam::exec(), 64, 1).with_backend(typename TypeParam::backend());
  auto const key    = [&](auto const& array) { return Impl::TuningFile::columns(key_of<TypeParam>(policy, array)); };
  EXPECT_EQ(key(ThreadArray<int*>("a", 4)), key(ThreadArray<int*>("a", 4)));
  EXPECT_NE(key(ThreadArray<int*>("a", 4)), key(ThreadArray<float*>("a", 4)));
  EXPECT_NE(key(TeamArray<int**>("a", 4, 17)), key(TeamArray<int* [17]>("a", 4)));
}

}  // namespace
}  // namespace Koalesce::Test
