// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_LAUNCH_HPP
#define KOALESCE_CUDA_RUNTIME_LAUNCH_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/cuda/Backend.hpp>

#include <Kokkos_Core.hpp>

#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace Koalesce::Impl::CudaBackend {

/// \param[in] where beginning of the error message: the public function.
inline void check_cuda(std::string const& where, cudaError_t status, char const* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // reported here, and not by the next launch once more
  fail(where, what, " failed; CUDA says \"", cudaGetErrorString(status),
       "\"; an earlier kernel may have left this error: run under compute-sanitizer to find it");
}

/// Makes the instance's device that of the calling thread. Asking first takes a tenth of the time of setting it.
inline void choose_device(std::string const& where, Kokkos::Cuda const& exec) {
  int current = -1;
  if (cudaGetDevice(&current) == cudaSuccess && current == exec.cuda_device()) return;
  check_cuda(where, cudaSetDevice(exec.cuda_device()), "choosing the device");
}

/// While it lives, the calling thread may allocate and query events although a stream is being captured, here or in
/// another thread. CUDA would otherwise forbid these calls and end the capture.
class DespiteCaptures {
 public:
  DespiteCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&m_mode); }
  ~DespiteCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&m_mode); }
  DespiteCaptures(DespiteCaptures const&)            = delete;
  DespiteCaptures& operator=(DespiteCaptures const&) = delete;

 private:
  cudaStreamCaptureMode m_mode = cudaStreamCaptureModeRelaxed;
};

/// The device properties from which grids are chosen.
struct CudaDevice {
  int processors;
  int threads_per_processor;
  int shared_bytes_per_block;  ///< that a kernel may ask for
  int team_shared_bytes;       ///< that Kokkos gives a team
  int shared_bytes_per_processor;
  bool runs_blocks_together;  ///< so that they may wait for each other

  static CudaDevice of(Kokkos::Cuda const& exec) {
    auto const& properties = exec.cuda_device_prop();
    return {properties.multiProcessorCount,
            properties.maxThreadsPerMultiProcessor,
            int(properties.sharedMemPerBlockOptin),
            int(properties.sharedMemPerBlock),
            int(properties.sharedMemPerMultiprocessor),
            properties.cooperativeLaunch != 0};
  }
};

/// Lets kernels use all of a block's shared memory. This is set once per kernel and device, because it takes
/// microseconds; always to the maximum, so that host threads with different needs do not lower each other's limit.
class SharedMemoryLimits {
 public:
  static void raise(std::string const& where, void const* kernel, int device, int max_bytes, int carveout) {
    static SharedMemoryLimits limits;
    std::lock_guard const lock(limits.m_mutex);
    std::tuple const key(kernel, device, carveout);
    if (limits.m_raised.count(key) > 0) return;
    auto const check = [&](cudaError_t status) { check_cuda(where, status, "asking for shared memory"); };
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               max_bytes - int(attributes.sharedSizeBytes)));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    limits.m_raised.insert(key);
  }

 private:
  std::mutex m_mutex;
  std::set<std::tuple<void const*, int, int>> m_raised;
};

/// A native kernel with its block: counts resident blocks, launches on the caller's stream, and announces itself to
/// Kokkos Tools as parallel_for.
template <class... Args>
class CudaKernel {
 public:
  using Function = void (*)(Args...);

  /// \param[in] label    what profilers show.
  /// \param[in] threads  threads per block.
  /// \param[in] carveout percentage of L1 that is used as shared memory.
  CudaKernel(Kokkos::Cuda const& exec, std::string label, Function kernel, dim3 threads, int shared_bytes,
             int carveout = cudaSharedmemCarveoutMaxShared)
      : m_label(std::move(label)), m_kernel(kernel), m_threads(threads), m_shared(shared_bytes) {
    choose_device(m_label, exec);
    SharedMemoryLimits::raise(m_label, reinterpret_cast<void const*>(m_kernel), exec.cuda_device(),
                              CudaDevice::of(exec).shared_bytes_per_block, carveout);
  }

  int blocks_per_processor() const {
    int blocks = 0;
    check_cuda(m_label,
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, m_kernel,
                                                             int(m_threads.x * m_threads.y * m_threads.z), m_shared),
               "the occupancy query");
    return blocks;
  }

  void launch(Kokkos::Cuda const& exec, dim3 blocks, Args... args) const {
    launch_by(&cudaLaunchKernel, exec, blocks, args...);
  }

  /// Launches blocks that run at the same time, so that they may wait for each other.
  void launch_together(Kokkos::Cuda const& exec, dim3 blocks, Args... args) const {
    launch_by(&cudaLaunchCooperativeKernel, exec, blocks, args...);
  }

 private:
  using Launch = cudaError_t(void const*, dim3, dim3, void**, std::size_t, cudaStream_t);

  void launch_by(Launch* function, Kokkos::Cuda const& exec, dim3 blocks, Args... args) const {
    std::uint64_t id = 0;
    Kokkos::Tools::beginParallelFor(m_label, Kokkos::Tools::Experimental::device_id(exec), &id);
    void* pointers[]  = {const_cast<void*>(static_cast<void const*>(&args))...};
    auto const status = function(reinterpret_cast<void const*>(m_kernel), blocks, m_threads, pointers,
                                 std::size_t(m_shared), exec.cuda_stream());
    Kokkos::Tools::endParallelFor(id);
    check_cuda(m_label, status, "the launch");
  }

  std::string m_label;
  Function m_kernel;
  dim3 m_threads;
  int m_shared;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
