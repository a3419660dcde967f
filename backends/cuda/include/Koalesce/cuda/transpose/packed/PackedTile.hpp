// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_TILE_HPP
#define KOALESCE_CUDA_TRANSPOSE_PACKED_PACKED_TILE_HPP

#include <Koalesce/common/impl/Divisor.hpp>
#include <Koalesce/common/impl/Word.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Koalesce::Impl::CudaBackend {

/// Bytes of the vectors in which packed lines move.
inline constexpr int packed_vector = 16;

/// How packed lines are dealt out: each block gets 2^log of them, of one matrix.
struct PackedGrid {
  int log;
  std::int64_t blocks;
  ShortDivisor blocks_per_matrix;

  /// \param[in] length elements of a line.
  PackedGrid(std::int64_t matrices, std::int64_t lines, std::int64_t length, int element, int max_bytes) {
    log = 5;  // then every block starts at a multiple of a vector
    while ((length * element << (log + 1)) <= max_bytes && (std::int64_t(1) << log) < lines) ++log;
    std::int64_t const per_matrix = (lines + (std::int64_t(1) << log) - 1) >> log;
    blocks                        = matrices * per_matrix;
    blocks_per_matrix             = ShortDivisor(per_matrix);
  }

  /// What a block moves: `lines` lines of a matrix from `first` on.
  struct Share {
    std::int64_t matrix, first;
    int lines;
  };

  __device__ __forceinline__ Share share(std::uint32_t block, std::int64_t lines) const {
    std::uint32_t const matrix = block / blocks_per_matrix;
    std::int64_t const first   = std::int64_t(block - matrix * blocks_per_matrix.divisor()) << log;
    return {matrix, first, int(min(lines - first, std::int64_t(1) << log))};
  }
};

/// Packed lines in shared memory.
template <int ElementBytes>
class PackedTile {
 public:
  using Element = Word<ElementBytes>;
  using Vector  = Word<packed_vector>;

  static int shared_bytes(std::int64_t length, int log) {
    return int(((length * ElementBytes << log) + 127) / 128 * 128);
  }

  __device__ __forceinline__ explicit PackedTile(void* shared) : m_shared(static_cast<unsigned char*>(shared)) {}

  /// Element e of the packed lines.
  __device__ __forceinline__ Element& element(int e) const {
    return *reinterpret_cast<Element*>(m_shared + place(e * ElementBytes));
  }

  __device__ __forceinline__ Vector& vector(int v) const {
    return *reinterpret_cast<Vector*>(m_shared + place(v * packed_vector));
  }

 private:
  /// Neighboring vectors of one 128-byte line, and equal vectors of eight such lines, lie in different banks.
  __device__ __forceinline__ static int place(int byte) {
    return byte ^ (byte / 128 % (128 / packed_vector) * packed_vector);
  }

  unsigned char* m_shared;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
