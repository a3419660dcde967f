// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_CHECKS_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_CHECKS_HPP

#include <Koalesce/common/Error.hpp>
#include <Koalesce/common/impl/Overlap.hpp>
#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/ViewChecks.hpp>
#include <Koalesce/stencil/StencilPolicy.hpp>
#include <Koalesce/stencil/impl/CanonicalField.hpp>
#include <Koalesce/stencil/impl/StencilInputs.hpp>
#include <Koalesce/stencil/impl/StencilReduction.hpp>
#include <Koalesce/stencil/impl/boundary/BoundaryChecks.hpp>

#include <algorithm>

namespace Koalesce::Impl {

/// The part of a StencilPolicy that check_field() and canonical_field() use.
template <class Exec, int Rank>
struct InteriorPolicy {
  using execution_space           = Exec;
  static constexpr int rank       = Rank;
  static constexpr int field_rank = Rank;

  Kokkos::Array<std::int64_t, Rank> m_extents;

  auto const& extents() const { return m_extents; }
  WholeDomain domain() const { return {}; }
};

/// Throws if an extent of the policy is negative.
template <class Policy>
void check_extents(std::string const& where, Policy const& policy) {
  if (policy.domain().blocks() < 0)
    fail(where, "there are ", policy.domain().blocks(),
         " blocks; a number of blocks cannot be negative, so give 0 or more");
  for (int d = 0; d < Policy::rank; ++d)
    if (policy.extents()[d] < 0)
      fail(where, "there are ", policy.extents()[d], " interior points in dimension ", d,
           "; a number of points cannot be negative, so give 0 or more");
}

/// Throws unless `view` has the policy's interior and a halo of at least `halo(d)` points on either side of dimension
/// d.
/// \param[in] role, number name the field in messages; -1 means no number.
template <class Policy, class View, class Halo>
void check_field(std::string const& where, Policy const& policy, View const& view, char const* role, int number,
                 Halo const& halo) {
  static_assert(is_field_type<View>, "Koalesce: fields must be Kokkos Views");
  static_assert(int(View::rank()) == Policy::field_rank,
                "Koalesce: every field must have as many dimensions as there are extents");
  constexpr int of_blocks = Policy::field_rank - Policy::rank;
  static_assert(std::is_trivially_copyable_v<typename View::value_type>,
                "Koalesce::parallel_stencil: elements are copied as bytes, so they must be trivially copyable");

  auto const field    = [&] { return std::string(role) + " field" + (number < 0 ? "" : " " + std::to_string(number)); };
  auto const name     = [&] { return field() + " " + quoted_label(view); };
  std::int64_t points = policy.domain().blocks();
  if (of_blocks > 0 && std::int64_t(view.extent(0)) != policy.domain().blocks())
    fail(where, name(), " has ", view.extent(0), " blocks, its extent in dimension 0, but the policy has ",
         policy.domain().blocks(), "; give every field as many");
  if (is_field_list<View> && points == 0) return;  // there is no View
  for (int d = 0; d < Policy::rank; ++d) {
    std::int64_t const n = policy.extents()[d], extent = view.extent(d + of_blocks), width = extent - n;
    points *= n;
    if (width < 0 || width % 2 != 0)
      fail(where, name(), " has extent ", extent, " in dimension ", d + of_blocks, ", which does not match ", n,
           " interior points; a field holds the interior and a halo of equal width on both sides, so give it ", n,
           " + 2 * halo points");
    if (width / 2 < halo(d))
      fail(where, name(), " has a halo of ", width / 2, " points in dimension ", d + of_blocks,
           ", narrower than the stencil's radius ", halo(d),
           "; the stencil would read outside the field, so give it extent ", n + 2 * halo(d), " or more",
           n < 2 * halo(d) ? std::string()
                           : "; or, if " + std::to_string(n) + " already counts the halo, give the policy " +
                                 std::to_string(n - 2 * halo(d)));
  }
  if (points > 0) check_memory(where, view, field());
  check_reach<typename Policy::execution_space>(where, view, field());
}

/// Radius of what a stencil reads of an input.
template <class In, class Shape>
int input_radius(int d) {
  int radius = 0;
  if constexpr (!is_at_point<In>) radius = InputTraits<In, InputShapeOf<Shape>>::shape::radius(d);
  if constexpr (is_staged<Shape>) radius += Shape::radius(d) - Shape::first::radius(d);
  return radius;
}

/// The memory of as many elements as a stencil writes: halos may overlap. Of a list, that of its first View, as all
/// have the same strides.
template <class Policy, class View>
StridedMemory interior_memory(Policy const& policy, View const& view) {
  if constexpr (is_field_list<View>) {
    bool const any = view.extent(0) > 0;
    return memory_of(view.first(), [&](int d) { return any ? policy.extents()[d] : 0; });
  } else {
    constexpr int of_blocks = int(View::rank()) - Policy::rank;
    return memory_of(view, [&](int d) {
      return d < of_blocks ? std::int64_t(view.extent(d)) : std::int64_t(policy.extents()[d - of_blocks]);
    });
  }
}

/// Whether two fields share memory.
template <class A, class B>
bool overlap_of(A const& a, B const& b) {
  auto const memories = []<class View>(View const& view) -> decltype(auto) {
    if constexpr (is_field_list<View>) return (view.memory());
    else return std::vector{memory_of(view)};
  };
  if constexpr (is_field_list<A> || is_field_list<B>) return overlap(memories(a), memories(b));
  else return overlap(memory_of(a), memory_of(b));
}

/// Whether two fields have the same elements at the same indices.
template <class A, class B>
bool is_identical(A const& a, B const& b) {
  if constexpr (is_field_list<A> || is_field_list<B>) {
    if constexpr (is_field_list<A> && is_field_list<B>)
      return std::equal(a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end(),
                        [](auto const& view, auto const& other) { return is_identical(view, other); });
    return false;
  } else if constexpr (std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type>) {
    bool same = a.data() == b.data();
    for (int d = 0; d < int(A::rank()); ++d) same = same && a.extent(d) == b.extent(d) && a.stride(d) == b.stride(d);
    return same;
  } else {
    return false;
  }
}

template <class Domain>
inline constexpr bool is_active_points = false;
template <class Exec, int Rank>
inline constexpr bool is_active_points<ActivePoints<Exec, Rank>> = true;

/// The View whose layout says how the loops are ordered.
template <class Ins, class Outs>
auto const& leading_view(Ins const& in, Outs const& out) {
  if constexpr (Outs::size > 0) return get<0>(out);
  else return view_of(get<0>(in));
}

/// Whether a policy's sweeps go through the points with the first index innermost; that of active points counts where a
/// View's strides do not tell.
template <class Policy, class View>
bool is_reversed_sweep(Policy const& policy, View const& leading) {
  if constexpr (is_active_points<typename Policy::domain_type>)
    return is_reversed(leading, policy.domain().is_reversed());
  else return is_reversed(leading);
}

/// Throws unless active points are those of the policy's interior, with rows along those of a View.
template <class Policy, class View>
void check_active(std::string const& where, Policy const& policy, View const& leading) {
  auto const& active = policy.domain();
  for (int d = 0; d < Policy::rank; ++d)
    if (active.extents()[d] != policy.extents()[d])
      fail(where, "the active points were prepared for ", active.extents()[d], " interior points in dimension ", d,
           ", but the policy has ", policy.extents()[d], "; prepare them from a mask or boxes of these extents");
  bool const reversed = is_reversed_sweep(policy, leading);
  if (!has_no_points(policy.extents()) && reversed != active.is_reversed())
    fail(where, "field ", quoted_label(leading), " has its smallest stride in the ", reversed ? "first" : "last",
         " dimension, but the mask or layout of which the active points were prepared in the ",
         active.is_reversed() ? "first" : "last", "; prepare them of one with the fields' layout");
}

/// What messages call the fields, and what they advise where an output overlaps an input.
struct FieldRoles {
  char const* in      = "input";
  char const* out     = "output";
  char const* overlap = nullptr;
};

template <class Policy, class... Ins, class... Outs>
void check_stencil(std::string const& where, Policy const& policy, Pack<Ins...> const& in, Pack<Outs...> const& out,
                   FieldRoles const& roles = {}) {
  using Shape = typename Policy::shape_type;
  check_extents(where, policy);
  for_each(in, [&](auto const& input, auto i) {
    using In              = std::decay_t<decltype(input)>;
    constexpr bool bounds = !std::is_same_v<typename Policy::boundary_type, NoBoundary>;
    check_field(where, policy, view_of(input), roles.in, i,
                [](int d) { return bounds ? 0 : input_radius<In, Shape>(d); });
    if constexpr (bounds && is_bounded<In, Shape>) {
      auto widths = policy.extents();
      for (int d = 0; d < Policy::rank; ++d) widths[d] = input_radius<In, Shape>(d);
      using View = typename InputTraits<In, InputShapeOf<Shape>>::view;
      check_boundary<typename Policy::execution_space, typename View::non_const_value_type>(
          where, std::string(roles.in) + " field " + std::to_string(int(i)) + " " + quoted_label(view_of(input)),
          policy.extents(), widths, boundary_of(input, policy.boundary()));
    }
  });
  for_each(out,
           [&](auto const& view, auto i) { check_field(where, policy, view, roles.out, i, [](int) { return 0; }); });
  for_each(in, [&](auto const& input, auto) {
    using In = std::decay_t<decltype(input)>;
    if constexpr (!std::is_same_v<typename Policy::boundary_type, NoBoundary> && is_bounded<In, Shape>) {
      auto const& conditions = boundary_of(input, policy.boundary());
      if constexpr (has_face_views<std::decay_t<decltype(conditions)>>)
        for_each(out, [&](auto const& view, auto i) {
          check_faces_are_apart(where,
                                std::string(roles.out) + " field " + std::to_string(int(i)) + " " + quoted_label(view),
                                conditions, view);
        });
    }
  });

  if constexpr (is_active_points<typename Policy::domain_type>) check_active(where, policy, leading_view(in, out));

  for_each(out, [&](auto const& a, auto i) {
    if constexpr (is_field_list<std::decay_t<decltype(a)>>)
      if (a.overlaps())
        fail(where, roles.out, " field ", int(i), " ", quoted_label(a),
             " is a list of Views that overlap in memory; several blocks would write there, so list each View once");
    check_apart(where, interior_memory(policy, a),
                [&] { return std::string(roles.out) + " field " + std::to_string(int(i)) + " " + quoted_label(a); });
    auto const clash = [&](auto const& b, char const* role, int j, char const* remedy) {
      if (overlap_of(a, b))
        fail(where, roles.out, " field ", int(i), " ", quoted_label(a), " and ", role, " field ", j, " ",
             quoted_label(b), " overlap in memory; ", remedy);
    };
    char const* const swap =
        roles.overlap != nullptr ? roles.overlap
        : is_staged<Shape>
            ? "points are written while other stages still read their neighbors, so give the output memory of its own "
              "and swap afterwards"
            : "points are written while their neighbors are still read, so give the output memory of its own and swap "
              "afterwards, or, if the input is read at the point alone, give the identical View with at_point()";
    for_each(in, [&](auto const& input, auto j) {
      bool const in_place =
          is_at_point<std::decay_t<decltype(input)>> && !is_staged<Shape> && is_identical(a, view_of(input));
      if (!in_place) clash(view_of(input), roles.in, j, swap);
    });
    for_each(out, [&](auto const& b, auto j) {
      if (int(j) > int(i)) clash(b, roles.out, j, "each would overwrite the other, so give each memory of its own");
    });
  });
}

template <class Exec>
void check_results(std::string const&, NoReduction const&) {}

/// Throws unless every result has memory that kernels or the host can write.
template <class Exec, class... Reducers>
void check_results(std::string const& where, StencilReduction<Reducers...> const& reduction) {
  for_each(reduction.reducers, [&](auto const& reducer, auto i) {
    using View          = typename std::decay_t<decltype(reducer)>::result_view_type;
    std::string const r = "result " + std::to_string(int(i));
    check_memory(where, reducer.view(), r);
    if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible)
      check_reach<Exec>(where, reducer.view(), r);
  });
}

}  // namespace Koalesce::Impl

#endif
