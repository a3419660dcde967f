// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_PLANE_QUEUE_HPP
#define KOALESCE_STENCIL_IMPL_PLANE_QUEUE_HPP

#include <Koalesce/stencil/impl/StencilWork.hpp>
#include <Koalesce/stencil/impl/Tiling.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace Koalesce::Impl {

/// The last 2 * rz + 1 planes, whole with their halos, of one or more fields around a tile, in a team's scratch
/// memory. Plane z lives in slot (z - first plane) mod size, so a new plane takes the place of the oldest.
/// \tparam Fields  Pack of Field, each with the shape in which it is read.
template <class Order, class Fields>
class PlaneQueue;

template <class Order, class... Ts, class... Shapes>
class PlaneQueue<Order, Pack<Field<Ts, Shapes>...>> {
 public:
  static constexpr int rz   = std::max({Order::template radius<Shapes>(0)...});
  static constexpr int ry   = std::max({Order::template radius<Shapes>(1)...});
  static constexpr int rx   = std::max({Order::template radius<Shapes>(2)...});
  static constexpr int size = 2 * rz + 1;

  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) {
    std::size_t const points = size * (tile_y + 2 * ry) * (tile_x + 2 * rx);
    return ((points * sizeof(Ts) + alignof(Ts)) + ... + 0);
  }

  /// \param[in] tile_y, tile_x points of the tile; the slots have room for its halo, too.
  template <class Scratch>
  KOKKOS_FUNCTION PlaneQueue(Scratch const& scratch, std::int64_t tile_y, std::int64_t tile_x)
      : m_rows(tile_y + 2 * ry), m_pitch(tile_x + 2 * rx) {
    for_each(m_slots, [&](auto& slots, auto) {
      using T = std::remove_pointer_t<std::decay_t<decltype(slots)>>;
      slots   = static_cast<T*>(scratch.get_shmem_aligned(size * m_rows * m_pitch * sizeof(T), alignof(T)));
    });
  }

  /// Fills the slot of the plane that is `step` planes after the first: calls value(y, x), with y and x relative to the
  /// tile's first point, for every point of the plane and its halo; value returns the fields' values there, as a pack.
  ///
  /// The team's threads are renumbered over the plane with its halo, whose rows are longer than the tile's: each
  /// starts at (rank mod Rx, rank div Rx) and takes every Ry-th row, so that reads coalesce in the halo, too.
  template <class Member, class Value>
  KOKKOS_FUNCTION void fill(Member const& team, std::int64_t step, Value const& value) const {
    std::int64_t const first = step % size * m_rows * m_pitch;
    int const rank = team.team_rank(), threads = team.team_size();
    bool const short_rows     = threads >= m_pitch;
    std::int64_t const rows   = short_rows ? threads / m_pitch : 1;
    std::int64_t const cols   = short_rows ? m_pitch : threads;
    std::int64_t const my_row = rank / cols, my_col = rank % cols;
    if (my_row >= rows) return;
    for (std::int64_t y = my_row; y < m_rows; y += rows)
      for (std::int64_t x = my_col; x < m_pitch; x += cols) {
        auto const values = value(y - ry, x - rx);
        for_each(m_slots,
                 [&](auto slots, auto i) { slots[first + y * m_pitch + x] = get<decltype(i)::value>(values); });
      }
  }

  /// One pointer per field to point (y, x) of the tile, in the plane that is `step` planes after the first.
  KOKKOS_FUNCTION auto at(std::int64_t step, std::int64_t y, std::int64_t x) const {
    return transform(m_slots, [&](auto* slots, auto) KOALESCE_INLINE_LAMBDA {
      return Field<std::remove_pointer_t<decltype(slots)>>{slots + index(step, y, x), {m_rows * m_pitch, m_pitch, 1}};
    });
  }

  /// The neighborhoods around point (y, x) of the tile in the plane that is `step` planes after the first.
  KOKKOS_FORCEINLINE_FUNCTION auto around(std::int64_t step, std::int64_t y, std::int64_t x) const {
    return transform(m_slots, [&](auto* slots, auto i) KOALESCE_INLINE_LAMBDA {
      using T     = std::remove_pointer_t<decltype(slots)>;
      using Shape = std::tuple_element_t<decltype(i)::value, std::tuple<Shapes...>>;
      return Order::template neighborhood<Shape>(static_cast<T const*>(slots) + index(step, y, x), m_rows * m_pitch,
                                                 m_pitch, 1, size, int(step % size));
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index(std::int64_t step, std::int64_t y, std::int64_t x) const {
    return (step % size * m_rows + y + ry) * m_pitch + x + rx;
  }

  std::int64_t m_rows, m_pitch;
  Pack<std::remove_const_t<Ts>*...> m_slots;
};

/// The points that a stage computes for a tile: the tile, and the halo that later stages read.
template <class Work, int stage>
KOKKOS_FUNCTION Tile tile_of_stage(Tile const& tile) {
  std::int64_t const z = Work::template beyond<stage>(0), y = Work::template beyond<stage>(1),
                     x = Work::template beyond<stage>(2);
  return {tile.z - z, tile.y - y, tile.x - x, tile.planes + 2 * z, tile.rows + 2 * y, tile.cols + 2 * x};
}

/// The planes that a stage reads.
template <class Work, int stage>
using StageQueue = PlaneQueue<typename Work::Order, typename Work::template Fields<stage>>;

/// The queues of stages First to the last, each around the points that its stage computes for a tile.
template <class Work, int First, class Stages = std::make_integer_sequence<int, Work::stages - First>>
class StageQueues;

template <class Work, int First, int... Stage>
class StageQueues<Work, First, std::integer_sequence<int, Stage...>> {
 public:
  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) {
    return (StageQueue<Work, First + Stage>::bytes(tile_y + 2 * Work::template beyond<First + Stage>(1),
                                                   tile_x + 2 * Work::template beyond<First + Stage>(2)) +
            ...);
  }

  template <class Scratch>
  KOKKOS_FUNCTION StageQueues(Scratch const& scratch, std::int64_t tile_y, std::int64_t tile_x)
      : m_queues(StageQueue<Work, First + Stage>(scratch, tile_y + 2 * Work::template beyond<First + Stage>(1),
                                                 tile_x + 2 * Work::template beyond<First + Stage>(2))...) {}

  template <int stage>
  KOKKOS_FORCEINLINE_FUNCTION StageQueue<Work, stage> const& of() const {
    return get<stage - First>(m_queues);
  }

 private:
  Pack<StageQueue<Work, First + Stage>...> m_queues;
};

}  // namespace Koalesce::Impl

#endif
