// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_UNTIL_HPP
#define KOALESCE_CUDA_REGROUP_UNTIL_HPP

#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/regroup/UntilTuning.hpp>
#include <Koalesce/cuda/regroup/WarpWorker.hpp>
#include <Koalesce/portable/regroup/Until.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// Loops of different lengths by warps whose lanes take further items.
namespace Koalesce::Impl::CudaBackend {

/// A warp takes a stretch of items at a time. After every few steps, lanes whose items are done go on with the items
/// that they have in reserve; when enough lanes have none, all of those get one, whose loads then overlap with steps.
/// Of items with a large state there is no reserve, which would double the registers: lanes wait for their next one.
template <class Work>
struct RefilledWarps {
  static constexpr bool reserves = sizeof(typename Work::State) <= UntilTuning::max_bytes_in_reserve;

  Work work;
  unsigned long long* taken;  // items, of all warps
  int stretch, steps;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((run(update);))
    KOKKOS_IF_ON_HOST(((void)update;))
    (void)team;
  }

#ifdef __CUDACC__
  /// What is left of the stretch; the same in all lanes.
  struct Stretch {
    std::int64_t next = 0, end = 0;
    bool is_last = false;  // nothing is left for another one: the counter is not asked again
  };

  /// A lane's item, if it has one.
  struct Item {
    bool there        = false;
    std::int64_t item = 0;
    typename Work::State state{};
  };

  template <class Update>
  __device__ __forceinline__ void run(Update& update) const {
    constexpr unsigned all = WarpWorker::all;
    Stretch left;
    Item current, reserve;
    bool runs = false;
    for (;;) {
      if (current.there && !runs) {
        work.steps.finish(current.item, current.state, update);
        current.there = false;
      }
      if constexpr (reserves) advance(current, reserve, runs);
      bool const is_idle = __ballot_sync(all, runs) == 0;
      Item& next         = reserves ? reserve : current;
      if (!left.is_last && (is_idle || __popc(__ballot_sync(all, !next.there)) >= UntilTuning::together)) {
        take(next, left);
        if constexpr (reserves) advance(current, reserve, runs);
        else runs = current.there;
      }
      if (is_idle && __ballot_sync(all, runs) == 0) return;
      // Lanes leave the loop one by one, as they do the plain one: a branch for each step would cost more.
      if (runs) {
        int left_over = steps;
        do {
          runs = !work.steps.step(current.item, current.state, update);
        } while (runs && --left_over > 0);
      }
      __syncwarp();
    }
  }

 private:
  /// A lane without an item goes on with the one in reserve.
  __device__ __forceinline__ static void advance(Item& current, Item& reserve, bool& runs) {
    if (current.there || !reserve.there) return;
    current       = reserve;
    reserve.there = false;
    runs          = true;
  }

  /// Lanes without one get the next items, as long as there are some.
  __device__ __forceinline__ void take(Item& next, Stretch& left) const {
    unsigned const lower = (1u << WarpWorker::lane()) - 1;
    for (unsigned lack = __ballot_sync(WarpWorker::all, !next.there); lack != 0;) {
      if (left.next == left.end && !take_stretch(left)) return;
      std::int64_t const mine = left.next + __popc(lack & lower);
      if (!next.there && mine < left.end) {
        next.item  = mine;
        next.state = work.steps.init(mine);
        next.there = true;
      }
      left.next = min(left.next + __popc(lack), left.end);
      lack      = __ballot_sync(WarpWorker::all, !next.there);
    }
  }

  __device__ __forceinline__ bool take_stretch(Stretch& left) const {
    unsigned long long first = 0;
    if (WarpWorker::lane() == 0) first = atomicAdd(taken, static_cast<unsigned long long>(stretch));
    left.next    = min(work.begin + std::int64_t(__shfl_sync(WarpWorker::all, first, 0)), work.end);
    left.end     = min(left.next + stretch, work.end);
    left.is_last = left.next == left.end;
    return !left.is_last;
  }
#endif
};

inline std::vector<UntilVariant> until_variants(Tag, Kokkos::Cuda const&) {
  std::vector<UntilVariant> variants{{"plain"}};
  for (int const steps : UntilTuning::steps) variants.push_back({"refilled", steps});
  return variants;
}

using PortableBackend::until_memory;

template <class Work, class Result>
void run_until(Tag, Kokkos::Cuda const& exec, std::string const& label, Work const& work, UntilVariant const& variant,
               char* memory, Result& result) {
  using Tuning = UntilTuning;
  if (variant.is_plain()) return PortableBackend::run_plain_until(exec, label, work, result);
  Kokkos::parallel_for(label + " begin", Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<int>>(exec, 0, 1),
                       PortableBackend::TakeNone{reinterpret_cast<std::int64_t*>(memory)});
  std::int64_t const warps = std::max(1, int(exec.concurrency()) / 32);
  int const stretch =
      int(std::clamp<std::int64_t>(work.items() / (warps * Tuning::parts), Tuning::fewest, Tuning::most));
  std::int64_t const needed = (work.items() + stretch - 1) / stretch;
  int const blocks          = int((std::min(warps, needed) + Tuning::threads / 32 - 1) / (Tuning::threads / 32));
  for_or_reduce(label, Kokkos::TeamPolicy<Kokkos::Cuda>(exec, std::max(1, blocks), Tuning::threads),
                RefilledWarps<Work>{work, reinterpret_cast<unsigned long long*>(memory), stretch, variant.steps},
                result);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
