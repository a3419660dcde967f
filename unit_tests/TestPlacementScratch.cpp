// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/Placement.hpp>

/// Scratch memory that a kernel takes beside its arrays.
namespace Koalesce::Test {

template <class Exec>
using OfThreads = Kokkos::View<int**, typename Exec::memory_space>;  // of a team: a thread

/// Takes 1 KiB of level 0 and of level 1, writes it first and reads it last. `granted` counts what there was.
template <class Exec>
struct OwnScratch {
  static constexpr int bytes = 1024;
  OfThreads<Exec> wrong, granted;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team, auto& tile,
                                  auto& mine) const {
    int const t = team.league_rank(), r = team.team_rank(), threads = team.team_size();
    unsigned char* own[2];
    for (int level = 0; level < 2; ++level) {
      own[level] = static_cast<unsigned char*>(team.team_scratch(level).get_shmem(int(bytes)));
      for (int i = r; own[level] != nullptr && i < bytes; i += threads) own[level][i] = (unsigned char)(t + level + i);
    }
    for (int i = r; i < 40; i += threads) tile(i) = t + i;
    for (int i = 0; i < 3; ++i) mine(r, i) = 1000 * r + i;
    team.team_barrier();
    int bad = 0;
    for (int i = 0; i < 40; ++i) bad += int(tile(i) != t + i);
    for (int i = 0; i < 3; ++i) bad += int(mine(r, i) != 1000 * r + i);
    for (int level = 0; level < 2; ++level)
      for (int i = 0; own[level] != nullptr && i < bytes; ++i)
        bad += int(own[level][i] != (unsigned char)(t + level + i));
    wrong(t, r)   = bad;
    granted(t, r) = int(own[0] != nullptr) + int(own[1] != nullptr);
  }
};

struct Nothing {
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const&) const {}
};

namespace {

template <class P>
class PlacementScratch : public ::testing::Test {};
TYPED_TEST_SUITE(PlacementScratch, NativePath::types, PathNames);

template <class P, class Arrays, class Places>
void check_own(Arrays const& arrays, Places const& places, int threads) {
  using Exec = typename P::exec;
  OfThreads<Exec> const wrong("wrong", 37, std::size_t(threads)), granted("granted", 37, std::size_t(threads));
  Kokkos::deep_copy(wrong, -1);
  // Threads of a host keep the scratch memory of earlier kernels.
  using Policy = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for("larger", Policy(Exec(), 1, threads).set_scratch_size(0, Kokkos::PerTeam(1 << 14)), Nothing());
  parallel_placed("own", PlacementPolicy(Exec(), 37, threads).with_backend(typename P::backend()), arrays, places,
                  OwnScratch<Exec>{wrong, granted});
  auto const bad = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wrong),
             got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), granted);
  bool none      = true;
  for (int t = 0; t < 37; ++t)
    for (int r = 0; r < threads; ++r) {
      ASSERT_EQ(bad(t, r), 0) << "thread " << r << " of " << threads;
      none = none && got(t, r) == 0;
    }
  if (Backend::on_host<Exec> && none) GTEST_SKIP() << "this Kokkos keeps no scratch memory of earlier kernels";
}

TYPED_TEST(PlacementScratch, of_the_kernels_own_is_none_of_the_arrays) {
  OnChip const arrays(TeamArray<int[40]>("tile"), ThreadArray<int[3]>("mine"));
  for (int const threads : team_sizes<typename TypeParam::exec>({1, 2, 3, 32})) {
    for (auto const& placement : {scratch_placement(arrays), promoted_placement(arrays)})
      check_own<TypeParam>(arrays, placement, threads);
    check_own<TypeParam>(arrays, FixedPlacement<Place::global_memory, Place::scratch>(), threads);
  }
}

}  // namespace
}  // namespace Koalesce::Test
