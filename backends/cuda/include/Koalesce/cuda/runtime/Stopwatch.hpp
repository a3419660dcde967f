// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_STOPWATCH_HPP
#define KOALESCE_CUDA_RUNTIME_STOPWATCH_HPP

#include <Koalesce/cuda/runtime/Launch.hpp>
#include <Koalesce/tuning/impl/Stopwatch.hpp>

namespace Koalesce::Impl {

/// Measures by events in the stream, without waiting.
template <>
class Stopwatch<Kokkos::Cuda> {
 public:
  static constexpr bool waits = false;

  explicit Stopwatch(Kokkos::Cuda const& exec) : Stopwatch() {
    CudaBackend::DespiteCaptures const allowed;
    CudaBackend::choose_device(where, exec);
    for (auto& event : m_event) CudaBackend::check_cuda(where, cudaEventCreate(&event), "making an event");
    CudaBackend::check_cuda(where, cudaEventRecord(m_event[0], exec.cuda_stream()), "recording an event");
  }

  ~Stopwatch() {
    for (auto& event : m_event)
      if (event != nullptr) (void)cudaEventDestroy(event);
  }
  Stopwatch(Stopwatch const&)            = delete;
  Stopwatch& operator=(Stopwatch const&) = delete;

  static unsigned long long graph(Kokkos::Cuda const& exec) {
    auto status           = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    if (cudaStreamGetCaptureInfo(exec.cuda_stream(), &status, &id) == cudaSuccess)
      return status == cudaStreamCaptureStatusNone ? 0 : id + 1;
    (void)cudaGetLastError();
    return ~0ull;  // another stream is captured, and this is the one that waits for all
  }
  static bool can_measure(Kokkos::Cuda const& exec) { return graph(exec) == 0; }

  void stop(Kokkos::Cuda const& exec) {
    CudaBackend::check_cuda(where, cudaEventRecord(m_event[1], exec.cuda_stream()), "recording an event");
  }

  std::optional<double> seconds() const {
    CudaBackend::DespiteCaptures const allowed;
    auto const status = cudaEventQuery(m_event[1]);
    if (status == cudaErrorNotReady) return std::nullopt;
    CudaBackend::check_cuda(where, status, "a measured kernel");
    float milliseconds = 0;
    CudaBackend::check_cuda(where, cudaEventElapsedTime(&milliseconds, m_event[0], m_event[1]), "reading an event");
    return milliseconds * 1e-3;
  }

 private:
  Stopwatch() = default;  // delegated to, so that the destructor frees the events if the public constructor throws

  static constexpr char const* where = "Koalesce::Stopwatch";

  cudaEvent_t m_event[2] = {};
};

}  // namespace Koalesce::Impl

#endif
