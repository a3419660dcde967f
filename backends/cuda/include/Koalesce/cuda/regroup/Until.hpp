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
    std::int64_t next = 0;
    int items         = 0;
    bool is_last      = false;  // nothing is left for another one: the counter is not asked again
  };

  struct Item {
    std::int64_t number = 0;
    typename Work::State state{};
  };

  /// Which lanes have an item is kept in masks, a bit for each: they cost less than a bool in every lane.
  template <class Update>
  __device__ __forceinline__ void run(Update& update) const {
    unsigned const lane = 1u << WarpWorker::lane();
    Stretch left;
    Item current, reserve;
    unsigned running = 0, waiting = 0;  // lanes that have an item, and one in reserve
    for (;;) {
      if constexpr (reserves) advance(lane, current, running, reserve, waiting);
      unsigned const lack = ~(reserves ? waiting : running);
      if (!left.is_last && (running == 0 || __popc(lack) >= UntilTuning::together)) {
        if constexpr (reserves) {
          waiting |= take(lane, lack, reserve, left);
          advance(lane, current, running, reserve, waiting);
        } else {
          running |= take(lane, lack, current, left);
        }
      }
      if (running == 0) return;
      bool runs = (running & lane) != 0;
      // Lanes leave the loop one by one, as they do the plain one: a branch for each step would cost more.
      if (runs) {
        int left_over = steps;
#pragma unroll 1
        do {
          runs = !work.steps.step(current.number, current.state, update);
          --left_over;
        } while (runs && left_over > 0);
      }
      unsigned const still = __ballot_sync(WarpWorker::all, runs);
      if ((running & ~still & lane) != 0) work.steps.finish(current.number, current.state, update);
      running = still;
    }
  }

 private:
  /// Lanes without an item go on with the ones in reserve.
  __device__ __forceinline__ static void advance(unsigned lane, Item& current, unsigned& running, Item const& reserve,
                                                 unsigned& waiting) {
    unsigned const starting = waiting & ~running;
    if ((starting & lane) != 0) current = reserve;
    running |= starting;
    waiting &= ~starting;
  }

  /// The lanes that lack one get the next items, as long as there are some; returns which lanes have got one.
  __device__ __forceinline__ unsigned take(unsigned lane, unsigned lack, Item& next, Stretch& left) const {
    unsigned got = 0;
    while (lack != 0) {
      if (left.items == 0 && !take_stretch(left)) break;
      int const before = __popc(lack & (lane - 1));
      bool const gets  = (lack & lane) != 0 && before < left.items;
      if (gets) {
        next.number = left.next + before;
        next.state  = work.steps.init(next.number);
      }
      unsigned const now = __ballot_sync(WarpWorker::all, gets);
      left.next += __popc(now);
      left.items -= __popc(now);
      got |= now;
      lack &= ~now;
    }
    return got;
  }

  __device__ __forceinline__ bool take_stretch(Stretch& left) const {
    unsigned long long first = 0;
    if (WarpWorker::lane() == 0) first = atomicAdd(taken, static_cast<unsigned long long>(stretch));
    left.next    = work.begin + std::int64_t(__shfl_sync(WarpWorker::all, first, 0));
    left.items   = int(max(min(work.end - left.next, std::int64_t(stretch)), std::int64_t(0)));
    left.is_last = left.items == 0;
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
