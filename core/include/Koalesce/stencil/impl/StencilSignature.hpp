// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_SIGNATURE_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_SIGNATURE_HPP

#include <Koalesce/common/impl/Pack.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/stencil/LinearStencil.hpp>
#include <Koalesce/stencil/impl/StencilParameters.hpp>
#include <Koalesce/stencil/impl/domain/StencilBlocks.hpp>

#include <cstddef>
#include <type_traits>

/// Compile-time checks of a call of parallel_stencil, with one clear message each. Without them a functor with a wrong
/// parameter fails deep in a backend's templates.
namespace Koalesce::Impl {

template <class View>
constexpr bool is_const_view() {
  if constexpr (is_field_type<View>) return std::is_const_v<typename View::value_type>;
  else return false;
}

template <int Rank, class View>
constexpr bool is_field() {
  if constexpr (is_field_type<View>) return int(View::rank()) == Rank;
  else return false;
}

template <class Views, int Rank>
struct FieldFacts;
template <class... Views, int Rank>
struct FieldFacts<Pack<Views...>, Rank> {
  static constexpr bool views    = (is_field_type<Views> && ...);
  static constexpr bool ranks    = (is_field<Rank, Views>() && ...);
  static constexpr bool writable = !(is_const_view<Views>() || ...);
};

/// Whether a functor's result can be assigned to the outputs.
template <class Views, class Result>
inline constexpr bool takes = false;
template <class View, class Result>
  requires(!is_pack<Result>)
inline constexpr bool takes<Pack<View>, Result> = std::is_assignable_v<typename View::value_type&, Result const&>;
template <class... Views, class... Results>
  requires(sizeof...(Views) == sizeof...(Results))
inline constexpr bool takes<Pack<Views...>, Pack<Results...>> =
    (std::is_assignable_v<typename Views::value_type&, Results const&> && ...);

/// Whether the elements of all inputs can have the conditions.
template <class T, int Rank, class Boundary>
struct ConditionsCheck {
  static constexpr bool passes() { return true; }
};
template <class T, int Rank, class... S>
struct ConditionsCheck<T, Rank, Pack<S...>> {
  static constexpr bool passes() { return check_conditions<T, Rank, S...>(); }
};
template <class Ins, class Shape, class Boundary>
struct BoundaryCheck;
template <class... Ins, class Shape, class Boundary>
struct BoundaryCheck<Pack<Ins...>, Shape, Boundary> {
  template <class In>
  using Of = std::decay_t<decltype(boundary_of(std::declval<In const&>(), std::declval<Boundary const&>()))>;

  static constexpr bool passes() {
    constexpr bool alike = ((std::is_same_v<Of<Ins>, NoBoundary> == std::is_same_v<Boundary, NoBoundary>)&&...);
    static_assert(alike,
                  "Koalesce::parallel_stencil: an input has a boundary, but the policy has none; give the policy one, "
                  "too, for the other inputs");
    if constexpr (alike)
      return (ConditionsCheck<typename InputTraits<Ins, Shape>::view::non_const_value_type, Shape::rank,
                              std::conditional_t<is_bounded<Ins, Shape>, Of<Ins>, NoBoundary>>::passes() &&
              ...);
    return false;
  }
};

/// Each of these checks fails a static_assert and returns false if the call is wrong; the caller then compiles no code
/// that would add errors of its own.
template <class Policy, class Ins, class Outs>
constexpr bool check_views() {
  using Shape             = typename Policy::shape_type;
  using Boundary          = typename Policy::boundary_type;
  using InViews           = FieldFacts<typename ViewsOf<Ins, Shape>::type, Policy::field_rank>;
  using OutViews          = FieldFacts<Outs, Policy::field_rank>;
  constexpr bool views    = InViews::views && OutViews::views;
  constexpr bool ranks    = InViews::ranks && OutViews::ranks;
  constexpr bool writable = OutViews::writable;
  constexpr bool halos    = Policy::field_rank == Policy::rank || std::is_same_v<Boundary, NoBoundary>;
  constexpr bool shapes   = ViewsOf<Ins, Shape>::shapes;
  constexpr bool some     = ViewsOf<Ins, Shape>::around > 0;
  static_assert(views, "Koalesce::parallel_stencil: inputs and outputs must be Kokkos Views, several as fields(a, b)");
  static_assert(
      !views || ranks,
      "Koalesce::parallel_stencil: every field must have as many dimensions as the policy's shape, and with many "
      "blocks one more, the first");
  static_assert(writable, "Koalesce::parallel_stencil: an output field is const, so it cannot be written");
  static_assert(shapes,
                "Koalesce::parallel_stencil: around() takes a Box, a Star or Offsets with as many dimensions as the "
                "policy's shape");
  static_assert(halos, "Koalesce::parallel_stencil: with many blocks give each its halo instead of boundaries");
  static_assert(some,
                "Koalesce::parallel_stencil: every input is read at the point alone; give at least one input without "
                "at_point(), or use Kokkos::parallel_for");
  if constexpr (views && ranks && writable && shapes && some && halos)
    return BoundaryCheck<Ins, Shape, Boundary>::passes();
  return false;
}

/// Whether a functor can take this number of fields; a LinearStencil takes one.
template <class F, int Fields, int Values = 0>
constexpr bool check_fields() {
  constexpr bool enough = !is_linear<F> || (Fields == 1 && Values == 0);
  static_assert(enough,
                "Koalesce::parallel_stencil: a LinearStencil reads one field; for several, call one for each in a "
                "functor of your own, as in first(u) + second(v), or give a functor of the sum after it");
  return enough;
}

template <class T>
inline constexpr int fields_in = 1;
template <class... Ts>
inline constexpr int fields_in<Pack<Ts...>> = sizeof...(Ts);

/// Whether outputs take what a functor returns.
template <class Outs, class Result>
constexpr bool check_result() {
  constexpr bool nothing = std::is_same_v<Outs, Pack<>> && std::is_void_v<Result>;
  constexpr bool returns = nothing || !std::is_void_v<Result>;
  static_assert(returns, "Koalesce::parallel_stencil: the functor must return the value at the point, not void");
  if constexpr (nothing) {
    return true;
  } else if constexpr (returns) {
    constexpr bool taken = takes<Outs, Result>;
    static_assert(taken,
                  "Koalesce::parallel_stencil: the functor must return one value per output field, assignable to its "
                  "elements; return several as Koalesce::values(...)");
    return taken;
  }
  return false;
}

/// \tparam Update  what the functor is given to reduce.
template <class Policy, class Ins, class Outs, class Update, class F>
constexpr bool check_functor() {
  using Shape = typename Policy::shape_type;
  if constexpr (is_device_lambda<F>) {
    return true;
  } else if constexpr (!check_fields<F, ViewsOf<Ins, Shape>::around, ViewsOf<Ins, Shape>::points>()) {
    return false;
  } else {
    using Result            = CallResultOf<F, typename FunctorParameters<Ins, Shape>::type, Policy::field_rank, Update>;
    constexpr bool callable = !std::is_same_v<Result, NotCallable>;
    static_assert(callable,
                  "Koalesce::parallel_stencil: the functor must be const and take one Neighborhood<element type, "
                  "Shape> const& for every input, with the shape that around() gives it or else the policy's, then the "
                  "values of inputs that are read at the point, then one std::int64_t per dimension, then, of "
                  "parallel_stencil_reduce, a reference for every result");
    if constexpr (callable)
      if constexpr (check_updates<F, typename FunctorParameters<Ins, Shape>::type, Policy::field_rank, Update>())
        return check_result<Outs, Result>();
    return false;
  }
}

/// A LinearStencil and a functor of its sum.
template <class Policy, class Ins, class Outs, class Update, class Weights, class Then>
constexpr bool check_linear_then() {
  using Shape        = typename Policy::shape_type;
  constexpr bool one = ViewsOf<Ins, Shape>::around == 1;
  static_assert(one,
                "Koalesce::parallel_stencil: a LinearStencil reads one field; mark the others with at_point(), for the "
                "functor of its sum");
  if constexpr (!one) {
    return false;
  } else if constexpr (is_device_lambda<Then>) {
    return true;
  } else {
    using Parameters    = FunctorParameters<Ins, Shape>;
    using In            = LinearInput<typename Parameters::around>;
    constexpr bool fits = std::is_same_v<typename In::shape, typename Weights::shape_type>;
    static_assert(fits, "Koalesce::parallel_stencil: the LinearStencil must have the shape in which its input is read");
    if constexpr (fits) {
      using Sum               = decltype(typename Weights::weight_type() * typename In::value());
      using Arguments         = JoinOf<TypeList<Sum>, typename Parameters::points>;
      using Result            = CallResultOf<Then, Arguments, Policy::field_rank, Update>;
      constexpr bool callable = !std::is_same_v<Result, NotCallable>;
      static_assert(
          callable,
          "Koalesce::parallel_stencil: the functor after a LinearStencil must be const and take the weighted "
          "sum, then the values of inputs that are read at the point, then one std::int64_t per dimension, then, "
          "of parallel_stencil_reduce, a reference for every result");
      if constexpr (callable)
        if constexpr (check_updates<Then, Arguments, Policy::field_rank, Update>()) return check_result<Outs, Result>();
    }
    return false;
  }
}

/// Whether what a stage before the last returns can be read by the next one.
template <class Result>
constexpr bool check_between() {
  constexpr bool returns = !std::is_void_v<Result>;
  static_assert(returns,
                "Koalesce::parallel_stencil: a functor before the last one must return the values between the stages, "
                "not void");
  return returns;
}

/// The stages from one on that is not the first.
/// \tparam Mid  what the stage before it returns.
template <class Policy, class Ins, class Outs, class Update, int stage, class Mid, class F, class... More>
constexpr bool check_later_stages() {
  using Shape         = typename Policy::shape_type;
  constexpr bool last = sizeof...(More) == 0;
  if constexpr (check_fields<F, fields_in<Mid>>()) {
    using Arguments         = JoinOf<typename MidNeighborhoods<StageShape<Shape, stage>, Mid>::type,
                             typename FunctorParameters<Ins, typename Shape::first>::values>;
    using Result            = CallResultOf<F, Arguments, Policy::field_rank, std::conditional_t<last, Update, Pack<>>>;
    constexpr bool callable = !std::is_same_v<Result, NotCallable>;
    static_assert(callable || stage > 1,
                  "Koalesce::parallel_stencil: the second functor must be const and take one Neighborhood<type of "
                  "the value, Second> const& for every value that the first one returns, the value of every input at "
                  "the point, then one std::int64_t per dimension, then, of parallel_stencil_reduce, a reference for "
                  "every result if it is the last one");
    static_assert(callable || stage == 1,
                  "Koalesce::parallel_stencil: the third functor, as any later one, must be const and take one "
                  "Neighborhood<type of the value, its stage's shape> const& for every value that the one before it "
                  "returns, the value of every input at the point, then one std::int64_t per dimension, then, of "
                  "parallel_stencil_reduce, a reference for every result if it is the last one");
    if constexpr (callable && last) {
      if constexpr (check_updates<F, Arguments, Policy::field_rank, Update>()) return check_result<Outs, Result>();
    } else if constexpr (callable && check_between<Result>()) {
      return check_later_stages<Policy, Ins, Outs, Update, stage + 1, Result, More...>();
    }
  }
  return false;
}

template <class Policy, class Ins, class Outs, class Update, class F, class... More>
constexpr bool check_stages() {
  using First          = typename Policy::shape_type::first;
  using Facts          = ViewsOf<Ins, First>;
  constexpr bool count = 1 + sizeof...(More) == std::size_t(Policy::shape_type::stages);
  static_assert(count, "Koalesce::parallel_stencil: a Staged shape needs one functor per stage");
  if constexpr (!count) {
    return false;
  } else if constexpr (is_device_lambda<F> || (is_device_lambda<More> || ...)) {
    return true;
  } else if constexpr (check_fields<F, Facts::around, Facts::points>()) {
    using Mid               = CallResultOf<F, typename FunctorParameters<Ins, First>::type, Policy::field_rank>;
    constexpr bool callable = !std::is_same_v<Mid, NotCallable>;
    static_assert(callable,
                  "Koalesce::parallel_stencil: the first functor must be const and take one Neighborhood<element type, "
                  "First> const& for every input, or with the shape that around() gives it, then the values of inputs "
                  "that are read at the point, then one std::int64_t per dimension");
    if constexpr (callable && check_between<Mid>())
      return check_later_stages<Policy, Ins, Outs, Update, 1, Mid, More...>();
  }
  return false;
}

}  // namespace Koalesce::Impl

#endif
