// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_LAUNCH_HPP
#define KOALESCE_CUDA_LAUNCH_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/Error.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace Koalesce::Impl {

/// \param[in] where what an error message begins with: the public function.
inline void check_cuda(std::string const& where, cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    fail(where, what, " failed; CUDA says \"", cudaGetErrorString(status),
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

  /// \param[in] label    what profilers show.
  /// \param[in] carveout the part of first-level memory, in percent, that is shared memory rather than cache.
  CudaKernel(Kokkos::Cuda const& exec, std::string const& label, Function kernel, int threads, int shared_bytes,
             int carveout = cudaSharedmemCarveoutMaxShared)
      : m_label(label), m_kernel(kernel), m_threads(threads), m_shared(shared_bytes) {
    check_cuda(m_label, cudaSetDevice(exec.cuda_device()), "choosing the device");
    check_cuda(m_label, cudaFuncSetAttribute(m_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, m_shared),
               "asking for shared memory");
    check_cuda(m_label, cudaFuncSetAttribute(m_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout),
               "asking for shared memory");
  }

  int blocks_a_processor() const {
    int blocks = 0;
    check_cuda(m_label, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, m_kernel, m_threads, m_shared),
               "the occupancy query");
    return blocks;
  }

  void launch(Kokkos::Cuda const& exec, std::int64_t blocks, Args... args) const {
    std::uint64_t id = 0;
    Kokkos::Tools::beginParallelFor(m_label, Kokkos::Tools::Experimental::device_id(exec), &id);
    void* pointers[] = {const_cast<void*>(static_cast<void const*>(&args))...};
    auto const status =
        cudaLaunchKernel(reinterpret_cast<void const*>(m_kernel), dim3(unsigned(blocks)), dim3(unsigned(m_threads)),
                         pointers, std::size_t(m_shared), exec.cuda_stream());
    Kokkos::Tools::endParallelFor(id);
    check_cuda(m_label, status, "the launch");
  }

 private:
  std::string m_label;
  Function m_kernel;
  int m_threads, m_shared;
};

}  // namespace Koalesce::Impl

#endif
