// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_READ_SHARE_HPP
#define KOALESCE_CUDA_SHADOW_READ_SHARE_HPP

#include <Koalesce/cuda/transpose/TransposeQueue.hpp>
#include <Koalesce/transpose/impl/TransposeWork.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// What a team moves from the source through shared memory to the destination and the sink: some neighboring tiles.
/// While it writes one, it loads the next.
template <class Mover>
struct ReadShare {
  static constexpr int tiles = 16;

  static std::int64_t teams(typename Mover::Plan const& plan) { return (plan.size() + tiles - 1) / tiles; }

  /// \param[in] barrier barrier() synchronizes the team.
  template <class Sink, class Barrier>
  __device__ __forceinline__ static void move(TransposeWork<typename Mover::Element> const& work,
                                              typename Mover::Plan const& plan, std::int64_t team, void* shared,
                                              int thread, Sink const& sink, Barrier const& barrier) {
    std::int64_t const first = team * tiles, end = min(first + tiles, plan.size());
    auto const tile = [&](std::int64_t t) {
      return Mover(work, plan, plan.grid.tile(std::uint32_t(t)), shared, thread);
    };
    typename Mover::Loaded loaded;
    tile(first).load(loaded);
    tile(first).put(loaded);
#pragma unroll 1
    for (std::int64_t t = first; t < end; ++t) {
      barrier();
      if (t + 1 < end) tile(t + 1).load(loaded);
      tile(t).write(sink);
      barrier();
      if (t + 1 < end) tile(t + 1).put(loaded);
    }
  }
};

/// A queue.
template <class Shape>
struct ReadShare<TransposeQueue<Shape>> {
  using Mover = TransposeQueue<Shape>;

  static std::int64_t teams(typename Mover::Plan const& plan) { return plan.size(); }

  template <class Sink, class Barrier>
  __device__ __forceinline__ static void move(TransposeWork<typename Mover::Element> const& work,
                                              typename Mover::Plan const& plan, std::int64_t team, void* shared,
                                              int thread, Sink const& sink, Barrier const& barrier) {
    Mover(work, plan, std::uint32_t(team), shared, thread).move(sink, barrier);
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
