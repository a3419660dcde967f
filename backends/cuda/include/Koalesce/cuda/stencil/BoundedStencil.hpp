// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_CUDA_STENCIL_BOUNDED_STENCIL_HPP
#define KOALESCE_CUDA_STENCIL_BOUNDED_STENCIL_HPP

#include <Koalesce/cuda/stencil/Stencil.hpp>
#include <Koalesce/cuda/stencil/tile/TileFaces.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySweep.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Koalesce::Impl::CudaBackend {

/// Whether copies lie beyond a face, by its type.
template <class Face>
inline constexpr bool has_copies = false;
template <class Given, unsigned kinds>
inline constexpr bool has_copies<Face<Given, kinds>> = (kinds & ~copy_kinds) == 0;

/// Whether there may be copies, or one value.
template <class Face>
inline constexpr bool may_be_simple = false;
template <class T, int Rank, unsigned kinds>
inline constexpr bool may_be_simple<Face<GivenValue<T, Rank>, kinds>> = true;

/// What lies beyond a field's faces, as tiles know it.
template <class Value>
struct FacesOfTiles;
template <class T, int Rank, class... Low, class... High>
struct FacesOfTiles<BoundaryValue<T, Rank, Pack<FaceSides<Low, High>...>>> {
  static constexpr bool copies = ((has_copies<Low> && has_copies<High>)&&...);
  static constexpr bool any    = ((may_be_simple<Low> && may_be_simple<High>) || ...);
  using type                   = std::conditional_t<copies, CopiesAtFaces, ValuesAtFaces<T>>;
};

/// Whether tiles may reach faces.
template <class Work, class Values>
inline constexpr bool can_reach_faces = false;
template <class Order, class Ins, class Points, class Outs, class F, class R, class... Values>
inline constexpr bool can_reach_faces<StencilWork<Order, Ins, Points, Outs, F, R, WholeDomain>, Pack<Values...>> = [] {
  using Work = StencilWork<Order, Ins, Points, Outs, F, R, WholeDomain>;
  return has_own_points<Work> && StencilTiles<Work>::template exists<1> && (FacesOfTiles<Values>::any && ...);
}();

/// Whether copies lie beyond a face, or one value.
template <class Given, unsigned kinds>
bool is_simple(Face<Given, kinds> const& face) {
  if constexpr (may_be_simple<Face<Given, kinds>>)
    return face.is(FaceKind::dirichlet) ? face.given.data == nullptr : (copy_kinds >> int(face.kind) & 1) != 0;
  else return false;
}

/// Beyond the faces of a line of n points across them.
template <class Low, class High>
Kokkos::Array<CopiedPoint, 3> copied_line(FaceSides<Low, High> const& both, std::int64_t extent) {
  int const n = int(std::min(extent, max_tile_row));
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

/// How far tiles stay away from the faces: 0 in the dimensions in which all inputs have what tiles know.
template <class Work, class Values>
Extents3 reach_to_faces(Work const& work, Values const& values) {
  auto reach = reach_of(work);
  for (int c = 0; c < 3; ++c) {
    bool simple = true;
    for_each(values, [&](auto const& value, auto) {
      for_each(value.faces, [&](auto const& both, auto d) {
        if (Work::Order::canonical_dim(d.value) == c) simple = simple && is_simple(both.low) && is_simple(both.high);
      });
    });
    if (simple) reach[c] = 0;
  }
  return reach;
}

/// What an input has beyond its faces.
template <class Order, class Value>
auto faces_of_tiles(Value const& value, Extents3 const& n) {
  using Faces = typename FacesOfTiles<Value>::type;
  Faces faces{};
  for_each(value.faces, [&](auto const& both, auto d) {
    int const c     = Order::canonical_dim(d.value);
    faces.copies[c] = copied_line(both, n[c]);
    if constexpr (Faces::has_constants) {
      auto const take = [&](int side, auto const& face) {
        if constexpr (may_be_simple<std::decay_t<decltype(face)>>) {
          faces.is_constant[c][side] = face.is(FaceKind::dirichlet);
          faces.constants[c][side]   = face.given.value;
        }
      };
      take(0, both.low);
      take(2, both.high);
    }
  });
  return faces;
}

/// Whether an input has a constant beyond a face of these dimensions. \param[in] dims  a bit per canonical dimension.
template <class Input>
bool has_constants(Input const& faces, int dims) {
  bool found = false;
  if constexpr (Input::has_constants)
    for (int c = 0; c < 3; ++c)
      found = found || ((dims >> c & 1) != 0 && (faces.is_constant[c][0] || faces.is_constant[c][2]));
  return found;
}

/// A box of a work, whose tiles may read beyond the faces.
template <class Order, class Ins, class Points, class Outs, class F, class R, class... Values>
auto work_within_faces(StencilWork<Order, Ins, Points, Outs, F, R, WholeDomain> const& work, BoundaryBox const& box,
                       Pack<Values...> const& values) {
  auto const part = work_in_box(work, box.first, box.extents, box.first);
  WithinFaces<typename FacesOfTiles<Values>::type...> faces{};
  for (int c = 0; c < 3; ++c) {
    faces.begin[c] = -int(box.first[c]);
    faces.end[c]   = int(work.extents[c] - box.first[c]);
  }
  for_each(faces.inputs,
           [&](auto& input, auto i) { input = faces_of_tiles<Order>(get<i.value>(values), work.extents); });
  return StencilWork<Order, Ins, Points, Outs, std::remove_const_t<decltype(part.functor)>, R, decltype(faces)>{
      part.in, part.out, part.extents, part.functor, part.taps, part.points, part.reduction, faces};
}

/// A sweep over fields without halos: the points that read them alone, in any way, and those around them; or tiles
/// that reach faces, and the points that are left.
template <class... WorkArgs, class Values>
  requires(can_reach_faces<StencilWork<WorkArgs...>, Values>)
void run_bounded_stencil(Tag, Kokkos::Cuda const& exec, std::string const& label, StencilWork<WorkArgs...> const& work,
                         Values const& values) {
  auto const reach = reach_of(work), wide_reach = reach_to_faces(work, values);
  auto const box  = BoundaryBox::of(work.extents, reach);
  auto const wide = BoundaryBox::of(work.extents, wide_reach);
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
  if (alignment.face_width > 0) {
    for (int c = 0; c < 3; ++c) alignment.face_dims |= int(wide_reach[c] < reach[c]) << c;
    for_each(to_faces.domain.inputs, [&](auto const& faces, auto) {
      alignment.constants = alignment.constants || has_constants(faces, alignment.face_dims);
    });
  }
  run_fastest_way(exec, label, inner, alignment, run);
}

}  // namespace Koalesce::Impl::CudaBackend

#endif
