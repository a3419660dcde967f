// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_COMPLETION_HPP
#define KOALESCE_CUDA_RUNTIME_COMPLETION_HPP

#include <Koalesce/common/impl/Completion.hpp>
#include <Koalesce/cuda/runtime/Launch.hpp>

namespace Koalesce::Impl {

/// Streams wait for each other on the device.
template <>
class CompletionOf<Kokkos::Cuda> : public Completion {
 public:
  explicit CompletionOf(Kokkos::Cuda const& exec) : CompletionOf() {
    CudaBackend::choose_device("Koalesce: the end of earlier work", exec);
    CudaBackend::check_cuda("Koalesce: the end of earlier work",
                            cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming), "making an event");
    CudaBackend::check_cuda("Koalesce: the end of earlier work", cudaEventRecord(m_event, exec.cuda_stream()),
                            "recording an event");
  }

  ~CompletionOf() override {
    if (m_event != nullptr) (void)cudaEventDestroy(m_event);
  }
  CompletionOf(CompletionOf const&)            = delete;
  CompletionOf& operator=(CompletionOf const&) = delete;

  void wait() override {
    CudaBackend::check_cuda("Koalesce: the end of earlier work", cudaEventSynchronize(m_event), "waiting for an event");
  }

  /// While a graph is captured, the host waits: what came before the capture is no part of the graph.
  void precede(Kokkos::Cuda const& other) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CudaBackend::check_cuda("Koalesce: the end of earlier work", cudaStreamIsCapturing(other.cuda_stream(), &capture),
                            "asking whether a graph is captured");
    if (capture != cudaStreamCaptureStatusNone) {
      CudaBackend::DespiteCaptures const despite;
      return wait();
    }
    CudaBackend::check_cuda("Koalesce: the end of earlier work", cudaStreamWaitEvent(other.cuda_stream(), m_event, 0),
                            "waiting for an event");
  }

 private:
  CompletionOf() = default;  // delegated to, so that the destructor frees the event if the public constructor throws

  cudaEvent_t m_event = nullptr;
};

}  // namespace Koalesce::Impl

#endif
