// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_PACE_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_PACE_HPP

#include <Koalesce/cuda/stencil/StencilTuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// Keeps marching blocks together. Without it, some SMs run many planes ahead of others; halos are then read from
/// device memory more than once, and memory pages are opened for short accesses. So all blocks count their steps in one
/// counter, and no block starts a step more than `slack` intervals ahead of the average.
///
/// Only speed depends on it: a block that has waited too long in vain, because the others are not resident, stops
/// waiting.
struct Pace {
  unsigned* counter = nullptr;  ///< zero when the kernel starts; null: no pacing
  int resident      = 1;        ///< blocks that run at the same time
  int slack         = 1;        ///< in intervals
  int interval      = 1;        ///< steps from one look at the counter to the next
};

/// One block's view of the pace; only its first thread acts.
class PaceKeeper {
 public:
  /// \param[in] steps steps that every block makes.
  __device__ __forceinline__ PaceKeeper(Pace const& pace, int steps)
      : m_counter(threadIdx.x == 0 ? pace.counter : nullptr), m_interval(pace.interval) {
    unsigned const resident = pace.resident, first = blockIdx.x / resident * resident;
    m_together = min(resident, gridDim.x - first);
    m_needed   = first * unsigned((steps + m_interval - 1) / m_interval) - unsigned(pace.slack) * m_together;
  }

  /// Call before a step, and a barrier after it.
  __device__ __forceinline__ void wait(int step) {
    if (m_counter == nullptr || step % m_interval != 0) return;
    for (int tries = 0; int(m_seen - m_needed) < 0; ++tries) {
      if (tries == pace_patience) {
        m_counter = nullptr;
        return;
      }
      m_seen = look();
    }
    m_needed += m_together;
  }

  /// Call while a step runs: counts it, and reads how far the others are, for the next wait.
  __device__ __forceinline__ void advance(int step) {
    if (m_counter == nullptr || step % m_interval != 0) return;
    atomicAdd(m_counter, 1u);
    m_seen = look();
  }

 private:
  __device__ __forceinline__ unsigned look() const { return *static_cast<unsigned volatile*>(m_counter); }

  unsigned* m_counter;
  int m_interval;
  unsigned m_together, m_needed, m_seen = 0;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
