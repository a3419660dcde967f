// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_OPENMP_STENCIL_BOUNDED_TILE_HPP
#define KOALESCE_OPENMP_STENCIL_BOUNDED_TILE_HPP

#include <Koalesce/openmp/stencil/Stencil.hpp>
#include <Koalesce/stencil/impl/GatheredValues.hpp>
#include <Koalesce/stencil/impl/steps/StepsStart.hpp>

#include <algorithm>
#include <cstdint>

/// Tiles of which some points read what lies beyond the faces.
namespace Koalesce::Impl::OpenMPBackend {

/// Part of a dimension.
struct Range {
  std::int64_t begin, end;

  std::int64_t size() const { return end - begin; }
  bool has(std::int64_t at) const { return at >= begin && at < end; }

  /// One of equal parts.
  Range part(int i, int parts) const { return {begin + size() * i / parts, begin + size() * (i + 1) / parts}; }
};

/// Copies of part of the rows that are read around a row, with what lies beyond the faces.
template <class FieldT, class Order>
struct RowsAround {
  using Shape = typename FieldT::shape_type;
  using Value = std::remove_const_t<typename FieldT::value_type>;

  static constexpr int rz = Order::template radius<Shape>(0);
  static constexpr int ry = Order::template radius<Shape>(1);
  static constexpr int rx = Order::template radius<Shape>(2);

  /// Points of a row at a time: the copies are on the stack.
  static constexpr int length =
      std::clamp(64 * 1024 / ((2 * rz + 1) * (2 * ry + 1) * int(sizeof(Value))) - 2 * rx, 8, 64);
  static constexpr int pitch = length + 2 * rx;

  Value value[2 * rz + 1][2 * ry + 1][pitch];

  /// Reads what lies around `cols` points from (z, y, x) on.
  template <int input, class Start>
  void read(Start const& start, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t cols) {
    auto const& n     = start.work.extents;
    auto const& field = get<input>(start.work.in);
    for (int dz = -rz; dz <= rz; ++dz)
      for (int dy = -ry; dy <= ry; ++dy) {
        auto const reach = reach_in_row(dz, dy);
        if (reach < 0) continue;
        auto const first = x - reach, end = x + cols + reach;
        auto const copy = [&](std::int64_t at) -> Value& { return value[dz + rz][dy + ry][at - x + rx]; };
        auto const p    = start.in_period({z + dz, y + dy, 0});
        // Of rows inside, all points but those beyond their ends.
        bool const is_inside = p[0] >= 0 && p[0] < n[0] && p[1] >= 0 && p[1] < n[1];
        auto const inside    = std::clamp<std::int64_t>(0, first, end);
        auto const after     = is_inside ? std::clamp(n[2], first, end) : inside;
        for (auto at = first; at < inside; ++at) copy(at) = start.template value<input>({p[0], p[1], at});
        for (auto at = inside; at < after; ++at) copy(at) = *field.at(p[0], p[1], at);
        for (auto at = after; at < end; ++at) copy(at) = start.template value<input>({p[0], p[1], at});
      }
  }

  /// The field as seen from the first of the points.
  FieldT seen() const { return {&value[rz][ry][rx], {(2 * ry + 1) * pitch, pitch, 1}}; }

 private:
  /// How far the shape reads in a row, to both sides; -1: not at all. No further, because what is beyond may be a
  /// functor's.
  static constexpr std::int64_t reach_in_row(int dz, int dy) {
    for (int dx = rx; dx >= 0; --dx)
      if (Order::template contains<Shape>(dz, dy, dx) || Order::template contains<Shape>(dz, dy, -dx)) return dx;
    return -1;
  }
};

template <class Order, class Ins>
struct RowsAroundOf;
template <class Order, class... Fields>
struct RowsAroundOf<Order, Pack<Fields...>> {
  using type = Pack<RowsAround<Fields, Order>...>;

  static constexpr std::int64_t length = std::min({RowsAround<Fields, Order>::length...});
};

/// A sweep, or one of several steps that share one.
/// \tparam Boundary  a StepsBoundary.
template <class WorkT, class Boundary>
struct BoundedSweep {
  using Work   = WorkT;
  using Order  = typename Work::Order;
  using Update = typename Work::Reduction::Update;

  static constexpr int rz = Work::rz, ry = Work::ry, rx = Work::rx;

  Work const& work;
  Boundary const& boundary;  ///< at the faces of the fields that it reads

  template <bool Unit>
  void compute(Tile const& tile, std::int64_t number) const {
    auto const& n     = work.extents;
    auto const planes = inner(tile.z, tile.planes, rz, n[0]), rows = inner(tile.y, tile.rows, ry, n[1]),
               cols = inner(tile.x, tile.cols, rx, n[2]);
    auto update     = work.reduction.identity();
    auto const end  = any_active(work.domain, tile.first(), tile.extents()) ? tile.z + tile.planes : tile.z;
    for (auto z = tile.z; z < end; ++z)
      for (auto y = tile.y; y < tile.y + tile.rows;) {
        if (planes.has(z) && rows.has(y) && cols.size() > 0) {
          // A few rows at a time: their ends are still in cache.
          auto const few = std::min<std::int64_t>(HostTuning::linear_rows, rows.end - y);
          compute_points<Unit>(work, {z, y, cols.begin, 1, few, cols.size()}, update);
          for (auto const after = y + few; y < after; ++y) {
            for (auto x = tile.x; x < cols.begin; ++x) compute_end(z, y, x, update);
            for (auto x = cols.end; x < tile.x + tile.cols; ++x) compute_end(z, y, x, update);
          }
        } else {
          for_each_run(work.domain, z, y, tile.x, tile.cols, [&](std::int64_t x0, std::int64_t run) {
            for (auto x = x0; x < x0 + run; x += Rows::length)
              compute_near_row<Unit>(z, y, x, std::min(Rows::length, x0 + run - x), update);
          });
          ++y;
        }
      }
    work.reduction.leave(number, update);
  }

 private:
  using Rows = RowsAroundOf<Order, typename Work::Ins>;

  KOKKOS_FUNCTION StepsStart<Work, Boundary> start() const { return {work, boundary}; }

  /// What of a tile, in one dimension, reads the interior alone.
  static Range inner(std::int64_t first, std::int64_t size, int radius, std::int64_t n) {
    return {std::max<std::int64_t>(first, radius), std::min(first + size, n - radius)};
  }

  /// Part of a row, from copies of what it reads.
  template <bool Unit>
  void compute_near_row(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t cols, Update& update) const {
    typename Rows::type rows;
    for_each(rows, [&](auto& of_input, auto i) { of_input.template read<decltype(i)::value>(start(), z, y, x, cols); });
    auto const functor = work.functor;  // a copy that no output can alias
    compute_row<Order, Unit>(functor, transform(rows, [](auto const& of_input, auto) { return of_input.seen(); }),
                             moved_to(work.points, z, y, x), moved_to(work.out, z, y, x), z, y, x, cols, work.reduction,
                             update);
  }

  /// A point, of a row inside, that reads beyond the row's ends. (For nvcc, lambdas of a host function are the
  /// host's alone.)
  KOKKOS_FUNCTION void compute_end(std::int64_t z, std::int64_t y, std::int64_t x, Update& update) const {
    if (!is_active_in(work, z, y, x)) return;
    auto const gathered = transform(work.in, [&](auto const& field, auto i) {
      using In       = std::decay_t<decltype(field)>;
      using Gathered = GatheredValues<std::remove_const_t<typename In::value_type>, Order, typename In::shape_type>;
      auto const* const at = field.at(z, y, x);
      auto const value     = [&](int dz, int dy, int dx, auto...) KOALESCE_INLINE_LAMBDA {
        if (x + dx < 0 || x + dx >= work.extents[2])
          return start().template value_along<decltype(i)::value, 2>({z + dz, y + dy, x + dx});
        return std::remove_const_t<typename In::value_type>(
            at[dz * field.stride[0] + dy * field.stride[1] + dx * field.stride[2]]);
      };
      Gathered values;
      if constexpr (Gathered::on_axes) values.read_axes(value);
      else Gathered::for_each_offset([&](int dz, int dy, int dx) { values.at(dz, dy, dx) = value(dz, dy, dx); });
      return values;
    });
    auto const around   = transform(gathered, [](auto const& values, auto) { return values.neighborhood(); });
    store(work.out, to_pack(call_at<Order>(work.functor, around, load(work.points, z, y, x), z, y, x, update)), z, y,
          x);
  }
};

}  // namespace Koalesce::Impl::OpenMPBackend

#endif
