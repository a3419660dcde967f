// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_HPP
#define KOALESCE_OPENMP_STENCIL_HPP

#include <Koalesce/Backend.hpp>
#include <Koalesce/Error.hpp>
#include <Koalesce/impl/StencilWork.hpp>

#include <algorithm>
#include <string>

/// Stencils on CPU threads: fields are read where they lie, the loop over x vectorizes, and blocks of rows are small
/// enough for the planes around them to stay in cache.
namespace Koalesce::Impl {

template <class Exec, class... WorkArgs>
void run_stencil(Backend::OpenMP, Exec const& exec, std::string const& label, StencilWork<WorkArgs...> const& work) {
  using Work      = StencilWork<WorkArgs...>;
  using Order     = typename Work::Order;
  using Shape     = typename Work::Shape;
  auto const rows = work.extents[0] * work.extents[1];
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows),
                       [=](std::int64_t row) {
                         std::int64_t const z = row / work.extents[1], y = row % work.extents[1];
                         for (std::int64_t x = 0; x < work.extents[2]; ++x) {
                           auto const u = transform(work.in, [&](auto const& f, auto) {
                             return Order::template neighborhood<Shape>(f.at(z, y, x), f.stride[0], f.stride[1],
                                                                        f.stride[2]);
                           });
                           store(work.out, call_at<Order>(work.functor, u, z, y, x), z, y, x);
                         }
                       });
}

/// The planes between the stages around one tile, in a ring in the thread's scratch memory.
template <class Order, class Shape, class... Ts>
struct MidRing {
  static constexpr int rz     = Order::template radius<Shape>(0);
  static constexpr int ry     = Order::template radius<Shape>(1);
  static constexpr int rx     = Order::template radius<Shape>(2);
  static constexpr int planes = 2 * rz + 1;

  std::int64_t rows, pitch;
  Pack<Ts*...> first;

  static std::size_t bytes(std::int64_t tile_y, std::int64_t tile_x) {
    std::size_t const points = planes * (tile_y + 2 * ry) * (tile_x + 2 * rx);
    return ((points * sizeof(Ts) + 64) + ... + 0);
  }

  template <class Scratch>
  MidRing(Scratch const& scratch, std::int64_t tile_y, std::int64_t tile_x)
      : rows(tile_y + 2 * ry), pitch(tile_x + 2 * rx) {
    for_each(first, [&](auto& slots, auto) {
      using T = std::remove_pointer_t<std::decay_t<decltype(slots)>>;
      slots   = static_cast<T*>(scratch.get_shmem_aligned(planes * rows * pitch * sizeof(T), 64));
    });
  }

  std::int64_t at(std::int64_t step, std::int64_t y, std::int64_t x) const {
    return (step % planes * rows + y + ry) * pitch + x + rx;
  }

  auto around(std::int64_t step, std::int64_t y, std::int64_t x) const {
    return transform(first, [&](auto* slots, auto) {
      using T = std::remove_pointer_t<decltype(slots)>;
      return Order::template neighborhood<Shape>(static_cast<T const*>(slots) + at(step, y, x), rows * pitch, pitch, 1,
                                                 planes, int(step % planes));
    });
  }
};

template <class Order, class Shape, class Pack>
struct MidRingOf;
template <class Order, class Shape, class... Ts>
struct MidRingOf<Order, Shape, Pack<Ts...>> {
  using type = MidRing<Order, Shape, Ts...>;
};

template <class Exec, class... WorkArgs>
void run_stencil(Backend::OpenMP, Exec const& exec, std::string const& label, StagedWork<WorkArgs...> const& work) {
  using Work = StagedWork<WorkArgs...>;
  using Order = typename Work::Order;
  using Ring = typename MidRingOf<Order, typename Work::SecondShape, typename Work::Mids>::type;

  Kokkos::TeamPolicy<Exec> const probe(exec, 1, 1);
  std::int64_t tile_y = std::min<std::int64_t>(32, work.extents[1]), tile_x = std::min<std::int64_t>(512, work.extents[2]);
  auto const room = std::size_t(probe.scratch_size_max(1));
  while (Ring::bytes(tile_y, tile_x) > room && tile_y * tile_x > 1) (tile_y > 1 ? tile_y : tile_x) /= 2;
  auto const scratch_bytes = Ring::bytes(tile_y, tile_x);
  if (scratch_bytes > room)
    fail(label, "the planes between the stages need ", scratch_bytes, " bytes of scratch memory for a tile of one point, but ",
         Exec::name(), " has ", room, " bytes; use a smaller radius, smaller elements or fewer fields");
  std::int64_t const tiles_y = (work.extents[1] + tile_y - 1) / tile_y, tiles_x = (work.extents[2] + tile_x - 1) / tile_x;

  Kokkos::TeamPolicy<Exec> policy(exec, int(tiles_y * tiles_x), 1);
  policy.set_scratch_size(1, Kokkos::PerTeam(int(scratch_bytes)));
  Kokkos::parallel_for(label, policy, [=](auto const& team) {
    std::int64_t const y0 = team.league_rank() / tiles_x * tile_y, x0 = team.league_rank() % tiles_x * tile_x;
    std::int64_t const rows = std::min(tile_y, work.extents[1] - y0), cols = std::min(tile_x, work.extents[2] - x0);
    Ring const mids(team.team_scratch(1), rows, cols);
    for (std::int64_t step = 0; step < work.extents[0] + 2 * Ring::rz; ++step) {
      for (std::int64_t y = -Ring::ry; y < rows + Ring::ry; ++y)
        for (std::int64_t x = -Ring::rx; x < cols + Ring::rx; ++x) {
          auto const z = step - Ring::rz;
          auto const u = transform(work.in, [&](auto const& f, auto) {
            return Order::template neighborhood<typename Work::FirstShape>(f.at(z, y0 + y, x0 + x), f.stride[0],
                                                                           f.stride[1], f.stride[2]);
          });
          auto const m = to_pack(call_at<Order>(work.first, u, z, y0 + y, x0 + x));
          for_each(mids.first, [&](auto* slots, auto i) { slots[mids.at(step, y, x)] = get<decltype(i)::value>(m); });
        }
      auto const z = step - 2 * Ring::rz;
      if (z < 0) continue;
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < cols; ++x) {
          auto const inputs = inputs_at<Order>(work.in, z, y0 + y, x0 + x);
          store(work.out, call_at<Order>(work.second, mids.around(z + Ring::rz, y, x), inputs, z, y0 + y, x0 + x), z,
                y0 + y, x0 + x);
        }
    }
  });
}

}  // namespace Koalesce::Impl

#endif
