// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_SIGNATURE_HPP
#define KOALESCE_STENCIL_IMPL_BOUNDARY_BOUNDARY_SIGNATURE_HPP

#include <Koalesce/common/impl/MultiplyAdd.hpp>
#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/stencil/Boundary.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// Compile-time checks of a boundary, with one clear message each.
namespace Koalesce::Impl {

/// What a condition has: `Given`, a value, View or functor, or void; whether it needs sums of elements.
struct NoCondition {
  static constexpr bool known = false;
};
template <class Given, bool Sums>
struct SomeCondition {
  static constexpr bool known = true, sums = Sums;
  using given = Given;
};
template <class C>
struct ConditionFacts : NoCondition {};
template <>
struct ConditionFacts<Periodic> : SomeCondition<void, false> {};
template <class About>
struct ConditionFacts<Mirror<About>> : SomeCondition<void, false> {};
template <>
struct ConditionFacts<Extrapolation> : SomeCondition<void, false> {};
template <class V>
struct ConditionFacts<Dirichlet<V>> : SomeCondition<V, false> {};
template <class V>
struct ConditionFacts<Neumann<V>> : SomeCondition<V, true> {};
template <>
struct ConditionFacts<Neumann<ZeroGradient>> : SomeCondition<void, false> {};

template <class C>
inline constexpr bool is_mirror = false;
template <class About>
inline constexpr bool is_mirror<Mirror<About>> = true;

template <class C>
inline constexpr bool is_sides = false;
template <class Low, class High>
inline constexpr bool is_sides<Sides<Low, High>> = true;

/// One condition stands for both faces.
template <class C>
auto as_sides(C const& condition) {
  if constexpr (is_sides<C>) return condition;
  else return sides(condition, condition);
}

/// What weights of elements are: whole numbers, exact in any of these types unless a halo is absurdly wide.
template <class T>
struct WeightType {
  using type = std::conditional_t<std::is_arithmetic_v<T>, T, double>;
};
template <class R>
struct WeightType<Kokkos::complex<R>> {
  using type = R;
};

/// Whether multiply_add() takes the elements.
template <class T>
inline constexpr bool has_sums =
    std::is_arithmetic_v<T> || is_kokkos_complex<T> || requires(T sum, double weight) { sum += weight * sum; };

/// Whether F is a functor of the point whose result converts to T.
template <class T, int Rank, class F>
constexpr bool is_functor_of_point() {
  using I = std::int64_t;
  if constexpr (is_device_lambda<F>) return true;
  else if constexpr (Rank == 1) return std::is_invocable_r_v<T, F const&, I>;
  else if constexpr (Rank == 2) return std::is_invocable_r_v<T, F const&, I, I>;
  else return std::is_invocable_r_v<T, F const&, I, I, I>;
}

/// Each of these checks fails a static_assert and returns false if the call is wrong; the caller then compiles no code
/// that would add errors of its own.
template <class T, int Rank, class V>
constexpr bool check_given() {
  if constexpr (Kokkos::is_view_v<V>) {
    constexpr bool fits = int(V::rank()) == Rank - 1 && std::is_same_v<typename V::non_const_value_type, T>;
    static_assert(fits,
                  "Koalesce: a View of a face must have one dimension less than the field, and elements of the field's "
                  "type");
    return fits;
  } else {
    constexpr bool fits = is_functor_of_point<T, Rank, V>() || std::is_convertible_v<V, T>;
    static_assert(fits,
                  "Koalesce: Dirichlet and Neumann take a value that converts to the field's elements, a View of the "
                  "face, or a functor that is const, takes one std::int64_t per dimension and returns such a value");
    return fits;
  }
}

template <class T, int Rank, class C>
constexpr bool check_condition() {
  using Facts = ConditionFacts<C>;
  static_assert(Facts::known,
                "Koalesce: a boundary's condition is Periodic(), Dirichlet(...), Neumann(...), Mirror(...), "
                "Extrapolation(order), or sides(low, high) with two of them");
  if constexpr (!Facts::known) {
    return false;
  } else if constexpr (std::is_void_v<typename Facts::given>) {
    return true;
  } else {
    constexpr bool summed = !Facts::sums || has_sums<T>;
    static_assert(summed,
                  "Koalesce: Neumann with a gradient needs elements for which a += 2. * b compiles; give Neumann() for "
                  "a gradient of 0");
    if constexpr (summed) return check_given<T, Rank, typename Facts::given>();
    else return false;
  }
}

template <class T, int Rank, class C>
constexpr bool check_sides() {
  using S = decltype(as_sides(std::declval<C const&>()));
  return check_condition<T, Rank, decltype(S::low)>() && check_condition<T, Rank, decltype(S::high)>();
}

/// \tparam T element type of the field.
/// \tparam C the conditions, one or `Rank`.
template <class T, int Rank, class... C>
constexpr bool check_conditions() {
  constexpr bool enough = sizeof...(C) == 1 || sizeof...(C) == Rank;
  constexpr bool made   = std::is_default_constructible_v<T>;
  static_assert(enough, "Koalesce: give one condition for all dimensions, or one per dimension of the field");
  static_assert(made, "Koalesce: elements of a field with conditions at its faces need a default constructor");
  if constexpr (enough && made) return (check_sides<T, Rank, C>() && ...);
  else return false;
}

}  // namespace Koalesce::Impl

#endif
