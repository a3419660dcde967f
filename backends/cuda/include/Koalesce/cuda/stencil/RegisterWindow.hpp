// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_REGISTER_WINDOW_HPP
#define KOALESCE_CUDA_STENCIL_REGISTER_WINDOW_HPP

#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/cuda/runtime/VectorAccess.hpp>
#include <Koalesce/cuda/stencil/TilePlace.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

namespace Koalesce::Impl::CudaBackend {

/// What one thread holds of a field, in registers, while it marches along z: `width` points in x of `rows` rows in y,
/// and what the shape reads around them in the planes dz = -rz to rz. Every value is read from memory once, when the
/// first plane needs it: along its own columns a thread hands values from plane to plane.
template <class T, class Order, class Shape, int width, int rows>
struct RegisterWindow {
  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  static constexpr int planes = 2 * rz + 1, height = rows + 2 * ry, pitch = width + 2 * rx;

  /// Of places that nothing reads the compiler keeps none.
  T value[planes][height][pitch];

  /// In which planes each row and column of the tile is read, the first one and the last one; no plane: first < last.
  struct Planes {
    int first[height][pitch], last[height][pitch];

    constexpr Planes() : first{}, last{} {
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < pitch; ++x) first[y][x] = -rz - 1, last[y][x] = rz + 1;
      for (int dz = -rz; dz <= rz; ++dz)
        for (int dy = -ry; dy <= ry; ++dy)
          for (int dx = -rx; dx <= rx; ++dx)
            if (Order::template contains<Shape>(dz, dy, dx)) add(dz, dy, dx);
    }

    constexpr void add(int dz, int dy, int dx) {
      for (int y = ry + dy; y < ry + dy + rows; ++y)
        for (int x = rx + dx; x < rx + dx + width; ++x) {
          if (dz > first[y][x]) first[y][x] = dz;
          if (dz < last[y][x]) last[y][x] = dz;
        }
    }
  };
  static constexpr Planes read_in{};

  /// Whether the plane dz away is the one in which a value is read from memory.
  KOKKOS_FUNCTION static constexpr bool arrives(int dz, int y, int x) { return read_in.first[y + ry][x + rx] == dz; }

  /// Whether a value that arrived in an earlier plane is still needed in the plane dz away.
  KOKKOS_FUNCTION static constexpr bool is_kept(int dz, int y, int x) {
    return read_in.first[y + ry][x + rx] > dz && read_in.last[y + ry][x + rx] <= dz;
  }

  /// Values that are held at a time.
  static constexpr int size() {
    int held = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < pitch; ++x)
        if (read_in.first[y][x] >= read_in.last[y][x]) held += read_in.first[y][x] - read_in.last[y][x] + 1;
    return held;
  }

  /// Reads what a march's first step expects of steps before it.
  /// \param[in] from       the tile's first point in the march's first plane.
  /// \param[in] plane, row elements from one to the next.
  __device__ __forceinline__ void begin(T const* from, std::int64_t plane, std::int64_t row, TilePlace const& at) {
    static_for<2 * rz>([&](auto p) KOALESCE_INLINE_LAMBDA {
      constexpr int dz = p.value - rz;
      read<dz>(from + dz * plane, row, at, [](int y, int x) { return is_kept(dz, y, x); });
    });
  }

  /// Reads what the planes around `from` need and those before did not.
  __device__ __forceinline__ void arrive(T const* from, std::int64_t plane, std::int64_t row, TilePlace const& at) {
    static_for<planes>([&](auto p) KOALESCE_INLINE_LAMBDA {
      constexpr int dz = rz - p.value;
      read<dz>(from + dz * plane, row, at, [](int y, int x) { return arrives(dz, y, x); });
    });
  }

  /// Hands every plane down.
  __device__ __forceinline__ void advance() {
#pragma unroll
    for (int p = 0; p + 1 < planes; ++p)
#pragma unroll
      for (int y = 0; y < height; ++y)
#pragma unroll
        for (int x = 0; x < pitch; ++x) value[p][y][x] = value[p + 1][y][x];
  }

  /// The neighborhood of a point of the tile.
  __device__ __forceinline__ auto around(int y, int x) const {
    return Order::template neighborhood<Shape>(&value[0][0][0], height * pitch, pitch, 1, 0, 0,
                                               (rz * height + ry + y) * pitch + rx + x);
  }

  /// Reads the values of plane dz for which wanted(y, x) holds; it is a lambda without captures.
  template <int dz, class Wanted>
  __device__ __forceinline__ void read(T const* from, std::int64_t row, TilePlace const& at, Wanted) {
    static_for<height>([&](auto line) KOALESCE_INLINE_LAMBDA {
      constexpr int y    = line.value - ry;
      constexpr bool any = [] {
        for (int x = -rx; x < width + rx; ++x)
          if (Wanted{}(y, x)) return true;
        return false;
      }();
      if constexpr (any) {
        T* const to          = &value[dz + rz][y + ry][rx];
        auto const is_wanted = [](int x) { return Wanted{}(y, x); };
        if (width == 1 || at.whole) read_row<width>(to, from + y * row, at, is_wanted);
        else read_row<1>(to, from + y * row, at, is_wanted);
      }
    });
  }

 private:
  /// Reads values of a row, `vector` at once where all of them are wanted. Where the tile is not whole, vector is 1,
  /// and nothing beyond the halo is read.
  template <int vector, class Wanted>
  __device__ __forceinline__ static void read_row(T* to, T const* from, TilePlace const& at, Wanted) {
    constexpr int before = (rx + vector - 1) / vector;
    static_for<width / vector + 2 * before>([&](auto group) KOALESCE_INLINE_LAMBDA {
      constexpr int x    = (group.value - before) * vector;
      constexpr bool all = [] {
        for (int k = x; k < x + vector; ++k)
          if (k < -rx || k >= width + rx || !Wanted{}(k)) return false;
        return true;
      }();
      if constexpr (all && vector > 1) {
        load_vector<vector>(to + x, from + x);
      } else {
        static_for<vector>([&](auto k) KOALESCE_INLINE_LAMBDA {
          constexpr int c = x + k.value;
          if constexpr (c >= -rx && c < width + rx) {
            if constexpr (Wanted{}(c))
              if (vector == width || (at.x + c >= -rx && at.x + c < at.extent_x + rx)) to[c] = load_read_only(from + c);
          }
        });
      }
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
