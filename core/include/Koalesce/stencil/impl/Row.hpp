// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_ROW_HPP
#define KOALESCE_STENCIL_IMPL_ROW_HPP

#include <Koalesce/common/impl/Simd.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// Stencils on a CPU thread: the loop over x vectorizes.
// All of this runs on the host, which nvcc cannot know: it would warn about calls of host functions.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20013, 20014, 20015
#endif

namespace Koalesce::Impl {

/// Whether all fields have stride 1 along x.
template <class... Fields>
bool unit_stride(Pack<Fields...> const& fields) {
  bool unit = true;
  for_each(fields, [&](auto const& field, auto) { unit = unit && field.stride[2] == 1; });
  return unit;
}

/// The stride along x: a constant 1, which the vectorizer needs to see, where unit_stride() holds.
template <bool Unit, class Field>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t stride_x(Field const& field) {
  return Unit ? 1 : field.stride[2];
}

/// The fields with their origin moved to a point.
template <class... Fields>
auto moved_to(Pack<Fields...> const& fields, std::int64_t z, std::int64_t y, std::int64_t x) {
  return transform(fields, [&](auto const& f, auto) KOALESCE_INLINE_LAMBDA {
    return std::decay_t<decltype(f)>{f.at(z, y, x), f.stride};
  });
}

/// Calls body(x) for 0 <= x < n. The loop contains only this call: variables of the body then live in registers, not in
/// arrays with one element per SIMD lane.
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_in_row(std::int64_t n, Body const& body) {
  KOALESCE_SIMD
  for (std::int64_t x = 0; x < n; ++x) body(x);
}

/// Calls body(x, update). Of sweeps that reduce, a few points have updates of their own, so that no point waits for the
/// one before it.
template <class Reduction, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_in_row(std::int64_t n, Reduction const& reduction,
                                                 typename Reduction::Update& update, Body const& body) {
  if constexpr (std::is_same_v<Reduction, NoReduction>) {
    for_each_in_row(n, [&](std::int64_t x) KOALESCE_INLINE_LAMBDA { body(x, update); });
  } else {
    constexpr std::int64_t lanes = 8;
    typename Reduction::Update lane[lanes];
    for (auto& of_lane : lane) reduction.init(of_lane);
    std::int64_t x0 = 0;
    for (; x0 + lanes <= n; x0 += lanes)
      for_each_in_row(lanes, [&](std::int64_t i) KOALESCE_INLINE_LAMBDA { body(x0 + i, lane[i]); });
    for (; x0 < n; ++x0) body(x0, lane[0]);
    for (auto const& of_lane : lane) reduction.join(update, of_lane);
  }
}

/// The neighborhoods, in all fields, of the point x steps after their origin.
template <class Order, bool Unit, class... Fields>
KOKKOS_FORCEINLINE_FUNCTION auto around(Pack<Fields...> const& row, std::int64_t x) {
  return transform(row, [&](auto const& f, auto) KOALESCE_INLINE_LAMBDA {
    return Order::template neighborhood<typename std::decay_t<decltype(f)>::shape_type>(
        f.origin + x * stride_x<Unit>(f), f.stride[0], f.stride[1], stride_x<Unit>(f));
  });
}

/// The fields' values at that point.
template <bool Unit, class... Fields>
KOKKOS_FORCEINLINE_FUNCTION auto values_at(Pack<Fields...> const& row, std::int64_t x) {
  return transform(row, [&](auto const& f, auto) KOALESCE_INLINE_LAMBDA {
    return typename std::decay_t<decltype(f)>::value_type(f.origin[x * stride_x<Unit>(f)]);
  });
}

/// Writes a functor's result x steps after the fields' origin.
template <bool Unit, class Result, class... Ts>
KOKKOS_FORCEINLINE_FUNCTION void store_in_row(Pack<Field<Ts>...> const& row, Result const& result, std::int64_t x) {
  store_to(row, result, [&](auto const& f) KOALESCE_INLINE_LAMBDA { return f.origin + x * stride_x<Unit>(f); });
}

/// Calls body(x, n) for every run of points to be computed, as long as possible, among `count` of a row from x0 on.
template <class Domain, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_run(Domain const&, std::int64_t, std::int64_t, std::int64_t x0,
                                              std::int64_t count, Body const& body) {
  body(x0, count);
}
template <class Body>
void for_each_run(ActiveTiles const& active, std::int64_t z, std::int64_t y, std::int64_t x0, std::int64_t count,
                  Body const& body) {
  std::int64_t const from = x0 + active.first[2], end = from + count;
  // The first x from there on whose bit is `value`.
  auto const find = [&](std::int64_t x, bool value) {
    while (x < end) {
      std::uint32_t const bits  = active.word(z + active.first[0], y + active.first[1], x / 32);
      std::uint32_t const there = (value ? bits : ~bits) >> (x % 32);
      if (there != 0) return std::min(end, x + std::countr_zero(there));
      x = (x / 32 + 1) * 32;
    }
    return end;
  };
  for (auto x = find(from, true); x < end;) {
    auto const after = find(x, false);
    body(x - active.first[2], after - x);
    x = find(after, true);
  }
}

/// One row, any functor: out(x) = functor(neighborhoods in `in` around x, values of `points` at x, z, y, x0 + x) for
/// 0 <= x < n, with the fields seen from the row's first point.
template <class Order, bool Unit, class F, class Ins, class Points, class Outs, class Reduction>
KOKKOS_FORCEINLINE_FUNCTION void compute_row(F const& functor, Ins const& in, Points const& points, Outs const& out,
                                             std::int64_t z, std::int64_t y, std::int64_t x0, std::int64_t n,
                                             Reduction const& reduction, typename Reduction::Update& update) {
  for_each_in_row(n, reduction, update, [&](std::int64_t x, auto& at_x) KOALESCE_INLINE_LAMBDA {
    store_in_row<Unit>(
        out, call_at<Order>(functor, around<Order, Unit>(in, x), values_at<Unit>(points, x), z, y, x0 + x, at_x), x);
  });
}

}  // namespace Koalesce::Impl

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif
