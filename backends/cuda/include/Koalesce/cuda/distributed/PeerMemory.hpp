// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_DISTRIBUTED_PEER_MEMORY_HPP
#define KOALESCE_CUDA_DISTRIBUTED_PEER_MEMORY_HPP

#include <Koalesce/distributed/impl/transport/PeerMemory.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace Koalesce::Impl {

/// CUDA's handles of memory and events between processes.
template <>
struct PeerMemory<Kokkos::Cuda> {
  static constexpr bool exists = true;

  using Handle      = cudaIpcMemHandle_t;
  using Event       = cudaEvent_t;
  using EventHandle = cudaIpcEventHandle_t;

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

  static bool make_event(Event& event) {
    return succeeds(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  }
  static void free_event(Event event) {
    if (event != nullptr) succeeds(cudaEventDestroy(event));
  }
  static bool event_handle_of(Event event, EventHandle& handle) {
    return succeeds(cudaIpcGetEventHandle(&handle, event));
  }
  static bool open_event(EventHandle const& handle, Event& event) {
    return succeeds(cudaIpcOpenEventHandle(&event, handle));
  }

  static void record(Event event, Kokkos::Cuda const& exec) { must(cudaEventRecord(event, exec.cuda_stream())); }
  static void wait(Kokkos::Cuda const& exec, Event event) { must(cudaStreamWaitEvent(exec.cuda_stream(), event, 0)); }

 private:
  /// Leaves no error behind.
  static bool succeeds(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return error == cudaSuccess;
  }

  static void must(cudaError_t error) {
    if (error != cudaSuccess) Kokkos::abort("Koalesce: an event between processes failed");
  }
};

}  // namespace Koalesce::Impl

#endif
