// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STEPS_STEPS_STATE_HPP
#define KOALESCE_STENCIL_IMPL_STEPS_STEPS_STATE_HPP

#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/Steps.hpp>
#include <Koalesce/stencil/impl/StencilInputs.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

/// What a step reads and writes, from what the caller says of the state.
namespace Koalesce::Impl {

template <class In>
inline constexpr bool is_constant = false;
template <class In>
inline constexpr bool is_constant<Constant<In>> = true;

template <class In>
auto const& without_mark(In const& in) {
  if constexpr (is_constant<In>) return in.input;
  else return in;
}

template <class In>
inline constexpr bool has_levels = false;
template <class In, class View>
inline constexpr bool has_levels<TimeLevels<In, View>> = true;

/// The newest level of what changes from step to step.
template <class In>
auto const& newest(In const& in) {
  if constexpr (has_levels<In>) return view_of(in.now);
  else return view_of(in);
}

/// The same input of another View.
template <class View>
View with_view(View const&, View const& other) {
  return other;
}
template <class View>
AtPoint<View> with_view(AtPoint<View> const&, View const& other) {
  return {other};
}
template <class Shape, class View, class Boundary>
Around<Shape, View, Boundary> with_view(Around<Shape, View, Boundary> const& in, View const& other) {
  return {other, in.boundary};
}

/// The number of `true` among the first values.
constexpr std::size_t count_before(std::initializer_list<bool> values, std::size_t end) {
  return std::size_t(std::count(values.begin(), values.begin() + std::ptrdiff_t(end), true));
}

/// Where the state's entries that change from step to step have their Views.
template <class... Ins>
constexpr std::size_t changing_before(std::size_t i) {
  return count_before({!is_constant<Ins>...}, i);
}
/// The same among the scratch's Views, which entries of two time levels do without.
template <class... Ins>
constexpr std::size_t scratch_before(std::size_t i) {
  return count_before({(!is_constant<Ins> && !has_levels<Ins>)...}, i);
}

/// The packs that visit(entry, i) returns for the state's entries, one after the other.
template <class... Ins, class Visit>
auto gather_packs(Pack<Ins...> const& state, Visit const& visit) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return concat_all(visit(get<I>(state), std::integral_constant<std::size_t, I>())...);
  }(std::index_sequence_for<Ins...>{});
}

/// The Views of the state's newest values that change from step to step.
template <class... Ins>
auto changing_views(Pack<Ins...> const& state) {
  return gather_packs(state, [](auto const& in, auto) {
    if constexpr (is_constant<std::decay_t<decltype(in)>>) return Pack<>();
    else return values(newest(in));
  });
}

/// The Views that change roles with them: the scratch's, and the state's previous time levels.
template <class Scratch, class... Ins>
auto other_views(Pack<Ins...> const& state, Scratch const& scratch) {
  return gather_packs(state, [&](auto const& in, auto i) {
    using In = std::decay_t<decltype(in)>;
    if constexpr (is_constant<In>) return Pack<>();
    else if constexpr (has_levels<In>) return values(in.previous);
    else return values(get<scratch_before<Ins...>(decltype(i)::value)>(scratch));
  });
}

/// A step's inputs, if the newest values of the state lie in these Views, and their previous levels in the others.
template <class Views, class... Ins>
auto inputs_in(Views const& views, Views const& others, Pack<Ins...> const& state) {
  return gather_packs(state, [&](auto const& in, auto i) {
    using In            = std::decay_t<decltype(in)>;
    constexpr auto here = changing_before<Ins...>(decltype(i)::value);
    if constexpr (is_constant<In>) return values(in.input);
    else if constexpr (has_levels<In>) return values(with_view(in.now, get<here>(views)), at_point(get<here>(others)));
    else return values(with_view(in, get<here>(views)));
  });
}

/// A functor as a later step calls it.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION F const& later_by(F const& functor, std::int64_t) {
  return functor;
}
template <class F>
KOKKOS_FORCEINLINE_FUNCTION WithStep<F> later_by(WithStep<F> const& functor, std::int64_t steps) {
  return {functor.functor, functor.step + steps};
}
template <class W, class Shape, class F>
KOKKOS_FORCEINLINE_FUNCTION LinearThen<W, Shape, WithStep<F>> later_by(LinearThen<W, Shape, WithStep<F>> const& functor,
                                                                       std::int64_t steps) {
  return {functor.weights, later_by(functor.then, steps)};
}

/// What lies beyond the interior of a sweep of several steps. In a canonical dimension c with wraps(c) the interior
/// repeats; in the others what lies beyond does not change.
/// \tparam Values   a pack of the BoundaryValue of every input that is read around the point; empty if all wrap.
/// \tparam wrapped  a bit for each canonical dimension.
template <class Values, unsigned wrapped>
struct StepsBoundary {
  static constexpr bool has_values = !std::is_same_v<Values, Pack<>>;

  Values values;

  KOKKOS_FUNCTION static constexpr bool wraps(int c) { return wrapped >> c & 1; }
};

/// How a sweep of several steps treats a dimension's faces; `others` depend on what a step computes.
enum class StepsFaces { wrap, stay, others };

template <class S>
inline constexpr StepsFaces steps_faces = StepsFaces::others;
template <>
inline constexpr StepsFaces steps_faces<Sides<Periodic, Periodic>> = StepsFaces::wrap;
template <class Low, class High>
inline constexpr StepsFaces steps_faces<Sides<Dirichlet<Low>, Dirichlet<High>>> = StepsFaces::stay;

/// Whether all dimensions of a field's boundary are treated as those of the policy's.
template <class Conditions, class OfPolicy>
inline constexpr bool same_steps_faces = false;
template <class... S, class... P>
inline constexpr bool same_steps_faces<Pack<S...>, Pack<P...>> =
    ((steps_faces<S> != StepsFaces::others && steps_faces<S> == steps_faces<P>)&&...);

/// The canonical dimensions of a boundary that wrap, a bit each.
template <class Order, class... S>
constexpr unsigned wrapped_in(Pack<S...> const*) {
  bool const wraps[] = {steps_faces<S> == StepsFaces::wrap...};
  unsigned found     = 0;
  for (int d = 0; d < int(sizeof...(S)); ++d) found |= unsigned(wraps[d]) << Order::canonical_dim(d);
  return found;
}

template <class S>
inline constexpr bool is_same_everywhere = true;
template <class Low, class High>
inline constexpr bool is_same_everywhere<Sides<Dirichlet<Low>, Dirichlet<High>>> =
    std::is_arithmetic_v<Low> && std::is_arithmetic_v<High>;

/// Whether a shape reads, beyond a corner, what is no period of the values beyond the face: a condition's values that
/// depend on the place, for a place beyond an earlier, periodic dimension.
template <class Shape, class... S>
constexpr bool reads_other_corners(Pack<S...> const*) {
  bool const wraps[]  = {steps_faces<S> == StepsFaces::wrap...};
  bool const varies[] = {!is_same_everywhere<S>...};
  bool found          = false;
  for_each_in_box<Shape>([&](auto... offset) {
    if (!Shape::contains(offset...)) return;
    int const at[] = {int(offset)...};
    for (int d = 0; d < Shape::rank; ++d)
      for (int earlier = 0; earlier < d; ++earlier)
        found = found || (wraps[earlier] && varies[d] && at[earlier] != 0 && at[d] != 0);
  });
  return found;
}

/// Whether sweeps of several steps know the boundary of an input.
template <class Policy, class In>
constexpr bool can_fuse_boundary() {
  using Boundary = typename Policy::boundary_type;
  if constexpr (std::is_same_v<Boundary, NoBoundary>) {
    return true;
  } else {
    using Own = std::decay_t<decltype(boundary_of(std::declval<In const&>(), std::declval<Boundary const&>()))>;
    if constexpr (!same_steps_faces<Own, Boundary>) return false;
    else {
      using Shape = typename InputTraits<In, InputShapeOf<typename Policy::shape_type>>::shape;
      return !reads_other_corners<Shape>(static_cast<Own const*>(nullptr));
    }
  }
}

/// Stands for NoBoundary where outputs are the Views of inputs at the point: previous time levels.
struct StepsInPlace {};

/// Whether several steps of this state may share a sweep: all that changes is read around the point, all else at it.
template <class Policy, class In>
constexpr bool can_fuse_input() {
  using Input = std::decay_t<decltype(without_mark(std::declval<In const&>()))>;
  if constexpr (has_levels<In>) return std::is_same_v<typename Policy::boundary_type, NoBoundary>;
  else if constexpr (is_at_point<Input>) return is_constant<In>;
  else return !is_constant<In> && can_fuse_boundary<Policy, Input>();
}
template <class Policy, class... Ins>
inline constexpr bool can_be_fused = Policy::rank > 1 && std::is_same_v<typename Policy::domain_type, WholeDomain> &&
                                     !is_staged<typename Policy::shape_type> && (can_fuse_input<Policy, Ins>() && ...);

}  // namespace Koalesce::Impl

#endif
