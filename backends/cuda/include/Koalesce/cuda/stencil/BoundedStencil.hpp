// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_BOUNDED_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_BOUNDED_STENCIL_HPP

#include <Koalesce/cuda/stencil/Stencil.hpp>
#include <Koalesce/cuda/stencil/tile/TileFaces.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySweep.hpp>

#include <string>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

template <class Given>
inline constexpr bool can_be_copies = false;
template <class T, int Rank>
inline constexpr bool can_be_copies<GivenValue<T, Rank>> = true;

/// Whether what lies beyond some of a field's faces may be copies.
template <class Value>
inline constexpr bool may_have_copies = false;
template <class T, int Rank, class... Low, class... High>
inline constexpr bool may_have_copies<BoundaryValue<T, Rank, Pack<FaceSides<Low, High>...>>> =
    ((can_be_copies<decltype(Low::given)> && can_be_copies<decltype(High::given)>) || ...);

/// Whether tiles may reach faces.
template <class Work, class Values>
inline constexpr bool can_reach_faces = false;
template <class Order, class Ins, class Points, class Outs, class F, class R, class... Values>
inline constexpr bool can_reach_faces<StencilWork<Order, Ins, Points, Outs, F, R, WholeDomain>, Pack<Values...>> = [] {
  using Work = StencilWork<Order, Ins, Points, Outs, F, R, WholeDomain>;
  return has_own_points<Work> && StencilTiles<Work>::template exists<1> && (may_have_copies<Values> && ...);
}();

template <class Given, unsigned kinds>
bool is_copy(Face<Given, kinds> const& face) {
  return face.is(FaceKind::periodic) || face.is(FaceKind::mirror_face) || face.is(FaceKind::mirror_point) ||
         face.is(FaceKind::nearest);
}

/// Beyond the faces of a line of n points across them.
template <class Low, class High>
WithinFaces<1>::Line copied_line(FaceSides<Low, High> const& both, int n) {
  // The k-th point beyond a face, from 1, is a copy of the one at factor * k + offset, from 0, as seen from there.
  auto const copied = [&](auto const& face) -> CopiedPoint {
    if (face.is(FaceKind::periodic)) return {-1, n};
    if (face.is(FaceKind::mirror_face)) return {1, -1};
    if (face.is(FaceKind::mirror_point)) return {1, 0};
    return {0, 0};
  };
  auto const low = copied(both.low), high = copied(both.high);
  return {{{-low.factor, low.offset}, {1, 0}, {-high.factor, n - 1 - high.offset + high.factor * (n - 1)}}};
}

/// How far tiles stay away from the faces: 0 in the dimensions in which all inputs have copies beyond them.
template <class Work, class Values>
Extents3 reach_to_faces(Work const& work, Values const& values) {
  auto reach = reach_of(work);
  for (int c = 0; c < 3; ++c) {
    bool copies = work.extents[c] >= 2 * reach[c];
    for_each(values, [&](auto const& value, auto) {
      for_each(value.faces, [&](auto const& both, auto d) {
        if (Work::Order::canonical_dim(d.value) == c) copies = copies && is_copy(both.low) && is_copy(both.high);
      });
    });
    if (copies) reach[c] = 0;
  }
  return reach;
}

/// A box of a work, whose tiles may read beyond the faces.
template <class Order, class Ins, class Points, class Outs, class F, class R, class... Values>
auto work_within_faces(StencilWork<Order, Ins, Points, Outs, F, R, WholeDomain> const& work, BoundaryBox const& box,
                       Pack<Values...> const& values) {
  auto const part = work_in_box(work, box.first, box.extents, box.first);
  WithinFaces<int(sizeof...(Values))> faces{};
  for (int c = 0; c < 3; ++c) {
    faces.begin[c] = -int(box.first[c]);
    faces.end[c]   = int(work.extents[c] - box.first[c]);
  }
  for_each(values, [&](auto const& value, auto i) {
    for_each(value.faces, [&](auto const& both, auto d) {
      int const c              = Order::canonical_dim(d.value);
      faces.copies[i.value][c] = copied_line(both, int(work.extents[c]));
    });
  });
  return StencilWork<Order, Ins, Points, Outs, std::remove_const_t<decltype(part.functor)>, R, decltype(faces)>{
      part.in, part.out, part.extents, part.functor, part.taps, part.points, part.reduction, faces};
}

/// A sweep over fields without halos: the points that read them alone, in any way, and those around them; or tiles
/// that reach faces, and the points that are left.
template <class... WorkArgs, class Values>
  requires(can_reach_faces<StencilWork<WorkArgs...>, Values>)
void run_bounded_stencil(Tag, Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                         Values const& values) {
  auto const box  = BoundaryBox::of(work.extents, reach_of(work));
  auto const wide = BoundaryBox::of(work.extents, reach_to_faces(work, values));
  auto const rest = [&](BoundaryBox const& done) {
    if (done.around.size() > 0)
      run_boundary_points(exec, kernel_label(Tag{}, label + ", boundary"), work, done, values, Pack<>());
  };
  if (box.extents[0] == 0) return rest(box);

  auto const inner = work_in_box(work, box.first, box.extents, box.first);
  if (!can_be_cached(work)) {
    run_queued_stencil(exec, label, inner);
    return rest(box);
  }
  auto const to_faces = work_within_faces(work, wide, values);
  auto const run      = [&](StencilWay const& way) {
    if (way.to_faces) run_tiled_stencil(exec, label, to_faces, way.width);
    else run_stencil_way(exec, label, inner, way);
    rest(way.to_faces ? wide : box);
  };
  auto alignment       = alignment_of(inner);
  alignment.face_width = wide.around.size() < box.around.size() ? tile_width(to_faces) : 0;
  run_fastest_way(exec, label, inner, alignment, run);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
