// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_STREAMING_ACCESS_HPP
#define KOALESCE_CUDA_TRANSPOSE_STREAMING_ACCESS_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/VectorAccess.hpp>

#include <Kokkos_Core.hpp>

namespace Koalesce::Impl::CudaBackend {

/// Reads data that no kernel writes meanwhile and that is read only once: bypasses L1, and L2 prefetches 256 bytes.
template <class W>
__device__ __forceinline__ W load_once(void const* from) {
  typename CudaVector<sizeof(W)>::type v;
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(W) == 16)
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
  else if constexpr (sizeof(W) == 8)
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
  else if constexpr (sizeof(W) == 4)
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.u32 %0, [%1];" : "=r"(v) : "l"(from));
  else
#endif
    v = *static_cast<decltype(v) const*>(from);
  W word;
  memcpy(&word, &v, sizeof(word));
  return word;
}

/// Writes data that is not read again soon, and is evicted from L2 first.
template <class W>
__device__ __forceinline__ void store_once(void* to, W const& word) {
  typename CudaVector<sizeof(W)>::type v;
  memcpy(&v, &word, sizeof(word));
  __stcs(static_cast<decltype(v)*>(to), v);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
