// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_GLOBAL_FACES_HPP
#define KOALESCE_DISTRIBUTED_IMPL_GLOBAL_FACES_HPP

#include <Koalesce/common/impl/FunctorAsArgument.hpp>
#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/HaloRegions.hpp>
#include <Koalesce/stencil/impl/IndexOrder.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryValue.hpp>
#include <Koalesce/stencil/impl/boundary/HaloPoints.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// Halos beyond the faces of the whole grid, which no neighbor sends. The dimensions are filled one after the other, as
/// fill_halo() defines it; a line of points along one of them lies in this process.
namespace Koalesce::Impl {

/// What a condition in dimension `dim` gives: functors see indices of the whole grid. In later dimensions they would be
/// called for the neighbors' own points, so indices are those beyond a period.
template <class Given, int Rank>
struct GivenInGrid {
  Given given;
  PointIndex<Rank> offset, period;  ///< 0: no period
  int dim;

  template <class Point, class Extent>
  KOKKOS_FUNCTION auto operator()(Point const& local, Extent const& extent) const {
    return given(local, extent);
  }
};
template <class T, int Rank, class F>
struct GivenInGrid<GivenByFunctor<T, Rank, F>, Rank> {
  GivenByFunctor<T, Rank, F> given;
  PointIndex<Rank> offset, period;
  int dim;

  KOKKOS_FUNCTION T operator()(PointIndex<Rank> const& local, PointIndex<Rank> const& extent) const {
    PointIndex<Rank> point{};
    for (int d = 0; d < Rank; ++d) {
      point[d] = local[d] + offset[d];
      if (d > dim && period[d] > 0) point[d] = (point[d] + period[d]) % period[d];
    }
    return given(point, extent);
  }
};

template <int Rank, class Given, unsigned kinds>
Face<GivenInGrid<Given, Rank>, kinds> face_in_grid(Face<Given, kinds> const& face, Domain<Rank> const& domain,
                                                   int dim) {
  PointIndex<Rank> period{};
  for (int d = 0; d < Rank; ++d) period[d] = domain.periodic(d) ? domain.global_extents()[d] : 0;
  return {face.kind, face.order, {face.given, domain.offset(), period, dim}};
}

template <int Rank, class... Both>
auto faces_in_grid(Pack<Both...> const& faces, Domain<Rank> const& domain) {
  return transform(faces, [&](auto const& both, auto d) {
    auto const low  = face_in_grid<Rank>(both.low, domain, int(d));
    auto const high = face_in_grid<Rank>(both.high, domain, int(d));
    return FaceSides<std::decay_t<decltype(low)>, std::decay_t<decltype(high)>>{low, high};
  });
}

/// Writes the halo's points beyond the faces of dimension D.
template <int D, class Order, class T, class Faces>
struct FillFace {
  static constexpr int rank = Order::rank;

  T* origin;
  HaloBox low, high;
  std::int64_t low_points;
  BoundaryValue<T, rank, Faces> value;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Extents3 const at          = i < low_points ? low.point(i) : high.point(i - low_points);
    auto const point           = user_index<Order>(at[0], at[1], at[2]);
    origin[value.place(point)] = value.template along<D>(point);
  }
};

/// Whether halos on this side of a dimension are filled here.
/// \tparam Bounded  whether fields have conditions; else only periods of one process are filled.
template <bool Bounded, int Rank>
bool is_filled(Domain<Rank> const& domain, int d, int side) {
  if (domain.periodic(d)) return domain.ranks()[d] == 1;
  return Bounded && !domain.has_neighbor(d, side);
}

/// Fills a field's halos beyond the faces of the whole grid.
/// \param[in] received  whether neighbors' halos are there: then the corners next to them are filled, too.
template <bool Reversed, bool Bounded, class Exec, class View, class Conditions, int Rank>
void fill_faces(Exec const& exec, Domain<Rank> const& domain, View const& view, HaloNeed<Rank> const& need,
                Conditions const& conditions, bool received) {
  using Order = IndexOrder<Rank, Reversed>;
  using T     = typename View::value_type;

  auto const faces = faces_in_grid<Rank>(make_faces<T, Rank>(conditions), domain);
  using Faces      = std::decay_t<decltype(faces)>;
  T* origin        = view.data();
  BoundaryValue<T, Rank, Faces> value{nullptr, {}, domain.extents(), faces};
  for (int d = 0; d < Rank; ++d) {
    value.stride[d] = std::ptrdiff_t(view.stride(d));
    origin += (std::int64_t(view.extent(d)) - domain.extents()[d]) / 2 * value.stride[d];
  }
  value.origin = origin;

  static_for<Rank>([&](auto dim) {
    constexpr int D = decltype(dim)::value;
    // Of other dimensions the halo is part of it where it is filled before this one, came from a neighbor, or is the
    // caller's.
    auto const margin = [&](int e, int side) {
      bool const before = e < D && is_filled<Bounded>(domain, e, side);
      bool const sent   = received && domain.ranks()[e] > 1 && domain.has_neighbor(e, side);
      bool const stays  = !Bounded && !domain.has_neighbor(e, side);
      return need.corners && (before || sent || stays) ? need.width[e] : 0;
    };
    HaloBox boxes[2]{};
    std::int64_t points[2]{};
    for (int const side : {0, 1}) {
      if (!is_filled<Bounded>(domain, D, 2 * side - 1)) continue;
      Extents3 first{0, 0, 0}, extents{1, 1, 1};
      for (int e = 0; e < Rank; ++e) {
        int const c          = Order::canonical_dim(e);
        std::int64_t const n = domain.extents()[e];
        if (e == D) {
          first[c]   = side == 0 ? -need.width[e] : n;
          extents[c] = need.width[e];
        } else {
          first[c]   = -margin(e, -1);
          extents[c] = n + margin(e, -1) + margin(e, 1);
        }
      }
      points[side] = extents[0] * extents[1] * extents[2];
      boxes[side]  = {first, Divisor(extents[1]), Divisor(extents[2]), 0, 0, 0, 0};
    }
    if (points[0] + points[1] == 0) return;
    Kokkos::parallel_for("Koalesce::fill_halo", argument_range(exec, points[0] + points[1]),
                         FillFace<D, Order, T, Faces>{origin, boxes[0], boxes[1], points[0], value});
  });
}

}  // namespace Koalesce::Impl

#endif
