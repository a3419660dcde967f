// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_COMMON_IMPL_PROCESSOR_HPP
#define KOALESCE_COMMON_IMPL_PROCESSOR_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// What depends on the processor that code is compiled for, and on the compiler.
namespace Koalesce::Impl {

/// Loads a value that nothing writes while the kernel runs: the compiler may hoist the load above stores and branches.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_read_only(T const* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { __ldg(from); }) return __ldg(from);
  else
#endif
    return *from;
}

/// The upper 64 bits of a product.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#elif defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  return std::uint64_t((Wide(a) * b) >> 64);
#else
  std::uint64_t const a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32), low = a0 * b1 + (middle & 0xffffffffu);
  return a1 * b1 + (middle >> 32) + (low >> 32);
#endif
}

/// The upper 32 bits of a product.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return std::uint32_t(std::uint64_t(a) * b >> 32);
#endif
}

/// Returns the same pointer but hides its origin from the compiler, which then keeps the array in memory instead of
/// registers.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T* in_memory(T* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(pointer));
#elif defined(__GNUC__)
  asm volatile("" : "+r"(pointer));
#endif
  return pointer;
}

/// Whether the processor has a fused multiply-add for T; without one, std::fma is a slow function call.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool has_fused_multiply_add() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__) || defined(__FMA__) || \
    defined(__aarch64__) || (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF))
  return std::is_same_v<T, double> || std::is_same_v<T, float>;
#else
  return false;
#endif
}

/// Keeps the loop behind it rolled in code for GPUs, which then fetch fewer instructions.
#if defined(__CUDA_ARCH__)
#define KOALESCE_IMPL_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define KOALESCE_IMPL_DO_NOT_UNROLL
#endif

/// Whether a lambda is only __device__: host code then cannot check whether it is callable, nor with what result.
template <class F>
inline constexpr bool is_device_lambda =
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    __nv_is_extended_device_lambda_closure_type(F);
#else
    false;
#endif

}  // namespace Koalesce::Impl

#endif
