// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_DISTRIBUTED_SIDE_INSTANCE_HPP
#define KOALESCE_CUDA_DISTRIBUTED_SIDE_INSTANCE_HPP

#include <Koalesce/distributed/impl/SideInstance.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace Koalesce::Impl {

/// A stream of the highest priority: its thread blocks take the multiprocessors that become free first.
template <>
class SideInstance<Kokkos::Cuda> {
 public:
  explicit SideInstance(Kokkos::Cuda const& caller) {
    int least = 0, greatest = 0;
    check(cudaSetDevice(caller.cuda_device()));
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    check(cudaStreamCreateWithPriority(&m_stream, cudaStreamNonBlocking, greatest));
    check(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming));
    m_exec.emplace(m_stream);
  }

  ~SideInstance() {
    m_exec->fence("Koalesce: the end of work beside the caller's");
    m_exec.reset();
    cudaEventDestroy(m_event);
    cudaStreamDestroy(m_stream);
  }

  SideInstance(SideInstance const&)            = delete;
  SideInstance& operator=(SideInstance const&) = delete;

  Kokkos::Cuda const& exec() const { return *m_exec; }
  void follow(Kokkos::Cuda const& caller) const { order(caller.cuda_stream(), m_stream); }
  void precede(Kokkos::Cuda const& caller) const { order(m_stream, caller.cuda_stream()); }

 private:
  void order(cudaStream_t first, cudaStream_t then) const {
    check(cudaEventRecord(m_event, first));
    check(cudaStreamWaitEvent(then, m_event, 0));
  }

  static void check(cudaError_t error) {
    if (error != cudaSuccess) Kokkos::abort("Koalesce: a stream of CUDA failed");
  }

  cudaStream_t m_stream = nullptr;
  cudaEvent_t m_event   = nullptr;
  std::optional<Kokkos::Cuda> m_exec;
};

}  // namespace Koalesce::Impl

#endif
