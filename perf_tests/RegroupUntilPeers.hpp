// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_PERF_REGROUP_UNTIL_PEERS_HPP
#define KOALESCE_PERF_REGROUP_UNTIL_PEERS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

#include "RegroupItems.hpp"

/// What an expert writes for items that take steps until they are done.
namespace perf::regroup {

#ifdef KOKKOS_ENABLE_CUDA
/// T. Aila, S. Laine, "Understanding the efficiency of ray traversal on GPUs", HPG 2009, with a look after every few
/// steps: warps that stay, and lanes that take the next item from a counter of all.
template <class Loop>
__global__ __launch_bounds__(256) void persistent(Loop const loop, Index items, unsigned long long* next, int steps) {
  unsigned const lane = threadIdx.x % 32;
  Index i             = 0;
  bool runs           = false;
  typename Loop::State state{};
  for (;;) {
    unsigned const idle = __ballot_sync(~0u, !runs);
    if (idle != 0) {
      unsigned long long first = 0;
      if (lane == unsigned(__ffs(idle) - 1)) first = atomicAdd(next, __popc(idle));
      first = __shfl_sync(~0u, first, __ffs(idle) - 1);
      if (!runs) {
        i    = Index(first) + __popc(idle & ((1u << lane) - 1));
        runs = i < items;
        if (runs) state = loop.init(i);
      }
      if (__ballot_sync(~0u, runs) == 0) return;
    }
    bool done = false;
    for (int k = 0; k < steps; ++k)
      if (runs && !done) done = loop.step(i, state);
    if (done) {
      loop.finish(i, state);
      runs = false;
    }
  }
}

template <class Loop>
class PersistentPeer {
 public:
  PersistentPeer(Index items, Loop const& loop) : m_items(items), m_loop(loop), m_next("next") {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&m_blocks, persistent<Loop>, 256, 0);
    m_blocks *= Exec().cuda_device_prop().multiProcessorCount;
  }

  static std::vector<int> candidates() { return {1, 8, 32}; }

  void run(int steps) const {
    cudaMemsetAsync(m_next.data(), 0, sizeof(unsigned long long), Exec().cuda_stream());
    persistent<<<m_blocks, 256, 0, Exec().cuda_stream()>>>(m_loop, m_items, m_next.data(), steps);
  }

 private:
  Index m_items;
  Loop m_loop;
  Kokkos::View<unsigned long long, Exec> m_next;
  int m_blocks = 0;
};
#else
template <class Loop>
class PersistentPeer {
 public:
  PersistentPeer(Index items, Loop const& loop) : m_items(items), m_loop(loop) {}

  static std::vector<int> candidates() { return {1}; }

  void run(int) const {
    using Dynamic = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for("dynamic", Dynamic(0, m_items, Kokkos::ChunkSize(16)), *this);
  }
  KOKKOS_FUNCTION void operator()(Index i) const {
    auto state = m_loop.init(i);
    while (!m_loop.step(i, state)) continue;
    m_loop.finish(i, state);
  }

 private:
  Index m_items;
  Loop m_loop;
};
#endif

}  // namespace perf::regroup

#endif
