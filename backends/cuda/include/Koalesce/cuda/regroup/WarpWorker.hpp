// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_REGROUP_WARP_WORKER_HPP
#define KOALESCE_CUDA_REGROUP_WARP_WORKER_HPP

#include <Koalesce/regroup/impl/PathOrder.hpp>

/// Counting and placing by warps, 32 neighboring items at a time. For up to 32 buckets, lane b keeps the count of
/// bucket b, and ballots of the bits of the bucket numbers give each lane the lanes with the same bucket and the lanes
/// with bucket b. More buckets are found with match instructions, and their counts are in memory.
namespace Koalesce::Impl::CudaBackend {

struct WarpWorker {
  static constexpr int tile_items = 1024;  // of a worker, over the grid
  static constexpr int at_once    = 4;     // rounds whose items are loaded before they are counted

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int workers(int team_size) { return team_size / 32; }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static int rank_in(Member const& team) {
    return team.team_rank() / 32;
  }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static bool any(Member const&, bool mine) {
    KOKKOS_IF_ON_DEVICE((return __syncthreads_or(mine) != 0;))
    KOKKOS_IF_ON_HOST((return mine;))
  }

  template <class BucketOf>
  KOKKOS_FORCEINLINE_FUNCTION static void count(int first, int last, int buckets, int* counts, int stride,
                                                BucketOf const& bucket_of) {
    KOKKOS_IF_ON_DEVICE((if (buckets <= 32) count_in_lanes(first, last, buckets, counts, stride, bucket_of);
                         else count_in_memory(first, last, buckets, counts, stride, bucket_of);))
    KOKKOS_IF_ON_HOST(((void)first; (void)last; (void)buckets; (void)counts; (void)stride; (void)bucket_of;))
  }

  KOKKOS_FORCEINLINE_FUNCTION static void find_slots(int items, int buckets, int const* totals, int* slots,
                                                     int stride) {
    KOKKOS_IF_ON_DEVICE((find_slots_by_lanes(items, buckets, totals, slots, stride);))
    KOKKOS_IF_ON_HOST(((void)items; (void)buckets; (void)totals; (void)slots; (void)stride;))
  }

  /// For up to 32 buckets, `slots` is not changed.
  template <class BucketOf, class Put>
  KOKKOS_FORCEINLINE_FUNCTION static void place(int first, int last, int buckets, int* slots, int stride,
                                                BucketOf const& bucket_of, Put const& put) {
    KOKKOS_IF_ON_DEVICE(
        (if (buckets <= 32) place_from_lanes(
             first, last, buckets, lane() < buckets ? slots[std::int64_t(lane()) * stride] : 0, bucket_of, put);
         else place_from_memory(first, last, buckets, slots, stride, bucket_of, put);))
    KOKKOS_IF_ON_HOST(((void)first; (void)last; (void)buckets; (void)slots; (void)stride; (void)bucket_of; (void)put;))
  }

  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool adds_up_counts(int buckets) { return buckets <= 32; }

  /// Places the items of worker `me`; counts[b * workers + w] items of worker w are in bucket b.
  template <class BucketOf, class Put>
  KOKKOS_FORCEINLINE_FUNCTION static void place_by_counts(int me, int workers, int items, int first, int last,
                                                          int buckets, int const* counts, BucketOf const& bucket_of,
                                                          Put const& put) {
    KOKKOS_IF_ON_DEVICE(
        (place_from_lanes(first, last, buckets, slot_by_counts(me, workers, items, buckets, counts), bucket_of, put);))
    KOKKOS_IF_ON_HOST(((void)me; (void)workers; (void)items; (void)first; (void)last; (void)buckets; (void)counts;
                       (void)bucket_of; (void)put;))
  }

  static constexpr unsigned all = 0xffffffffu;

#ifdef __CUDACC__
  __device__ __forceinline__ static int lane() { return int(threadIdx.x + threadIdx.y * blockDim.x) & 31; }
  __device__ __forceinline__ static int bits_of(int buckets) { return 32 - __clz(buckets - 1); }

  /// The sum of the lower lanes' values.
  __device__ __forceinline__ static int sum_below(int value) {
    int sum = value;
#pragma unroll
    for (int up = 1; up < 32; up *= 2) {
      int const other = __shfl_up_sync(all, sum, up);
      if (lane() >= up) sum += other;
    }
    return sum - value;
  }

  /// Masks of lanes: those with the same bucket as this lane's item, and those with the bucket of this lane's number.
  struct Lanes {
    unsigned same, mine;
  };

  __device__ __forceinline__ static Lanes lanes_of(int bucket, bool active, int bits) {
    unsigned const who = __ballot_sync(all, active);
    Lanes lanes{who, who};
    for (int b = 0; b < bits; ++b) {
      unsigned const set = __ballot_sync(all, bucket >> b & 1);
      lanes.same &= bucket >> b & 1 ? set : ~set;
      lanes.mine &= lane() >> b & 1 ? set : ~set;
    }
    return lanes;
  }

 private:
  /// Calls round(item, bucket, whether there is an item) for 32 items at a time; loads of several rounds overlap.
  template <class BucketOf, class Round>
  __device__ __forceinline__ static void for_each_round(int first, int last, BucketOf const& bucket_of,
                                                        Round const& round) {
    for (int begin = first; begin < last; begin += 32 * at_once) {
      int bucket[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const item = begin + 32 * k + lane();
        bucket[k]      = item < last ? bucket_of(item) : 0;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (begin + 32 * k < last) round(begin + 32 * k + lane(), bucket[k], begin + 32 * k + lane() < last);
    }
  }

  template <class BucketOf>
  __device__ __forceinline__ static void count_in_lanes(int first, int last, int buckets, int* counts, int stride,
                                                        BucketOf const& bucket_of) {
    int const bits = bits_of(buckets);
    int count      = 0;
    for_each_round(first, last, bucket_of,
                   [&](int, int bucket, bool active) { count += __popc(lanes_of(bucket, active, bits).mine); });
    if (lane() < buckets) counts[std::int64_t(lane()) * stride] = count;
  }

  template <class BucketOf>
  __device__ __forceinline__ static void count_in_memory(int first, int last, int buckets, int* counts, int stride,
                                                         BucketOf const& bucket_of) {
    for (int b = lane(); b < buckets; b += 32) counts[std::int64_t(b) * stride] = 0;
    __syncwarp();
    for_each_round(first, last, bucket_of, [&](int, int bucket, bool active) {
      unsigned const same = __match_any_sync(all, active ? bucket : -1);
      if (active && lane() == __ffs(same) - 1) counts[std::int64_t(bucket) * stride] += __popc(same);
      __syncwarp();
    });
  }

  __device__ __forceinline__ static void find_slots_by_lanes(int items, int buckets, int const* totals, int* slots,
                                                             int stride) {
    int below = 0;
    for (int b = lane(); b - lane() < buckets; b += 32) {
      int const total  = b < buckets ? totals[b] : 0;
      int const before = below + sum_below(total);
      if (b < buckets) {
        int& slot = slots[std::int64_t(b) * stride];
        slot      = first_slot(buckets, b, items, before, slot);
      }
      below = __shfl_sync(all, before + total, 31);
    }
    __syncwarp();
  }

  /// The worker's first slot in the bucket of the lane's number.
  __device__ __forceinline__ static int slot_by_counts(int me, int workers, int items, int buckets, int const* counts) {
    int total = 0, before = 0;
    if (lane() < buckets)
      for (int w = 0; w < workers; ++w) {
        int const count = counts[lane() * workers + w];
        total += count;
        if (w < me) before += count;
      }
    return first_slot(buckets, lane(), items, sum_below(total), before);
  }

  /// \param[in] next  the first slot in the bucket of the lane's number.
  template <class BucketOf, class Put>
  __device__ __forceinline__ static void place_from_lanes(int first, int last, int buckets, int next,
                                                          BucketOf const& bucket_of, Put const& put) {
    int const bits       = bits_of(buckets);
    unsigned const lower = (1u << lane()) - 1;
    for_each_round(first, last, bucket_of, [&](int item, int bucket, bool active) {
      Lanes const lanes = lanes_of(bucket, active, bits);
      int const begin   = __shfl_sync(all, next, bucket);
      if (active) put(item, begin + slot_step(buckets, bucket) * __popc(lanes.same & lower));
      next += slot_step(buckets, lane()) * __popc(lanes.mine);
    });
  }

  template <class BucketOf, class Put>
  __device__ __forceinline__ static void place_from_memory(int first, int last, int, int* slots, int stride,
                                                           BucketOf const& bucket_of, Put const& put) {
    unsigned const lower = (1u << lane()) - 1;
    for_each_round(first, last, bucket_of, [&](int item, int bucket, bool active) {
      unsigned const same = __match_any_sync(all, active ? bucket : -1);
      int* const slot     = slots + std::int64_t(bucket) * stride;
      if (active) put(item, *slot + __popc(same & lower));
      __syncwarp();
      if (active && lane() == __ffs(same) - 1) *slot += __popc(same);
      __syncwarp();
    });
  }
#endif
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
