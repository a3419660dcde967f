// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_TILE_REGISTER_WINDOW_HPP
#define KOALESCE_CUDA_STENCIL_TILE_REGISTER_WINDOW_HPP

#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/cuda/runtime/VectorAccess.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

namespace Koalesce::Impl::CudaBackend {

/// What one thread holds of a field, in registers: `width` points in x of `rows` rows in `planes` planes, and what the
/// shape reads around them. Every value is read from memory once, when the first plane needs it. The compiler sees all
/// planes as straight code: it keeps the values that are still needed, and sends off reads of later planes early.
template <class T, class Order, class Shape, int width, int rows, int planes>
struct RegisterWindow {
  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  static constexpr int height = rows + 2 * ry, pitch = width + 2 * rx;

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

  /// Whether a plane of the window, counted from the lowest one that is read, has a value there.
  static constexpr bool holds(int plane, int y, int x) {
    int const dz = plane - rz;
    return read_in.first[y][x] >= read_in.last[y][x] && dz >= read_in.last[y][x] &&
           dz - (planes - 1) <= read_in.first[y][x];
  }

  /// Whether no two values have the same place if planes lie so many places apart.
  static constexpr bool fit(int stride) {
    bool taken[(planes + 2 * rz) * height * pitch] = {};
    for (int p = 0; p < planes + 2 * rz; ++p)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < pitch; ++x) {
          if (!holds(p, y, x)) continue;
          bool& here = taken[p * stride + y * pitch + x];
          if (here) return false;
          here = true;
        }
    return true;
  }

  /// Planes of stars fit into each other. The compiler keeps arrays in registers up to 8 KiB alone.
  static constexpr int stride = [] {
    int places = width * rows;
    while (!fit(places)) ++places;
    return places;
  }();

  /// Of places that nothing reads the compiler keeps none.
  T value[(planes - 1 + 2 * rz) * stride + height * pitch];

  /// Reads what plane m of the tile needs and those before it did not.
  /// \param[in] from       the tile's first point.
  /// \param[in] plane, row elements from one to the next.
  /// \param[in] first      plane from which planes are counted, from the tile's first.
  /// \param[in] places     where they lie.
  /// \tparam can_precede  the tile may begin before the field's first row.
  /// \tparam can_follow   it may go on behind the last one.
  template <int m, bool can_precede = true, bool can_follow = true, class Places>
  __device__ __forceinline__ void read(T const* from, int first, std::int64_t plane, std::int64_t row,
                                       Places const& places) {
    static_for<2 * rz + 1>([&](auto p) KOALESCE_INLINE_LAMBDA {
      constexpr int dz = p.value - rz;
      static_for<height>([&](auto line) KOALESCE_INLINE_LAMBDA {
        constexpr int y         = line.value - ry;
        constexpr bool beyond   = Places::goes_beyond;
        constexpr bool precedes = beyond && can_precede && m == 0 && dz == -rz && y == -ry;
        constexpr bool follows  = beyond && can_follow && m == planes - 1 && dz == rz && y == rows - 1 + ry;
        read_row<precedes, follows>(value + (m + dz + rz) * stride + line.value * pitch + rx,
                                    places.row(from, first + m + dz, y, plane, row), first + m + dz, y, places,
                                    [](int x) { return arrives(dz, y, x) || (m == 0 && is_kept(dz, y, x)); });
      });
    });
  }

  /// The neighborhood of a point of the tile in plane m.
  __device__ __forceinline__ auto around(int m, int y, int x) const {
    return Order::template neighborhood<Shape>(value, stride, pitch, 1, 0, 0,
                                               (m + rz) * stride + (ry + y) * pitch + rx + x);
  }

 private:
  /// Whether the column may lie before or behind the field's row, where the tile goes beyond an end of the interior's.
  KOKKOS_FUNCTION static constexpr bool precedes(int c) { return c < width - 1 - rx; }
  KOKKOS_FUNCTION static constexpr bool follows(int c) { return c > rx; }

  /// Reads the values of a row for which wanted(x) holds, `width` at once where it holds for all of them. It is a
  /// lambda without captures. In the field's first and last row others stand in for those beyond its ends.
  template <bool first, bool last, class Places, class Wanted>
  __device__ __forceinline__ static void read_row(T* to, T const* from, int z, int y, Places const& places, Wanted) {
    constexpr int before = (rx + width - 1) / width;
    static_for<1 + 2 * before>([&](auto group) KOALESCE_INLINE_LAMBDA {
      constexpr int x          = (group.value - before) * width;
      constexpr auto is_wanted = [](int c) { return c >= -rx && c < width + rx && Wanted{}(c); };
      constexpr bool all       = [=] {
        for (int c = x; c < x + width; ++c)
          if (Places::copies || !is_wanted(c) || (first && precedes(c)) || (last && follows(c))) return false;
        return true;
      }();
      if constexpr (all && width > 1) {
        load_vector<width>(to + x, from + x);
      } else {
        static_for<width>([&](auto k) KOALESCE_INLINE_LAMBDA {
          constexpr int c = x + k.value;
          if constexpr (is_wanted(c)) {
            int at = c;
            if constexpr (Places::copies) at = places.column(c);
            if constexpr (first && precedes(c)) at = at < places.begin - rx ? places.begin - rx : at;
            if constexpr (last && follows(c)) at = at > places.end - 1 + rx ? places.end - 1 + rx : at;
            to[c] = places.value(z, y, c, load_read_only(from + at));
          }
        });
      }
    });
  }
};

}  // namespace Koalesce::Impl::CudaBackend

#endif
