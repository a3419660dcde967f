// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestSupport.hpp"

#include <Koalesce/Placement.hpp>
#include <Koalesce/common/impl/InstanceMemory.hpp>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>

/// What a call of parallel_placed that is like one before asks of the host's memory and of the driver: what a launch of
/// Kokkos asks, and nothing more. What destructors ask of the host's memory: nothing. This program's operator new
/// counts, and so do functions between it and CUDA's.
namespace {

std::atomic<std::int64_t> allocations{0};
#ifdef KOKKOS_ENABLE_CUDA
std::atomic<std::int64_t> queries{0};
#endif

/// These two apart, because nvcc compiles operator new for devices, too, which can neither count nor throw.
void* allocate(std::size_t size) {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
[[noreturn]] void refuse() { throw std::bad_alloc(); }

}  // namespace

#ifdef KOKKOS_ENABLE_CUDA
// What the linker's --wrap makes of calls in static libraries and in this file.
extern "C" {

cudaError_t __real_cudaDriverGetVersion(int* version);
cudaError_t __wrap_cudaDriverGetVersion(int* version) {
  ++queries;
  return __real_cudaDriverGetVersion(version);
}

cudaError_t __real_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* kernel);
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* kernel) {
  ++queries;
  return __real_cudaFuncGetAttributes(attributes, kernel);
}
}
#endif

#ifdef __NVCC__
#pragma nv_diag_suppress 20011  // calls of host functions, which no kernel makes
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // g++ inlines the one without the other
#endif
void* operator new(std::size_t size) {
  if (void* const memory = allocate(size)) return memory;
  refuse();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace Koalesce::Test {

template <class Exec>
struct Touch {
  Kokkos::View<int*, typename Exec::memory_space> out;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team, auto& shared,
                                  auto& own) const {
    shared(0)               = 1;
    own(team.team_rank())   = 2;
    out(team.league_rank()) = own(team.team_rank());
  }
};

template <class Exec>
struct TouchNothing {
  Kokkos::View<int*, typename Exec::memory_space> out;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team) const {
    out(team.league_rank()) = 2;
  }
};

namespace {

template <class P>
class PlacementLaunches : public ::testing::Test {};
TYPED_TEST_SUITE(PlacementLaunches, DefaultPaths::types, PathNames);

/// What 20 calls like those before ask for: there were enough for calls without a placement to find one.
struct Asked {
  static constexpr int calls_before = 80;

  std::int64_t allocations = 0, queries = 0;

  explicit Asked(std::function<void()> const& call) {
    for (int i = 0; i < calls_before; ++i) {
      call();
      Kokkos::fence();  // times are known by the next call
    }
    auto const all = [] {
      Kokkos::fence();
#ifdef KOKKOS_ENABLE_CUDA
      return std::pair<std::int64_t, std::int64_t>(::allocations, ::queries);
#else
      return std::pair<std::int64_t, std::int64_t>(::allocations, 0);
#endif
    };
    auto const before = all();
    for (int i = 0; i < 20; ++i) call();
    auto const after = all();
    allocations      = after.first - before.first;
    queries          = after.second - before.second;
  }
};

/// A destructor gives it back, where no memory may be the error that is on its way.
TYPED_TEST(PlacementLaunches, give_memory_back_without_an_allocation) {
  using Exec = typename TypeParam::exec;
  Exec const exec;
  Impl::InstanceMemory<Exec> memory("kept");
  for (unsigned long long const graph : {0, 1}) {
    auto piece        = memory.take(exec, 1000);
    auto const before = ::allocations.load();
    memory.give_back(std::move(piece), graph);
    EXPECT_EQ(::allocations, before) << "graph " << graph;
  }
}

TYPED_TEST(PlacementLaunches, ask_for_no_more_than_those_of_kokkos) {
  using Exec = typename TypeParam::exec;
  using Tag  = typename TypeParam::backend;
  Exec const exec;
  // Longer than what a string has room for without an allocation.
  std::string const label("a label that is longer than most"), name("an array whose name is longer than most");
  OnChip const arrays(TeamArray<int*>(name, 64), ThreadArray<int>("own"));
  Kokkos::View<int*, typename Exec::memory_space> const out("out", 8);
  Touch<Exec> const kernel{out};
  Placement const placement{Place::scratch, Place::registers};
  Asked const plain([&] {
    Kokkos::TeamPolicy<Exec> policy(exec, 8, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(64 * int(sizeof(int)) + 16));
    Kokkos::parallel_for(label, policy, TouchNothing<Exec>{out});
  });
  auto const policy         = PlacementPolicy(exec, 8, 1).with_backend(Tag());
  auto const expect_no_more = [&](std::string const& which, std::function<void()> const& call) {
    Asked const placed(call);
    EXPECT_LE(placed.allocations, plain.allocations) << which;
    EXPECT_LE(placed.queries, plain.queries) << which;
  };
  expect_no_more("a placement", [&] { parallel_placed(label, policy, arrays, placement, kernel); });
  expect_no_more("a fixed placement", [&] {
    FixedPlacement<Place::scratch, Place::registers> const fixed;
    parallel_placed(label, policy, arrays, fixed, kernel);
  });
  expect_no_more("the placement that was found", [&] { parallel_placed(label, policy, arrays, kernel); });
  expect_no_more("calls that take turns", [&, league = 0]() mutable {
    parallel_placed(label, PlacementPolicy(exec, 7 + league, 1).with_backend(Tag()), arrays, kernel);
    league ^= 1;
  });
}

}  // namespace
}  // namespace Koalesce::Test
