// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_DOMAIN_ACTIVE_STATE_HPP
#define KOALESCE_STENCIL_IMPL_DOMAIN_ACTIVE_STATE_HPP

#include <Koalesce/common/Backend.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/domain/ActiveTiles.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// From a mask or boxes to bits, and from these to the list of tiles.
namespace Koalesce::Impl {

/// How many tiles and points are active.
struct ActiveCounts {
  std::int64_t tiles = 0, points = 0;

  KOKKOS_FUNCTION ActiveCounts& operator+=(ActiveCounts const& other) {
    tiles += other.tiles;
    points += other.points;
    return *this;
  }
};

/// Sets the bits of one word from a mask.
template <class Mask>
struct MaskBits {
  Field<Mask> mask;
  std::uint32_t* bits;
  Extents3 extents;
  std::int64_t words_per_row;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const row = i / words_per_row, x0 = i % words_per_row * 32, z = row / extents[1], y = row % extents[1];
    int const count    = int(extents[2] - x0 < 32 ? extents[2] - x0 : 32);
    std::uint32_t word = 0;
    for (int k = 0; k < count; ++k) word |= std::uint32_t(*mask.at(z, y, x0 + k) != 0) << k;
    bits[i] = word;
  }
};

/// Points from <= (z, y, x) < to, canonically.
struct ActiveBox {
  Extents3 from, to;
};

/// Cuts a box along z into what a team sets at a time.
inline void add_slabs(std::vector<ActiveBox>& slabs, ActiveBox const& box) {
  constexpr std::int64_t max_words = 4096;
  std::int64_t const words         = (box.to[1] - box.from[1]) * (box.to[2] / 32 - box.from[2] / 32 + 1),
                     planes        = std::max<std::int64_t>(1, max_words / words);
  for (auto z = box.from[0]; z < box.to[0]; z += planes) {
    slabs.push_back(box);
    slabs.back().from[0] = z;
    slabs.back().to[0]   = std::min(z + planes, box.to[0]);
  }
}

/// Sets the bits of boxes, a team a box.
struct BoxBits {
  ActiveBox const* boxes;
  std::uint32_t* bits;
  Extents3 extents;
  std::int64_t words_per_row;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    ActiveBox const& box     = boxes[team.league_rank()];
    std::int64_t const first = box.from[2] / 32, words = (box.to[2] + 31) / 32 - first, rows = box.to[1] - box.from[1];
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, words * rows * (box.to[0] - box.from[0])), [&](std::int64_t const i) {
          std::int64_t const word = first + i % words, y = box.from[1] + i / words % rows,
                             z = box.from[0] + i / words / rows, x0 = word * 32;
          auto const below = [&](std::int64_t x) {  // the bits of points before x
            return x >= x0 + 32 ? ~0u : x <= x0 ? 0u : (1u << (x - x0)) - 1;
          };
          Kokkos::atomic_or(bits + (z * extents[1] + y) * words_per_row + word, below(box.to[2]) & ~below(box.from[2]));
        });
  }
};

/// Counts a tile's active points.
template <int Rank>
struct CountTiles {
  ActiveTiles active;
  std::uint32_t* counts;
  std::uint8_t* any;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Shape   = ActiveTileShape<Rank>;
    auto const& n = active.tile_count;
    auto const tile =
        ActiveTile{{std::uint32_t(i / (n[1] * n[2])), std::uint32_t(i / n[2] % n[1]), std::uint32_t(i % n[2])}, 0};
    std::uint32_t on = 0;
    for (int w = 0; w < Shape::words; ++w) {
      auto const p = Shape::place(tile, w);
      on += std::uint32_t(Kokkos::popcount(active.word(p[0], p[1], p[2] / 32)));
    }
    counts[i] = on;
    any[i]    = on > 0;
  }
};

/// Lists the tiles that have active points, in order.
template <int Rank>
struct ListTiles {
  using value_type = ActiveCounts;

  std::uint32_t const* counts;
  Extents3 tile_count;
  ActiveTile* tiles;

  KOKKOS_FUNCTION void operator()(std::int64_t i, ActiveCounts& before, bool last) const {
    if (counts[i] == 0) return;
    auto const& n = tile_count;
    if (last)
      tiles[before.tiles] =
          ActiveTile{{std::uint32_t(i / (n[1] * n[2])), std::uint32_t(i / n[2] % n[1]), std::uint32_t(i % n[2])},
                     counts[i] == std::uint32_t(ActiveTileShape<Rank>::points)};
    before += ActiveCounts{1, counts[i]};
  }
};

/// The same by one thread.
template <int Rank>
struct ListAllTiles {
  using value_type = ActiveCounts;

  ListTiles<Rank> list;
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(std::int64_t, ActiveCounts& total) const {
    for (std::int64_t i = 0; i < count; ++i) list(i, total, true);
  }
};

/// What copies of ActivePoints share.
template <class Exec, int Rank>
class ActiveState {
 public:
  ActiveState(Exec const& space, Extents3 const& extents, bool reversed)
      : m_space(space), m_reversed(reversed), m_words_per_row((extents[2] + 31) / 32) {
    m_active.extents       = extents;
    m_active.words_per_row = m_words_per_row;
    std::int64_t tiles = 1, words = extents[0] * extents[1] * m_words_per_row;
    for (int c = 0; c < 3; ++c) {
      m_active.tile_extents[c] = Shape::extents()[c];
      m_active.tile_count[c]   = (extents[c] + Shape::extents()[c] - 1) / Shape::extents()[c];
      tiles *= m_active.tile_count[c];
    }
    auto const label = [&](char const* what) {
      return Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                std::string("Koalesce::ActivePoints (") + what + ")");
    };
    m_bits         = Words(label("bits"), words);
    m_counts       = Words(label("points of tiles"), tiles);
    m_any          = Kokkos::View<std::uint8_t*, Memory>(label("tiles with any"), tiles);
    m_tiles        = Kokkos::View<ActiveTile*, Memory>(label("list of tiles"), tiles);
    m_active.bits  = m_bits.data();
    m_active.tiles = m_tiles.data();
    m_active.any   = m_any.data();
  }

  Exec const& space() const { return m_space; }
  bool is_reversed() const { return m_reversed; }
  ActiveTiles const& tiles() const { return m_active; }
  std::int64_t count() const { return m_points; }

  /// \param[in] mask  its first interior point and strides, canonically.
  template <class T>
  void prepare(Field<T> const& mask) {
    Kokkos::parallel_for("Koalesce::ActivePoints [mask]", range(m_bits.extent(0)),
                         MaskBits<T>{mask, m_bits.data(), m_active.extents, m_words_per_row});
    list_tiles();
  }

  /// \param[in] boxes  that have points.
  void prepare(std::vector<ActiveBox> const& boxes) {
    Kokkos::View<ActiveBox*, Memory> const there(  // first, because it may throw
        Kokkos::view_alloc(m_space, Kokkos::WithoutInitializing, "Koalesce::ActivePoints (boxes)"), boxes.size());
    using OnHost = Kokkos::View<ActiveBox const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(m_space, there, OnHost(boxes.data(), boxes.size()));
    Kokkos::deep_copy(m_space, m_bits, 0u);
    if (!boxes.empty())
      Kokkos::parallel_for("Koalesce::ActivePoints [boxes]",
                           Kokkos::TeamPolicy<Exec>(m_space, int(boxes.size()), Kokkos::AUTO),
                           BoxBits{there.data(), m_bits.data(), m_active.extents, m_words_per_row});
    list_tiles();
  }

 private:
  using Memory = typename Exec::memory_space;
  using Words  = Kokkos::View<std::uint32_t*, Memory>;
  using Shape  = ActiveTileShape<Rank>;

  auto range(std::size_t n) const {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(m_space, 0, std::int64_t(n));
  }

  /// Waits for the counts, and with them for everything before.
  void list_tiles() {
    ActiveCounts counts;
    Kokkos::parallel_for("Koalesce::ActivePoints [count]", range(m_counts.extent(0)),
                         CountTiles<Rank>{m_active, m_counts.data(), m_any.data()});
    ListTiles<Rank> const list{m_counts.data(), m_active.tile_count, m_tiles.data()};
    std::string const label = "Koalesce::ActivePoints [list]";
    // On hosts a tile takes less time than a barrier of Kokkos' scan, which ThreadSanitizer does not know as one.
    if constexpr (Backend::on_host<Exec>)
      Kokkos::parallel_reduce(label, range(1), ListAllTiles<Rank>{list, std::int64_t(m_counts.extent(0))}, counts);
    else Kokkos::parallel_scan(label, range(m_counts.extent(0)), list, counts);
    m_space.fence("Koalesce::ActivePoints: counts for the host");
    m_active.size = counts.tiles;
    m_points      = counts.points;
  }

  Exec m_space;
  bool m_reversed;
  std::int64_t m_words_per_row;
  Words m_bits, m_counts;
  Kokkos::View<std::uint8_t*, Memory> m_any;
  Kokkos::View<ActiveTile*, Memory> m_tiles;
  ActiveTiles m_active{};
  std::int64_t m_points = 0;
};

}  // namespace Koalesce::Impl

#endif
