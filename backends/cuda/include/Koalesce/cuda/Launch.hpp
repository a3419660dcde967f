// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_LAUNCH_HPP
#define KOALESCE_CUDA_LAUNCH_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/Error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace Koalesce::Impl {

inline void check_cuda(cudaError_t status, std::string const& label, char const* what) {
  if (status != cudaSuccess)
    fail(stencil_call(label), what, " failed; CUDA says \"", cudaGetErrorString(status),
         "\"; an earlier kernel may have left this error: run under compute-sanitizer to find it");
}

/// Device properties that the choice of a grid needs.
struct CudaDevice {
  int processors;
  int shared_bytes_a_block;

  static CudaDevice of(Kokkos::Cuda const& exec) {
    auto const& properties = exec.cuda_device_prop();
    return {properties.multiProcessorCount, int(properties.sharedMemPerBlockOptin)};
  }
};

/// A native kernel with its block: asks for the shared memory, counts resident blocks, launches on the
/// caller's stream, and announces itself to Kokkos Tools as parallel_for.
template <class... Args>
class CudaKernel {
 public:
  using Function = void (*)(Args...);

  CudaKernel(Kokkos::Cuda const& exec, std::string const& label, Function kernel, int threads, int shared_bytes)
      : m_label(label), m_kernel(kernel), m_threads(threads), m_shared(shared_bytes) {
    check_cuda(cudaSetDevice(exec.cuda_device()), m_label, "choosing the device");
    check_cuda(cudaFuncSetAttribute(m_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, m_shared), m_label,
               "asking for shared memory");
    check_cuda(cudaFuncSetAttribute(m_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    int(cudaSharedmemCarveoutMaxShared)),
               m_label, "asking for shared memory");
  }

  int blocks_a_processor() const {
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, m_kernel, m_threads, m_shared), m_label,
               "the occupancy query");
    return blocks;
  }

  void launch(Kokkos::Cuda const& exec, std::int64_t blocks, Args... args) const {
    std::uint64_t id = 0;
    Kokkos::Tools::beginParallelFor(kernel_label(Backend::Cuda{}, m_label),
                                    Kokkos::Tools::Experimental::device_id(exec), &id);
    void* pointers[] = {const_cast<void*>(static_cast<void const*>(&args))...};
    auto const status =
        cudaLaunchKernel(reinterpret_cast<void const*>(m_kernel), dim3(unsigned(blocks)), dim3(unsigned(m_threads)),
                         pointers, std::size_t(m_shared), exec.cuda_stream());
    Kokkos::Tools::endParallelFor(id);
    check_cuda(status, m_label, "the launch");
  }

 private:
  std::string m_label;
  Function m_kernel;
  int m_threads, m_shared;
};

}  // namespace Koalesce::Impl

#endif
