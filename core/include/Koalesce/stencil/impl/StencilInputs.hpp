// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_INPUTS_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_INPUTS_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/stencil/Inputs.hpp>
#include <Koalesce/stencil/StencilShape.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// The inputs of a stencil: Views, some of which say how far they are read.
namespace Koalesce::Impl {

/// \tparam Default the shape of inputs that do not say anything.
template <class In, class Default>
struct InputTraits {
  using view     = In;
  using shape    = Default;
  using boundary = NoBoundary;

  static constexpr bool at_point = false;
};
template <class View, class Default>
struct InputTraits<AtPoint<View>, Default> {
  using view     = View;
  using shape    = void;
  using boundary = NoBoundary;

  static constexpr bool at_point = true;
};
template <class Shape, class View, class Boundary, class Default>
struct InputTraits<Around<Shape, View, Boundary>, Default> {
  using view     = View;
  using shape    = Shape;
  using boundary = Boundary;

  static constexpr bool at_point = false;
};

template <class In>
inline constexpr bool is_at_point = InputTraits<In, void>::at_point;

template <class View>
View const& view_of(View const& view) {
  return view;
}
template <class View>
View const& view_of(AtPoint<View> const& in) {
  return in.view;
}
template <class Shape, class View, class Boundary>
View const& view_of(Around<Shape, View, Boundary> const& in) {
  return in.view;
}

/// Whether anything beyond the interior is read of an input.
template <class In, class Shape>
inline constexpr bool is_bounded = !is_at_point<In> || is_staged<Shape>;

/// The conditions of an input: its own, or the policy's.
template <class In, class Boundary>
auto const& boundary_of(In const& in, Boundary const& boundary) {
  if constexpr (std::is_same_v<typename InputTraits<In, void>::boundary, NoBoundary>) return boundary;
  else return in.boundary;
}

/// The shape of inputs that do not say anything: the policy's, of a composite the first stage's.
template <class Shape>
struct InputShape {
  using type = Shape;
};
template <class First, class... More>
struct InputShape<Staged<First, More...>> {
  using type = First;
};
template <class Shape>
using InputShapeOf = typename InputShape<Shape>::type;

/// The inputs that are read at the point, or the others, in their order.
template <bool AtPoints, class... Ins>
auto inputs_that(Pack<Ins...> const& in) {
  constexpr auto places = [] {
    constexpr std::size_t count = ((is_at_point<Ins> == AtPoints) + ... + 0);
    Kokkos::Array<std::size_t, count + 1> at{};
    std::size_t next = 0, i = 0;
    ((is_at_point<Ins> == AtPoints ? void(at[next++] = i++) : void(++i)), ...);
    at[count] = count;
    return at;
  }();
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Pack<std::decay_t<decltype(get<places[I]>(in))>...>(get<places[I]>(in)...);
  }(std::make_index_sequence<places[places.size() - 1]>{});
}

}  // namespace Koalesce::Impl

#endif
