// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_SWEEP_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_SWEEP_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/stencil/impl/GatheredValues.hpp>
#include <Koalesce/stencil/impl/StencilWork.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>
#include <Koalesce/stencil/impl/steps/StepsFunctor.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

/// Sweeps over fields without halos: a box of points reads the fields alone, and is a plain sweep; those around it also
/// read what lies beyond the faces.
namespace Koalesce::Impl {

/// How far a work reads, in canonical dimension c.
template <class... WorkArgs>
constexpr Extents3 reach_of(StencilWork<WorkArgs...> const&) {
  using Work = StencilWork<WorkArgs...>;
  return {Work::rz, Work::ry, Work::rx};
}
template <class... WorkArgs>
constexpr Extents3 reach_of(StagedWork<WorkArgs...> const&) {
  using Work       = StagedWork<WorkArgs...>;
  auto const reach = [](int c) { return Work::template radius<0>(c) + Work::template beyond<0>(c); };
  return {reach(0), reach(1), reach(2)};
}

/// The interior's points that read beyond it, and the box of the others.
struct BoundaryBox {
  Extents3 first, extents;  ///< of the box; extents are 0 if it is empty
  HaloPoints around;        ///< counted from the box's first point

  static BoundaryBox of(Extents3 const& n, Extents3 const& reach) {
    bool const empty = n[0] <= 2 * reach[0] || n[1] <= 2 * reach[1] || n[2] <= 2 * reach[2];
    if (empty) return {{0, 0, 0}, {0, 0, 0}, HaloPoints({0, 0, 0}, {0, 0, 0}, n)};
    Extents3 const box{n[0] - 2 * reach[0], n[1] - 2 * reach[1], n[2] - 2 * reach[2]};
    return {reach, box, HaloPoints(box, reach, reach)};
  }
};

/// The caller's functor, with the indices of the whole interior.
template <class F>
struct BoxFunctor {
  F functor;
  Extents3 first;
};

template <class F>
inline constexpr bool knows_step<BoxFunctor<F>> = knows_step<F>;
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void go_on(BoxFunctor<F>& functor, std::int64_t steps) {
  go_on(functor.functor, steps);
}

template <class F>
auto in_box(F const& functor, Extents3 const& first) {
  return wrap_functor(functor, [&](auto const& f) { return BoxFunctor<std::decay_t<decltype(f)>>{f, first}; });
}

template <class Order, class F, class... As, class... Vs, class Update>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call_with(BoxFunctor<F> const& f, Pack<As...> const& a, Pack<Vs...> const& v,
                                                     std::int64_t z, std::int64_t y, std::int64_t x, Update& update) {
  return call_with<Order>(f.functor, a, v, z + f.first[0], y + f.first[1], x + f.first[2], update);
}

/// The fields seen from a box's first point.
template <class... Fields>
auto fields_in_box(Pack<Fields...> const& fields, Extents3 const& first) {
  return transform(fields, [&](auto const& field, auto) {
    return std::decay_t<decltype(field)>{field.at(first[0], first[1], first[2]), field.stride};
  });
}

/// The part of a work in a box of its points. \param[in] index  that functors see at the box's first point.
template <class... Args>
auto work_in_box(StencilWork<Args...> const& w, Extents3 const& first, Extents3 const& extents, Extents3 const& index) {
  using Work         = StencilWork<Args...>;
  auto const functor = in_box(w.functor, index);
  return StencilWork<typename Work::Order, typename Work::Ins, typename Work::Points, typename Work::Outs,
                     std::remove_const_t<decltype(functor)>, typename Work::Reduction, typename Work::Domain>{
      fields_in_box(w.in, first),
      fields_in_box(w.out, first),
      extents,
      functor,
      w.taps,
      fields_in_box(w.points, first),
      w.reduction,
      domain_in_box(w.domain, first)};
}
template <class Order, class Shape, class... Args>
auto work_in_box(StagedWork<Order, Shape, Args...> const& w, Extents3 const& first, Extents3 const& extents,
                 Extents3 const& index) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return make_work<Order, Shape>(fields_in_box(w.in, first), fields_in_box(w.points, first),
                                   fields_in_box(w.out, first), extents, StencilTaps::automatic, w.reduction,
                                   domain_in_box(w.domain, first), in_box(get<I>(w.functors), index)...);
  }(std::make_index_sequence<StagedWork<Order, Shape, Args...>::stages>{});
}

/// The values of several fields around a point.
template <class Order, class Fields>
struct GatheredFields;
template <class Order, class... Ts, class... Shapes>
struct GatheredFields<Order, Pack<Field<Ts, Shapes>...>> {
  using type = Pack<GatheredValues<Ts, Order, Shapes>...>;
};

/// Computes the points around the box: one an item, or, where they are reduced, a few.
/// \tparam Values, PointValues packs of BoundaryValue: of the inputs that are read around the point, and at it.
template <class Work, class Values, class PointValues>
struct BoundaryPoints {
  using Order = typename Work::Order;

  Work work;
  BoundaryBox box;
  Values values;
  PointValues point_values;
  std::int64_t items;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto update = work.reduction.identity();
    if constexpr (reduces<Work>)
      for (std::int64_t i = item; i < box.around.size(); i += items) compute(i, update);
    else compute(item, update);
    work.reduction.leave(item, update);
  }

 private:
  using Update = typename Work::Reduction::Update;

  KOKKOS_FUNCTION void compute(std::int64_t i, Update& update) const {
    Extents3 const at    = box.around(i);
    std::int64_t const z = at[0] + box.first[0], y = at[1] + box.first[1], x = at[2] + box.first[2];
    if (is_active(work.domain, z, y, x)) store(work.out, result(work, z, y, x, update), z, y, x);
  }

  /// The inputs' values around a point.
  /// \tparam inside whether the point is in the interior.
  template <bool inside, class Ins>
  KOKKOS_FUNCTION auto gather(Ins const& in, std::int64_t z, std::int64_t y, std::int64_t x) const {
    return transform(in, [&](auto const& field, auto i) {
      using In          = std::decay_t<decltype(field)>;
      using Gathered    = GatheredValues<typename In::value_type, Order, typename In::shape_type>;
      auto const& value = get<decltype(i)::value>(values);
      Gathered gathered;
      if constexpr (inside && Gathered::on_axes)
        gathered.read_axes([&](int dz, int dy, int dx, auto d) KOALESCE_INLINE_LAMBDA {
          return value.template along<decltype(d)::value>(user_index<Order>(z + dz, y + dy, x + dx));
        });
      else
        Gathered::for_each_offset([&](int dz, int dy, int dx) {
          gathered.at(dz, dy, dx) = value(user_index<Order>(z + dz, y + dy, x + dx));
        });
      return gathered;
    });
  }

  template <class Gathered>
  KOKKOS_FUNCTION static auto neighborhoods(Gathered const& gathered) {
    return transform(gathered, [](auto const& g, auto) { return g.neighborhood(); });
  }

  template <class... Args>
  KOKKOS_FUNCTION auto result(StencilWork<Args...> const& w, std::int64_t z, std::int64_t y, std::int64_t x,
                              Update& update) const {
    auto const gathered = gather<true>(w.in, z, y, x);
    return to_pack(call_at<Order>(w.functor, neighborhoods(gathered), load(w.points, z, y, x), z, y, x, update));
  }

  template <class... Args>
  KOKKOS_FUNCTION auto result(StagedWork<Args...> const& w, std::int64_t z, std::int64_t y, std::int64_t x,
                              Update& update) const {
    constexpr int last  = StagedWork<Args...>::last;
    auto const gathered = gather_results<last>(w, z, y, x);
    return to_pack(call_at<Order>(get<last>(w.functors), neighborhoods(gathered), load(concat(w.in, w.points), z, y, x),
                                  z, y, x, update));
  }

  /// What a stage reads around a point: the results there of the stage before it, computed anew.
  template <int stage, class... Args>
  KOKKOS_FUNCTION auto gather_results(StagedWork<Args...> const& w, std::int64_t z, std::int64_t y,
                                      std::int64_t x) const {
    typename GatheredFields<Order, typename StagedWork<Args...>::template Fields<stage>>::type gathered;
    std::decay_t<decltype(get<0>(gathered))>::for_each_offset([&](int dz, int dy, int dx) {
      auto const mid = result_of<stage - 1>(w, z + dz, y + dy, x + dx);
      for_each(gathered, [&](auto& g, auto k) { g.at(dz, dy, dx) = get<decltype(k)::value>(mid); });
    });
    return gathered;
  }

  /// The result of a stage before the last, anywhere.
  template <int stage, class... Args>
  KOKKOS_FUNCTION auto result_of(StagedWork<Args...> const& w, std::int64_t z, std::int64_t y, std::int64_t x) const {
    auto const values_of = [&](auto const& all) {
      return transform(all, [&](auto const& value, auto) { return value(user_index<Order>(z, y, x)); });
    };
    if constexpr (stage == 0) {
      auto const gathered = gather<false>(w.in, z, y, x);
      return to_pack(call_at<Order>(get<stage>(w.functors), neighborhoods(gathered), values_of(point_values), z, y, x));
    } else {
      auto const gathered = gather_results<stage>(w, z, y, x);
      return to_pack(call_at<Order>(get<stage>(w.functors), neighborhoods(gathered),
                                    values_of(concat(values, point_values)), z, y, x));
    }
  }
};

/// Items of a kernel that computes these points: where they are reduced, fewer, but as many as keep a processor busy.
template <class Work>
std::int64_t boundary_items(std::int64_t points) {
  constexpr std::int64_t most = 1 << 16;
  return reduces<Work> ? std::min(points, most) : points;
}

template <class Exec, class Work, class Values, class PointValues>
void run_boundary_points(Exec const& space, std::string const& label, Work const& work, BoundaryBox const& box,
                         Values const& values, PointValues const& point_values) {
  auto const items = boundary_items<Work>(box.around.size());
  Kokkos::parallel_for(label, argument_range(space, items),
                       BoundaryPoints<Work, Values, PointValues>{work, box, values, point_values, items});
}

}  // namespace Koalesce::Impl

#endif
