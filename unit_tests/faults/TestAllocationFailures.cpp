// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationBalance.hpp"
#include "EveryPattern.hpp"
#include "KernelRecorder.hpp"

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <new>

/// What happens when the host or the device has no memory. This program allocates as Kokkos::HostSpace does, and stands
/// between its libraries and CUDA's allocation, so that any of their requests can be refused.
namespace {

std::atomic<std::int64_t> requests{0}, refused{-1};  // so far, and the number of the one that gets nothing
std::atomic<std::int64_t> device_requests{0};        // of all, those for a device's memory

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  if (requests++ == refused) return nullptr;
  auto const a = std::size_t(alignment);
  return std::aligned_alloc(a, (size + a - 1) / a * a);
}

/// Apart, because nvcc compiles operator new for devices, too, which cannot throw.
[[noreturn]] void refuse() { throw std::bad_alloc(); }

}  // namespace

#ifdef KOKKOS_ENABLE_CUDA
// What the linker's --wrap makes of calls in static libraries and in this file.
extern "C" {

cudaError_t __real_cudaMalloc(void** memory, std::size_t size);
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t size) {
  ++device_requests;
  return requests++ == refused ? cudaErrorMemoryAllocation : __real_cudaMalloc(memory, size);
}

cudaError_t __real_cudaMallocAsync(void** memory, std::size_t size, cudaStream_t stream);
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t size, cudaStream_t stream) {
  ++device_requests;
  return requests++ == refused ? cudaErrorMemoryAllocation : __real_cudaMallocAsync(memory, size, stream);
}
}
#endif

#ifdef __NVCC__
#pragma nv_diag_suppress 20011  // calls of host functions, which no kernel makes
#endif
void* operator new(std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  return allocate(size, alignment);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* const memory = allocate(size, alignment)) return memory;
  refuse();
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, std::nothrow_t const&) noexcept { std::free(memory); }

namespace Koalesce::Test {

struct AlwaysOne {
  template <class U>
  KOKKOS_FUNCTION int operator()(U const&, std::int64_t) const {
    return 1;
  }
};

/// Where a sweep over these points writes, as digits.
template <class Exec, class Policy, class Active>
std::string written_points(Exec const& exec, Policy const& policy, Active const& active) {
  auto const n = std::size_t(policy.extents()[0]);
  Kokkos::View<int*, typename Exec::memory_space> const from("from", n), to("to", n);
  parallel_stencil("digits", policy.with_active(active), from, to, AlwaysOne());
  exec.fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  std::string digits;
  for (std::size_t i = 0; i < n; ++i) digits += std::to_string(host(i));
  return digits;
}

/// A step whose results are whole numbers, and their sum.
struct SumAround {
  template <class U>
  KOKKOS_FUNCTION static double around(U const& u, std::int64_t y, std::int64_t x) {
    return u(0, -1) + u(0, 1) + 2 * u(-1, 0) + u(1, 0) - u() + double((y + x) % 3);
  }
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, std::int64_t y, std::int64_t x, double& sum) const {
    double const next = around(u, y, x);
    sum += next;
    return next;
  }
  template <class U>
  KOKKOS_FUNCTION double operator()(U const& u, double before, std::int64_t y, std::int64_t x, double& sum) const {
    double const next = around(u, y, x) - before;
    sum += next;
    return next;
  }
};

/// 20 x 30 points between zeros, and two levels of them.
template <class P>
struct StepsThatReduce {
  using Exec = typename P::exec;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;

  StepsThatReduce() {
    for (auto const& view : {now, before}) {
      auto const host = Kokkos::create_mirror_view(view);
      for (std::size_t y = 1; y < 21; ++y)
        for (std::size_t x = 1; x < 31; ++x) host(y, x) = double((y * 7 + x * 3) % 5);
      Kokkos::deep_copy(view, host);
    }
  }

  /// \return the last step's sum.
  double run(bool levels, int depth, std::int64_t steps) const {
    StencilPolicy<Exec, Star<1, 1>, typename P::backend> const policy(Exec(), {20, 30});
    double sum = 0;
    if (levels)
      parallel_stencil_steps_reduce("wave", policy.with_fused_steps(depth), time_levels(now, before), fields(), steps,
                                    SumAround(), sum);
    else parallel_stencil_steps_reduce("steps", policy.with_fused_steps(depth), now, scratch, steps, SumAround(), sum);
    return sum;
  }

  std::vector<double> values() const {
    std::vector<double> all;
    for (auto const& view : {now, before}) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      all.insert(all.end(), host.data(), host.data() + host.span());
    }
    return all;
  }

  View now{"now", 22, 32}, before{"before", 22, 32}, scratch{"scratch", 22, 32};
};

/// A placed kernel whose accesses are counted.
template <class Exec>
struct TouchOnce {
  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& team, auto& array) const {
    array() = team.league_rank();
  }
};

namespace {

template <class P>
class AllocationFailures : public ::testing::Test {};
TYPED_TEST_SUITE(AllocationFailures, DefaultPaths::types, PathNames);

/// The text of what the call throws, if it throws.
template <class Call>
std::string error_of(Call const& call) {
  try {
    call();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "";
}

/// Runs everything while the request of this number is refused; counts an error.
/// \return whether there was such a request.
template <class P>
bool run_refusing(std::int64_t request, std::int64_t& errors) {
  EveryPattern<P> every;
  requests = 0;
  refused  = request;
  try {
    every.run();
    refused = -1;
    EXPECT_TRUE(every.is_right()) << "request " << request;
    if (requests <= request) {
      refused = request;
      every.count_accesses();
    }
  } catch (std::exception const& error) {
    ++errors;
    EXPECT_NE(std::string(error.what()), "") << "request " << request;
  }
  refused = -1;
  return requests > request;
}

template <class P>
::testing::AssertionResult runs_right() {
  EveryPattern<P> every;
  every.run();
  return every.is_right();
}

TYPED_TEST(AllocationFailures, are_errors_or_make_no_difference_and_lose_nothing) {
  using Exec = typename TypeParam::exec;
  // What instances keep grows where a candidate that runs for the first time needs more.
  auto const release_kept = [] {
    release_regroup_memory(Exec());
    Impl::memory_of_partial_results<Exec>().release();
  };
  std::int64_t some = 0, errors = 0;
  ASSERT_TRUE(runs_right<TypeParam>());  // what Kokkos and the loops keep is there, as in any longer run
  for (bool again = true; again; ++some) {
    release_kept();
    AllocationBalance const balance;
    again = run_refusing<TypeParam>(some, errors);
    EXPECT_TRUE(runs_right<TypeParam>()) << "after request " << some << " was refused";
    release_kept();
    EXPECT_EQ(balance.bytes(), 0) << balance.labels() << " after request " << some << " was refused";
  }
  std::cerr << some - 1 << " requests, " << device_requests << " of a device's memory in all, " << errors
            << " errors\n";
  EXPECT_GT(some, 3) << "hardly anything was refused";
  if (Backend::on_host<Exec> || device_requests > 0) {
    EXPECT_GT(errors, 0);
  }
}

/// Of 128 MiB, more than earlier calls have left.
TYPED_TEST(AllocationFailures, of_partial_results_name_the_call) {
  using Exec = typename TypeParam::exec;
  if constexpr (Backend::on_host<Exec>) {
    auto const name = Impl::kernel_label(typename TypeParam::backend(), "mine");
    requests = refused = 0;
    expect_error(
        {"Koalesce::parallel_stencil_reduce(\"mine\"): its 16777216 partial results need 134217728 bytes of "},
        [&] { Impl::PartialResults<Exec, double>(Exec(), "Koalesce::parallel_stencil_reduce", name, 1 << 24); });
    refused = -1;
  } else {
    GTEST_SKIP() << "it refuses requests of the host's memory";
  }
}

/// The steps before the last one are done where there is no memory for what that reduces.
template <class P>
int refuse_partial_results(bool levels, int depth, std::int64_t count) {
  using Exec = typename P::exec;
  int errors = 0;
  StepsThatReduce<P> const before, all;
  before.run(levels, depth, count - 1);
  auto const sum = all.run(levels, depth, 2 * count - 1);
  for (int request = 0; request < 5; ++request) {
    SCOPED_TRACE((levels ? "two levels, depth " : "depth ") + std::to_string(depth) + ", " + std::to_string(count) +
                 " steps, request " + std::to_string(request));
    StepsThatReduce<P> const steps;
    Impl::memory_of_partial_results<Exec>().release_all();  // or there would be what an earlier call left
    requests = 0;
    refused  = request;
    bool ran = true;
    try {
      steps.run(levels, depth, count);
      refused = -1;
    } catch (Error const& error) {
      refused = -1;
      ran     = false;
      ++errors;
      EXPECT_NE(std::string(error.what()).find("partial results need"), std::string::npos) << error.what();
      EXPECT_EQ(steps.values(), before.values());
    }
    EXPECT_EQ(steps.run(levels, depth, ran ? count - 1 : count), sum);
    EXPECT_EQ(steps.values(), all.values());
  }
  return errors;
}

TYPED_TEST(AllocationFailures, of_partial_results_leave_the_steps_before) {
  bool const host = Backend::on_host<typename TypeParam::exec>;
  int errors      = 0;
  for (bool const levels : {false, true})
    for (int const depth : {0, 1, 2})
      for (std::int64_t const count : {3, 4})
        if (depth < 2 || !host || sees_team_barriers) errors += refuse_partial_results<TypeParam>(levels, depth, count);
  if (host) {
    EXPECT_GT(errors, 0);
  }
}

TYPED_TEST(AllocationFailures, of_access_counts_name_the_call) {
  using Exec        = typename TypeParam::exec;
  auto const policy = PlacementPolicy(Exec(), 5, 1).with_backend(typename TypeParam::backend());
  auto const count  = [&](std::int64_t request) {
    requests = 0;
    refused  = request;
    auto const error =
        error_of([&] { count_accesses("mine", policy, OnChip(TeamArray<int>("a")), TouchOnce<Exec>()); });
    refused = -1;
    return error;
  };
  ASSERT_EQ(count(-1), "");  // Kokkos' scratch memory is there
  if constexpr (Backend::on_host<Exec>) {
    for (std::int64_t const request : {0, 1})
      EXPECT_EQ(count(request).find("Koalesce::count_accesses(\"mine\"): the counts of accesses need "), 0u)
          << "request " << request << ": " << count(request);
    EXPECT_EQ(count(2), "");
  } else {
    GTEST_SKIP() << "it refuses requests of the host's memory";
  }
}

/// Points stay active where an update throws.
TYPED_TEST(AllocationFailures, of_an_update_leave_active_points_alone) {
  using Exec = typename TypeParam::exec;
  using Box1 = std::vector<IndexBox<1>>;
  Exec const exec;
  StencilPolicy<Exec, Star<0>, typename TypeParam::backend> const policy(exec, {10});
  int errors = 0;
  for (int request = 0; request < 3; ++request) {
    ActivePoints active(policy, Box1{{{2}, {5}}});
    ASSERT_EQ(written_points(exec, policy, active), "0011100000");
    requests = 0;
    refused  = request;
    try {
      active.update(Box1{{{4}, {9}}});
      refused = -1;
      EXPECT_EQ(written_points(exec, policy, active), "0000111110") << "request " << request;
    } catch (std::exception const&) {
      refused = -1;
      ++errors;
      EXPECT_EQ(active.count(), 3);
      EXPECT_EQ(written_points(exec, policy, active), "0011100000") << "request " << request;
    }
  }
  if (Backend::on_host<Exec>) {
    EXPECT_GT(errors, 0);
  }
}

/// Loops that are called for the first time.
TYPED_TEST(AllocationFailures, of_a_new_loop_leave_nothing_behind) {
  using Exec = typename TypeParam::exec;
  Exec const exec;
  int errors = 0;
  for (int request = 0; request < 4; ++request) {
    auto const call = [&](int refused_request) {
      Kokkos::View<std::int64_t*, typename Exec::memory_space> const out("out", 100);
      requests = 0;
      refused  = refused_request;
      parallel_regroup(
          "new " + std::to_string(request),
          RegroupPolicy(exec, 0, 100).with_regroup(Regroup::never).with_backend(typename TypeParam::backend()),
          Paths(3), ThreeKinds(), AddByKind<typename Exec::memory_space>{out});
      refused = -1;
    };
    try {
      call(request);
    } catch (std::exception const&) {
      ++errors;
    }
    refused = -1;
    EXPECT_NO_THROW(check_paths(exec)) << "after request " << request;
    EXPECT_NO_THROW(call(-1)) << "after request " << request;
  }
  if (Backend::on_host<Exec>) {
    EXPECT_GT(errors, 0);
  }
}

}  // namespace
}  // namespace Koalesce::Test
