// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_DISTRIBUTED_IMPL_RANK_CHECKS_HPP
#define KOALESCE_DISTRIBUTED_IMPL_RANK_CHECKS_HPP

#include <Koalesce/distributed/Domain.hpp>
#include <Koalesce/distributed/impl/DomainHalo.hpp>
#include <Koalesce/stencil/impl/StencilChecks.hpp>
#include <Koalesce/stencil/impl/domain/LocalPolicy.hpp>

#include <string>
#include <type_traits>

/// What a sweep over a domain needs of its fields, and whether it has it.
namespace Koalesce::Impl {

/// Whether a shape reads points that lie away in several dimensions.
template <class Shape>
constexpr bool reads_corners() {
  bool found = false;
  for_each_in_box<Shape>(
      [&](auto... offset) { found = found || (Shape::contains(offset...) && (0 + ... + (offset != 0)) > 1); });
  return found;
}

/// An input's halo.
template <class Policy, class In>
auto halo_need(Policy const& policy, In const& input) {
  using Shape = typename Policy::shape_type;
  using View  = std::decay_t<decltype(view_of(input))>;
  static_assert(!std::is_const_v<typename View::value_type>,
                "Koalesce::parallel_stencil: with a domain, halos of inputs that are read around the point are "
                "written; give Views of elements that are not const");
  auto need = whole_halo(view_of(input), policy.domain().ranks);
  for (int d = 0; d < Policy::rank; ++d) need.width[d] = input_radius<In, Shape>(d);
  if constexpr (is_staged<Shape>) need.corners = true;
  else need.corners = reads_corners<typename InputTraits<In, Shape>::shape>();
  return need;
}

template <class Policy, class In>
auto halo_field(Policy const& policy, In const& input) {
  auto const& view = view_of(input);
  if constexpr (std::is_same_v<typename Policy::boundary_type, NoBoundary>)
    return HaloField{view, HaloStays(), halo_need(policy, input)};
  else return HaloField{view, boundary_of(input, policy.boundary()), halo_need(policy, input)};
}

/// Those of all inputs of which more is read than the point's value.
template <class Policy, class Ins>
auto halo_fields(Policy const& policy, Ins const& in) {
  auto const field = [&](auto const& input, auto) { return halo_field(policy, input); };
  if constexpr (is_staged<typename Policy::shape_type>) return transform(in, field);
  else return transform(inputs_that<false>(in), field);
}

/// Throws unless conditions can hold at the faces of the whole grid.
template <int Rank, class Field>
void check_faces(std::string const& where, Domain<Rank> const& domain, std::string const& name, Field const& field) {
  for_each(field.conditions, [&]<class Low, class High>(Sides<Low, High> const&, auto d) {
    constexpr bool periodic = std::is_same_v<Low, Periodic>;
    if (periodic != domain.periodic(int(d)))
      fail(where, name, periodic ? " is periodic in dimension " : " has faces in dimension ", int(d),
           periodic ? ", where the domain is not" : ", where the domain has a period",
           "; give the domain the periods of the boundary (DomainOptions::periodic)");
    bool others = false;
    for (int e = 0; e < Rank; ++e) others = others || (e != int(d) && domain.ranks()[e] > 1);
    if ((has_face_view<Low> || has_face_view<High>)&&field.need.corners && others)
      fail(where, name, " has a View of a face of dimension ", int(d),
           ", and is read beyond its edges, where another process has its entries; give a functor of the point");
  });
}

template <class Policy, class Ins, class Outs, class Check>
void check_over_ranks(std::string const& where, Policy const& policy, Ins const& in, Outs const& out,
                      Check const& check) {
  using Exec         = typename Policy::execution_space;
  auto const& domain = policy.domain().ranks;
  auto const fields  = halo_fields(policy, in);
  std::string text;
  for_each(fields, [&](auto const& field, auto) { text += "; " + field.need.text(); });
  domain.state()->agree(where, text, [&] {
    check(local_policy(policy));
    for_each(fields, [&](auto const& field, auto i) {
      std::string const name = "input field " + std::to_string(int(i)) + " " + quoted_label(field.view);
      check_thickness(where, domain, name, field.need);
      if constexpr (!std::is_same_v<typename Policy::boundary_type, NoBoundary>) {
        check_faces(where, domain, name, field);
        using T             = typename std::decay_t<decltype(field.view)>::non_const_value_type;
        auto const has_face = [&](int d, int side) { return !domain.has_neighbor(d, side); };
        check_boundary<Exec, T>(where, name, domain.extents(), field.need.width, field.conditions, has_face);
        if constexpr (has_face_views<std::decay_t<decltype(field.conditions)>>) {
          auto written = field.need.halo;
          for (int d = 0; d < Policy::rank; ++d)
            if (field.need.width[d] == 0) written[d] = 0;
          check_faces_have_no_halo(where, name, field.conditions, field.view, written, has_face);
          for_each(out, [&](auto const& view, auto j) {
            check_faces_are_apart(where, "output field " + std::to_string(int(j)) + " " + quoted_label(view),
                                  field.conditions, view, has_face);
          });
        }
      }
    });
  });
}

}  // namespace Koalesce::Impl

#endif
