// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_CHECKS_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_CHECKS_HPP

#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/stencil/impl/boundary/BoundarySignature.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Koalesce::Impl {

template <class Extents>
bool has_no_points(Extents const& extents) {
  for (int d = 0; d < int(extents.size()); ++d)
    if (extents[d] == 0) return true;
  return false;
}

/// A face in messages.
struct FaceName {
  std::string const& where;
  std::string const& field;  // as in `the field ("u")`
  char const* side;          // "low" or "high"
  int dim;

  std::string text() const { return std::string("the ") + side + " face of dimension " + std::to_string(dim); }
};

template <class About>
void check_mirror(FaceName const& face, Mirror<About>, std::int64_t points, std::int64_t width) {
  bool const about_the_face = std::is_same_v<About, AboutFace>;
  std::int64_t const needed = width + (about_the_face ? 0 : 1);
  if (points < needed)
    fail(face.where, face.field, " is mirrored ", about_the_face ? "about " : "about the point at ", face.text(),
         ", which takes ", needed, " interior points for a halo of ", width, ", but there are ", points,
         "; give the field more points or another condition");
}

template <class T>
void check_extrapolation(FaceName const& face, Extrapolation extrapolation, std::int64_t points, std::int64_t width) {
  int const order = extrapolation.order;
  if (order < 0 || order > 2)
    fail(face.where, "the extrapolation at ", face.text(), " has order ", order,
         "; polynomials of order 0 to 2 are supported, so give one of these");
  if (order > 0 && !has_sums<T>)
    fail(face.where, "the extrapolation at ", face.text(), " has order ", order,
         ", but elements of this type cannot be multiplied by numbers and added; give order 0, or elements for which "
         "a += 2. * b compiles");
  if (width > 0 && points <= order)
    fail(face.where, face.field, " has ", points, " interior points in dimension ", face.dim,
         ", but an extrapolation of order ", order, " reads ", order + 1, "; give a lower order or more points");
}

template <class Exec, class View, class Extents>
void check_face_view(FaceName const& face, View const& view, Extents const& extents) {
  for (int d = 0, of_face = 0; d < int(extents.size()); ++d) {
    if (d == face.dim) continue;
    if (std::int64_t(view.extent(of_face)) != extents[d])
      fail(face.where, "the View ", quoted_label(view), " of ", face.text(), " has extent ", view.extent(of_face),
           " in its dimension ", of_face, ", but there are ", extents[d], " interior points in dimension ", d,
           "; a face has the interior extents of the other dimensions, so give it as many entries");
    ++of_face;
  }
  check_access<Exec>(face.where, view, "the View of " + face.text());
}

/// Throws if a condition cannot hold at a face. \param[in] width how many points beyond the face are asked for.
template <class Exec, class T, class C, class Extents>
void check_face(FaceName const& face, C const& condition, Extents const& extents, std::int64_t width) {
  if constexpr (is_mirror<C>) {
    if (width > 0) check_mirror(face, condition, extents[face.dim], width);
  } else if constexpr (std::is_same_v<C, Extrapolation>) {
    check_extrapolation<T>(face, condition, extents[face.dim], width);
  } else if constexpr (Kokkos::is_view_v<typename ConditionFacts<C>::given>) {
    if constexpr (ConditionFacts<C>::sums) check_face_view<Exec>(face, condition.gradient, extents);
    else check_face_view<Exec>(face, condition.value, extents);
  }
}

/// Throws if a field's conditions cannot hold.
/// \tparam Exec           what the Views of faces must be accessible from.
/// \tparam T              element type of the field.
/// \param[in] field       names the field in messages, as in `the field ("u")`.
/// \param[in] extents     interior points per dimension.
/// \param[in] widths      how many points beyond the faces are asked for, per dimension.
/// \param[in] conditions  a pack of Sides, one per dimension.
/// \param[in] has_face    has_face(dimension, -1 or 1): whether the condition of that side holds here.
template <class Exec, class T, class Extents, class Conditions, class HasFace>
void check_boundary(std::string const& where, std::string const& field, Extents const& extents, Extents const& widths,
                    Conditions const& conditions, HasFace const& has_face) {
  for_each(conditions, [&]<class Low, class High>(Sides<Low, High> const& both, auto d) {
    constexpr bool low = std::is_same_v<Low, Periodic>, high = std::is_same_v<High, Periodic>;
    if (low != high)
      fail(where, field, " is periodic on the ", low ? "low" : "high", " side of dimension ", int(d),
           " only; a period joins both sides, so give Periodic for both or for none");
    std::int64_t const width = has_no_points(extents) ? 0 : widths[int(d)];
    if (has_face(int(d), -1)) check_face<Exec, T>(FaceName{where, field, "low", int(d)}, both.low, extents, width);
    if (has_face(int(d), 1)) check_face<Exec, T>(FaceName{where, field, "high", int(d)}, both.high, extents, width);
  });
}

/// The same for a field with all its faces.
template <class Exec, class T, class Extents, class Conditions>
void check_boundary(std::string const& where, std::string const& field, Extents const& extents, Extents const& widths,
                    Conditions const& conditions) {
  check_boundary<Exec, T>(where, field, extents, widths, conditions, [](int, int) { return true; });
}

template <class C>
inline constexpr bool has_face_view = Kokkos::is_view_v<typename ConditionFacts<C>::given>;
template <class Conditions>
inline constexpr bool has_face_views = false;
template <class... Lows, class... Highs>
inline constexpr bool has_face_views<Pack<Sides<Lows, Highs>...>> =
    ((has_face_view<Lows> || has_face_view<Highs>) || ...);

/// A View of a face as a field with one point across it: of a sub-view, with the strides of the field that it is one
/// of.
template <class View, class Field>
struct FaceAsField {
  using value_type = typename View::value_type;

  View const& view;
  Field const& field;
  int dim;

  static constexpr std::size_t rank() { return Field::rank(); }
  auto* data() const { return view.data(); }
  std::size_t extent(int d) const { return d == dim ? 1 : view.extent(d < dim ? d : d - 1); }
  std::size_t stride(int d) const { return d == dim ? field.stride(d) : view.stride(d < dim ? d : d - 1); }
};

/// Calls use(view, memory as that of a field) if a condition has a View. \param[in] field  it may be a sub-view of.
template <class C, class View, class Use>
void use_face_memory(FaceName const& face, C const& condition, View const& field, Use const& use) {
  if constexpr (has_face_view<C>) {
    auto const& view = [&]() -> auto const& {
      if constexpr (ConditionFacts<C>::sums) return condition.gradient;
      else return condition.value;
    }();
    using Face = std::decay_t<decltype(view)>;
    use(view, memory_of(FaceAsField<Face, View>{view, field, face.dim}));
  }
}

/// Throws if a condition's View, if it has one, shares memory with an output. \param[in] face  its `field` is the
/// output.
template <class C, class View>
void check_face_is_apart(FaceName const& face, C const& condition, View const& out) {
  use_face_memory(face, condition, out, [&](auto const& view, StridedMemory const& memory) {
    if (overlap(memory, memory_of(out)))
      fail(face.where, face.field, " and the View ", quoted_label(view), " of ", face.text(),
           " overlap in memory; it is read while points are written, so give it memory of its own");
  });
}

/// A field's halo points on one side of a dimension, as a field.
template <class View>
struct HaloAsField {
  using value_type = typename View::value_type;

  View const& view;
  int dim, side;
  std::int64_t width;  // of the halo in that dimension

  static constexpr std::size_t rank() { return View::rank(); }
  auto* data() const {
    return view.data() + (side < 0 ? 0 : (std::int64_t(view.extent(dim)) - width) * std::int64_t(view.stride(dim)));
  }
  std::size_t extent(int d) const { return d == dim ? std::size_t(width) : view.extent(d); }
  std::size_t stride(int d) const { return view.stride(d); }
};

/// Throws if a condition's View, if it has one, has halo points of its field; interior points may be in it. Views that
/// lie in memory in another way than sub-views of the field are not looked at.
template <class C, class View, class Extents>
void check_face_has_no_halo(FaceName const& face, C const& condition, View const& field, Extents const& widths) {
  if (widths[face.dim] == 0) return;
  use_face_memory(face, condition, field, [&](auto const& view, StridedMemory const& memory) {
    for (int d = 0; d < int(View::rank()); ++d)
      for (int side : {-1, 1}) {
        auto const halo = memory_of(HaloAsField<View>{field, d, side, widths[d]});
        if (memory.same_strides(halo) && overlap(memory, halo))
          fail(face.where, "the View ", quoted_label(view), " of ", face.text(), " has halo points of ", face.field,
               ", which are written while it is read; give it memory of its own, or interior points");
      }
  });
}

/// Throws if the View of a face shares memory with an output. \param[in] field  names the output.
/// \param[in] has_face  as for check_boundary().
template <class Conditions, class View, class HasFace>
void check_faces_are_apart(std::string const& where, std::string const& field, Conditions const& conditions,
                           View const& out, HasFace const& has_face) {
  for_each(conditions, [&](auto const& both, auto d) {
    if (has_face(int(d), -1)) check_face_is_apart(FaceName{where, field, "low", int(d)}, both.low, out);
    if (has_face(int(d), 1)) check_face_is_apart(FaceName{where, field, "high", int(d)}, both.high, out);
  });
}

/// The same for an output of a field with all its faces.
template <class Conditions, class View>
void check_faces_are_apart(std::string const& where, std::string const& field, Conditions const& conditions,
                           View const& out) {
  check_faces_are_apart(where, field, conditions, out, [](int, int) { return true; });
}

/// Throws if the View of a face has halo points of the field. \param[in] name  the field's.
/// \param[in] has_face  as for check_boundary().
template <class Conditions, class View, class Extents, class HasFace>
void check_faces_have_no_halo(std::string const& where, std::string const& name, Conditions const& conditions,
                              View const& field, Extents const& widths, HasFace const& has_face) {
  for_each(conditions, [&](auto const& both, auto d) {
    if (has_face(int(d), -1)) check_face_has_no_halo(FaceName{where, name, "low", int(d)}, both.low, field, widths);
    if (has_face(int(d), 1)) check_face_has_no_halo(FaceName{where, name, "high", int(d)}, both.high, field, widths);
  });
}

/// The same of a field with all its faces.
template <class Conditions, class View, class Extents>
void check_faces_have_no_halo(std::string const& where, std::string const& name, Conditions const& conditions,
                              View const& field, Extents const& widths) {
  check_faces_have_no_halo(where, name, conditions, field, widths, [](int, int) { return true; });
}

}  // namespace Koalesce::Impl

#endif
