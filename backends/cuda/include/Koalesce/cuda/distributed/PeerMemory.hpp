// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_DISTRIBUTED_PEER_MEMORY_HPP
#define KOALESCE_CUDA_DISTRIBUTED_PEER_MEMORY_HPP

#include <Koalesce/distributed/impl/transport/PeerMemory.hpp>

#include <Kokkos_Core.hpp>

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace Koalesce::Impl {

/// CUDA's handles of memory between processes, and operations of streams on it.
template <>
struct PeerMemory<Kokkos::Cuda> {
  static constexpr bool exists = true;

  using Handle = cudaIpcMemHandle_t;

  static bool possible() {
    int number = 0, has_operations = 0;
    CUdevice device{};
    return succeeds(cudaGetDevice(&number)) && cuDeviceGet(&device, number) == CUDA_SUCCESS &&
           cuDeviceGetAttribute(&has_operations, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, device) ==
               CUDA_SUCCESS &&
           has_operations != 0;
  }

  static std::byte* allocate(std::int64_t bytes) {
    std::size_t const size = std::size_t(bytes > 0 ? bytes : 1);
    void* memory           = nullptr;
    if (!succeeds(cudaMalloc(&memory, size))) return nullptr;
    if (!succeeds(cudaMemset(memory, 0, size)) || !succeeds(cudaDeviceSynchronize())) {
      succeeds(cudaFree(memory));
      return nullptr;
    }
    return static_cast<std::byte*>(memory);
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

  static void set(Kokkos::Cuda const& exec, PeerFlags const& flags, std::uint64_t number) {
    run(exec, flags, [=](CUstreamBatchMemOpParams& operation, CUdeviceptr flag) {
      operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
      operation.writeValue.address   = flag;
      operation.writeValue.value64   = number;
      operation.writeValue.flags     = CU_STREAM_WRITE_VALUE_DEFAULT;  // after a memory barrier of the whole system
    });
  }
  static void wait(Kokkos::Cuda const& exec, PeerFlags const& flags, std::uint64_t number) {
    run(exec, flags, [=](CUstreamBatchMemOpParams& operation, CUdeviceptr flag) {
      operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
      operation.waitValue.address   = flag;
      operation.waitValue.value64   = number;
      operation.waitValue.flags     = CU_STREAM_WAIT_VALUE_GEQ;
    });
  }

 private:
  /// Leaves no error behind.
  static bool succeeds(cudaError_t error) {
    if (error != cudaSuccess) cudaGetLastError();
    return error == cudaSuccess;
  }

  /// Gives the stream one operation per flag, all at once. Nothing is allocated.
  template <class Fill>
  static void run(Kokkos::Cuda const& exec, PeerFlags const& flags, Fill const& fill) {
    std::array<CUstreamBatchMemOpParams, 26> operations{};  // a flag for each neighbor in three dimensions, at most
    if (flags.size() > operations.size()) Kokkos::abort("Koalesce: more messages than a part has neighbors");
    for (std::size_t i = 0; i < flags.size(); ++i) fill(operations[i], reinterpret_cast<CUdeviceptr>(flags[i]));
    if (cuStreamBatchMemOp(exec.cuda_stream(), unsigned(flags.size()), operations.data(), 0) != CUDA_SUCCESS)
      Kokkos::abort("Koalesce: a flag between processes failed");
  }
};

}  // namespace Koalesce::Impl

#endif
