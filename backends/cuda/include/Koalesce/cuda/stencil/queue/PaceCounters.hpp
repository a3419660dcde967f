// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_PACE_COUNTERS_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_PACE_COUNTERS_HPP

#include <Koalesce/common/impl/FinalizeHook.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>

#include <Kokkos_Core.hpp>

#include <map>
#include <mutex>

namespace Koalesce::Impl::CudaBackend {

/// A few kilobytes of counters on each device, allocated on first use and freed by Kokkos::finalize. Kernels use them
/// in turn. Two kernels can share one only if as many kernels run at once as there are counters; they are then slower,
/// but right. (A counter from the stream's memory pool costs 50 microseconds after every fence.)
class PaceCounters {
 public:
  /// A counter that is zero when the next kernel of the instance starts, or null if there is none.
  static unsigned* next(Kokkos::Cuda const& exec) {
    static PaceCounters counters;
    return counters.take(exec.cuda_device(), exec.cuda_stream());
  }

 private:
  static constexpr unsigned count = 1024;

  struct OnDevice {
    unsigned* first = nullptr;
    unsigned used   = 0;  // may wrap around
  };

  PaceCounters() {
    push_finalize_hook([this] {
      std::lock_guard const lock(m_mutex);
      for (auto const& [device, counters] : m_on_device)
        if (cudaSetDevice(device) == cudaSuccess) (void)cudaFree(counters.first);
      m_on_device.clear();
    });
  }

  unsigned* take(int device, cudaStream_t stream) {
    std::lock_guard const lock(m_mutex);
    auto& counters = m_on_device[device];
    if (counters.first == nullptr && !allocate(counters.first)) return nullptr;
    unsigned* const counter = counters.first + counters.used++ % count;
    if (cudaMemsetAsync(counter, 0, sizeof(unsigned), stream) != cudaSuccess) {
      (void)cudaGetLastError();
      return nullptr;
    }
    return counter;
  }

  static bool allocate(unsigned*& first) {
    DespiteCaptures const allowed;
    bool const done = cudaMalloc(&first, count * sizeof(unsigned)) == cudaSuccess;
    if (!done) (void)cudaGetLastError();
    return done;
  }

  std::mutex m_mutex;
  std::map<int, OnDevice> m_on_device;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
