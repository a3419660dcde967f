// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_UNTIL_HPP
#define KOALESCE_CUDA_REGROUP_UNTIL_HPP

#include <Koalesce/common/impl/DeviceOf.hpp>
#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/cuda/Backend.hpp>
#include <Koalesce/cuda/regroup/UntilTuning.hpp>
#include <Koalesce/cuda/regroup/WarpWorker.hpp>
#include <Koalesce/portable/regroup/Until.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

/// Loops of different lengths by warps that stay full.
namespace Koalesce::Impl::CudaBackend {

/// The items of a loop, of which a warp takes a stretch at a time.
template <class Work>
struct WarpsItems {
  Work work;
  unsigned long long* taken;  // items, of all warps
  int stretch, steps;

  struct Item {
    std::int64_t number;
    typename Work::State state;
  };

#ifdef __CUDACC__
  /// What is left of the warp's stretch; the same in all lanes.
  struct Stretch {
    std::int64_t end = 0;
    int items        = 0;  // before it; -1: nothing is left for another one, and the counter is not asked again
  };

  /// Whether the stretch has items, or another one has been taken.
  __device__ __forceinline__ bool has_items(Stretch& left) const {
    if (left.items == 0) {
      unsigned long long first = 0;
      if (WarpWorker::lane() == 0) first = atomicAdd(taken, static_cast<unsigned long long>(stretch));
      std::int64_t const begin = work.begin + std::int64_t(__shfl_sync(WarpWorker::all, first, 0));
      left.end                 = min(work.end, begin + stretch);
      left.items               = begin < left.end ? int(left.end - begin) : -1;
    }
    return left.items > 0;
  }

  __device__ __forceinline__ void begin(Item& item, Stretch const& left, int number) const {
    item.number = left.end - left.items + number;
    item.state  = work.steps.init(item.number);
  }

  /// Steps until the next look; returns whether the item is done. Lanes leave the loop one by one, as they do the plain
  /// one: a branch for each step would cost more.
  /// \tparam Copies  of a step in the code.
  template <int Copies, class Update>
  __device__ __forceinline__ bool is_done_after_steps(Item& item, Update& update) const {
#pragma unroll 1
    for (int left_over = steps; left_over > 0; left_over -= Copies)
#pragma unroll
      for (int k = 0; k < Copies; ++k)
        if (work.steps.step(item.number, item.state, update)) return true;
    return false;
  }
#endif
};

/// A warp's lanes take some steps of 32 items, of which those that are not done then wait in the warp's queue in shared
/// memory until they are 32 again. So warps are full, except for lanes that wait for the next look. For items whose
/// state is small and can be copied bytewise.
template <class Work>
struct CompactingWarps {
  using State = typename Work::State;
  using Item  = typename WarpsItems<Work>::Item;
  using Word  = std::uint64_t;

  static constexpr bool possible = std::is_trivially_copyable_v<State> && sizeof(State) <= UntilTuning::max_queued &&
                                   sizeof(Item) % sizeof(Word) == 0;
  static_assert(std::ranges::all_of(UntilTuning::steps, [](int n) { return n % UntilTuning::copies == 0; }));

  static constexpr int words = int(sizeof(Item) / sizeof(Word));
  static constexpr int room  = 64;  // items of a queue: up to 31 wait when up to 32 are added

  WarpsItems<Work> items;

  /// Word w of the item in slot s is queue[w * room + s], so that lanes reach different banks.
  KOKKOS_FUNCTION static constexpr int queue_words(int warps) { return warps * room * words; }
  static int scratch_bytes(int threads) { return int(sizeof(Word)) * (queue_words(threads / 32) + 1); }

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE(
        (int const bytes    = int(sizeof(Word)) * queue_words(team.team_size() / 32);
         auto* const queues = static_cast<Word*>(team.team_scratch(0).get_shmem_aligned(bytes, sizeof(Word)));
         run(queues + queue_words(team.team_rank() / 32), update);))
    KOKKOS_IF_ON_HOST(((void)update;))
    (void)team;
  }

#ifdef __CUDACC__
  template <class Update>
  __device__ __forceinline__ void run(Word* queue, Update& update) const {
    int const lane       = WarpWorker::lane();
    unsigned const lower = (1u << lane) - 1;
    typename WarpsItems<Work>::Stretch left;
    unsigned first = 0;
    int waiting    = 0;
    for (;;) {
      Item item;
      int running;  // lanes
      if (waiting < 32 && items.has_items(left)) {
        running = min(left.items, 32);
        if (lane < running) items.begin(item, left, lane);
        left.items -= running;
      } else {
        if (waiting == 0) return;
        running = min(waiting, 32);
        item    = read(queue + (first + lane) % room);  // whatever it is, where nothing waits
        first += running;
        waiting -= running;
      }
      bool const goes_on = lane < running && !items.template is_done_after_steps<UntilTuning::copies>(item, update);
      // All have read their items where others are about to be written.
      unsigned const still = __ballot_sync(WarpWorker::all, goes_on);
      __syncwarp();
      if (goes_on) write(queue + (first + waiting + __popc(still & lower)) % room, item);
      else if (lane < running) items.work.steps.finish(item.number, item.state, update);
      waiting += __popc(still);
      __syncwarp();
    }
  }

 private:
  __device__ __forceinline__ static Item read(Word const* slot) {
    Word word[words];
#pragma unroll
    for (int w = 0; w < words; ++w) word[w] = slot[w * room];
    Item item;
    std::memcpy(&item, word, sizeof item);
    return item;
  }
  __device__ __forceinline__ static void write(Word* slot, Item const& item) {
    Word word[words];
    std::memcpy(word, &item, sizeof item);
#pragma unroll
    for (int w = 0; w < words; ++w) slot[w * room] = word[w];
  }
#endif
};

/// A warp's lanes go on with further items when they are done with theirs, for which the warp looks after some steps.
/// For items whose state is too large to wait in a queue.
template <class Work>
struct RefilledWarps {
  WarpsItems<Work> items;

  template <class Member, class Update>
  KOKKOS_FUNCTION void operator()(Member const& team, Update& update) const {
    KOKKOS_IF_ON_DEVICE((run(update);))
    KOKKOS_IF_ON_HOST(((void)update;))
    (void)team;
  }

#ifdef __CUDACC__
  /// Which lanes have an item is kept in a mask: that costs less than a bool in every lane.
  template <class Update>
  __device__ __forceinline__ void run(Update& update) const {
    unsigned const lane = 1u << WarpWorker::lane();
    typename WarpsItems<Work>::Stretch left;
    typename WarpsItems<Work>::Item item;
    unsigned running = 0;  // lanes
    for (;;) {
      if (left.items >= 0 && (running == 0 || __popc(~running) >= UntilTuning::together))
        running |= take(lane, ~running, item, left);
      if (running == 0) return;
      bool const runs      = (running & lane) != 0;
      bool const goes_on   = runs && !items.template is_done_after_steps<1>(item, update);
      unsigned const still = __ballot_sync(WarpWorker::all, goes_on);
      if (runs && !goes_on) items.work.steps.finish(item.number, item.state, update);
      running = still;
    }
  }

 private:
  /// The lanes that lack one get the next items, as long as there are some; returns which lanes have got one.
  __device__ __forceinline__ unsigned take(unsigned lane, unsigned lack, typename WarpsItems<Work>::Item& next,
                                           typename WarpsItems<Work>::Stretch& left) const {
    unsigned got = 0;
    while (lack != 0 && items.has_items(left)) {
      int const before = __popc(lack & (lane - 1));
      bool const gets  = (lack & lane) != 0 && before < left.items;
      if (gets) items.begin(next, left, before);
      unsigned const now = __ballot_sync(WarpWorker::all, gets);
      left.items -= __popc(now);
      got |= now;
      lack &= ~now;
    }
    return got;
  }
#endif
};

template <class Work>
std::vector<UntilVariant> until_variants(Tag, Kokkos::Cuda const&, Work const&) {
  std::vector<UntilVariant> variants{{"plain"}};
  for (int const steps : UntilTuning::steps)
    variants.push_back({CompactingWarps<Work>::possible ? "compacted" : "refilled", steps});
  return variants;
}

using PortableBackend::until_memory;

template <class Work, class Result>
void run_until(Tag, Kokkos::Cuda const& exec, std::string const& label, Work const& work, UntilVariant const& variant,
               char* memory, Result& result) {
  using Tuning = UntilTuning;
  if (variant.is_plain()) return PortableBackend::run_plain_until(exec, label, work, result);
  Kokkos::parallel_for(label + " begin", argument_range<int>(exec, 0, 1),
                       PortableBackend::TakeNone{reinterpret_cast<std::int64_t*>(memory)});
  std::int64_t const warps = std::max(1, threads_of(exec) / 32);
  int const stretch =
      int(std::clamp<std::int64_t>(work.items() / (warps * Tuning::parts), Tuning::fewest, Tuning::most)) / 32 * 32;
  std::int64_t const needed = (work.items() + stretch - 1) / stretch;
  int const blocks          = int((std::min(warps, needed) + Tuning::threads / 32 - 1) / (Tuning::threads / 32));
  WarpsItems<Work> const items{work, reinterpret_cast<unsigned long long*>(memory), stretch, variant.steps};
  Kokkos::TeamPolicy<Kokkos::Cuda, FunctorAsArgument> policy(exec, std::max(1, blocks), Tuning::threads);
  if constexpr (CompactingWarps<Work>::possible) {
    policy.set_scratch_size(0, Kokkos::PerTeam(CompactingWarps<Work>::scratch_bytes(Tuning::threads)));
    for_or_reduce(label, policy, CompactingWarps<Work>{items}, result);
  } else {
    for_or_reduce(label, policy, RefilledWarps<Work>{items}, result);
  }
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
