// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_RUNTIME_VECTOR_ACCESS_HPP
#define KOALESCE_CUDA_RUNTIME_VECTOR_ACCESS_HPP

#include <Koalesce/common/impl/Word.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>

namespace Koalesce::Impl::CudaBackend {

/// CUDA's own type of so many bytes, that one instruction reads or writes.
template <int Bytes>
struct CudaVector;
template <>
struct CudaVector<1> {
  using type = unsigned char;
};
template <>
struct CudaVector<2> {
  using type = unsigned short;
};
template <>
struct CudaVector<4> {
  using type = unsigned;
};
template <>
struct CudaVector<8> {
  using type = uint2;
};
template <>
struct CudaVector<16> {
  using type = uint4;
};

template <std::size_t bytes>
inline constexpr bool is_vector_size = is_word_size(bytes);

/// Reads N neighbors that begin at a multiple of their size, and that no thread writes meanwhile.
template <int N, class T>
__device__ __forceinline__ void load_vector(T* to, T const* from) {
  using Vector   = typename CudaVector<N* int(sizeof(T))>::type;
  Vector const v = __ldg(reinterpret_cast<Vector const*>(from));
  memcpy(to, &v, sizeof(v));
}

/// Writes N neighbors that begin at a multiple of their size.
template <int N, class T>
__device__ __forceinline__ void store_vector(T* to, T const* from) {
  typename CudaVector<N* int(sizeof(T))>::type v;
  memcpy(&v, from, sizeof(v));
  *reinterpret_cast<decltype(v)*>(to) = v;
}

/// The same in global memory, by one instruction in any case. (Beside a branch that stores the same values one by one
/// the compiler takes an ordinary store apart, to share its pieces.)
template <int N, class T>
__device__ __forceinline__ void store_vector_at_once(T* to, T const* from) {
  typename CudaVector<N* int(sizeof(T))>::type v;
  memcpy(&v, from, sizeof(v));
  __stwb(reinterpret_cast<decltype(v)*>(to), v);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
