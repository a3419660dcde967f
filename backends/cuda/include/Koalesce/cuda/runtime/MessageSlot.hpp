// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_MESSAGE_SLOT_HPP
#define KOALESCE_CUDA_RUNTIME_MESSAGE_SLOT_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

namespace Koalesce::Impl::CudaBackend {

/// A place in global memory for a value that one block sends to another while both run. Every 32 bits lie beside a
/// number that says which message they are of, in words that are written as one: whoever finds the number has the
/// value, and nothing needs a fence. (NCCL's protocol LL does the same.)
template <class T>
struct alignas(sizeof(T) > 4 ? 16 : 8) MessageSlot {
  static_assert(sizeof(T) == 4 || sizeof(T) % 8 == 0);
  static constexpr int words = sizeof(T) / 4;

  std::uint64_t word[words];

  /// \param[in] number  not the one of the message before it.
  __device__ __forceinline__ void send(T const& value, std::uint32_t number) {
    std::uint32_t data[words];
    memcpy(data, &value, sizeof(T));
    auto const with_number = [&](int i) { return std::uint64_t(number) << 32 | data[i]; };
    if constexpr (words == 1) {
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(with_number(0)) : "memory");
    } else {
#pragma unroll
      for (int i = 0; i < words; i += 2)
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(word + i), "l"(with_number(i)),
                     "l"(with_number(i + 1))
                     : "memory");
    }
  }

  /// Reads the value. \return whether it is the one of this message.
  __device__ __forceinline__ bool receive(T& value, std::uint32_t number) const {
    std::uint64_t read[words];
    if constexpr (words == 1) {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(read[0]) : "l"(word) : "memory");
    } else {
#pragma unroll
      for (int i = 0; i < words; i += 2)
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(read[i]), "=l"(read[i + 1])
                     : "l"(word + i)
                     : "memory");
    }
    std::uint32_t data[words];
    bool arrived = true;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      data[i] = std::uint32_t(read[i]);
      arrived = arrived && std::uint32_t(read[i] >> 32) == number;
    }
    memcpy(&value, data, sizeof(T));
    return arrived;
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
