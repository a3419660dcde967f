// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_DISTRIBUTED_PEER_MEMORY_HPP
#define KOALESCE_CUDA_DISTRIBUTED_PEER_MEMORY_HPP

#include <Koalesce/distributed/impl/PeerMemory.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace Koalesce::Impl {

/// A CUDA event.
template <>
class WorkMark<Kokkos::Cuda> {
 public:
  WorkMark() { check(cudaEventCreateWithFlags(&m_event, cudaEventDisableTiming)); }
  ~WorkMark() { cudaEventDestroy(m_event); }
  WorkMark(WorkMark const&)            = delete;
  WorkMark& operator=(WorkMark const&) = delete;

  void record(Kokkos::Cuda const& exec) { check(cudaEventRecord(m_event, exec.cuda_stream())); }
  void wait() const { check(cudaEventSynchronize(m_event)); }

 private:
  static void check(cudaError_t error) {
    if (error != cudaSuccess) Kokkos::abort("Koalesce: an event of CUDA failed");
  }

  cudaEvent_t m_event = nullptr;
};

/// CUDA's memory handles between processes: the copy engines then write to another GPU of the host.
template <>
struct PeerMemory<Kokkos::Cuda> {
  static constexpr bool exists = true;

  using Handle = cudaIpcMemHandle_t;

  static std::byte* allocate(std::int64_t bytes) {
    void* memory = nullptr;
    return succeeds(cudaMalloc(&memory, std::size_t(bytes > 0 ? bytes : 1))) ? static_cast<std::byte*>(memory)
                                                                             : nullptr;
  }
  static void free(std::byte* memory) { succeeds(cudaFree(memory)); }

  static bool handle_of(std::byte* memory, Handle& handle) { return succeeds(cudaIpcGetMemHandle(&handle, memory)); }

  static std::byte* open(Handle const& handle) {
    void* memory = nullptr;
    return succeeds(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess))
               ? static_cast<std::byte*>(memory)
               : nullptr;
  }
  static void close(std::byte* memory) { succeeds(cudaIpcCloseMemHandle(memory)); }

  static void copy(Kokkos::Cuda const& exec, std::byte* to, std::byte const* from, std::int64_t bytes) {
    auto const error = cudaMemcpyAsync(to, from, std::size_t(bytes), cudaMemcpyDeviceToDevice, exec.cuda_stream());
    if (error != cudaSuccess) Kokkos::abort("Koalesce: a copy between GPUs failed");
  }

 private:
  /// Leaves no error behind.
  static bool succeeds(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return error == cudaSuccess;
  }
};

}  // namespace Koalesce::Impl

#endif
