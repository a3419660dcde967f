// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_SHADOW_HALF_WARP_ROWS_HPP
#define KOALESCE_CUDA_SHADOW_HALF_WARP_ROWS_HPP

#include <Koalesce/common/impl/MultiplyAdd.hpp>
#include <Koalesce/common/impl/Word.hpp>
#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/shadow/HalfWarp.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// A tile of a half-warp in shared memory: 256 elements in 16 rows or fewer, then 16 more elements of the vector along
/// the columns than there are columns.
template <class T, int Rows>
struct HalfWarpTileShape {
  static constexpr int side         = HalfWarp::size;  ///< lanes; elements between the places where rows are cut
  static constexpr int columns      = side * side / Rows;
  static constexpr bool fits_chunks = is_word_size(sizeof(T));  ///< of 16 bytes

  /// Elements of 16 bytes. Rows are as many longer: lanes that read 16 bytes each, from one row each, do so from
  /// different banks.
  static constexpr int at_once = fits_chunks ? 16 / int(sizeof(T)) : 1;
  static constexpr int pitch   = columns + at_once;
  static constexpr int vector  = Rows * pitch;
  static constexpr int size    = vector + side + columns;

  /// Bytes of a copy of an element, or of a part of one.
  static constexpr int granule       = alignof(T) < 16 ? int(alignof(T)) : 16;
  static constexpr bool copies_ahead = fits_chunks || (sizeof(T) <= 16 && is_async_size(granule));
  static constexpr int alignment     = fits_chunks ? 16 : int(alignof(T));

  /// Whether all loads of a row come before the first use.
  static constexpr bool fits_registers =
      sizeof(T) <= 16 && (std::is_trivially_default_constructible_v<T> || is_kokkos_complex<T>);

  /// 16 elements from a multiple of 16 bytes on.
  __device__ __forceinline__ static void load(T const* from, T (&value)[side]) {
    struct alignas(fits_chunks ? 16 : alignof(T)) Chunk {
      T element[at_once];
    };
#pragma unroll
    for (int c = 0; c < side; c += at_once) {
      Chunk const chunk = *reinterpret_cast<Chunk const*>(from + c);
#pragma unroll
      for (int k = 0; k < at_once; ++k) value[c + k] = chunk.element[k];
    }
  }
};

/// Whether a View's elements are objects of type T in global memory.
template <class T, class View>
KOKKOS_FUNCTION constexpr bool is_in_global_memory() {
  if constexpr (Kokkos::is_view_v<View>)
    return std::is_same_v<typename View::non_const_value_type, T> &&
           std::is_lvalue_reference_v<typename View::reference_type> &&
           !std::is_same_v<typename View::memory_space, Kokkos::Cuda::scratch_memory_space>;
  else return false;
}

/// Starts to copy an element, or a part after the other.
template <class T>
__device__ __forceinline__ void start_copy(T const* from, T* to) {
  constexpr int granule = HalfWarpTileShape<T, HalfWarp::size>::granule;
#pragma unroll
  for (int k = 0; k < int(sizeof(T)); k += granule)
    async_copy<granule>(reinterpret_cast<char*>(to) + k, reinterpret_cast<char const*>(from) + k);
}

/// A lane's elements of a vector, one of each 16 from `begin` on.
template <class T, class Vector>
class HalfWarpVector {
  using Tile = HalfWarpTileShape<T, HalfWarp::size>;

  static constexpr bool may_copy =
      Tile::copies_ahead && is_in_global_memory<T, Vector>() && is_async_size(Tile::granule);

 public:
  __device__ HalfWarpVector(Vector const& x, std::int64_t begin, int lane)
      : m_vector(x), m_begin(begin + lane), m_lane(lane) {
    if constexpr (may_copy) {
      m_stride = x.stride(0);
      m_first  = x.data() + m_begin * m_stride;
    }
  }

  /// Copies a multiple of 16 elements.
  template <int Count>
  __device__ __forceinline__ void copy(int position, T* to) const {
    [[maybe_unused]] T const* from = may_copy ? m_first + position * m_stride : nullptr;
#pragma unroll
    for (int c = 0; c < Count; c += Tile::side) {
      if constexpr (may_copy) start_copy(from, to + m_lane + c);
      else to[m_lane + c] = m_vector(m_begin + position + c);
      if constexpr (may_copy) from += Tile::side * m_stride;
    }
  }

 private:
  Vector const& m_vector;
  std::int64_t m_begin, m_stride = 1;
  T const* m_first = nullptr;
  int m_lane;
};

/// Rows of a matrix, as tiles in shared memory hold them.
///
/// Rows of contiguous elements are cut where memory is: at multiples of 16 elements, which are copied in chunks of 16
/// bytes. So a row lies `skew` places further right in the tiles than in the matrix, up to 15. Copies of 16 bytes pass
/// L1 by; smaller ones take lines of L1 until they arrive, and rings leave little of it. On an H200 1000003 x 257
/// doubles take 0.54 ms. By single elements they took 0.74 ms (0.54 where the rings of an SM left 60 KiB to L1), and
/// 0.76 ms by chunks with those at both ends of a tile copied twice.
template <class T, class Matrix, int Rows>
class HalfWarpRows {
  using Tile = HalfWarpTileShape<T, Rows>;

  static constexpr int side    = Tile::side;
  static constexpr int columns = Tile::columns;
  static constexpr int chunks  = columns / side * int(sizeof(T));  // of 16 bytes, in a row of a tile

  static constexpr int rows_at_once   = chunks < side ? side / chunks : 1;
  static constexpr int chunks_at_once = chunks < side ? chunks : side;

 public:
  static constexpr std::int64_t max_columns = std::int64_t(1) << 30;

  /// \param[in] rows    up to `Rows`, from `top` on.
  /// \param[in] columns up to max_columns, from `begin` on.
  __device__ HalfWarpRows(Matrix const& a, std::int64_t top, int rows, int lane, std::int64_t begin, int columns)
      : m_matrix(a), m_top(top), m_begin(begin), m_columns(columns), m_rows(rows), m_lane(lane) {
    if constexpr (is_in_global_memory<T, Matrix>() && Tile::fits_chunks) {
      std::int64_t const stride = a.stride(0);
      T const* const first      = a.data() + begin;
      if (a.stride(1) != 1 || reinterpret_cast<std::uintptr_t>(first) % sizeof(T) != 0) return;
      m_in_chunks = true;
      m_whole     = rows == Rows && stride == std::int64_t(std::uint32_t(stride));
      m_stride    = std::uint32_t(stride);
      m_chunk     = first + (top + lane / chunks) * stride;
      m_max_skew  = stride % side == 0 ? skew_of(first) : side - 1;
      m_skew      = skew_of(first + (top + lane) * stride);
    }
  }

  __device__ __forceinline__ int lane() const { return m_lane; }
  __device__ __forceinline__ int skew() const { return m_skew; }
  __device__ __forceinline__ bool is_skewed() const { return m_max_skew > 0; }

  /// Places of a row in tiles, those that skewed rows do not have included.
  __device__ __forceinline__ int positions() const { return m_columns + m_max_skew; }
  /// Whether the lane's row has an element there.
  __device__ __forceinline__ bool has(int position) const {
    return position >= m_skew && position - m_skew < m_columns;
  }
  /// Whether all rows have all elements of the tile that begins there.
  __device__ __forceinline__ bool has_all(int position) const {
    return position >= m_max_skew && position <= m_columns - columns;
  }

  /// Whether all of a tile is in the matrix, in chunks.
  __device__ __forceinline__ bool is_whole(int position) const { return m_whole && has_all(position); }

  /// Starts to copy such a tile. Neighboring lanes copy neighboring chunks, and as many rows at a time as there are
  /// lanes for.
  __device__ __forceinline__ void copy_whole(int position, T* tile) const {
    int const chunk     = m_lane % chunks;
    T* const to         = tile + m_lane / chunks * Tile::pitch + chunk * Tile::at_once;
    T const* const from = m_chunk + position;
#pragma unroll
    for (int r = 0; r < Rows; r += rows_at_once)  // the stride has 32 bits: an instruction to multiply and add
#pragma unroll
      for (int k = 0; k < chunks; k += chunks_at_once)
        async_copy<16>(to + r * Tile::pitch + k * Tile::at_once,
                       chunk_of(from + std::uint64_t(m_stride) * r, chunk + k));
  }

  /// The same for elements of a vector, of which all but the first 16 are those of rows that are not skewed.
  template <class Vector>
  __device__ __forceinline__ void copy_whole_vector(HalfWarpVector<T, Vector> const& x, int position, T* to) const {
    x.template copy<columns>(position, to + side);
    if (is_skewed()) x.template copy<side>(position - side, to);
  }

  /// Starts to copy, or copies, a tile.
  __device__ __forceinline__ void copy(int position, T* tile) const {
    if constexpr (is_in_global_memory<T, Matrix>() && Tile::fits_chunks)
      if (m_in_chunks) return copy_chunks(position, tile);
#pragma unroll 1
    for (int c = m_lane; c < columns && position + c < m_columns; c += side)
      copy_column(m_begin + position + c, tile + c);
  }

  /// The same for the elements of a vector that there are.
  template <class Vector>
  __device__ __forceinline__ void copy_vector(HalfWarpVector<T, Vector> const& x, int position, T* to) const {
    int const column = position + m_lane;
#pragma unroll
    for (int c = 0; c < columns; c += side)
      if (m_rows > 0 && column + c < m_columns) x.template copy<side>(position + c, to + side + c);
    if (is_skewed() && m_rows > 0 && position > 0 && position < positions() && column - side < m_columns)
      x.template copy<side>(position - side, to);
  }

 private:
  __device__ __forceinline__ static int skew_of(T const* p) {
    return int(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % side);
  }

  /// The multiple of 16 elements at or before p, and a chunk from there on.
  __device__ __forceinline__ static void const* chunk_of(T const* p, int chunk) {
    auto const address = reinterpret_cast<std::uintptr_t>(p) & ~std::uintptr_t(side * sizeof(T) - 1);
    // 16 elements are as many bytes as their address is a multiple of, so no bit is carried.
    if constexpr (Rows == side) return reinterpret_cast<void const*>(address | unsigned(16 * chunk));
    else return reinterpret_cast<void const*>(address + unsigned(16 * chunk));
  }

  __device__ __forceinline__ void copy_chunks(int position, T* tile) const {
    int const chunk           = m_lane % chunks;
    T* const to               = tile + m_lane / chunks * Tile::pitch + chunk * Tile::at_once;
    std::int64_t const stride = m_matrix.stride(0);
#pragma unroll 1
    for (int r = 0; r + m_lane / chunks < m_rows; r += rows_at_once) {
      T const* const row = m_chunk + position + r * stride;
#pragma unroll 1
      for (int k = 0; k < chunks; k += chunks_at_once) {
        int const first = position + (chunk + k) * Tile::at_once - skew_of(row);
        if (first + Tile::at_once > 0 && first < m_columns)
          async_copy<16>(to + r * Tile::pitch + k * Tile::at_once, chunk_of(row, chunk + k),
                         min(m_columns - first, +Tile::at_once) * int(sizeof(T)));
      }
    }
  }

  __device__ __forceinline__ void copy_column(std::int64_t column, T* to) const {
    if constexpr (is_in_global_memory<T, Matrix>() && Tile::copies_ahead && is_async_size(Tile::granule)) {
#pragma unroll 1
      for (int r = 0; r < m_rows; ++r) start_copy(&m_matrix(m_top + r, column), to + r * Tile::pitch);
    } else if constexpr (Tile::fits_registers) {
      T value[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        if (r < m_rows) value[r] = m_matrix(m_top + r, column);
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        if (r < m_rows) to[r * Tile::pitch] = value[r];
    } else {
#pragma unroll 1
      for (int r = 0; r < m_rows; ++r) to[r * Tile::pitch] = m_matrix(m_top + r, column);
    }
  }

  Matrix const& m_matrix;
  std::int64_t m_top, m_begin;
  T const* m_chunk       = nullptr;  ///< in the row whose chunks the lane copies first, column `begin`
  std::uint32_t m_stride = 0;
  int m_columns, m_rows, m_lane, m_skew = 0, m_max_skew = 0;
  bool m_in_chunks = false, m_whole = false;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
