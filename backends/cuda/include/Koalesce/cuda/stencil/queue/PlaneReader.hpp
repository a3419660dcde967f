// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_QUEUE_PLANE_READER_HPP
#define KOALESCE_CUDA_STENCIL_QUEUE_PLANE_READER_HPP

#include <Koalesce/cuda/runtime/AsyncCopy.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

namespace Koalesce::Impl::CudaBackend {

/// The planes of one field around a block's tile, in shared memory, which the block's threads read.
///
/// A plane is read whole, with its halo: the threads are renumbered over its rows, which are longer than the tile's.
/// With Rx copies per row and Ry = threads div Rx rows per pass, a thread starts at (id mod Rx, id div Rx) and takes
/// every Ry-th row, so that its addresses advance by constants and halos coalesce as the interior does.
///
/// \tparam Wide copies 16 bytes at a time, for fields that are aligned for it; else one element at a time.
template <class T, int RadiusY, int RadiusX, bool Wide>
class PlaneReader {
 public:
  /// Elements that one copy moves.
  static constexpr int vector = Wide && sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;

  /// Copies per row, wherever it starts within 16 bytes.
  __host__ __device__ static constexpr int copies_per_row(int tile_x) {
    return (tile_x + 2 * RadiusX + 2 * (vector - 1)) / vector;
  }

  /// Shared memory of a queue of `slots` planes.
  __host__ __device__ static constexpr int bytes(int slots, int tile_y, int tile_x) {
    return (slots * (tile_y + 2 * RadiusY) * copies_per_row(tile_x) * vector * int(sizeof(T)) + 15) / 16 * 16;
  }

  /// Whether rows and planes of a field, and tiles of any multiple of 16 points, all start at the same place within
  /// 16 bytes.
  template <class Shape>
  static bool can_be_wide(Field<T const, Shape> const& field) {
    constexpr int size = sizeof(T);
    return size <= 16 && 16 % size == 0 && field.stride[2] == 1 && field.stride[1] * size % 16 == 0 &&
           field.stride[0] * size % 16 == 0 && reinterpret_cast<std::uintptr_t>(field.origin) % size == 0;
  }

  /// \param[in] slots  this field's part of shared memory.
  /// \param[in] z      the first plane to be read.
  /// \param[in] y0, x0 the tile's first point.
  /// \param[in] tile_y, tile_x     points of the tile.
  /// \param[in] extent_y, extent_x interior extents; nothing beyond their halo is read.
  template <class Shape>
  __device__ __forceinline__ PlaneReader(unsigned char* slots, Field<T const, Shape> const& field, std::int64_t z,
                                         std::int64_t y0, std::int64_t x0, int tile_y, int tile_x,
                                         std::int64_t extent_y, std::int64_t extent_x)
      : m_slots(reinterpret_cast<T*>(slots)), m_pitch(copies_per_row(tile_x) * vector), m_step(field.stride[0]) {
    T const* const corner = field.at(z, y0 - RadiusY, x0 - RadiusX);
    m_shift               = vector == 1 ? 0 : int(reinterpret_cast<std::uintptr_t>(corner) % 16 / sizeof(T));

    int const cols = copies_per_row(tile_x), rows = tile_y + 2 * RadiusY;
    m_plane       = rows * m_pitch;
    int const col = int(threadIdx.x) % cols, row = int(threadIdx.x) / cols;
    int const one_pass = int(blockDim.x) / cols;

    m_to_step   = one_pass * m_pitch;
    m_from_step = one_pass * field.stride[1];
    m_to        = row * m_pitch + col * vector;
    m_from      = corner - m_shift + row * field.stride[1] + col * vector * field.stride[2];

    std::int64_t const height = extent_y + 2 * RadiusY - y0, width = extent_x + 2 * RadiusX - x0 + m_shift;
    int const last = height < rows ? int(height) : rows;
    m_copies       = row < one_pass && col * vector < width ? (last - row + one_pass - 1) / one_pass : 0;
    m_valid        = width - col * vector < vector ? int(width) - col * vector : vector;
  }

  /// Starts reading the next plane into a slot.
  __device__ __forceinline__ void read(int slot) {
    T* to         = m_slots + slot * m_plane + m_to;
    T const* from = m_from;
#pragma unroll 4
    for (int k = m_copies; k > 0; --k) {
      copy(to, from);
      to += m_to_step;
      from += m_from_step;
    }
    m_from += m_step;
  }

  /// Goes on to the plane after the next.
  __device__ __forceinline__ void skip() { m_from += m_step; }

  __device__ __forceinline__ T const* slots() const { return m_slots; }
  __device__ __forceinline__ int pitch() const { return m_pitch; }
  __device__ __forceinline__ int plane() const { return m_plane; }

  /// The neighborhood of the p-th point from point (y, x) of the tile on; `slots` planes rotate, and the point's own
  /// plane is in `slot`. Places are sums of 64-bit multiples of the strides, because the compiler then sees that
  /// neighboring points share taps.
  template <class Order, class Shape>
  __device__ __forceinline__ auto around(int slots, int slot, int y, int x, int p) const {
    std::ptrdiff_t const plane = m_plane, pitch = m_pitch;
    return Order::template neighborhood<Shape>(static_cast<T const*>(m_slots), plane, pitch, 1, slots, slot,
                                               slot * plane + point(y, x) + p * pitch);
  }

  /// Where point (y, x) of the tile lies in slot 0, in elements.
  __device__ __forceinline__ int point(int y, int x) const { return (y + RadiusY) * m_pitch + x + RadiusX + m_shift; }

 private:
  __device__ __forceinline__ void copy(T* to, T const* from) const {
    if constexpr (vector > 1) async_copy<16>(to, from, m_valid * int(sizeof(T)));
    else if constexpr (is_async_size(sizeof(T)) && alignof(T) == sizeof(T)) async_copy<sizeof(T)>(to, from);
    else *to = *from;
  }

  T* m_slots;
  T const* m_from;
  int m_pitch, m_plane, m_shift, m_to, m_to_step, m_copies, m_valid;
  std::int64_t m_step, m_from_step;
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
