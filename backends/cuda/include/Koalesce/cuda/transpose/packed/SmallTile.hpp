// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_SMALL_TILE_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_SMALL_TILE_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/transpose/packed/LongLine.hpp>
#include <Koalesce/cuda/transpose/packed/PackedTile.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace Koalesce::Impl::CudaBackend {

/// How packed lines of small elements lie in shared memory. As many of them as a packet of a long line has elements are
/// a group. From group to group it is an odd number of vectors, so that neighboring packets lie in different banks.
template <int ElementBytes>
struct SmallTileShape {
  static constexpr int group_lines = packed_vector / ElementBytes;

  ShortDivisor length;  ///< elements of a packed line, vectors of a group, and long lines
  int log;              ///< a block has at most 2^log packed lines
  int run;              ///< a warp moves 2^run neighboring packets of a long line, and then as many of the next lines
  bool aligned;         ///< whether all long lines begin with a packet

  SmallTileShape(std::int64_t n, int log_lines, bool is_aligned) : length(n), log(log_lines), aligned(is_aligned) {
    constexpr int bank_vectors_log = 3;  // eight vectors lie in all banks
    run                            = std::min(bank_vectors_log, log - std::countr_zero(unsigned(group_lines)));
  }

  int shared_bytes() const { return int((length.divisor() | 1) << log) * ElementBytes; }

  KOKKOS_FORCEINLINE_FUNCTION int width() const { return int(length.divisor()); }
  /// Bytes between groups.
  KOKKOS_FORCEINLINE_FUNCTION int gap() const { return width() % 2 == 0 ? packed_vector : 0; }
};

/// A block's packed lines of small elements, and the packets of long lines that are gathered from them.
template <int ElementBytes>
class SmallTile {
 public:
  using Element = Word<ElementBytes>;
  using Shape   = SmallTileShape<ElementBytes>;
  using Packet  = Word<packed_vector>;

  static constexpr int group_lines = Shape::group_lines;

  __device__ __forceinline__ SmallTile(void* shared, Shape const& shape, int lines)
      : m_shape(shape), m_lines(lines), m_shared(static_cast<unsigned char*>(shared)) {}

  /// An element of a packed line, given by the long line to which it belongs.
  __device__ __forceinline__ Element& operator()(int line, int long_line) const {
    int const e = line * m_shape.width() + long_line;
    return *reinterpret_cast<Element*>(m_shared + e * ElementBytes + line / group_lines * m_shape.gap());
  }

  /// The elements of packed lines from `first` on that are a packet of a long line.
  __device__ __forceinline__ Packet gather(int first, int long_line) const {
    Elements elements;
    for_packet(first, long_line, [&](int w, Element& element) { elements.of[w] = element; });
    Packet packet;
    memcpy(&packet, &elements, packed_vector);
    return packet;
  }

  __device__ __forceinline__ void scatter(int first, int long_line, Packet const& packet) const {
    Elements elements;
    memcpy(&elements, &packet, packed_vector);
    for_packet(first, long_line, [&](int w, Element& element) { element = elements.of[w]; });
  }

  /// Calls for_vector(vector, e) for the vectors of all packed lines, and for_element(element, e) for what is left,
  /// where e counts elements.
  template <int Threads, class ForVector, class ForElement>
  __device__ __forceinline__ void for_packed(ForVector const& for_vector, ForElement const& for_element) const {
    int const elements = m_lines * m_shape.width(), vectors = elements / group_lines;
#pragma unroll 4
    for (int v = int(threadIdx.x); v < vectors; v += Threads) {
      int const group = divide(v);
      for_vector(*reinterpret_cast<Packet*>(m_shared + v * packed_vector + group * m_shape.gap()), v * group_lines);
    }
    for (int e = vectors * group_lines + int(threadIdx.x); e < elements; e += Threads) {
      int const line = divide(e);
      for_element((*this)(line, e - line * m_shape.width()), e);
    }
  }

  /// Places of the packets of all long lines; some have none.
  __device__ __forceinline__ int places() const {
    int const runs = (m_lines / group_lines + (1 << m_shape.run) - 1) >> m_shape.run;
    return (runs << m_shape.run) * m_shape.width();
  }

  /// Calls body(long_line, p) for the packet at a place.
  template <class Body>
  __device__ __forceinline__ void at_place(int i, Body const& body) const {
    int const run = i >> m_shape.run, round = divide(run);
    body(run - round * m_shape.width(), (round << m_shape.run) + (i & ((1 << m_shape.run) - 1)));
  }

  /// Calls body(long_line, e) for what may be edges of long lines.
  template <int Threads, class Body>
  __device__ __forceinline__ void for_edges(Body const& body) const {
    constexpr int most = LongLine<Element>::max_edges;
    if (m_shape.aligned && m_lines % group_lines == 0) return;
    for (int i = int(threadIdx.x); i < m_shape.width() * most; i += Threads) body(i / most, i % most);
  }

 private:
  struct alignas(packed_vector) Elements {
    Element of[group_lines];
  };

  __device__ __forceinline__ int divide(int i) const { return int(std::uint32_t(i) / m_shape.length); }

  /// Within a group, and where groups have no gaps, elements of a packet are equally spaced.
  template <class Body>
  __device__ __forceinline__ void for_packet(int first, int long_line, Body const& body) const {
    if (m_shape.aligned || m_shape.gap() == 0) {
      Element* const element = &(*this)(first, long_line);
#pragma unroll
      for (int w = 0; w < group_lines; ++w) body(w, element[w * m_shape.width()]);
    } else {
#pragma unroll
      for (int w = 0; w < group_lines; ++w) body(w, (*this)(first + w, long_line));
    }
  }

  Shape const& m_shape;
  int m_lines;
  unsigned char* m_shared;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
