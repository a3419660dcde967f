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
  explicit CompletionOf(Kokkos::Cuda const& exec) : CompletionOf() {
    check_cuda("Koalesce::ShadowView", cudaSetDevice(exec.cuda_device()), "choosing the device");
    check_cuda("Koalesce::ShadowView", cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "making an event");
    check_cuda("Koalesce::ShadowView", cudaEventRecord(m_event, exec.cuda_stream()), "recording an event");
  }

  ~CompletionOf() override {
    if (m_event != nullptr) (void)cudaEventDestroy(m_event);
  }
  CompletionOf(CompletionOf const&)            = delete;
  CompletionOf& operator=(CompletionOf const&) = delete;

  void wait() override { check_cuda("Koalesce::ShadowView", cudaEventSynchronize(m_event), "waiting for an event"); }

  void precede(Kokkos::Cuda const& other) {
    check_cuda("Koalesce::ShadowView", cudaStreamWaitEvent(other.cuda_stream(), m_event, 0), "waiting for an event");
  }

 private:
  CompletionOf() = default;  // with it the destructor frees the event where the public constructor throws

  cudaEvent_t m_event = nullptr;
};

}  // namespace Koalesce::Impl

#endif
