// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_SHADOW_IMPL_LINE_REDUCTION_SIGNATURE_HPP
#define KOALESCE_SHADOW_IMPL_LINE_REDUCTION_SIGNATURE_HPP

#include <Koalesce/common/impl/Processor.hpp>
#include <Koalesce/common/impl/ResultParameters.hpp>
#include <Koalesce/shadow/ShadowView.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// Compile-time checks of a call of parallel_reduce_columns or parallel_reduce_rows, with one clear message each.
namespace Koalesce {

template <class Reducer, class View>
class PerLine;

namespace Impl {

/// The View to read: a matrix itself, or the original of a ShadowView.
template <class View>
View const& original_of(View const& matrix) {
  return matrix;
}
template <class View>
View const& original_of(ShadowView<View> const& matrix) {
  return matrix.base();
}

template <class Matrix>
constexpr int rank_of_matrix() {
  if constexpr (Kokkos::is_view_v<Matrix>) return int(Matrix::rank());
  else if constexpr (requires { typename Matrix::base_type; }) return int(Matrix::rank);
  else return 0;
}

/// A result's View and its reducer: the sum, unless per_line() names another.
template <class Result>
struct LineResultTraits {
  static constexpr bool known = false;
};
template <class Result>
  requires Kokkos::is_view_v<Result>
struct LineResultTraits<Result> {
  static constexpr bool known = !std::is_const_v<typename Result::value_type>;
  using View                  = Result;
  using Reducer               = Kokkos::Sum<typename Result::non_const_value_type>;

  static View const& view(Result const& result) { return result; }
};
template <class ReducerT, class ViewT>
struct LineResultTraits<PerLine<ReducerT, ViewT>> {
  static constexpr bool known = true;
  using View                  = ViewT;
  using Reducer               = ReducerT;

  static View const& view(PerLine<ReducerT, ViewT> const& result) { return result.view(); }
};

template <class Result, int Rank>
constexpr bool is_line_result() {
  if constexpr (LineResultTraits<Result>::known) return int(LineResultTraits<Result>::View::rank()) == Rank - 1;
  else return false;
}

/// \tparam Indices  the functor's parameters before the element.
template <class T, class Functor, class... Results, class... Indices>
constexpr bool check_line_functor(TypeList<Indices...>) {
  constexpr bool functions = std::is_invocable_v<Functor const&, Indices..., T const&,
                                                 typename LineResultTraits<Results>::Reducer::value_type&...>;
  static_assert(functions,
                "Koalesce::parallel_reduce_columns, parallel_reduce_rows: the functor must be const and callable "
                "as functor(std::int64_t i, std::int64_t j, element type const& value, a result's type& "
                "update...), with one update per result, and in a batch with its index b first");
  if constexpr (functions)
    return check_results<Functor>(TypeList<Indices..., T const&>(),
                                  TypeList<typename LineResultTraits<Results>::Reducer::value_type...>());
  return false;
}

/// Fails a static_assert and returns false if the call is wrong; the caller then compiles no code that would add errors
/// of its own.
template <class Matrix, class Functor, class... Results>
constexpr bool check_line_reduction_types() {
  constexpr int rank    = rank_of_matrix<Matrix>();
  constexpr bool matrix = rank == 2 || rank == 3;
  static_assert(matrix,
                "Koalesce::parallel_reduce_columns, parallel_reduce_rows: the matrix must be a Kokkos::View of rank 2, "
                "one of rank 3 (a batch of matrices), or a ShadowView");
  if constexpr (matrix) {
    constexpr bool results = sizeof...(Results) > 0 && (is_line_result<Results, rank>() && ...);
    static_assert(results,
                  "Koalesce::parallel_reduce_columns, parallel_reduce_rows: give one or more results, each a "
                  "Kokkos::View of values that are not const with one index less than the matrix, for sums, or "
                  "per_line<Reducer>(View)");
    if constexpr (results) {
      using T                 = std::remove_const_t<typename Matrix::value_type>;
      constexpr bool elements = std::is_default_constructible_v<T>;
      static_assert(
          elements,
          "Koalesce::parallel_reduce_columns, parallel_reduce_rows: the matrix's elements must have a default "
          "constructor, as some are kept in arrays");
      using I       = std::int64_t;
      using Indices = std::conditional_t<rank == 2, TypeList<I, I>, TypeList<I, I, I>>;
      if constexpr (!elements) return false;
      else if constexpr (is_device_lambda<Functor>) return true;
      else return check_line_functor<T, Functor, Results...>(Indices());
    }
  }
  return false;
}

}  // namespace Impl
}  // namespace Koalesce

#endif
