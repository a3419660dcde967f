// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOALESCE_STENCIL_IMPL_STENCIL_CALL_HPP
#define KOALESCE_STENCIL_IMPL_STENCIL_CALL_HPP

#include <Koalesce/stencil/impl/StencilDispatch.hpp>
#include <Koalesce/stencil/impl/StencilSignature.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

/// The calls of parallel_stencil and parallel_stencil_reduce: what the compiler can check, then the dispatch.
namespace Koalesce::Impl {

template <class Policy, class Ins, class Outs, class Reduction, class F>
  requires(!is_staged<typename Policy::shape_type>)
void call_stencil(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                  Reduction const& reduction, F const& functor) {
  if constexpr (check_views<Policy, Ins, Outs>()) {
    if constexpr (check_functor<Policy, Ins, Outs, typename Reduction::Update, F>())
      check_and_dispatch(label, policy, in, out, reduction, functor);
  }
}

template <class Policy, class Ins, class Outs, class Reduction, class Weights, class Then>
  requires(!is_staged<typename Policy::shape_type> && is_weights<Weights>)
void call_stencil(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                  Reduction const& reduction, Weights const& weights, Then const& then) {
  if constexpr (check_views<Policy, Ins, Outs>()) {
    if constexpr (check_linear_then<Policy, Ins, Outs, typename Reduction::Update, Weights, Then>())
      check_and_dispatch(label, policy, in, out, reduction, LinearThen<Weights, Then>{weights, then});
  }
}

template <class Policy, class Ins, class Outs, class Reduction, class... Functors>
  requires(is_staged<typename Policy::shape_type>)
void call_stencil(std::string const& label, Policy const& policy, Ins const& in, Outs const& out,
                  Reduction const& reduction, Functors const&... functors) {
  if constexpr (check_views<Policy, Ins, Outs>()) {
    if constexpr (check_stages<Policy, Ins, Outs, typename Reduction::Update, Functors...>())
      check_and_dispatch(label, policy, in, out, reduction, functors...);
  }
}

/// The functors among the arguments of parallel_stencil_reduce: one per stage, or two if one follows weights.
template <class Shape, class... Args>
inline constexpr std::size_t functor_count = 1;
template <class Shape, class First, class... Args>
  requires(!is_staged<Shape>)
inline constexpr std::size_t functor_count<Shape, First, Args...> = is_linear<First> ? 2 : 1;
template <class... Shapes, class... Args>
inline constexpr std::size_t functor_count<Staged<Shapes...>, Args...> = Staged<Shapes...>::stages;

/// \tparam Result  a reference to what the caller gave.
template <class Result>
constexpr bool is_result() {
  using Given = std::remove_reference_t<Result>;
  using Plain = std::remove_const_t<Given>;
  if constexpr (Kokkos::is_reducer<Plain>::value) return true;
  else if constexpr (Kokkos::is_view_v<Plain>) return Plain::rank() == 0 && !is_const_view<Plain>();
  else return !std::is_const_v<Given> && requires(Plain& sum, Plain const& other) { sum += other; };
}

template <class... Results>
constexpr bool check_result_types() {
  constexpr bool are = (is_result<Results>() && ...);
  static_assert(are,
                "Koalesce::parallel_stencil_reduce: a result must be a variable that can be added to, a View of rank 0 "
                "whose element is not const, or a Kokkos reducer");
  return are;
}

/// A result as a reducer.
template <class Result>
auto as_reducer(Result& result) {
  using Plain = std::remove_const_t<Result>;
  if constexpr (Kokkos::is_reducer<Plain>::value) return Plain(result);
  else if constexpr (Kokkos::is_view_v<Plain>)
    return Kokkos::Sum<typename Plain::value_type, typename Plain::memory_space>(
        Kokkos::View<typename Plain::value_type, typename Plain::memory_space>(result));
  else return Kokkos::Sum<Plain>(result);
}

template <class... Results>
auto make_reduction(Results&... results) {
  return StencilReduction<decltype(as_reducer(results))...>{
      Pack<decltype(as_reducer(results))...>(as_reducer(results)...)};
}

}  // namespace Koalesce::Impl

#endif
