// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_COMPLETION_HPP
#define KOALESCE_CUDA_COMPLETION_HPP

#include <Koalesce/cuda/Launch.hpp>
#include <Koalesce/impl/Completion.hpp>

namespace Koalesce::Impl {

/// Streams wait for each other on the device.
template <>
class CompletionOf<Kokkos::Cuda> : public Completion {
 public:
  explicit CompletionOf(Kokkos::Cuda const& exec) : m_device(exec.cuda_device()) {
    check_cuda("Koalesce::ShadowView", cudaSetDevice(m_device), "choosing the device");
    check_cuda("Koalesce::ShadowView", cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "making an event");
    check_cuda("Koalesce::ShadowView", cudaEventRecord(m_event, exec.cuda_stream()), "recording an event");
  }

  ~CompletionOf() override { (void)cudaEventDestroy(m_event); }
  CompletionOf(CompletionOf const&)            = delete;
  CompletionOf& operator=(CompletionOf const&) = delete;

  void wait() override { check_cuda("Koalesce::ShadowView", cudaEventSynchronize(m_event), "waiting for an event"); }

  void precede(Kokkos::Cuda const& other) {
    check_cuda("Koalesce::ShadowView", cudaStreamWaitEvent(other.cuda_stream(), m_event, 0), "waiting for an event");
  }

 private:
  int m_device;
  cudaEvent_t m_event = nullptr;
};

}  // namespace Koalesce::Impl

#endif
