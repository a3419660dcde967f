// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_LONG_LINE_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_LONG_LINE_HPP

#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/transpose/packed/PackedTile.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// Elements that lie one after another in memory, in packets that move by one access each. Packets begin at multiples
/// of their size wherever the line begins; the elements before and after them are its edges.
template <class Element>
class LongLine {
 public:
  using Packet = Word<packed_vector>;

  static constexpr int per_packet = packed_vector / int(sizeof(Element));

  __device__ __forceinline__ LongLine(Element* data, int count) : m_data(data), m_count(count) {
    int const skipped = int(reinterpret_cast<std::uintptr_t>(data) % packed_vector) / int(sizeof(Element));
    m_head            = min(count, (per_packet - skipped) % per_packet);
    m_packets         = (count - m_head) / per_packet;
  }

  __device__ __forceinline__ int packets() const { return m_packets; }

  /// The first element of packet p.
  __device__ __forceinline__ int first(int p) const { return m_head + p * per_packet; }

  /// Where packet p lies.
  __device__ __forceinline__ auto* packet(int p) const {
    return reinterpret_cast<std::conditional_t<std::is_const_v<Element>, Packet const, Packet>*>(m_data + first(p));
  }

  /// The e-th element that no packet has; a line has less than max_edges of them.
  static constexpr int max_edges = 2 * per_packet;

  __device__ __forceinline__ int edges() const { return m_count - m_packets * per_packet; }
  __device__ __forceinline__ int edge(int e) const { return e < m_head ? e : e + m_packets * per_packet; }

  __device__ __forceinline__ Element& operator[](int i) const { return m_data[i]; }

 private:
  Element* m_data;
  int m_count, m_head, m_packets;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
